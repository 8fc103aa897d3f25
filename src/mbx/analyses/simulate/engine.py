"""A form as the engine of a simulation: machine code where there is some, and what watches it.

Machine code has its pivots chosen before the run. Where one of them comes near zero, its
accelerations leave the invariants; from there on the form is solved with care, by an
orthonormal basis at each state (`mbx.analyses.simulate.forward`).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.default_forms import all_forms
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.state_functions import Rows
from mbx.analyses.simulate.form_code import INACCURATE, INACCURATE_START, compiled
from mbx.analyses.simulate.forward import PREFERRED, dynamics_by
from mbx.analyses.simulate.integrators.state_sizes import state_sizes
from mbx.base.errors import NotApplicableError
from mbx.formalism import registry

if TYPE_CHECKING:
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.codegen.native.function import Function
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["Engine", "chosen_form"]

TRUSTED: Final = 1e-8
"""Part by which accelerations in machine code may be off the invariants, or at the start."""


def chosen_form(system: System) -> tuple[str, Equations]:
    """Return the form that runs a model unless one is named: the shortest that says it."""
    for name in PREFERRED:
        if name in registry.names():
            try:
                return name, registry.derive(system, name)
            except NotApplicableError:
                continue
    for name, equations in all_forms(system).items():
        return name, equations
    raise NotRunError("no form says this model")


class Engine:
    """How fast a state changes, by one form.

    Attributes:
        form: The form.
        equations: Its equations.
        backend: What runs it: llvm, cc or python.
        compiling: Seconds of CPU time until it could run.
        calls: How often it was asked.
        sizes: How large the numbers of a state are; found if they are not said.
        names: What they are called.
        interpreted: Why Python runs it, and not machine code; "" where machine code does.
    """

    def __init__(
        self,
        plan: Plan,
        form: str,
        equations: Equations,
        start: Array,
        sizes: Array | None = None,
    ) -> None:
        """Compile a form; raise `NotRunError` where it has no accelerations at the start."""
        began = time.process_time()
        self.form = form
        self.equations = equations
        self.calls = 0
        self._nq, self._nu = len(equations.signature.q), len(equations.signature.u)
        self.sizes = state_sizes(plan, len(start)) if sizes is None else sizes
        signature = equations.signature
        self.names = [x.path for x in (*signature.q, *signature.u, *signature.higher)]
        self._careful = dynamics_by(plan, form, equations, start, self.sizes)
        self._fast, self.interpreted = compiled(plan, equations)
        self._rows = Rows()
        rate = self._careful.rate(plan.first, start)
        if self._fast is not None and not self._near(self.rate(plan.first, start), rate):
            self._fast, self.interpreted = None, INACCURATE_START
        self.compiling = time.process_time() - began

    @property
    def backend(self) -> str:
        """What runs it now."""
        return "python" if self._fast is None else self._fast.backend

    def rate(self, t: float, y: Array) -> Array:
        """Return the rate of a state; raise `NotRunError` where there is none."""
        self.calls += 1
        if self._fast is None:
            return self._careful.rate(t, y)
        nq, nu = self._nq, self._nq + self._nu
        higher = y[nu:] if len(y) > nu else None
        found = self._fast.single(y[:nq], y[nq:nu], t, higher=higher)
        if found[-1] != 0:
            return self._careful.rate(t, y)
        if higher is None:
            return found[:-1].copy()
        return np.concatenate([found[:nq], higher, found[nq:-1]])

    def inside(self, t: float, y: Array) -> Array:  # noqa: ARG002  of all that is integrated
        """Return the state."""
        return y

    def outside(self, t: float, x: Array) -> Array:  # noqa: ARG002  likewise
        """Return the state."""
        return x

    def ahead(self, t: float, y: Array, h: float) -> Array:
        """Return the state a little later, by the midpoint rule."""
        return np.asarray(y + h * self.rate(t + h / 2, y + h / 2 * self.rate(t, y)))

    def balance(self, t: float, y: Array) -> tuple[Array, Array]:
        """Return M and h of M ud = h + A^T lam.

        A form that gives accelerations alone has already found its multipliers: M = 1, h = ud, and
        lam is what it lacks to keep the invariants.
        """
        found = self._careful.balance(t, y)
        if found is not None:
            self.calls += 1
            return found
        return np.eye(self._nu), self.rate(t, y)[self._nq :]

    @property
    def function(self) -> Function | None:
        """The rates of q and u in machine code, if these are all that there are."""
        return None if self.equations.signature.higher else self._fast

    def trusted(self, t: float, y: Array, A: Array, b: Array, moved: float) -> bool:  # noqa: ARG002
        """Return whether rates keep A ud + b = 0; what is solved with care is believed."""
        if self._fast is None or not len(A):
            return True
        ud = self.rate(t, y)[self._nq : self._nq + self._nu]
        size = self._rows.of(np.abs(A) @ np.abs(ud) + np.abs(b))
        return bool((np.abs(A @ ud + b) <= TRUSTED * size).all())

    def distrusted(self) -> bool:
        """Leave machine code alone from now on; return whether there was some."""
        before, self._fast = self._fast, None
        if before is not None:
            self.interpreted = INACCURATE
        return before is not None

    def _near(self, one: Array, other: Array) -> bool:
        """Return whether two rates are the same, in the sizes of the state."""
        size = float((np.abs(other) / self.sizes).max(initial=0.0))
        return bool((np.abs(one - other) <= TRUSTED * size * self.sizes).all())
