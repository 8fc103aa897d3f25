"""The stabilised index-2 equations of Gear, Gupta and Leimkuhler, by SUNDIALS' IDA.

    q' = N u + n - Cq^T mu,    M u' = h + A^T lam,    c(q) = 0,    v(q, u) = 0

Gear, Gupta and Leimkuhler, Journal of Computational and Applied Mathematics 12-13, 1985. An
invariant of order 2 stands as A u' + b = 0 beside them. Of rows that depend on each other only as
many are taken as are independent, those that span the rest best; where these come close to
depending on each other, others are taken from there on.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.simulate.integrators.step_protocol import largest
from mbx.base.extras import load_extra
from mbx.numerics.tolerances import DEPENDENT

if TYPE_CHECKING:
    from mbx.analyses.experiments.state_functions import Invariants
    from mbx.analyses.simulate.engine import Engine
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["Ggl"]

RTOL: Final = 1e-11
ATOL: Final = 1e-12
"""Of coordinates and speeds, the latter as a part of their sizes, unless others are said.
Multipliers have no part in the control of the step."""
WORSE: Final = 1e-3
"""Part of what all rows have that the chosen ones must have, in their least singular value."""
POINTS: Final = 5
"""States that the next one is foretold from where a run ends by time, and that one."""
_FREE: Final = 1e30
_SECOND: Final = 2


class Ggl:
    """Steps by backward differentiation formulas of order 1 to 5.

    Attributes:
        t, y: Where it is.
    """

    def __init__(
        self, system: System, engine: Engine, rows: Invariants, rtol: float, atol: float
    ) -> None:
        """Take the form, the invariants, and the tolerances."""
        if system.order > _SECOND:
            raise NotRunError("ggl takes no invariants of order 3 or more")
        self.t, self.y = 0.0, np.zeros(0)
        self._IDA = load_extra("sksundae.ida", "the method ggl", "solve", "scikit-sundae").IDA
        self._engine, self._rows = engine, rows
        self._tolerances = rtol, atol
        self._n = len(system.q), len(system.u)
        orders = [r.order for r in system.rows]
        self._low = np.array([k for k, order in enumerate(orders) if order < _SECOND], dtype=int)
        self._known: deque[tuple[float, Array]] = deque(maxlen=POINTS)
        self._solver: Any = None
        self._error: NotRunError | None = None
        self._bound = 0.0

    def begin(self, t: float, y: Array, bound: float) -> None:
        """Start anew from a state."""
        self.t, self.y, self._bound = t, y, bound
        if self._known and self._known[-1][0] != t:
            self._known.clear()
        self._known.append((t, y))
        nq, nu = self._n
        q, u = y[:nq], y[nq:]
        of_q, of_u = self._rows.sizes
        self._positions = _spanning(self._rows.position(t, q)[1] * of_q)
        A, _ = self._rows.accelerations(t, q, u)
        self._forces = _spanning(A * of_u)
        rate = self._engine.rate(t, y)
        M, h = self._engine.balance(t, y)
        lam = np.linalg.lstsq(A[self._forces].T, M @ rate[nq:] - h, rcond=None)[0]
        x = np.concatenate([y, lam, np.zeros(len(self._positions))])
        xp = np.concatenate([rate, np.zeros(len(x) - len(y))])
        free = np.arange(nq + nu, len(x))
        rtol, atol = self._tolerances
        tolerances = np.full(len(x), _FREE)
        tolerances[: len(y)] = atol * self._engine.sizes
        self._solver = self._IDA(
            self._residual,
            rtol=rtol,
            atol=tolerances,
            algebraic_idx=free.tolist() or None,
            max_num_steps=10_000,
        )
        self._answered(lambda: self._solver.init_step(t, x, xp))

    def move(self, y: Array) -> None:
        """Start anew from another state."""
        self.begin(self.t, y, self._bound)

    def until(self, bound: float) -> None:
        """Let no step go beyond another bound from now on."""
        self._bound = bound

    def step(self) -> None:
        """Take a step, as long as the tolerances allow."""
        if not self._independent():
            self.begin(self.t, self.y, self._bound)
        for _ in range(2):  # after a result between, the first only comes back to the end
            found = self._answered(
                lambda: self._solver.step(self._bound, method="onestep", tstop=self._bound)
            )
            if found.t > self.t:
                break
        if not found.success or not found.t > self.t:
            raise NotRunError(f"no step leads on from t = {self.t:.6g} s")
        self.t = float(found.t)
        self.y = np.array(found.y[: len(self.y)])
        self._known.append((self.t, self.y))

    def held(self) -> str:
        """Return the variable that is farthest from where the steps before lead, as is tolerated.

        The error of a formula is a part of that distance, the same for all variables.
        """
        known = dict(self._known)
        *before, last = sorted(known) or [self.t]
        if not before:
            return ""
        rtol, atol = self._tolerances
        off, scale = known[last].copy(), atol * self._engine.sizes + rtol * np.abs(known[last])
        for t in before:
            off -= np.prod([(last - s) / (t - s) for s in before if s != t]) * known[t]
        return largest(self._engine.names, off / scale)

    def between(self, at: float) -> Array:
        """Return the state at a time within the last step, by the polynomial of the formula."""
        if at >= self.t:  # by rounding: the solver would take a step to get there
            return self.y
        found = self._answered(lambda: self._solver.step(at, method="normal", tstop=self._bound))
        return np.array(found.y[: len(self.y)])

    def many(self, times: Array) -> Array:
        """Return the states at some times within the last step, a row for each."""
        return np.array([self.between(at) for at in times.tolist()])

    def _answered(self, ask: Any) -> Any:
        """Return what the solver says; raise what went wrong inside of it."""
        self._error = None
        try:
            found = ask()
        except RuntimeError:
            found = None
        if self._error is not None:
            raise self._error
        if found is None:
            raise NotRunError(f"no step leads on from t = {self.t:.6g} s")
        return found

    def _residual(self, t: float, x: Array, xp: Array, res: Array) -> None:
        try:
            self._fill(float(t), np.array(x), np.array(xp), res)
        except NotRunError as error:
            self._error = error
            res[:] = np.nan

    def _fill(self, t: float, x: Array, xp: Array, res: Array) -> None:
        nq, nu = self._n
        s = nq + nu
        q, u, ud = x[:nq], x[nq:s], xp[nq:s]
        lam, mu = x[s : s + len(self._forces)], x[s + len(self._forces) :]
        c, Cq = self._rows.position(t, q)
        A, b = self._rows.accelerations(t, q, u)
        M, h = self._engine.balance(t, x[:s])
        P, F = self._positions, self._forces
        res[:nq] = xp[:nq] - self._rows.rates(t, q, u) + Cq[P].T @ mu
        res[nq:s] = M @ ud - h - A[F].T @ lam
        kept = A @ ud + b
        kept[self._low] = self._rows.velocity(t, q, u)[0]
        res[s : s + len(F)] = kept[F]
        res[s + len(F) :] = c[P]

    def _independent(self) -> bool:
        """Return whether the chosen rows are about as independent as all of them."""
        nq, _ = self._n
        q, u = self.y[:nq], self.y[nq:]
        of_q, of_u = self._rows.sizes
        _, Cq = self._rows.position(self.t, q)
        A, _ = self._rows.accelerations(self.t, q, u)
        return all(
            _least(J[some], len(some)) >= WORSE * _least(J, len(some))
            for J, some in ((Cq * of_q, self._positions), (A * of_u, self._forces))
            if len(some) < len(J)
        )


def _spanning(J: Array) -> Array:
    """Return which rows of a matrix, columns in sizes, span all of them, as well as may be."""
    from scipy.linalg import qr

    if not J.size:
        return np.zeros(0, dtype=int)
    scaled = _scaled(J)
    s = np.linalg.svd(scaled, compute_uv=False)
    rank = int((s > DEPENDENT * s[0]).sum())
    _, _, order = qr(scaled.T, mode="economic", pivoting=True)
    return np.asarray(np.sort(order[:rank]))


def _least(J: Array, rank: int) -> float:
    """Return the least singular value of some rows that is not zero."""
    return float(np.linalg.svd(_scaled(J), compute_uv=False)[rank - 1]) if rank else 1.0


def _scaled(J: Array) -> Array:
    size = np.abs(J).max(axis=1, keepdims=True)
    return J / np.where(size > 0, size, 1.0)
