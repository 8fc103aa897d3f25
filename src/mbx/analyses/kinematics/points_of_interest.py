"""Points of interest: where a point of a body is, how fast, and how it accelerates.

r_P = T rbar_P with A = X Xbar^-1, (44) to (47): the point is kept out of the unknowns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.kinematics.groups.group import rate
from mbx.analyses.kinematics.natural.entities import combination
from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError
from mbx.base.diagnostics import suggestion
from mbx.codegen.native.scalar_function import Scalars
from mbx.expr.build import add
from mbx.expr.derivatives import along
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import ONE
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from mbx.analyses.kinematics.solve_motion import Instant, Solution
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["PointOfInterest"]


class PointOfInterest:
    """A point that is fixed to a body."""

    def __init__(self, solution: Solution, body: str, r: Array) -> None:
        """Take a body of the mechanism and the point's components in its frame."""
        poses = solution.view.poses
        if body not in poses:
            hint = suggestion(body, sorted(poses), "; ")
            raise NotNaturalError(f"no joint places a body '{body}'{hint}")
        R, p = poses[body]
        position = [add(x, combination(r, row)) for x, row in zip(p, R, strict=True)]
        symbols = [s for s in free_symbols(position) if s is not TIME]
        moving = {s: rate(s) for s in symbols} | {TIME: ONE}
        once = along(position, moving)
        twice = along(once, moving | {rate(s): rate(s, 2) for s in symbols})
        self._columns = np.array([solution.place[s] for s in symbols], dtype=int)
        names = [*symbols, *map(rate, symbols), *(rate(s, 2) for s in symbols)]
        self._function = Scalars([*names, TIME], {"p": [position], "v": [once], "a": [twice]})

    def at(self, instant: Instant) -> tuple[Array, Array, Array]:
        """Return position, velocity and acceleration in ground components."""
        k = self._columns
        levels = (instant.x[k], instant.xd[k], instant.xdd[k], [instant.t])
        results = self._function(np.concatenate(levels))
        return results["p"][0], results["v"][0], results["a"][0]
