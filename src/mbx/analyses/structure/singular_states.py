"""States where the invariants lose rank: those of a sample, and results of a search.

The search goes down the last singular value that counts, sigma_r, by Newton's steps for
sigma_r = 0 along the directions that the order-0 invariants allow, and back onto these after
each. Rows and columns have one scale for all states, so that a row which tends to zero counts.
"""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.structure.rank_survey import left_null, ranks, scales, touched
from mbx.analyses.structure.structure_report import Singular
from mbx.numerics.states.manifold import Points
from mbx.numerics.tolerances import ALONG_RUN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.analyses.structure.rank_survey import Ranks
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold
    from mbx.numerics.states.sample import Sample
    from mbx.system.system import Variable

__all__ = ["met", "search"]

SEEDS: Final = 12
"""From how many states the search goes down, those with the least singular value."""
ROUNDS: Final = 10
STEP: Final = 1e-6
REACH: Final = 0.3
"""Longest step, in rad and m."""
DIRECTIONS: Final = 12
"""In how many directions the slope is taken, at random where there are more."""
NEAR_ZERO: Final = 1e-5
"""Part of its median at which sigma_r counts as zero: near a singular state invariants are
kept to the square of the distance, so that no search comes closer than the root of rounding."""
APART: Final = 1e-2
"""Singular states that differ by less are reported once."""
MOST: Final = 4
_SPECIAL: Final = (0.0, np.pi / 2, -np.pi / 2, np.pi)


def met(
    sample: Sample, A: Array, rank: Ranks, paths: Sequence[str], q: Sequence[Variable]
) -> list[Singular]:
    """Return the states of a sample where the rank is less than the generic one."""
    usual = touched(left_null(A, rank, rank.full), len(paths))
    result = []
    for k in np.flatnonzero((rank.each >= 0) & ~rank.full):
        here = np.arange(len(A)) == k
        more = touched(left_null(A, rank, here), len(paths)) & ~usual
        result.append(
            Singular(
                sample.names[k],
                int(rank.each[k]),
                tuple(p for p, m in zip(paths, more, strict=True) if m),
                {v.path: float(sample.points.q[k, j]) for j, v in enumerate(q)},
            )
        )
    return result


def search(
    manifold: Manifold, points: Points, generic: int, known: Sequence[Singular], seconds: float
) -> tuple[list[Singular], int]:
    """Return singular states near which a search ends, and how many states it went through.

    Those that are known are not returned again.
    """
    clock = process_time() + seconds
    (A,) = manifold.at(points, "A")
    work = _Search(manifold, *scales(A), generic)
    typical = float(np.median(work.value(points)))
    seeds = points.and_then(_specials(manifold, points))
    values = work.value(seeds)
    best = np.argsort(values)[:SEEDS]
    chosen = np.zeros(len(seeds), dtype=bool)
    chosen[best] = True
    here = seeds.some(chosen)
    here, seen = work.down(here, typical, clock)
    value = work.value(here)
    singular: list[Singular] = []
    taken = [np.array(list(state.values.values())) for state in known]
    ranges = [v.range for v in manifold.system.q]
    for k in np.argsort(value):
        q = here.q[k]
        if value[k] > NEAR_ZERO * typical or not _inside(q, ranges):
            continue
        if any(np.abs(_wrapped(q - other)).max(initial=0.0) < APART for other in taken):
            continue
        taken.append(q)
        singular.append(work.described(here, int(k)))
    return singular[:MOST], seen + len(seeds)


def _wrapped(difference: Array) -> Array:
    """Return differences of angles without whole turns; of lengths they are small anyway."""
    return np.asarray(np.remainder(difference + np.pi, 2 * np.pi) - np.pi)


def _inside(q: Array, ranges: Sequence[tuple[float, float] | None]) -> bool:
    slack = 1e-6
    return all(
        r is None or r[0] - slack <= x <= r[1] + slack for x, r in zip(q, ranges, strict=True)
    )


def _specials(manifold: Manifold, points: Points) -> Points:
    """Return states near which a coordinate is special: zero, a right angle, the end of a range."""
    first = points.q[0]
    rows = [np.zeros_like(first)]
    for j, v in enumerate(manifold.system.q):
        for value in {*_SPECIAL, *(v.range or ())}:
            if v.range is None or v.range[0] <= value <= v.range[1]:
                row = first.copy()
                row[j] = value
                rows.append(row)
    q = np.array(rows)
    specials = Points(np.zeros(len(q)), q, np.repeat(points.u[:1], len(q), axis=0))
    done, error = manifold.project_positions(specials, np.ones(q.shape[1], dtype=bool))
    return done.some(error <= ALONG_RUN)


