"""Equations as a page in HTML that needs nothing but itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.html_equations import page
from mbx.codegen.target import Target

if TYPE_CHECKING:
    from mbx.codegen.target import Subject

__all__ = ["TARGET"]


def _write(subject: Subject) -> dict[str, str]:
    equations = replace(subject.equations, page=subject.page)
    return {f"{subject.stem}.html": page(equations, only_equations=subject.only_equations)}


TARGET: Final = Target(
    name="html",
    suffix=".html",
    title="a page in HTML",
    write=_write,
    specialised=False,
    has_page=True,
)
