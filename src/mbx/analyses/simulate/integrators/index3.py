"""The index-3 augmented Lagrangian equations with projections, by the trapezoidal rule.

    M ud = h + A^T (lam - alpha c),    lam <- lam - alpha c,    until c = 0

    u1 = u0 + h (ud0 + ud1)/2,    q1 = q0 + h (qd0 + qd1)/2

Bayo and Ledesma, Nonlinear Dynamics 9, 1996; Cuadrado, Cardenal and Bayo, Multibody System Dynamics
1, 1997. Speeds and accelerations are then brought onto their invariants, the shortest way in the
measure of M. Rows may depend on each other: none is divided by. One of order 1 is penalised by its
speed, one of order 2 by its acceleration. Newton's matrix leaves out what loads depend on.

Each step is made once as a whole and once in halves; a third of the difference is the error that
is controlled, and taken off (Hairer, Norsett and Wanner, II.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.simulate.integrators.penalties import Penalties
from mbx.analyses.simulate.integrators.step_protocol import SAFETY, SLOWEST, largest

if TYPE_CHECKING:
    from mbx.analyses.experiments.state_functions import Invariants
    from mbx.analyses.simulate.engine import Engine
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["Index3"]

RTOL: Final = 1e-8
ATOL: Final = 1e-10
"""Of the rule before its error is taken off, the latter as a part of sizes, unless others are
said."""
FIRST: Final = 1e-4
"""The first step, as a part of the time to the first bound."""
FASTEST: Final = 3.0
POWER: Final = -1 / 3
ROUNDS: Final = 25
_SECOND: Final = 2
_THIRD: Final = 1 / 3


@dataclass(frozen=True, slots=True, eq=False)
class _End:
    """An end of a step: the state, its accelerations and the multipliers."""

    t: float
    q: Array
    u: Array
    ud: Array
    lam: Array


class Index3:
    """Steps of the trapezoidal rule.

    Attributes:
        t, y: Where it is.
    """

    def __init__(
        self,
        system: System,
        engine: Engine,
        rows: Invariants,
        tolerances: tuple[float, float],
        shortest: float,
        time: float,
    ) -> None:
        """Take the form, the invariants, tolerances, the shortest step, and the usual time."""
        if system.order > _SECOND:
            raise NotRunError("index3 takes no invariants of order 3 or more")
        self.t, self.y = 0.0, np.zeros(0)
        self._engine, self._rows = engine, rows
        self._nq = len(system.q)
        self._shortest = shortest
        self._tolerances = tolerances
        self._penalties = Penalties(system, engine, rows, time)
        self._h: float | None = None
        self._off = np.zeros(0)
        self._bound = 0.0

    def begin(self, t: float, y: Array, bound: float) -> None:
        """Start anew from a state."""
        q, u = y[: self._nq], y[self._nq :]
        ud = self._engine.rate(t, y)[self._nq :]
        A, _ = self._rows.accelerations(t, q, u)
        M, h = self._engine.balance(t, y)
        lam = np.asarray(np.linalg.lstsq(A.T, M @ ud - h, rcond=None)[0], dtype=np.float64)
        self._at = self._before = _End(t, q, u, ud, lam)
        self.t, self.y, self._bound = t, y, bound
        if self._h is None:
            self._h = FIRST * (bound - t)

    def move(self, y: Array) -> None:
        """Start anew from another state."""
        self.begin(self.t, y, self._bound)

    def until(self, bound: float) -> None:
        """Let no step go beyond another bound from now on."""
        self._bound = bound

    def step(self) -> None:
        """Take a step, as long as the tolerances allow."""
        wanted, rejected = self._h or self._bound - self.t, False
        while True:
            left = self._bound - self.t
            h = min(wanted, left)
            if h < self._shortest and h < left:
                raise NotRunError(f"no step leads on from t = {self.t:.6g} s")
            end = self._bound if h == left else self.t + h
            tried = self._tried(h, end)
            if tried is not None and tried[1] < 1:
                break
            error = np.inf if tried is None else tried[1]
            wanted, rejected = h * max(SLOWEST, SAFETY * error**POWER), True
        found, error = tried
        longest = 1.0 if rejected else FASTEST
        factor = longest if error == 0 else min(longest, max(SLOWEST, SAFETY * error**POWER))
        self._h = wanted if h < wanted and factor >= 1 else h * factor
        self._before, self._at = self._at, found
        self.t, self.y = found.t, np.concatenate([found.q, found.u])

    def held(self) -> str:
        """Return the variable whose error was the largest in the last step, as it is tolerated."""
        return largest(self._engine.names, self._off) if self._off.size else ""

    def between(self, at: float) -> Array:
        """Return the state at a time within the last step, by Hermite's cubic polynomial."""
        a, b = self._before, self._at
        h = b.t - a.t
        s = (at - a.t) / h
        ends = [
            (np.concatenate([e.q, e.u]), np.concatenate([self._rows.rates(e.t, e.q, e.u), e.ud]))
            for e in (a, b)
        ]
        (x0, f0), (x1, f1) = ends
        bend = (1 - 2 * s) * (x1 - x0) + (s - 1) * h * f0 + s * h * f1
        return np.asarray((1 - s) * x0 + s * x1 + s * (s - 1) * bend)

    def many(self, times: Array) -> Array:
        """Return the states at some times within the last step, a row for each."""
        return np.array([self.between(at) for at in times.tolist()])

    def _tried(self, h: float, end: float) -> tuple[_End, float] | None:
        """Return the end of a step, and its error as a part of what is tolerated; None if none."""
        whole = self._rule(self._at, h, end)
        half = self._rule(self._at, h / 2, self.t + h / 2)
        halves = None if half is None else self._rule(half, h / 2, end)
        if whole is None or halves is None:
            return None
        x = np.concatenate([halves.q, halves.u])
        off = _THIRD * (x - np.concatenate([whole.q, whole.u]))
        rtol, atol = self._tolerances
        scale = atol * self._engine.sizes + rtol * np.maximum(np.abs(self.y), np.abs(x))
        self._off = off / scale
        error = float(np.sqrt(np.mean(self._off**2))) if len(off) else 0.0
        if not error < 1:
            return halves, error if np.isfinite(error) else np.inf
        x = x + off
        lam = halves.lam + _THIRD * (halves.lam - whole.lam)
        q = self._penalties.positions(end, x[: self._nq], x[self._nq :])
        u = self._penalties.speeds(end, q, x[self._nq :])
        return _End(end, q, u, self._penalties.accelerations(end, q, u), lam), error

    def _rule(self, at: _End, h: float, end: float) -> _End | None:
        """Return the end of a step of the rule; None where Newton's steps lead nowhere.

        Steps are those of the augmented Lagrangian, whose Jacobian is M and the penalties alone.
        """
        qd = self._rows.rates(at.t, at.q, at.u)
        q, ud, lam = at.q + h * qd, at.ud, at.lam
        least = np.inf
        for _ in range(ROUNDS):
            u = at.u + h / 2 * (at.ud + ud)
            q = at.q + h / 2 * (qd + self._rows.rates(end, q, u))
            ud, lam, moved = self._penalties.newton(end, q, u, ud, lam, h)
            if not np.isfinite(moved):
                return None
            if moved <= 1e-13 or (moved >= least and moved <= 1e-9):  # noqa: PLR2004
                break
            least = min(least, moved)
        else:
            return None
        u = at.u + h / 2 * (at.ud + ud)
        q = self._penalties.unit(end, at.q + h / 2 * (qd + self._rows.rates(end, q, u)))
        u = self._penalties.speeds(end, q, u)
        return _End(end, q, u, self._penalties.accelerations(end, q, u), lam)
