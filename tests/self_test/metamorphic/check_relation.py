"""The metamorphic checks of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from mbx.base.process import room
from self_test.metamorphic.edit import NotApplicableHereError
from self_test.metamorphic.question import question_of
from self_test.metamorphic.relations import METAMORPHIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.language.document.document import Document
    from mbx.linking.link import Linked
    from self_test.metamorphic.measure_relation import Gap
    from self_test.metamorphic.question import Question
    from self_test.metamorphic.relations import Metamorphic

__all__ = ["Check", "checks", "said"]

STATES: Final = 3
"""Random states of a check."""
LONGEST: Final = 200
"""Characters of a reason."""

Status = Literal["holds", "broken", "not applicable"]


@dataclass(frozen=True, slots=True)
class Check:
    """What came of a check.

    Attributes:
        name: Which check.
        status: Whether what must hold does.
        error: The largest error, relative to the terms of the equations.
        reason: Why it is broken or cannot be made.
        state: Where the largest error is.
        form: Whose error it is: that of a form, of the oracle, or of the bodies.
    """

    name: str
    status: Status
    error: float = 0.0
    reason: str = ""
    state: str = ""
    form: str = ""


@room()
def checks(
    model: Document | Linked,
    name: str | None = None,
    *,
    wanted: Sequence[Metamorphic] = METAMORPHIC,
    states: int = STATES,
    seed: int = 1,
) -> list[Check]:
    """Change a model, the last of a document unless one is named, and say what holds."""
    question = question_of(model, name, states, seed)
    return [_checked(one, question) for one in wanted]


def _checked(one: Metamorphic, question: Question) -> Check:
    try:
        found = max(one.gaps(question), key=_size, default=None)
    except NotApplicableHereError as why:
        return Check(one.name, "not applicable", reason=str(why))
    except Exception as why:  # noqa: BLE001  whatever a change brings to light
        return Check(one.name, "broken", float("inf"), said(why))
    if found is None:
        return Check(one.name, "not applicable", reason="there is nothing to compare")
    broken = not found.error <= one.bound
    reason = (found.reason or f"{found.what} differs") if broken else ""
    return Check(
        one.name, "broken" if broken else "holds", found.error, reason, found.state, found.form
    )


def said(why: Exception) -> str:
    """Return what went wrong, in a line."""
    return f"{type(why).__name__}: {why}".splitlines()[0][:LONGEST]


def _size(gap: Gap) -> float:
    """Return an error; what is no number is larger than any."""
    return float("inf") if np.isnan(gap.error) else gap.error
