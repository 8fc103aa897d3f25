"""Singular configurations of a run: whether it comes to one, and the way over it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.simulate.events.leap import GAP, NoLeapError, Way, leap_over
from mbx.analyses.simulate.events.passage import Passage

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.analyses.experiments.state_functions import Invariants
    from mbx.analyses.simulate.events.leap import Leap, Passed
    from mbx.analyses.simulate.methods import Watched
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Singularities"]

KEPT: Final = 400
"""States that are known from before: steps shrink towards a singular configuration."""
AGAIN: Final = 0.5
"""Part of the least singular value where nothing was found at which is looked again."""


class Singularities:
    """Hears the states of a run.

    Attributes:
        passage: What sees that a rank is lost.
        passed: The configurations that it went over.
    """

    def __init__(self, rows: Invariants, end: float) -> None:
        """Begin with nothing; what lies beyond the end does not count."""
        self.passage = Passage()
        self.passed: list[Passed] = []
        self._rows, self._end = rows, end
        self._nq, self._nu = (len(x) for x in rows.sizes)
        self._known: deque[tuple[float, Array]] = deque(maxlen=KEPT)
        self._tried = np.inf

    def begin(self, t: float, y: Array) -> None:
        """Know nothing before a state: something changes there."""
        self._known.clear()
        self._known.append((t, y))
        self._tried = np.inf

    def take(self, t: float, y: Array) -> None:
        """Take the state at the end of a step."""
        self._known.append((t, y))
        if self.passage.least > GAP * self.passage.peak:
            self._tried = np.inf

    def hear(self, t: float, A: Array) -> None:
        """Take the matrix of the invariants; raise `NotRunError` where it is singular."""
        self.passage.hear(t, A * self._rows.sizes[1])

    @property
    def near(self) -> bool:
        """Whether the last state is near one, and nothing was found from one as near as that."""
        passage = self.passage
        return passage.least < min(GAP * passage.peak, AGAIN * self._tried)

    def over(self, moved: Watched, step: Callable[[float, Array, float], Array]) -> Leap | None:
        """Return the way over the configuration that it comes to; None if there is none.

        Raise `NoLeapError` where there is a configuration, but not one way on. `step` leads from a
        state to a later time.
        """
        way = Way(moved, step, self._onto, self._left, self._values, self.passage.peak)
        try:
            leap = leap_over(way, list(self._known), self._end)
        except NoLeapError as reason:
            if reason.singular:
                raise
            self._tried = self.passage.least
            return None
        if leap.passed.t <= self._end:
            self.passed.append(leap.passed)
        self.passage.restart()
        self.begin(leap.last, leap.y)
        return leap

    def _parts(self, y: Array) -> tuple[Array, Array]:
        return y[: self._nq], y[self._nq : self._nq + self._nu]

    def _onto(self, t: float, y: Array) -> Array:
        q, u = self._rows.onto(t, *self._parts(y))
        return np.concatenate([q, u, y[self._nq + self._nu :]])

    def _left(self, t: float, y: Array) -> float:
        return max(self._rows.drift(t, *self._parts(y)))

    def _values(self, t: float, y: Array) -> Array:
        A, _ = self._rows.accelerations(t, *self._parts(y))
        return self.passage.values(A * self._rows.sizes[1])
