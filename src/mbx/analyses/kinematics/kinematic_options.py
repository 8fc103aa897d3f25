"""How a mechanism is solved: method, times, points of interest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.analyses.kinematics.solve_motion import Method

__all__ = ["KinematicOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KinematicOptions:
    """How a mechanism is solved.

    Attributes:
        method: td, 3ot, global or global-sparse.
        until, every: The times, where no drive is a sweep; None for what the experiment states.
        points: Points of interest: a body, and components in its frame.
        natural: Whether natural coordinates are among the results.
        compared: At how many positions, at most, all methods are compared.
        seconds: CPU time that it may take.
        progress: Receives the part that is done.
    """

    method: Method = "td"
    until: float | None = None
    every: float | None = None
    points: Sequence[tuple[str, tuple[float, float, float]]] = ()
    natural: bool = False
    compared: int = 0
    seconds: float = float("inf")
    progress: Callable[[float], None] = lambda _part: None
