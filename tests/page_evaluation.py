"""Pages of library models, written, read back and evaluated: what the tests of pages share."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import mbx
from mbx.codegen.pages.check.check_page import check_page
from mbx.codegen.pages.check.page_states import known_states
from mbx.codegen.pages.check.page_values import PageValues
from mbx.codegen.pages.check.read_text_page import parse_term, read_text_page
from mbx.codegen.pages.text_page import write_text_page
from mbx.formalism.page.page_options import PageOptions
from mbx.pipeline import derive
from page_mistakes import mistakes_in

if TYPE_CHECKING:
    from mbx.codegen.pages.check.check_page import Checked, KnownState
    from mbx.formalism.equations import Equations

__all__ = ["checked", "equations_of", "found_share", "text_of", "value_at"]


@cache
def equations_of(name: str, form: str) -> Equations:
    """Return the equations of a library model with their page."""
    return derive(mbx.elaborate(f"lib:{name}"), form, page=PageOptions())


@cache
def text_of(name: str, form: str) -> str:
    """Return the page as text."""
    equations = equations_of(name, form)
    assert equations.page is not None, f"{form} has no page of {name}"
    return "\n".join(write_text_page(equations.signature, equations.page))


@cache
def states_of(name: str, form: str) -> list[KnownState]:
    """Return what is known at states of the model."""
    equations = equations_of(name, form)
    assert equations.page is not None
    return known_states(equations, equations.page)


def checked(name: str, form: str) -> Checked:
    """Return what holds on the page of a model."""
    return check_page(read_text_page(text_of(name, form)), states_of(name, form))


def value_at(name: str, form: str, text: str) -> list[float]:
    """Return the values of an expression, in the syntax of pages, at states of the motion."""
    term = parse_term(text)
    motions = [s for s in states_of(name, form) if s.is_motion and s.only is None]
    return [float(PageValues(state.values, state.rates, {})(term)) for state in motions]


def found_share(name: str, form: str, count: int) -> float:
    """Return the part of single mistakes in the text of a page that its evaluation finds."""
    states = states_of(name, form)
    found = total = 0
    for _, text in mistakes_in(text_of(name, form), count):
        total += 1
        try:
            found += bool(check_page(read_text_page(text), states).mistakes)
        except mbx.MbxError:
            found += 1
    return found / total
