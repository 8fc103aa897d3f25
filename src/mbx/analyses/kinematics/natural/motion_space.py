"""Whether a mechanism moves in a plane, and how its bodies lie in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.evaluate import evaluate, free_symbols
from mbx.language.joints import JOINTS
from mbx.numerics.tolerances import SAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.kinematics.natural.pairs import Pair
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Frame", "Space", "space_of", "triad"]

_SAMPLES: Final = 4
"""Samples at which motions are evaluated, and how many are tried."""
_TRIED: Final = 24


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Where a body is that no joint places: R_WB by rows and its origin, in coordinates."""

    R: Sequence[Sequence[Node]]
    p: Sequence[Node]


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """A plane or all of space.

    Attributes:
        dimension: 2 or 3.
        axes: Columns: two directions of the plane and its normal, in ground components.
        bodies: The same directions in the components of each body.
        heights: How far the origin of each body is along the normal.
    """

    dimension: int
    axes: Array
    bodies: dict[str, Array] = field(default_factory=dict)
    heights: dict[str, float] = field(default_factory=dict)

    @property
    def letters(self) -> str:
        """What coordinates along its directions are called: as the ground's axes, if these."""
        named = ""
        for e in self.axes.T[: self.dimension]:
            k = int(np.argmax(e))
            named += "xyz"[k] if e[k] > 1 - SAME else "pq"[len(named) % 2]
        return named

    @property
    def B(self) -> int:  # noqa: N802  the paper's letter
        """The freedoms of a body."""
        return 3 if self.dimension == 2 else 6  # noqa: PLR2004


def triad(n: Array) -> Array:
    """Return three directions as columns, right-handed, the last one along n."""
    k = int(np.argmax(np.abs(n)))
    e1 = np.eye(3)[(k + 1) % 3]
    e1 = e1 - (e1 @ n) * n
    e1 /= np.linalg.norm(e1)
    return np.column_stack([e1, np.cross(n, e1), n])


def space_of(pairs: Sequence[Pair], frames: Mapping[str, Frame]) -> Space:
    """Return the plane that all pairs and bodies keep to, or space."""
    if not pairs:
        return Space(3, np.eye(3))
    normals = [pair.first.R @ pair.axes[0] for pair in pairs if JOINTS[pair.kind].keeps_plane]
    tried = [*normals[:1], *np.eye(3)[[2, 0, 1]]]
    for n in tried:
        k = int(np.argmax(np.abs(n)))
        space = _plane(pairs, frames, n * np.sign(n[k]))
        if space is not None:
            return space
    return Space(3, np.eye(3))


def _plane(pairs: Sequence[Pair], frames: Mapping[str, Frame], n: Array) -> Space | None:
    """Return the plane with a normal, if no pair and no body leaves it."""
    axes = triad(n)
    space = Space(2, axes, {"": axes}, {"": 0.0})
    for body, frame in frames.items():
        kept = _lying(frame, axes)
        if kept is None:
            return None
        space.bodies[body], space.heights[body] = kept
    for pair in pairs:
        first, second = pair.first, pair.second
        if first.body not in space.bodies:
            return None
        across = first.R.T @ space.bodies[first.body]  # the plane's directions in F
        n_F = across[:, 2]
        turned = _turned(pair, n_F)
        if turned is None:
            return None
        height = space.heights[first.body] + float(first.r @ space.bodies[first.body][:, 2])
        lifted = _lift(pair, n_F)
        if lifted is None:
            return None
        mine = second.R @ (turned.T @ across)
        above = height + lifted - float(second.r @ mine[:, 2])
        if pair.placing:
            space.bodies[second.body], space.heights[second.body] = mine, above
        else:
            if second.body not in space.bodies:
                return None
            other = space.bodies[second.body]
            if np.abs(other[:, 2] - mine[:, 2]).max() > SAME:
                return None
    return space


def _lying(frame: Frame, axes: Array) -> tuple[Array, float] | None:
    """Return the plane's directions on a body at a sample, if every sample keeps them in it."""
    poses: list[tuple[Array, float]] = []
    for values in _somewhere([*frame.p, *(x for row in frame.R for x in row)]):
        turned = values[3:].reshape(3, 3).T @ axes
        poses.append((turned, float(values[:3] @ axes[:, 2])))
    if not poses:
        return None
    first = poses[0]
    if any(np.abs(pose[0][:, 2] - first[0][:, 2]).max() > SAME for pose in poses):
        return None
    return first if all(abs(pose[1] - first[1]) <= SAME for pose in poses) else None


def _turned(pair: Pair, n_F: Array) -> Array | None:
    """Return R_FM at zero, where the pair keeps the normal; None where it does not."""
    kind = JOINTS[pair.kind]
    if kind.keeps_plane:
        return np.eye(3) if abs(abs(float(pair.axes[0] @ n_F)) - 1) < SAME else None
    if pair.kind == "prismatic":
        return np.eye(3) if abs(float(pair.axes[0] @ n_F)) < SAME else None
    if pair.kind == "fixed":
        if pair.motion is None:
            return np.eye(3)
        try:
            R = np.array(evaluate([x for row in pair.motion[0] for x in row], {})).reshape(3, 3)
        except KeyError:
            return None
        return R if np.abs(R @ n_F - n_F).max() < SAME else None
    if not kind.constrains and pair.motion is not None:
        return _kept(pair, n_F)
    return None


def _kept(pair: Pair, n_F: Array) -> Array | None:
    """Return R_FM if every motion keeps the normal: tried at a few samples."""
    if pair.motion is None:
        return None
    samples = _somewhere([x for row in pair.motion[0] for x in row])
    turned = [values.reshape(3, 3) for values in samples]
    kept = all(np.abs(R @ n_F - n_F).max() <= SAME for R in turned)
    return np.eye(3) if turned and kept else None


def _lift(pair: Pair, n_F: Array) -> float | None:
    """Return how far a pair moves its second side along the normal, a constant; else None."""
    if pair.motion is None:
        return 0.0
    heights = {round(float(r @ n_F), 9) for r in _somewhere(pair.motion[1])}
    return heights.pop() if len(heights) == 1 else None


def _somewhere(entries: Sequence[Node]) -> list[Array]:
    """Return the values of expressions at a few samples; at others they have none."""
    generator = np.random.default_rng(0)
    symbols = free_symbols(entries)
    samples: list[Array] = []
    for k in range(_TRIED):
        far = 0.1 ** (k // 4)
        at = {s: far * generator.standard_normal() for s in symbols}
        try:
            samples.append(np.array([float(x) for x in evaluate(entries, at)]))
        except (ArithmeticError, ValueError, TypeError):
            continue
        if len(samples) == _SAMPLES:
            break
    return samples
