"""Forward dynamics: how fast a state changes, by one form, as a fast function of the state.

Where a form writes its matrices as expressions,

    M ud = h + A^T lam,  A ud + b = 0,

they are compiled, and solved in numbers on an orthonormal basis Z of the null space of A: so no
pivot is chosen once and for all, and rows that depend on each other do no harm. All else is
evaluated step by step as the form says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from mbx.analyses.experiments.experiment_plan import NoRateError, NotRunError
from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.observe import Place
from mbx.analyses.experiments.state_functions import Idle, Matrices, Rows
from mbx.base.errors import EquationsError
from mbx.mechanics import motion
from mbx.numerics.execute.execute import REGULAR
from mbx.numerics.tolerances import DEPENDENT

if TYPE_CHECKING:
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["PREFERRED", "Dynamics", "dynamics_by"]

PREFERRED: Final = ("kane", "gibbs_appell", "jourdain", "lagrange", "maggi")
"""Forms that write M, h, A and b as expressions of the speeds, the shortest first."""


class Dynamics(Protocol):
    """A form that says how fast a state (q, u and higher) changes."""

    name: str
    equations: Equations

    def rate(self, t: float, y: Array) -> Array:
        """Return the rate of a state; raise `NotRunError` where there is none."""

    def balance(self, t: float, y: Array) -> tuple[Array, Array] | None:
        """Return M and h of M ud = h + A^T lam; None where the form does not write them."""


def dynamics_by(
    plan: Plan, name: str, equations: Equations, start: Array, sizes: Array
) -> Dynamics:
    """Return one form: compiled, or else evaluated step by step.

    `sizes` are those of the numbers of a state.
    """
    try:
        return _Compiled(plan, name, equations, start, sizes)
    except EquationsError:
        return _Evaluated(plan, name, equations)


class _Compiled:
    """A form by its matrices."""

    def __init__(
        self, plan: Plan, name: str, equations: Equations, start: Array, sizes: Array
    ) -> None:
        """Write out the matrices; raise `EquationsError` where the form has none to write."""
        system = plan.system
        speeds = tuple(v.path for v in system.u)
        if system.order > 2 or not {"M", "h", "A", "b"} <= set(equations.results):  # noqa: PLR2004
            raise EquationsError("no matrices of the speeds")
        if equations.step(equations.results["M"]).row_labels != speeds:
            raise EquationsError("its matrices are of other speeds")
        self.name = name
        self.equations = equations
        moving = motion.in_speeds(system)
        self._matrices = Matrices.of(
            equations,
            ("M", "h", "A", "b"),
            plan.parameters,
            inputs_of(plan),
            [moving.qd[v.symbol] for v in system.q],
            system,
        )
        self._rows = Rows()
        self._idle = Idle()
        self._speeds = sizes[len(system.q) : len(system.q) + len(system.u)]
        A = self._at(plan.first, start)[2] * self._speeds
        size = self._rows.of(np.abs(A).max(axis=1, initial=0.0))
        s = np.linalg.svd(A / size[:, None], compute_uv=False)
        self._largest = float(s.max(initial=0.0))
        self._rank = int((s > DEPENDENT * self._largest).sum())

    def _at(self, t: float, y: Array) -> list[Array]:
        x = [t, *y.tolist()]
        try:
            M, h, A, b, qd = self._matrices.at(x)
        except (ArithmeticError, ValueError):
            raise NoRateError(t) from None
        c, A = self._idle.dropped(b[:, 0], A, lambda: self._matrices.bounds(x)[3:1:-1])
        return [M, h, A, c[:, None], qd]

    def rate(self, t: float, y: Array) -> Array:
        """Return qd and ud."""
        M, h, A, b, qd = self._at(t, y)
        try:
            ud = self._solved(M, h[:, 0], A, b[:, 0], t)
        except np.linalg.LinAlgError:
            raise NotRunError(f"the equations are singular at t = {t:.6g} s") from None
        found = np.concatenate([qd[:, 0], ud])
        if not np.isfinite(found).all():
            raise NotRunError(f"the equations are singular at t = {t:.6g} s")
        return found

    def balance(self, t: float, y: Array) -> tuple[Array, Array]:
        """Return M and h."""
        M, h, *_ = self._at(t, y)
        return M, h[:, 0]

    def _solved(self, M: Array, h: Array, A: Array, b: Array, t: float) -> Array:
        if not len(A):
            return np.asarray(np.linalg.solve(M, h))
        speeds = self._speeds
        A, M, h = A * speeds, M * np.outer(speeds, speeds), h * speeds  # of ud in its sizes
        size = self._rows.of(np.abs(A).max(axis=1))
        U, s, Vt = np.linalg.svd(A / size[:, None])
        r = self._rank
        self._largest = max(self._largest, float(s[0]))
        if r and s[r - 1] <= DEPENDENT * self._largest:
            raise NotRunError(f"the invariants are singular at t = {t:.6g} s")
        particular: Array = Vt[:r].T @ ((U[:, :r].T @ (-b / size)) / s[:r])
        Z = Vt[r:].T
        if not Z.shape[1]:
            return np.asarray(speeds * particular)
        free = np.linalg.solve(Z.T @ M @ Z, Z.T @ (h - M @ particular))
        return np.asarray(speeds * (particular + Z @ free))


class _Evaluated:
    """A form as it is evaluated step by step."""

    def __init__(self, plan: Plan, name: str, equations: Equations) -> None:
        """Keep the values."""
        self.name = name
        self.equations = equations
        self._plan = plan
        signature = equations.signature
        self._paths = [x.path for x in (*signature.q, *signature.u, *signature.higher)]
        self._n = len(signature.q), len(signature.u)
        moving = motion.in_speeds(plan.system)
        self._rates = Matrices.of(
            equations,
            (),
            plan.parameters,
            inputs_of(plan),
            [moving.qd[v.symbol] for v in plan.system.q],
            plan.system,
        )

    def rate(self, t: float, y: Array) -> Array:
        """Return qd, what is already part of the state, and ud."""
        place = Place(
            dict(zip(self._paths, y.tolist(), strict=True)),
            self._plan.parameters,
            inputs_of(self._plan),
            t,
        )
        found = self.equations.evaluate(place.state, place.parameters, place.inputs, place.t)
        if found.status != REGULAR:
            raise NotRunError(f"the equations are {found.status} at t = {t:.6g} s")
        (qd,) = self._rates.at([t, *y.tolist()])
        nq, nu = self._n
        return np.concatenate([qd[:, 0], y[nq + nu :], found.ud])

    def balance(self, t: float, y: Array) -> None:
        """Return None: it gives accelerations alone."""
