"""What takes a run from one state to the next: what all methods have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["SAFETY", "SLOWEST", "Stepper", "largest"]

SAFETY: Final = 0.9
"""Part of the step that the tolerance would allow which is taken: errors are estimates."""
SLOWEST: Final = 0.2
"""Least ratio of one step to the step before."""


def largest(names: Sequence[str], errors: Array) -> str:
    """Return the variable with the largest of some errors; "" where there is none."""
    sizes = np.where(np.isfinite(errors), np.abs(errors), 0.0)
    return f"'{names[int(sizes.argmax())]}'" if sizes.any() else ""


class Stepper(Protocol):
    """A method of integration on its way.

    Attributes:
        t, y: Where it is: the time, and the state (q, u and higher).
    """

    t: float
    y: Array

    def begin(self, t: float, y: Array, bound: float) -> None:
        """Start anew from a state; no step goes beyond the bound."""

    def until(self, bound: float) -> None:
        """Let no step go beyond another bound from now on."""

    def step(self) -> None:
        """Take a step; raise `NotRunError` where none leads on."""

    def between(self, at: float) -> Array:
        """Return the state at a time within the last step."""

    def held(self) -> str:
        """Return what kept the last step as short as it was: the variable; "" if not known."""

    def many(self, times: Array) -> Array:
        """Return the states at some times within the last step, a row for each."""

    def move(self, y: Array) -> None:
        """Take another state in the place of the one where it is: brought onto the invariants."""
