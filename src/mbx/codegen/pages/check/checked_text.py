"""The text of a page with what was evaluated on it, as its last lines."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from mbx.base.errors import EquationsError
from mbx.codegen.pages.check.check_page import check_page
from mbx.codegen.pages.check.page_states import known_states
from mbx.codegen.pages.check.read_text_page import read_text_page
from mbx.codegen.pages.text_page import write_text_page

if TYPE_CHECKING:
    from mbx.codegen.pages.check.check_page import Checked
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page import Page

__all__ = ["check_text", "write_checked"]


def write_checked(equations: Equations, width: int, *, only_equations: bool = False) -> list[str]:
    """Return the lines of the page of equations, evaluated as they are printed.

    A page on which an equality does not hold raises `EquationsError`.
    """
    page = equations.page
    assert page is not None  # noqa: S101  asked for with a page only
    lines = write_text_page(equations.signature, page, width=width)
    checked = check_text("\n".join(lines), equations, page)
    if only_equations:
        return write_text_page(equations.signature, page, width=width, only_equations=True)
    return [*lines, "", *_footer(equations, checked, width)]


def check_text(text: str, equations: Equations, page: Page) -> Checked:
    """Return what holds on a printed page; raise `EquationsError` if something does not."""
    states = known_states(equations, page)
    checked = check_page(read_text_page(text), states)
    if checked.mistakes:
        first = checked.mistakes[0]
        message = f"equation ({first.number}) of the page does not hold: {first.text}"
        raise EquationsError(f"{message} (relative error {first.error:.1e})")
    return checked


def _footer(equations: Equations, checked: Checked, width: int) -> list[str]:
    """Return what was evaluated."""
    if not checked.states:
        reason = "" if equations.states is None else equations.states.reason
        text = f"not checked: {reason or 'no consistent state is known'}"
    else:
        text = (
            f"checked: {checked.equalities} equalities of this page as printed, "
            f"at {checked.states} states, to {_above(checked.worst)}"
        )
    notes = [f"Note: {note.rstrip('.')}." for note in equations.notes]
    return [line for each in (*notes, text) for line in wrap(each, width, subsequent_indent="  ")]


def _above(error: float) -> str:
    """Return the next power of ten above an error."""
    exponent = -16
    while error > 10.0**exponent:
        exponent += 1
    return f"1e{exponent}"
