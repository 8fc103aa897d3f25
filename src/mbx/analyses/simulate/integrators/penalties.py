"""Penalties of an augmented Lagrangian, and projections in the measure of the mass matrix.

Displacements, speeds and accelerations are compared by the usual time of the model, and speeds by
their sizes in it: whatever the units, the same model has the same penalties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from mbx.analyses.experiments.state_functions import Invariants
    from mbx.analyses.simulate.engine import Engine
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["Penalties"]

PENALTY: Final = 1e7
"""How much stiffer invariants are than inertia: what is left of them shrinks so much at a time."""
ROUNDS: Final = 6
KEPT: Final = 1e-15
_SECOND: Final = 2


class Penalties:
    """The invariants of a system as very stiff springs, relieved by multipliers."""

    def __init__(self, system: System, engine: Engine, rows: Invariants, time: float) -> None:
        """Take the form, the invariants, and the usual time of the model."""
        self._nq = len(system.q)
        self._engine, self._rows = engine, rows
        orders = np.array([row.order for row in system.rows], dtype=int)
        self._held = np.flatnonzero(orders == 0)
        self._rolled = np.flatnonzero(orders == 1)
        self._low = np.flatnonzero(orders < _SECOND)
        self._orders = orders
        self._places, self._speeds = rows.sizes
        self._time = time

    def newton(
        self, t: float, q: Array, u: Array, ud: Array, lam: Array, h: float
    ) -> tuple[Array, Array, float]:
        """Return better accelerations and multipliers at the end of a step, and how far they moved.

        (M + w A^T alpha A) dud = -(M ud - h - A^T (lam - alpha c)), w = h^2/4, and h/2 or 1 for
        rows of order 1 or 2.
        """
        M, f = self._balance(t, q, u)
        A, b = self._rows.accelerations(t, q, u)
        weights = np.array([h * h / 4, h / 2, 1.0])[self._orders]
        alpha = self._stiff(M, A) / weights
        c = A @ ud + b
        c[self._low] = self._rows.velocity(t, q, u)[0]
        c[self._held] = self._rows.position(t, q)[0][: len(self._held)]
        lam = lam - alpha * c
        new = self._solved(M, A, alpha * weights, f + A.T @ lam - M @ ud, t)
        lam = lam - alpha * weights * (A @ new)
        moved = float((np.abs(h / 2 * new) / self._speeds).max(initial=0.0))
        return ud + new, lam, moved / _far(u, self._speeds)

    def unit(self, t: float, q: Array) -> Array:
        """Return coordinates whose quaternions have unit length again, which kinematics keeps.

        They are near it: two of Newton's steps are enough, and cost less than `gauss_newton`.
        """
        for _ in range(_SECOND):
            c, Cq = self._rows.position(t, q)
            own = slice(len(self._held), None)
            if len(c) == len(self._held):
                break
            q = q - np.linalg.lstsq(Cq[own], c[own], rcond=None)[0]
        return q

    def positions(self, t: float, q: Array, u: Array) -> Array:
        """Return coordinates on the invariants: moved as by further speeds for the usual time."""
        still, at = self._rows.rates(t, q, u), q

        def left(more: Array) -> Array:
            nonlocal at
            at = self.unit(t, q + self._time * (self._rows.rates(t, q, u + more) - still))
            return np.asarray(self._rows.position(t, at)[0][: len(self._held)] / self._time)

        self._projected(t, q, u, self._held, left, far=_far(q, self._places))
        return at

    def speeds(self, t: float, q: Array, u: Array) -> Array:
        """Return speeds on the invariants."""
        moved = self._projected(
            t,
            q,
            u,
            self._low,
            lambda x: self._rows.velocity(t, q, np.asarray(u + x))[0],
            far=_far(u, self._speeds),
        )
        return np.asarray(u + moved)

    def accelerations(self, t: float, q: Array, u: Array) -> Array:
        """Return accelerations on the invariants, under the loads at the speeds as they now are."""
        A, b = self._rows.accelerations(t, q, u)
        every = np.arange(len(self._orders))
        _, f = self._balance(t, q, u)
        far = _far(u, self._speeds) / self._time
        return self._projected(t, q, u, every, lambda ud: A @ ud + b, f, far=far)

    def _projected(
        self,
        t: float,
        q: Array,
        u: Array,
        some: NDArray[np.intp],
        left: Callable[[Array], Array],
        f: Array | None = None,
        *,
        far: float,
    ) -> Array:
        """Return x with M x = f - A^T sig that leaves nothing of some rows; without f, the least.

        (M + A^T alpha A) dx = f - M x - A^T sig, sig <- sig + alpha c

        Steps are least in the measure of M, as the method wants it, and not in length.

        `far` says how large c may be at all, in sizes of the speeds.
        """
        x, sig = np.zeros(len(u)), np.zeros(len(some))
        M, _ = self._balance(t, q, u)
        A = self._rows.accelerations(t, q, u)[0][some]
        alpha = self._stiff(M, A)
        sizes = np.abs(A) @ self._speeds
        sizes = np.where(sizes > 0, sizes, 1.0)
        if f is None:
            f = x
        else:
            x = self._solved(M, A, alpha, f, t)
        c = left(x)
        best, least = x, np.inf
        for _ in range(ROUNDS if len(some) else 0):
            error = float((np.abs(c) / sizes).max())
            if not error < least:
                break
            best, least = x, error
            if error <= KEPT * far:
                break
            sig = sig + alpha * c
            x = x + self._solved(M, A, alpha, f - M @ x - A.T @ sig, t)
            c = left(x)
        if best is not x:
            left(best)
        return best

    def _balance(self, t: float, q: Array, u: Array) -> tuple[Array, Array]:
        return self._engine.balance(t, np.concatenate([q, u]))

    def _stiff(self, M: Array, A: Array) -> Array:
        """Return the penalties of rows, which are as stiff as others whatever their units."""
        speeds = self._speeds
        inertia = np.abs(M * speeds * speeds[:, None]).max(initial=0.0)
        size = ((A * speeds) ** 2).sum(axis=1)
        return np.asarray(PENALTY * inertia / np.where(size > 0, size, 1.0))

    def _solved(self, M: Array, A: Array, alpha: Array, f: Array, t: float) -> Array:
        D = self._speeds
        try:
            x = np.linalg.solve((M + A.T @ (alpha[:, None] * A)) * np.outer(D, D), f * D)
        except np.linalg.LinAlgError:
            raise NotRunError(f"the equations are singular at t = {t:.6g} s") from None
        return np.asarray(x * D)


def _far(x: Array, sizes: Array) -> float:
    """Return how large variables are, in their sizes; at least as large as these."""
    return max(1.0, float((np.abs(x) / sizes).max(initial=0.0)))
