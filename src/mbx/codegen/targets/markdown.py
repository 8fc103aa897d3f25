"""Equations as Markdown, for GitHub and for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.markdown_equations import page
from mbx.codegen.pages.markdown_page import write_markdown_page
from mbx.codegen.target import Target

if TYPE_CHECKING:
    from mbx.codegen.target import Subject

__all__ = ["TARGET"]


def _write(subject: Subject) -> dict[str, str]:
    equations = subject.equations
    if subject.page is None:
        return {f"{subject.stem}.md": page(equations)}
    text = write_markdown_page(equations, subject.page, only_equations=subject.only_equations)
    return {f"{subject.stem}.md": text}


TARGET: Final = Target(
    name="markdown",
    suffix=".md",
    title="Markdown",
    write=_write,
    specialised=False,
    has_page=True,
)
