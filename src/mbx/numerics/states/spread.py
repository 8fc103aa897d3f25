"""States over the whole range that a model allows, at the sizes of the model.

Each state has random numbers of its own, from the seed, its number and the attempt: what one
state needs, or another form makes of it, changes no other one. Where no consistent state is
found far from the start, nearer ones are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.ranks import cleaned
from mbx.numerics.states.complete import likely
from mbx.numerics.states.manifold import Points
from mbx.numerics.states.sample import Sample, no_points, none_near, sizes_of
from mbx.numerics.tolerances import CLOSE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold
    from mbx.numerics.states.sample import Bounds, Sizes

__all__ = ["NEAREST", "Spread"]

REACHES: Final = (1.0, 0.3, 0.1)
"""Parts of the whole range around the start: first all of it, then less."""
NEAREST: Final = len(REACHES) - 1
ATTEMPTS: Final = (0, 0, 0, 0, 1, 1, 1, 2, 2, 2)
"""Which of the reaches each attempt has."""
CIRCLE: Final = np.pi
"""How far from its start an angle without a range is drawn."""
DECADES: Final = (-1.5, 0.5)
"""Logarithms of how far from its start another variable without a range is drawn, in sizes."""
SPEEDS: Final = (-1.0, 0.5)
"""Logarithms of how fast states are, in sizes of the speeds."""
FAST: Final = 10.0
"""How much faster every eighth state is."""
EIGHTH: Final = 8
PERIODS: Final = 6.0
"""Up to which time states are drawn, in sizes of the time."""
EDGE: Final = 1e-9
"""Part of a range by which a coordinate may be outside of it."""
SINGULAR: Final = 1e-3
"""Part that the least singular value of the invariants must have of the one near the start."""
VAGUE: Final = 1e-6
"""The same of the one in general position, at any state: below it the state itself is not known.

