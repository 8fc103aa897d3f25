"""Where motions that invariants allow can lead: which one-forms are integrable.

All points that can be reached from a point lie in a leaf, and a function that the invariants keep
is constant there. The tangent space of the leaf is spanned by what admissible variations of one
motion lead to, carried back to its beginning, if that motion is generic (Sussmann, Trans. AMS
180, 1973; Sontag, Syst. Control Lett. 19, 1992). So brackets of any depth count, and nothing
but first derivatives of the coefficients is needed:

    x' = S P(x) w(s),   Psi' = -Psi F,   F = -S B^+ dB/dx P w,   leaf = span of Psi S P over s

with the coefficients B, the projector P on their null space, S the rows of the coordinates, and
F the slopes of the velocity, but for what is itself an allowed velocity.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import qr

from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import ZERO
from mbx.numerics.execute.stacked_algebra import equilibrate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Leaf", "leaf"]

LENGTHS: Final = (1.0, 0.3)
"""How long a motion is, in units in which the coefficients are about one; if the first fails,
because it meets a point where these are singular, then the next."""
NODES: Final = 24
TOLERANCE: Final = 1e-11
ZERO_VALUE: Final = 1e-7
"""Part of the largest singular value below which one counts as zero."""
GAP: Final = 30.0
"""What the last one that counts must be of the first that does not."""
INDEPENDENT: Final = 1e-9
"""Part of the largest pivot below which a row depends on others."""
NORMAL: Final = 1e-5
"""Part of a covector that may remain of it on a leaf where it is zero."""
EVALUATIONS: Final = 1500


class _UndecidedError(Exception):
    """The motion meets a point without coefficients, takes too long, or gives nothing clear."""


@dataclass(frozen=True)
class _Coefficients:
    """Coefficients with their derivatives, in numbers."""

    A: Sequence[Sequence[Node]]
    x: Sequence[Node]
    known: Mapping[Node, float]

    @cached_property
    def _entries(self) -> tuple[list[tuple[int, int]], list[tuple[int, int, int]], list[Node]]:
        entries = [
            (i, j) for i, row in enumerate(self.A) for j, a in enumerate(row) if a is not ZERO
        ]
        nodes = [self.A[i][j] for i, j in entries]
        slopes = jacobian(nodes, list(self.x))
        at = [
            (*entries[k], m)
            for k, row in enumerate(slopes)
            for m, s in enumerate(row)
            if s is not ZERO
        ]
        return entries, at, [*nodes, *(s for row in slopes for s in row if s is not ZERO)]

    def at(self, x: Array) -> tuple[Array, Array]:
        """Return A and dA/dx at one point."""
        entries, slopes, nodes = self._entries
        known = {**self.known, **{s: float(x[k]) for k, s in enumerate(self.x)}}
        try:
            values = evaluate(nodes, known)
        except (ArithmeticError, ValueError):  # a root or a quotient that has no value
            raise _UndecidedError from None
        m, n = len(self.A), len(self.A[0])
        A, dA = np.zeros((m, n)), np.zeros((m, n, len(self.x)))
        for entry, value in zip(entries, values, strict=False):
            A[entry] = value
        for slope, value in zip(slopes, values[len(entries) :], strict=True):
            dA[slope] = value
        return A, dA


@dataclass(frozen=True, eq=False)
class Leaf:
    """What is tangent to the leaf through a point.

    Attributes:
        dimension: Of the leaf.
        allowed: Of the velocities that the coefficients allow, in coordinates alone.
        normal: Orthonormal covectors that are zero on the leaf, as rows, in units of `scale`:
            all integrable ones.
        scale: Units of the coordinates.
    """

    dimension: int
    allowed: int
    normal: Array
    scale: Array

    def keeps(self, covector: Array) -> bool:
        """Return whether a covector is zero on the leaf."""
        scaled = covector * self.scale
        rest = scaled - self.normal.T @ (self.normal @ scaled)
        return bool(np.linalg.norm(rest) <= NORMAL * np.linalg.norm(scaled))


def leaf(
    A: Sequence[Sequence[Node]],
    x: Sequence[Node],
    known: Mapping[Node, float],
    c: Array,
    rng: np.random.Generator,
) -> Leaf | None:
    """Return the leaf through a point; None where the numbers do not decide.

    `c` are units of the columns of A, in which they are about one.
    """
    form = _Coefficients(A, x, known)
    start = np.array([known[s] for s in x])
    try:
        scaled = equilibrate((form.at(start)[0] * c)[None])[0]
    except _UndecidedError:
        return None
    # independent rows, for a redundant one is no longer exactly so along a computed motion
    _, R, pivots = qr(scaled[0].T, pivoting=True, mode="economic")
    diagonal = np.abs(np.diag(R))
    rows = np.sort(pivots[: int((diagonal > INDEPENDENT * diagonal.max(initial=0.0)).sum())])
    for length in LENGTHS:
        w = length * rng.standard_normal((3, len(c))) / np.sqrt(len(c))
        try:
            return _carried(_Field(form, rows, c, w), start)
        except _UndecidedError:
            continue
    return None


@dataclass
class _Field:
    """The velocity of the motion, its slopes, and the velocities that are allowed."""

    form: _Coefficients
    rows: Any
    c: Array
    w: Array
    left: int = EVALUATIONS

    def at(self, s: float, x: Array) -> tuple[Array, Array, Array]:
        """Return S P w, F, and S P; coordinates are in units of c."""
        d = len(x)
        self.left -= 1
        value, slopes = self.form.at(self.c[:d] * x)
        if self.left < 0 or not np.isfinite(value).all() or not np.isfinite(slopes).all():
            raise _UndecidedError
        B = value[self.rows] * self.c
        dB = slopes[self.rows] * self.c[:, None] * self.c[:d]
        size = np.maximum(np.abs(B).max(axis=1), np.finfo(float).tiny)
        B, dB = B / size[:, None], dB / size[:, None, None]
        inverse = np.linalg.pinv(B)
        P = np.eye(len(self.c)) - inverse @ B
        w = self.w[0] + self.w[1] * np.sin(5 * s) + self.w[2] * np.cos(7 * s)
        v = P @ w
        # dP w = -B^+ dB P w - P (B^+ dB)^T w; the last part is an allowed velocity, and a
        # feedback by these changes nothing of what they lead to
        F = -inverse @ np.einsum("ijk,j->ik", dB, v)
        return v[:d], F[:d], P[:d]


def _carried(field: _Field, start: Array) -> Leaf:
    """Follow a motion, and carry what varies it back to the start."""
    d = len(start)
    c = field.c[:d]

    def rates(s: float, state: Array) -> Array:
        v, F, _ = field.at(s, state[:d])
        return np.concatenate([v, -(state[d:].reshape(d, d) @ F).ravel()])

    nodes = np.linspace(0.0, 1.0, NODES)
    begin = np.concatenate([start / c, np.eye(d).ravel()])
    done = solve_ivp(rates, (0.0, 1.0), begin, "DOP853", nodes, rtol=TOLERANCE, atol=TOLERANCE)
    if not done.success:
        raise _UndecidedError
    spans = [
        state[d:].reshape(d, d) @ field.at(s, state[:d])[2]
        for s, state in zip(nodes, done.y.T, strict=True)
    ]
    U, s, _ = np.linalg.svd(np.hstack(spans), full_matrices=True)
    count = int((s > ZERO_VALUE * s[0]).sum())
    if 0 < count < d and s[count - 1] < GAP * s[count]:
        raise _UndecidedError
    allowed = int(np.linalg.matrix_rank(spans[0], tol=INDEPENDENT))
    return Leaf(count, allowed, U[:, count:].T, c)
