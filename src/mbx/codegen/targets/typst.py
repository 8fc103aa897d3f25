"""Equations as a Typst document: the page of a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import EquationsError
from mbx.codegen.pages.typst_page import write_typst_page
from mbx.codegen.target import Target

if TYPE_CHECKING:
    from mbx.codegen.target import Subject

__all__ = ["TARGET"]


def _write(subject: Subject) -> dict[str, str]:
    equations = subject.equations
    if subject.page is None:
        raise EquationsError("only a form with a page is written in Typst, without values put in")
    text = write_typst_page(equations, subject.page, only_equations=subject.only_equations)
    return {f"{subject.stem}.typ": text}


TARGET: Final = Target(
    name="typst",
    suffix=".typ",
    title="a Typst document",
    write=_write,
    specialised=False,
    has_page=True,
)
