"""What takes a run from one state to the next: what all methods have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mbx.formalism.numerics import Array

__all__ = ["Stepper"]


class Stepper(Protocol):
    """A method of integration on its way.

    Attributes:
        t, y: Where it is: the time, and the state (q, u and higher).
    """

    t: float
    y: Array

    def begin(self, t: float, y: Array, bound: float) -> None:
        """Start anew from a state; no step goes beyond the bound."""

    def step(self) -> None:
        """Take a step; raise `NotRunError` where none leads on."""

    def between(self, at: float) -> Array:
        """Return the state at a time within the last step."""

    def move(self, y: Array) -> None:
        """Take another state in the place of the one where it is: brought onto the invariants."""
