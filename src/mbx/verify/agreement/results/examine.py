"""The declared results of a form that has been run, against the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.execute.stacked_algebra import EPS
from mbx.numerics.tolerances import ENTRY
from mbx.verify.agreement.reference.sized import Sized
from mbx.verify.agreement.reference.term_sizes import with_rounding
from mbx.verify.agreement.results.checks import examine
from mbx.verify.agreement.results.examined_form import NotCheckedError, Subject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.execute import Outcome
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.reference.reference_numbers import Reference
    from mbx.verify.agreement.results.checks import Checked

__all__ = ["examine_outcome", "subject_of", "zero_results"]

_ZERO: Final = ("certificate:", "state")


def zero_results(equations: Equations) -> set[str]:
    """Return the steps of the declared results that must be zero: their rounding is needed."""
    return {name for meaning, name in equations.results.items() if meaning.startswith(_ZERO)}


def examine_outcome(
    equations: Equations, outcome: Outcome, at: Mapping[Node, Array], reference: Reference
) -> tuple[list[Checked], dict[str, str]]:
    """Return the errors of all declared results, and the results without a check, with reasons."""
    return examine(subject_of(equations, outcome, at, reference))


def subject_of(
    equations: Equations, outcome: Outcome, at: Mapping[Node, Array], reference: Reference
) -> Subject:
    """Return a form that has been run, under examination; `at` are the values of its symbols."""

    def numbers(name: str) -> Array:
        matrix = outcome.matrix(name)
        if isinstance(matrix, list):
            raise NotCheckedError("its shape depends on the state")
        return matrix

    def each(meaning: str) -> list[Array]:
        name = equations.results[meaning]
        return [outcome.at(name, k) for k in range(len(outcome.status))]

    def zero(meaning: str) -> Sized:
        name = equations.results[meaning]
        value = numbers(name)
        step = equations.step(name)
        size = np.zeros(value.shape)
        if step.op == "define" and not step.args:
            digits = {symbol: ENTRY * np.abs(x) for symbol, x in at.items()}
            ((_, bound),) = with_rounding([step], at, digits, len(value))
            size = bound / EPS
        for batch in outcome.batches:
            if name in batch.noise:
                size[batch.states] = np.maximum(size[batch.states], batch.noise[name] / EPS)
        return Sized(value, size)

    return Subject(equations, reference, numbers, each, zero)
