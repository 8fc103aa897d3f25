"""Forms of models that code is written of in every run of the tests: all kinds of steps.

All forms of three models are, of one of which unknowns are iterated for, and some of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mbx import pipeline
from mbx.codegen.routine import routine
from written import ALL_FORMS_OF, forms_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Step
    from written import Case

__all__ = ["ITERATED", "arguments_of", "kinds", "sampled"]

ITERATED: Final = "slider_crank_3d_friction"
_OF_OTHERS: Final = ("articulated_body", "kane", "modular", "udwadia_kalaba:singular")


def sampled(model: str) -> tuple[str, ...]:
    """Return some forms of a model, or all."""
    known = forms_of(model)
    return known if model in ALL_FORMS_OF else tuple(form for form in known if form in _OF_OTHERS)


def kinds(equations: Equations) -> set[str]:
    """Return the operations of steps, inner ones included, with the kind of a solution."""
    return {f"{step.op} {step.kind or ''}".strip() for step in _every(equations.steps)}


def _every(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _every(step.steps)


def arguments_of(case: Case) -> dict[str, Any]:
    """Return the arguments of all code that is written of a case, by group."""
    return case.arguments(routine(pipeline.subject(case.equations), ()))
