"""The methods of a run by their names: what makes the steps, and what keeps the invariants.

projection   explicit steps; the state is brought back onto the invariants after each
baumgarte    explicit steps; accelerations are added by which what is left dies away
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from mbx.analyses.explicit import Explicit
from mbx.analyses.fields import Accelerated, Stabilised
from mbx.experiments.trajectory import ATOL, RTOL, SHORTEST

if TYPE_CHECKING:
    from mbx.analyses.engine import Engine
    from mbx.analyses.steps import Stepper
    from mbx.experiments.plan import Plan
    from mbx.experiments.written import Invariants

__all__ = ["METHODS", "PROJECTED", "Ground", "Method", "stepper_of"]

Method = Literal["projection", "baumgarte"]
METHODS: Final[tuple[Method, ...]] = ("projection", "baumgarte")
PROJECTED: Final[frozenset[Method]] = frozenset({"projection"})
"""Methods whose states are brought back onto the invariants after each step."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a method starts from: the plan, the form that is its engine, and the invariants."""

    plan: Plan
    engine: Engine
    rows: Invariants

    @property
    def shortest(self) -> float:
        """The length below which a step is none."""
        return SHORTEST * (self.plan.last - self.plan.first)


def stepper_of(method: Method, ground: Ground) -> Stepper:
    """Return what makes the steps of a method."""
    engine, rows = ground.engine, ground.rows
    if method == "baumgarte" and rows.any:
        return Explicit(Stabilised(ground.plan.system, engine, rows), RTOL, ATOL, ground.shortest)
    return Explicit(Accelerated(engine), RTOL, ATOL, ground.shortest)
