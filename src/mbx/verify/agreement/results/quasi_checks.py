"""Checks of declared variables of order 2 and more: what they stand for, by the speeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.verify.agreement.reference.sized import Sized, stack
from mbx.verify.agreement.results.examined_form import Difference

if TYPE_CHECKING:
    from mbx.verify.agreement.results.examined_form import Differences, Subject

__all__ = ["check_variables"]


def check_variables(subject: Subject) -> Differences:
    """Compare declared variables with what the definitions make of the accelerations of the form.

    First come those that belong to the state, then the unknown variables, E ud + e.
    """
    numbers = {name: Sized.of(x) for name, x in subject.reference.numbers("quasi").items()}
    E, e = numbers["E"], numbers["e"]
    parts = [[x] for x in (numbers["known"], E @ subject.ud + e) if x.shape[1]]
    gap = subject.result("quasi") - stack(parts)
    if subject.programme:
        yield Difference("declared variables", gap)
        return
    ud = subject.coupling.in_speeds(subject.ud.size, accelerations=True)
    yield Difference("declared variables", gap, np.asarray(E.size @ ud + e.size))
