"""The momentum of a whole system, and its moment about the ground's origin, along a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.state_functions import numbers_in, state_symbols
from mbx.codegen.python.python_function import python_function
from mbx.expr.build import NULL, cross, matvec, plus, times
from mbx.expr.evaluate import substitute
from mbx.expr.nodes import ZERO
from mbx.mechanics import motion

if TYPE_CHECKING:
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.expr.build import Vector
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Momenta"]

_LINEAR: Final = "N*s"
_ANGULAR: Final = "N*m*s"


class Momenta:
    """Those components of both that are not zero whatever the state is.

    The moment is there only where the place and the axes of all masses are known.
    """

    def __init__(self, plan: Plan, equations: Equations) -> None:
        """Write them out."""
        moving = motion.in_speeds(plan.system)
        linear: Vector = NULL
        angular: Vector | None = NULL
        for one in moving.elements:
            if one.m is not ZERO:
                p = times(one.m, one.v)
                linear = plus(linear, p)
                placed = one.element.placed
                angular = plus(angular, cross(one.element.com.p, p)) if placed and angular else None
            if one.turns:
                frame = one.element.frame
                own = matvec(one.inertia, one.w)
                angular = plus(angular, matvec(frame.R, own)) if frame and angular else None
        named = [(f"momentum {axis}", _LINEAR, x) for axis, x in zip("xyz", linear, strict=True)]
        if angular is not None:
            named += [
                (f"angular momentum {axis}", _ANGULAR, x)
                for axis, x in zip("xyz", angular, strict=True)
            ]
        known = numbers_in(equations, plan.parameters, inputs_of(plan), plan.system)
        nodes = substitute(moving.express([x for _, _, x in named]), known)
        some = [(name, unit, x) for (name, unit, _), x in zip(named, nodes, strict=True)]
        some = [row for row in some if row[2] is not ZERO]
        self.names = [(name, unit) for name, unit, _ in some]
        self._function = python_function(
            [x for _, _, x in some], state_symbols(equations.signature)
        )

    def at(self, t: float, y: Array) -> Array:
        """Return the components at a state."""
        try:
            return np.array(self._function([t, *y.tolist()]), dtype=float)
        except (ArithmeticError, ValueError):  # no value just there
            return np.full(len(self.names), np.nan)