class _Search:
    """What the search knows of the invariants."""

    def __init__(self, manifold: Manifold, r: Array, c: Array, generic: int) -> None:
        self.manifold, self.r, self.c, self.generic = manifold, r, c, generic
        self.rng = np.random.default_rng(0)

    def scaled(self, points: Points) -> Array:
        (A,) = self.manifold.at(points, "A")
        return self.r * A * self.c

    def value(self, points: Points) -> Array:
        """Return sigma_r at each state; infinite where there is no matrix."""
        A = self.scaled(points)
        sound = np.asarray(np.isfinite(A).all(axis=(1, 2)))
        A = np.where(sound[:, None, None], A, 0.0)
        s = np.linalg.svd(A, compute_uv=False)
        return np.where(sound, s[:, self.generic - 1], np.inf)

    def tangents(self, points: Points) -> Array:
        """Return directions that keep the order-0 invariants, (K, n, d)."""
        (Cq,) = self.manifold.at(points, "Cq")
        n = points.q.shape[1]
        if not Cq.shape[1]:
            T = np.broadcast_to(np.eye(n), (len(points), n, n))
        else:
            r, _ = scales(Cq)
            width = n - ranks(Cq).generic
            Cq = np.where(np.isfinite(Cq), r * Cq, 0.0)
            T = np.swapaxes(np.linalg.svd(Cq)[2][:, n - width :], 1, 2)
        if T.shape[2] > DIRECTIONS:
            mix = self.rng.standard_normal((T.shape[2], DIRECTIONS))
            T = T @ np.linalg.qr(mix)[0]
        return np.asarray(T)

    def down(self, points: Points, typical: float, clock: float) -> tuple[Points, int]:
        """Go down from some states; return where it ends, and how many were evaluated."""
        value = self.value(points)
        damping, seen = np.ones(len(points)), 0
        free = np.ones(points.q.shape[1], dtype=bool)
        for _ in range(ROUNDS):
            going = (value > NEAR_ZERO**2 * typical) & (damping > STEP)
            if process_time() > clock or not going.any():
                break
            T = self.tangents(points)
            g = self._slopes(points, T, value)
            size = np.maximum(np.square(g).sum(axis=1), np.finfo(float).tiny)
            dq = -(value * damping / size)[:, None] * (T @ g[:, :, None])[:, :, 0]
            dq = np.where(going[:, None] & np.isfinite(dq), dq, 0.0)
            longest = np.abs(dq).max(axis=1, initial=0.0)
            dq *= np.minimum(1.0, REACH / np.maximum(longest, STEP**2))[:, None]
            trial, error = self.manifold.project_positions(
                Points(points.t, points.q + dq, points.u), free
            )
            new = self.value(trial)
            better = going & (error <= ALONG_RUN) & (new < value)
            points = Points(points.t, np.where(better[:, None], trial.q, points.q), points.u)
            value = np.where(better, new, value)
            damping = np.where(better, np.minimum(1.0, 2 * damping), damping / 4)
            seen += len(points)
        return points, seen

    def _slopes(self, points: Points, T: Array, value: Array) -> Array:
        K, n, d = T.shape
        q = (points.q[:, None] + STEP * np.swapaxes(T, 1, 2)).reshape(K * d, n)
        moved = Points(np.repeat(points.t, d), q, np.repeat(points.u, d, axis=0))
        slopes = (self.value(moved).reshape(K, d) - value[:, None]) / STEP
        return np.where(np.isfinite(slopes), slopes, 0.0)

    def described(self, points: Points, k: int) -> Singular:
        """Return the rank and the rows that are lost at a singular state."""
        chosen: NDArray[np.bool_] = np.arange(len(points)) == k
        A = self.scaled(points.some(chosen))[0]
        U, s, _ = np.linalg.svd(A)
        lost = U[:, (s > NEAR_ZERO * s[0]).sum() : self.generic]
        steps = self.manifold.equations.steps
        paths = next(step.row_labels for step in steps if step.name == "A")
        touches = np.abs(lost).max(axis=1, initial=0.0) > APART
        return Singular(
            "search",
            int((s > NEAR_ZERO * s[0]).sum()),
            tuple(p for p, is_in in zip(paths, touches, strict=True) if is_in),
            {v.path: float(points.q[k, j]) for j, v in enumerate(self.manifold.system.q)},
            near=True,
        )
