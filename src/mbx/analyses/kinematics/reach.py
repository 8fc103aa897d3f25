"""How far a drive can go: the range of movement, and what ends it at either side."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Final

from mbx.analyses.kinematics.follow import HaltError, March
from mbx.analyses.kinematics.groups.group_machine import compiled
from mbx.analyses.kinematics.solve_motion import solution_of
from mbx.expr.build import add, mul
from mbx.expr.nodes import number
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.analyses.kinematics.follow import Diagnosis
    from mbx.analyses.kinematics.natural.mechanism import Mechanism
    from mbx.analyses.kinematics.solve_motion import Method
    from mbx.expr.nodes import Node

__all__ = ["Reach", "reach"]

_STEPS: Final = 180
_TURN: Final = 2 * pi


@dataclass(frozen=True, slots=True)
class Reach:
    """A range of movement; an end without a reason is the limit of the search."""

    name: str
    low: float
    high: float
    below: Diagnosis | None
    above: Diagnosis | None

    @property
    def turns(self) -> bool:
        """Whether nothing ends it, within the limit of the search."""
        return self.below is None and self.above is None


def reach(
    made: Callable[[Mapping[str, Node]], Mechanism],
    name: str,
    state: Mapping[str, float],
    fixed: Mapping[str, Node],
    method: Method = "td",
    *,
    far: float = _TURN,
    tick: Callable[[], None] = lambda: None,
) -> Reach:
    """Return how far one drive can go from a state, the others held; angles by a full turn."""
    ends: list[tuple[float, Diagnosis | None]] = []
    for sign in (-1, 1):
        drive = add(number(state[name]), mul(number(sign), TIME))
        solution = solution_of(made({**fixed, name: drive}), method, readouts=False)
        march = March(solution, compiled(solution), tick)
        here = march.begin(0.0, solution.start(state, 0.0))
        diagnosis: Diagnosis | None = None
        for k in range(_STEPS):
            try:
                here = march.go(here, far * (k + 1) / _STEPS)
            except HaltError as halt:
                here, diagnosis = halt.last, halt.diagnosis
                break
        ends.append((state[name] + sign * here.t, diagnosis))
    (low, below), (high, above) = ends
    return Reach(name, low, high, below, above)
