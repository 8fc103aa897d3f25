"""Poses in numbers, for tests that need kinematics of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Pose", "quaternion", "turn", "zxy_angles"]

Array = np.ndarray[Any, np.dtype[np.float64]]


def _zero() -> Array:
    return np.zeros(3)


def _one() -> Array:
    return np.eye(3)


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """A frame seen from another one: its origin p and its axes, the columns of R."""

    p: Array = field(default_factory=_zero)
    R: Array = field(default_factory=_one)

    def then(self, other: Pose) -> Pose:
        """Return a frame that is seen from this one, as the base sees it."""
        return Pose(self.p + self.R @ other.p, self.R @ other.R)

    def back(self) -> Pose:
        """Return the base as this frame sees it."""
        return Pose(-self.R.T @ self.p, self.R.T)

    def point(self, own: Sequence[float] | Array) -> Array:
        """Return a point of this frame as the base sees it."""
        return np.asarray(self.p + self.R @ np.asarray(own, dtype=float))

    def own(self, p: Array) -> Array:
        """Return a point of the base as this frame sees it."""
        return np.asarray(self.R.T @ (p - self.p))


def turn(axis: Sequence[float] | Array, angle: float) -> Array:
    """Return the matrix of a turn about an axis, after Rodrigues."""
    n = np.asarray(axis, dtype=float)
    n = n / np.linalg.norm(n)
    S = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * S @ S)


def quaternion(w: float, x: float, y: float, z: float) -> Array:
    """Return the matrix of a unit quaternion."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def zxy_angles(R: Array) -> tuple[float, float, float]:
    """Return a, b, c with R = Rz(a) Rx(b) Ry(c)."""
    return (
        float(np.arctan2(-R[0, 1], R[1, 1])),
        float(np.arcsin(np.clip(R[2, 1], -1, 1))),
        float(np.arctan2(-R[2, 0], R[2, 2])),
    )
