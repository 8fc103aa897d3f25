"""Implicit steps for stiff models: Radau's method IIA of order 13, with results between.

Hairer and Wanner, Solving ordinary differential equations II, section IV.8, with seven stages as
in their code RADAU: at the tolerances of a run its steps are many times longer than those of the
method with three. Newton's equations

    (lam_i/h - J) dW_i = (T^-1 F)_i - lam_i/h W_i,    Z = T W

fall apart into one for each eigenvalue lam_i of the inverse of the table. J is made of differences
of the compiled rates, with increments in the sizes of the variables, and kept as long as Newton's
steps shrink fast. The method is collocation, and its polynomial gives the results between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NoRateError, NotRunError
from mbx.analyses.simulate.integrators.radau import radau
from mbx.analyses.simulate.integrators.state_sizes import Amplitudes
from mbx.analyses.simulate.integrators.step_protocol import SAFETY, SLOWEST, largest
from mbx.codegen.native.stages import Stages

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mbx.analyses.simulate.integrators.explicit import Field
    from mbx.codegen.native.function import Function
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["STAGES", "Stiff"]

STAGES: Final = 7
POWER: Final = -1 / (STAGES + 1)
ROUGH: Final = 5 / 6
"""The error is that of a formula of order 7, and of the polynomial between: it may be the
tolerance to this power; the step itself, of order 13, is then better than the tolerance."""
FASTEST: Final = 6.0
"""Largest ratio of one step to the step before."""
SAME: Final = 1.2
"""Up to this ratio the step stays as it is, and with it the matrices of Newton's method."""
ROUNDS: Final = 12
"""Newton's steps."""
NEWTON: Final = 0.03
"""Part of the tolerance that Newton's method may leave."""
FAST: Final = 1e-2
"""Ratio of two of Newton's steps up to which J is kept."""
FIRST: Final = 1e-3
"""The first step, as a part of the time in which the variables change by their sizes."""


