"""Whether positions are where rates foretell them, kind by kind of coordinate.

Driven coordinates are left out: they are where drives put them. Points, directions, angles and
lengths of the model are each judged by how far they move themselves, and angles never by a turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mbx.analyses.kinematics.solve_motion import Solution
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Nearness"]

_FAR: Final = 0.2
"""Part of the way of a step by which positions may be off what the rates foretell."""
_SLACK: Final = 1e-9
"""Part of the largest coordinate by which they may be, whatever the way was."""
_TURN: Final = 1.0
"""Angle by which they may be, whatever the way was."""


class Nearness:
    """The rule for one mechanism."""

    def __init__(self, solution: Solution) -> None:
        """Sort the coordinates that are not driven by kind."""
        view = solution.view
        kinds: dict[tuple[bool, str], list[int]] = {}
        for s in solution.symbols[len(view.drives) :]:
            natural = "@" in str(s.value)
            kinds.setdefault((natural, view.dimension(s)), []).append(solution.place[s])
        self._kinds = [(np.array(columns), kind == (False, "1")) for kind, columns in kinds.items()]

    def near(self, x: Array, way: Array, off: Array) -> NDArray[np.bool_]:
        """Return which of several positions are near: they went so far, and are off by so much.

        The first axis counts positions.
        """
        good = np.ones(len(x), dtype=bool)
        for columns, angles in self._kinds:
            far, error, size = (np.abs(values[:, columns]).max(axis=1) for values in (way, off, x))
            bound = np.maximum(_FAR * far, _SLACK * size)
            good &= error <= (np.minimum(bound, _TURN) if angles else bound)
        return good
