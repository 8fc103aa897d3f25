"""What goes to other processes and comes back from them: JSON text, never objects.

A verification comes back whole, numbers to the last bit, infinite ones and NaN included.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from mbx.experiments.provenance import Kind
from mbx.experiments.reference import Reference
from mbx.verify.findings import Beside, Error, Pair, StatePoint, StateRow
from mbx.verify.forms import Excluded
from mbx.verify.report import Verification

__all__ = ["Answer", "Task"]


class _Text(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_inf_nan="constants", defer_build=True
    )


class Task(_Text):
    """A part of a verification that is to be done.

    Attributes:
        document: The linked model, in the JSON form.
        hash: Its identity.
        limits: What it may be, as the user set it.
        forms, states, oracle, seed, timeout, points, references: As in `Options`.
    """

    document: str
    hash: str
    limits: dict[str, float]
    forms: tuple[str, ...]
    states: int
    oracle: int
    seed: int
    timeout: float
    points: tuple[StatePoint, ...]
    references: bool


class Answer(_Text):
    """What became of a task: a verification, or why there is none; and the seconds it took.

    `fault` says that a form is not known there; `bug` is ours.
    """

    seconds: float
    verification: Verification | None = None
    fault: str = ""
    bug: str = ""


# the records are annotated with names that their own modules import for type checkers alone
_NAMES: Final[dict[str, Any]] = {
    one.__name__: one
    for one in (
        Beside,
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
