"""Equations as Markdown, for GitHub and for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.markdown_equations import page
from mbx.codegen.target import Target

if TYPE_CHECKING:
    from mbx.codegen.target import Subject

__all__ = ["TARGET"]


def _write(subject: Subject) -> dict[str, str]:
    return {f"{subject.stem}.md": page(subject.equations)}


TARGET: Final = Target(
    name="markdown", suffix=".md", title="Markdown", write=_write, specialised=False
)
