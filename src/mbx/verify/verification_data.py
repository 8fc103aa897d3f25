"""What goes to other processes and comes back from them: JSON text, never objects.

A verification comes back whole, numbers to the last bit, infinite ones and NaN included.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mbx.analyses.experiments.expectation import Reference
from mbx.analyses.experiments.provenance import Kind
from mbx.linking.model_transfer import SentModel, Text
from mbx.numerics.states.complete import StatePoint
from mbx.verify.agreement.state_counts import Counts
from mbx.verify.derived_forms import Excluded
from mbx.verify.findings import Error, OracleComparison, Pair, StateRow
from mbx.verify.verification import Verification

__all__ = ["Answer", "Task"]


class Task(Text):
    """A part of a verification that is to be done.

    Attributes:
        model: What is verified.
        forms, states, oracle, seed, timeout, points, references: As in `Options`.
    """

    model: SentModel
    forms: tuple[str, ...]
    states: int
    oracle: int
    seed: int
    timeout: float
    points: tuple[StatePoint, ...]
    references: bool


class Answer(Text):
    """What became of a task: a verification, or why there is none; and the seconds it took.

    `fault` states that a form is not known there; `bug` is ours.
    """

    seconds: float
    verification: Verification | None = None
    fault: str = ""
    bug: str = ""


# the records are annotated with names that their modules import for type checkers alone
_NAMES: Final[dict[str, Any]] = {
    record.__name__: record
    for record in (
        OracleComparison,
        Counts,
        Error,
        Excluded,
        Mapping,
        Pair,
        Reference,
        StatePoint,
        StateRow,
        Verification,
    )
}
_NAMES["Kind"] = Kind
for _kind in (Task, Answer):
    _kind.model_rebuild(_types_namespace=_NAMES)