class Stiff:
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
        self._rough = rtol ** (ROUGH - 1)
        self._shortest = shortest
        self._method = radau(STAGES)
        self._bound = 0.0
        self._h: float | None = None
        self._J: Array | None = None
        self._fresh = False
        self._inverse: tuple[float, NDArray[np.complex128]] | None = None
        self._before: tuple[float, Array, float, Array] | None = None
        self._code: tuple[Function, Stages] | None = None
        self._reason: NotRunError | None = None
        self._off = np.zeros(0)

    def begin(self, t: float, y: Array, bound: float) -> None:
        """Start anew from a state."""
        self.t, self._bound = t, bound
        self._take(y)
        self._before = None
        self._J = self._inverse = None
        if self._h is None:
            fastest = float((np.abs(self._f) / self._far()).max(initial=0.0))
            first = max(FIRST / fastest, self._shortest) if fastest > 0 else bound - t
            self._h = min(bound - t, first)

    def move(self, y: Array) -> None:
        """Take another state in the place of the one where it is."""
        self._take(y)

    def _take(self, y: Array) -> None:
        self.y = y
        self._x = self._field.inside(self.t, y)
        self._f = self._field.rate(self.t, self._x)

    def until(self, bound: float) -> None:
        """Let no step go beyond another bound from now on."""
        self._bound = bound

    def step(self) -> None:
        """Take a step, as long as the tolerances allow."""
        wanted = self._h or self._bound - self.t
        rejected = False
        while True:
            left = self._bound - self.t
            h = min(wanted, left)
            if h < self._shortest and h < left:
                if isinstance(self._reason, NoRateError):
                    raise self._reason
                why = "" if self._reason is None else f": {self._reason}"
                raise NotRunError(f"no step leads on from t = {self.t:.6g} s{why}")
            self._reason = None
            Z = self._newton(h)
            if Z is None:
                wanted, rejected = h / 2 if self._fresh else h, True
                self._renew()
                continue
            error = self._error(Z, h, again=rejected or self._before is None)
            if error < 1:
                break
            wanted, rejected = h * max(SLOWEST, SAFETY * error**POWER), True
            self._renew()
        longest = 1.0 if rejected else FASTEST
        factor = longest if error == 0 else min(longest, max(SLOWEST, SAFETY * error**POWER))
        if not rejected and 1 <= factor <= SAME and self._J is not None:
            factor = 1.0
        self._h = max(h * factor, wanted if h < wanted and not rejected else 0.0)
        self._before = self.t, self._x, h, Z
        self.t = self._bound if h == left else self.t + h
        self._x = self._x + Z[-1]
        self.y = self._field.outside(self.t, self._x)
        self._f = self._field.rate(self.t, self._x)
        self._fresh = False

    def between(self, at: float) -> Array:
        """Return the state at a time within the last step, by the polynomial of collocation."""
        return np.asarray(self.many(np.array([at]))[0])

    def many(self, times: Array) -> Array:
        """Return the states at some times within the last step, a row for each."""
        if self._before is None:
            return np.array([self.y for _ in times])
        t, x, h, Z = self._before
        found = x + self._method.between((times - t) / h) @ Z
        return np.array(
            [self._field.outside(at, y) for at, y in zip(times.tolist(), found, strict=True)]
        )

    def held(self) -> str:
        """Return the variable whose error was the largest in the last step, as it is tolerated."""
        return largest(self._field.names, self._off) if self._off.size else ""

    def _newton(self, h: float) -> Array | None:
        """Return Z of the stages; None where Newton's steps do not lead there.

        The Jacobian is frozen over steps, so these are not those of `gauss_newton`.
        """
        method, scale = self._method, self._scale(np.abs(self._x))
        inverse = self._inverses(h)
        lam = (method.lam / h)[:, None]
        Z = self._guess(h)
        W = method.T_inv @ Z
        before, ratio = 0.0, 0.0
        try:
            for _ in range(ROUNDS):
                F = self._rates(h, Z)
                dW = (inverse @ (method.T_inv @ F - lam * W)[:, :, None])[:, :, 0]
                W = W + dW
                dZ = (method.T @ dW).real
                Z = Z + dZ
                size = _norm(dZ / scale)
                if not np.isfinite(size):
                    return None
                ratio = size / before if before else 1.0
                if ratio >= 1 and before and size > 1:
                    return None
                left = size * ratio / (1 - ratio) if ratio < 1 else size
                if left <= NEWTON or (ratio >= 1 and before):  # or nothing but rounding is left
                    break
                before = size
            else:
                return None
        except NotRunError as reason:
            self._reason = reason
            return None
        if FAST < ratio < 1 and not self._fresh:
            self._J = None
        return Z

    def _guess(self, h: float) -> Array:
        """Return Z by the polynomial of the step before."""
        if self._before is None:
            return np.asarray(h * self._method.c[:, None] * self._f)
        t, x, long, Z = self._before
        parts = (self.t + self._method.c * h - t) / long
        return np.asarray(self._method.between(parts) @ Z + (x - self._x))

    def _scale(self, x: Array) -> Array:
        """Return the tolerances of variables that are so large."""
        rtol, atol = self._tolerances
        return np.asarray(atol * self._sizes.of(self._field.sizes, x) + rtol * x)

    def _far(self) -> Array:
        """Return by how much variables may change before the rates do so."""
        return np.maximum(np.abs(self._x), self._field.sizes)

    def _error(self, Z: Array, h: float, *, again: bool) -> float:
        """Return the error of a step, as a part of what is tolerated (8.19), (8.20)."""
        if not Z.size:
            return 0.0
        method, inverse = self._method, self._inverses(h)[0].real
        size = self._rough * self._scale(np.maximum(np.abs(self._x), np.abs(self._x + Z[-1])))
        late = (method.e @ Z) / (method.gamma * h)
        found = inverse @ (self._f + late)
        error = _norm(found / size)
        if again and not error < 1 and np.isfinite(error):
            try:
                rate = self._field.rate(self.t, self._x + found)
            except NotRunError:
                return error
            found = inverse @ (rate + late)
            error = _norm(found / size)
        coarse = self._coarse(Z) / size
        self._off = found / size if error > _norm(coarse) else coarse
        error = max(error, _norm(coarse))
        return error if np.isfinite(error) else np.inf

    def _coarse(self, Z: Array) -> Array:
        """Return what the polynomial lacks: the next coefficient, as the last two shrink.

        Where something settles at once, the error of the step says nothing of the results between.
        """
        last, end = np.abs(self._method.Q @ Z)
        return np.asarray(end * np.minimum(end / np.maximum(last, np.finfo(float).tiny), 1.0))

    def _rates(self, h: float, Z: Array) -> Array:
        """Return the rates at all stages: in one call of machine code, if there is some."""
        function = self._field.function
        if function is not None:
            if self._code is None or self._code[0] is not function:
                table = np.zeros((2 * STAGES, 2 * STAGES))
                table[STAGES:, :STAGES] = np.eye(STAGES)
                self._code = function, Stages(function, table, np.tile(self._method.c, 2))
            stages = self._code[1]
            stages.K[:STAGES] = Z / h
            if stages.run(self.t, h, self._x, STAGES, 2 * STAGES) == 0:
                self._field.ran(STAGES)
                return stages.K[STAGES:].copy()
        at = self.t + self._method.c * h
        return np.array([self._field.rate(t, self._x + z) for t, z in zip(at, Z, strict=True)])

    def _inverses(self, h: float) -> NDArray[np.complex128]:
        """Return the inverses of lam_i/h - J."""
        if self._J is None:
            self._J, self._inverse = self._slopes(), None
            self._fresh = True
        if self._inverse is None or self._inverse[0] != h:
            matrices = (self._method.lam / h)[:, None, None] * np.eye(len(self._x)) - self._J
            self._inverse = h, np.asarray(np.linalg.inv(matrices), dtype=np.complex128)
        return self._inverse[1]

    def _slopes(self) -> Array:
        """Return the derivatives of the rates, by differences."""
        step = np.sqrt(np.finfo(float).eps) * self._far()
        found = np.empty((len(self._x), len(self._x)))
        for k, each in enumerate(step.tolist()):
            x = self._x.copy()
            x[k] += each
            try:
                rate = self._field.rate(self.t, x)
            except NoRateError:  # there are none on that side
                x[k] = self._x[k] - each
                try:
                    rate = self._field.rate(self.t, x)
                except NoRateError:  # nor on this one: close to both ends, nothing is steep
                    rate = self._f
            found[:, k] = (rate - self._f) / (x[k] - self._x[k])
        return found

    def _renew(self) -> None:
        if not self._fresh:
            self._J = None


def _norm(x: Array) -> float:
    return float(np.sqrt(np.mean(x * x))) if x.size else 0.0
