"""Explicit steps: Dormand and Prince's method of order 8, with results between.

Hairer, Norsett and Wanner, Solving ordinary differential equations I, sections II.4 (control of
the step), II.5 (the method) and II.6 (the polynomial of order 7). The table is SciPy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from mbx.analyses.experiments.experiment_plan import NoRateError, NotRunError
from mbx.analyses.simulate.integrators.state_sizes import Amplitudes
from mbx.analyses.simulate.integrators.step_protocol import SAFETY, SLOWEST, largest
from mbx.codegen.native.stages import Stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.native.function import Function
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["ATOL", "RTOL", "Explicit", "Field", "abscissae"]

RTOL: Final = 1e-12
ATOL: Final = 1e-14
"""Part of the size of a variable."""
CLOSER: Final = 1e-5
"""How much shorter steps may be close to where the equations begin or end, as sqrt(x) at 0."""
FASTEST: Final = 10.0
"""Largest ratio of one step to the step before."""
POWER: Final = -1 / 8
_ENDS: Final = 13
"""Stages of a step, the rate at its end among them; the polynomial has three more."""
_ALL: Final = 16
_ODD: Final = np.arange(7) % 2 == 1
"""Which factors of the polynomial are 1 - s: it is F_0 s + F_1 s (1 - s) + F_2 s^2 (1 - s) + ..."""


class Field(Protocol):
    """What is integrated: variables x, and the states that they stand for."""

    def rate(self, t: float, x: Array) -> Array:
        """Return how fast they change; raise `NotRunError` where there is no answer."""

    def inside(self, t: float, y: Array) -> Array:
        """Return the variables of a state."""

    def outside(self, t: float, x: Array) -> Array:
        """Return the state of some variables."""

    @property
    def function(self) -> Function | None:
        """The rates in machine code, if they are these and nothing else."""

    @property
    def sizes(self) -> Array:
        """How large the variables are in this model."""

    @property
    def names(self) -> Sequence[str]:
        """What the variables are called."""

    def ran(self, times: int) -> None:
        """Hear how often machine code was run beside `rate`."""


class Explicit:
    """Steps of a field.

    Attributes:
        t, y: Where it is.
    """

    def __init__(self, field: Field, rtol: float, atol: float, shortest: float) -> None:
        """Take a field, the tolerances, and the length below which a step is none."""
        self.t, self.y = 0.0, np.zeros(0)
        self._field = field
        self._tolerances = rtol, atol
        self._sizes = Amplitudes()
        self._shortest = shortest
        self._table = _table()
        self._bound = 0.0
        self._h: float | None = None
        self._stages: tuple[Function, Stages] | None = None
        self._before: tuple[float, Array, float] = (0.0, np.zeros(0), 0.0)
        self._F: Array | None = None
        self._fresh = True

    def begin(self, t: float, y: Array, bound: float) -> None:
        """Start anew from a state."""
        self.t, self._bound = t, bound
        self._fresh = True
        self._x = self._field.inside(t, y)
        self.y = y
        self._K = np.zeros((_ALL, len(self._x)))
        self._f = self._field.rate(t, self._x)
        if self._h is None:
            self._h = self._first()

    def move(self, y: Array) -> None:
        """Take another state in the place of the one where it is."""
        self.y = y
        self._x = self._field.inside(self.t, y)
        self._f = self._field.rate(self.t, self._x)

    def until(self, bound: float) -> None:
        """Let no step go beyond another bound from now on."""
        self._bound = bound

    def step(self) -> None:
        """Take a step, as long as the tolerances allow."""
        rejected = False
        wanted = self._first() if self._h is None else self._h
        reason: NoRateError | None = None
        while True:
            left = self._bound - self.t
            h = min(wanted, left)
            near = self._fresh or reason is not None
            if h < self._shortest * (CLOSER if near else 1.0) and h < left:
                raise reason or NotRunError(f"no step leads on from t = {self.t:.6g} s")
            self._K[0] = self._f
            try:
                new = self._run(h, 1, _ENDS)
                error = self._error(new, h)
            except NoRateError as without:  # too far: a shorter step may stay where there are rates
                error, reason = np.inf, without
            if error < 1:
                break
            wanted = h * max(SLOWEST, SAFETY * error**POWER) if error < np.inf else h * SLOWEST
            rejected = True
        longest = 1.0 if rejected else FASTEST
        factor = longest if error == 0 else min(longest, SAFETY * error**POWER)
        self._fresh = self._fresh and h < self._shortest
        self._h = max(h * max(factor, SLOWEST), wanted if h < wanted and not rejected else 0.0)
        self._before = self.t, self._x, h
        self.t = self._bound if h == left else self.t + h
        self._x, self._f = new, self._K[_ENDS - 1].copy()
        self.y = self._field.outside(self.t, new)
        self._F = None

    def between(self, at: float) -> Array:
        """Return the state at a time within the last step, by a polynomial of order 7."""
        return np.asarray(self.many(np.array([at]))[0])

    def many(self, times: Array) -> Array:
        """Return the states at some times within the last step, a row for each."""
        t, x, h = self._before
        if self._F is None:
            self._F = self._polynomial(t, x, h)
        s = (times - t) / h
        factors = np.where(_ODD, 1 - s[:, None], s[:, None])
        found = x + np.cumprod(factors, axis=1) @ self._F
        return np.array(
            [self._field.outside(at, y) for at, y in zip(times.tolist(), found, strict=True)]
        )

    def held(self) -> str:
        """Return the variable whose error was the largest in the last step, as it is tolerated."""
        _, x, h = self._before
        if not h:
            return ""
        scale = self._scale(np.maximum(np.abs(x), np.abs(self._x)))
        return largest(self._field.names, self._table.E[0] @ self._K[:_ENDS] / scale)

    def _polynomial(self, t: float, x: Array, h: float) -> Array:
        now, self.t = self.t, t
        after, self._x = self._x, x
        try:
            self._run(h, _ENDS, _ALL)
        finally:
            self.t, self._x = now, after
        K = self._K
        delta = h * (self._table.B @ K[: _ENDS - 1])
        F = np.empty((len(_ODD), len(x)))
        F[0], F[1], F[2] = delta, h * K[0] - delta, 2 * delta - h * (K[_ENDS - 1] + K[0])
        F[3:] = h * (self._table.D @ K)
        return F

    def _run(self, h: float, first: int, last: int) -> Array:
        """Compute some stages of a step; return where the last of them was."""
        function = self._field.function
        if function is not None:
            if self._stages is None or self._stages[0] is not function:
                self._stages = function, Stages(function, self._table.A, self._table.C)
            stages = self._stages[1]
            stages.K[:first] = self._K[:first]
            if stages.run(self.t, h, self._x, first, last) == 0:
                self._K[first:last] = stages.K[first:last]
                self._field.ran(last - first)
                return stages.w.copy()
        at = self._x
        for s in range(first, last):
            at = self._x + h * (self._table.A[s, :s] @ self._K[:s])
            self._K[s] = self._field.rate(self.t + self._table.C[s] * h, at)
        return at

    def _error(self, new: Array, h: float) -> float:
        """Return the error of a step, as a part of what is tolerated."""
        if not new.size:
            return 0.0
        scale = self._scale(np.maximum(np.abs(self._x), np.abs(new)))
        e5, e3 = self._table.E @ self._K[:_ENDS] / scale
        five, three = float(e5 @ e5), float(e3 @ e3)
        if five == 0 and three == 0:
            return 0.0
        found = h * five / float(np.sqrt((five + 0.01 * three) * len(new)))
        return found if np.isfinite(found) else np.inf

    def _scale(self, x: Array) -> Array:
        """Return the tolerances of variables that are so large."""
        rtol, atol = self._tolerances
        return np.asarray(atol * self._sizes.of(self._field.sizes, x) + rtol * x)

    def _first(self) -> float:
        """Return how long the first step may be (II.4), whatever the units of the time."""
        left = self._bound - self.t
        if not self._x.size:
            return left
        scale = self._scale(np.abs(self._x))
        far = np.maximum(np.abs(self._x), self._sizes.of(self._field.sizes, self._x))
        size, speed = (float(np.sqrt(np.mean((v / scale) ** 2))) for v in (far, self._f))
        unit = min(size / speed, left) if speed > 0 else left
        h = 0.01 * unit
        try:
            after = self._field.rate(self.t + h, self._x + h * self._f)
        except NoRateError:  # the step itself is shortened until there are rates
            return max(h, min(self._shortest, left))
        bend = float(np.sqrt(np.mean(((after - self._f) / scale) ** 2))) / h
        steep = max(speed * unit, bend * unit**2)
        longer = unit * (0.01 / steep) ** -POWER if steep > 0 else left
        return max(min(100 * h, longer, left), min(self._shortest, left))


class _Table:
    """The coefficients: a row for each stage, those at the end and of the polynomial among them."""

    def __init__(self) -> None:
        from scipy.integrate import DOP853

        stages = _ENDS - 1
        self.A, self.C = np.zeros((_ALL, _ALL)), np.zeros(_ALL)
        self.A[:stages, :stages] = DOP853.A[:stages, :stages]
        self.A[stages, :stages] = DOP853.B
        self.A[_ENDS:] = DOP853.A_EXTRA
        self.C[:stages], self.C[stages], self.C[_ENDS:] = DOP853.C, 1.0, DOP853.C_EXTRA
        self.B = np.array(DOP853.B)
        self.E = np.vstack([DOP853.E5, DOP853.E3])
        self.D = np.array(DOP853.D)


def abscissae() -> list[float]:
    """Return where the stages of a step are that count at its end, as parts of it."""
    table = _table()
    counts = (table.E[:, :_ENDS] != 0).any(axis=0)
    return [float(x) for x in table.C[:_ENDS][counts]]


def _table() -> _Table:
    if not _made:
        _made.append(_Table())
    return _made[0]


_made: Final[list[_Table]] = []