Invariants are kept to rounding. Where they are as flat as a square, that is a root of rounding in
the coordinates, and so is then what is left of their slopes.
"""
BESIDE: Final = 0.1
"""How far from a state its general position is, in rad or as a part of the coordinate."""
NEAR: Final = 4
"""How many states near the start show how free the model is."""
BRANCH: Final = 10**6
"""First number of a state that is drawn for an assembly."""


@dataclass(frozen=True)
class Spread:
    """Random states of a model, each given by the seed and its number."""

    manifold: Manifold
    seed: int

    @cached_property
    def sizes(self) -> Sizes:
        """How large the variables of the model usually are."""
        return sizes_of(self.manifold)

    def draw(self, count: int, *, first: int = 1, reach: int = 0) -> Sample:
        """Draw random consistent states, at most as many as are wanted, by number."""
        numbers = list(range(first, first + count))
        return self._named(numbers, [f"random {k}" for k in numbers], reach)

    def rest(self) -> Sample:
        """Return a random position at rest."""
        found = self._named([0], ["rest"], 0)
        return found if found.names else found.and_then(none_near(self.manifold.system, "rest"))

    def branches(self, sample: Sample, count: int) -> Sample:
        """Return a sample with states of the assemblies that it has fewer than `count` of."""
        for k, name in enumerate(self.manifold.system.branches):
            missing = count - int(self.manifold.belongs(sample.points)[:, k].sum())
            found, rejected = no_points(self.manifold.system), 0
            for attempt, reach in enumerate(ATTEMPTS):
                if len(found) >= missing:
                    break
                numbers = [BRANCH * (k + 1) + j for j in range(2 * count)]
                points, kept = self._attempt(numbers, attempt, reach)
                rejected += int((~kept).sum())
                points = points.some(kept)
                found = found.and_then(points.some(self.manifold.belongs(points)[:, k]))
            chosen = np.arange(len(found)) < missing
            names = tuple(f"random {name} {j + 1}" for j in range(int(chosen.sum())))
            more = Sample(found.some(chosen), names, ("",) * len(names), rejected)
            sample = sample.and_then(more)
        return sample

    def _named(self, numbers: Sequence[int], names: Sequence[str], first: int) -> Sample:
        system = self.manifold.system
        found: dict[int, Points] = {}
        nearer, rejected = set(), 0
        for attempt, reach in enumerate(ATTEMPTS):
            if reach < first:
                continue
            missing = [k for k in range(len(numbers)) if k not in found]
            if not missing:
                break
            points, kept = self._attempt([numbers[k] for k in missing], attempt, reach)
            rejected += int((~kept).sum())
            for j in map(int, np.flatnonzero(kept)):
                found[missing[j]] = points.some(np.arange(len(points)) == j)
                if reach:
                    nearer.add(names[missing[j]])
        together = no_points(system)
        for k in sorted(found):
            together = together.and_then(found[k])
        chosen = tuple(names[k] for k in sorted(found))
        return Sample(together, chosen, ("",) * len(chosen), rejected, (), frozenset(nearer))

    def _attempt(
        self, numbers: Sequence[int], attempt: int, reach: int
    ) -> tuple[Points, NDArray[np.bool_]]:
        """Return states that were brought onto the invariants, and which of them count."""
        points, kept = self._project(numbers, attempt, reach)
        if reach < NEAREST:
            kept &= _inside(points.q, self.sizes.q_bounds)
        if attempt < len(ATTEMPTS) - 1:
            kept &= self._regular(points) & self._free(points) & self.manifold.sharp(points)
        return points, kept & self._known(points)

    def _project(
        self, numbers: Sequence[int], attempt: int, reach: int
    ) -> tuple[Points, NDArray[np.bool_]]:
        """Return random states on the invariants, and which of them are consistent."""
        system, sizes = self.manifold.system, self.sizes
        rows = [self._random(number, attempt, reach) for number in numbers]
        points = Points(
            np.array([t for t, _, _ in rows]),
            np.array([q for _, q, _ in rows]).reshape(len(rows), len(system.q)),
            np.array([u for _, _, u in rows]).reshape(len(rows), len(system.u)),
        )
        every = np.ones(len(system.q), dtype=bool), np.ones(len(system.u), dtype=bool)
        points, first = self._positions(points, every[0])
        points, second = self.manifold.project_velocities(points, every[1], sizes.u)
        return points, (np.maximum(first, second) <= CLOSE) & self.manifold.assembled(points)

    def _positions(self, points: Points, free: NDArray[np.bool_]) -> tuple[Points, Array]:
        """Bring coordinates onto the invariants, relative to the terms that these have there.

        Where the invariants keep them far below their sizes, what remains of a row is small
        against the sizes, and may be as large as the row: they are solved for once more, in steps
        of the coordinates themselves.
        """
        points, error = self.manifold.project_positions(points, free, self.sizes.q)
        blunt = (error <= CLOSE) & ~self.manifold.sharp(points)
        if not blunt.any():
            return points, error
        own = np.median(np.abs(points.q[blunt]), axis=0)
        own = np.where(own > 0, np.minimum(own, self.sizes.q), self.sizes.q)
        again, left = self.manifold.project_positions(points.some(blunt), free, own)
        sharper = (left <= CLOSE) & self.manifold.sharp(again)
        q, better = points.q.copy(), np.flatnonzero(blunt)[sharper]
        q[better] = again.q[sharper]
        return Points(points.t, q, points.u), error

    def _regular(self, points: Points) -> NDArray[np.bool_]:
        """Return which states are not close to a singular one, which draws far ones to itself.

        Rows are measured by what they are near the start: one that vanishes must not be scaled up.
        """
        near = self._near
        (A,) = self.manifold.at(near.and_then(points), "A")
        if not A.size or not len(near):
            return np.ones(len(points), dtype=bool)
        (noise,) = self.manifold.noise(near, "A")
        kept = (cleaned(A[: len(near)], noise) != 0).any(axis=(0, 2))  # others are rounding
        A = A[:, kept]
        A = np.where(np.isfinite(A).all(axis=(1, 2), keepdims=True), A, 0.0) * self.sizes.u
        size = np.median(np.abs(A[: len(near)]).max(axis=2, keepdims=True, initial=0.0), axis=0)
        rank = int(self.manifold.ranks(near).max())
        if rank < 1:
            return np.ones(len(points), dtype=bool)
        s = np.linalg.svd(A / np.where(size > 0, size, 1.0), compute_uv=False)
        least = s[:, rank - 1]
        return np.asarray(least[len(near) :] > SINGULAR * np.median(least[: len(near)]))

    def _known(self, points: Points) -> NDArray[np.bool_]:
        """Return which states are known well enough to have slopes of the invariants."""
        (A,) = self.manifold.at(points.and_then(self._beside(points)), "A")
        if not A.size:
            return np.ones(len(points), dtype=bool)
        A = np.where(np.isfinite(A).all(axis=(1, 2), keepdims=True), A, 0.0) * self.sizes.u
        size = np.abs(A[len(points) :]).max(axis=2, keepdims=True, initial=0.0)
        s, usual = (
            np.linalg.svd(each / np.where(size > 0, size, 1.0), compute_uv=False)
            for each in (A[: len(points)], A[len(points) :])
        )
        last = self.manifold.ranks(points) - 1
        state = np.arange(len(points))
        return np.asarray((last < 0) | (s[state, last] > VAGUE * usual[state, last]))

    def _beside(self, points: Points) -> Points:
        """Return states in general position next to others, not on the invariants."""
        own = np.abs(points.q)
        reach = np.where(self.sizes.turns, 1.0, np.where(own > 0, own, self.sizes.q))
        widths = [np.inf if one is None else one[1] - one[0] for one in self.sizes.q_bounds]
        rng = np.random.default_rng([self.seed, BRANCH])
        part = BESIDE * rng.uniform(0.5, 1.0, points.q.shape[1])
        return Points(points.t, points.q + part * np.minimum(reach, widths), points.u)

    @cached_property
    def _near(self) -> Points:
        """Consistent states near the start, and as free as the model is there."""
        points, kept = self._project([BRANCH - 1 - k for k in range(NEAR)], 0, NEAREST)
        return points.some(kept)

    def _free(self, points: Points) -> NDArray[np.bool_]:
        """Return which states have no less freedom than those near the start.

        An overconstrained mechanism may be assembled in another way, in which it cannot move.
        """
        if not len(self._near):
            return np.ones(len(points), dtype=bool)
        ranks = self.manifold.ranks(self._near.and_then(points))
        return np.asarray(ranks[len(self._near) :] <= ranks[: len(self._near)].max())

    def _random(self, number: int, attempt: int, reach: int) -> tuple[float, Array, Array]:
        """Return time, coordinates and speeds of a state, not yet consistent."""
        system, sizes, part = self.manifold.system, self.sizes, REACHES[reach]
        rng = np.random.default_rng([self.seed, number, attempt])
        t = float(PERIODS * part * sizes.t * rng.uniform())
        q = [
            _coordinate(rng, likely(v), bounds, size, part, turns=turns)
            for v, bounds, size, turns in zip(
                system.q, sizes.q_bounds, sizes.q, sizes.turns, strict=True
            )
        ]
        factor = 10 ** rng.uniform(*SPEEDS) * (FAST if number % EIGHTH == 0 else 1.0)
        u = [
            factor * size * rng.standard_normal()
            if bounds is None
            else _between(bounds, rng.uniform())
            for bounds, size in zip(sizes.u_bounds, sizes.u, strict=True)
        ]
        return (t, np.array(q), np.array(u)) if number else (0.0, np.array(q), np.zeros(len(u)))


def _coordinate(
    rng: np.random.Generator,
    start: float,
    bounds: Bounds | None,
    size: float,
    part: float,
    *,
    turns: bool,
) -> float:
    x, decade, sign = rng.uniform(), rng.uniform(*DECADES), 1 - 2 * int(rng.integers(2))
    if bounds is None:
        return start + part * (CIRCLE * (2 * x - 1) if turns else sign * size * 10**decade)
    inside = min(max(start, bounds[0]), bounds[1])
    return (1 - part) * inside + part * _between(bounds, x)


def _between(bounds: Bounds, x: float) -> float:
    """Return a value between two bounds, whose difference may be beyond the numbers."""
    return (1 - x) * bounds[0] + x * bounds[1]


def _inside(q: Array, bounds: Sequence[Bounds | None]) -> NDArray[np.bool_]:
    """Return at which states all coordinates are in their ranges."""
    kept = np.ones(len(q), dtype=bool)
    for k, one in enumerate(bounds):
        if one is not None:
            edge = EDGE * (one[1] / 2 - one[0] / 2)
            kept &= (q[:, k] >= one[0] - edge) & (q[:, k] <= one[1] + edge)
    return kept
