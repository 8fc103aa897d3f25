"""Forms in momenta, taken as such: how fast q and p change, in q and p.

What a form has written first, the momenta of a state, is taken out of its program: momenta come
from outside instead. The rates of q and p are the form's own; no acceleration is computed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.default_forms import all_forms
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.state_functions import Matrices
from mbx.analyses.simulate.form_code import INACCURATE, INACCURATE_START, put_in
from mbx.base.errors import NotApplicableError
from mbx.codegen.native.choose_backend import build
from mbx.codegen.native.function import Function
from mbx.codegen.target import Subject
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import free_symbols
from mbx.formalism import registry
from mbx.formalism.equations import Quantity
from mbx.formalism.program import Step, entries_of
from mbx.formalism.shapes import needs, shapes
from mbx.numerics.execute.evaluate_equations import with_entries
from mbx.numerics.execute.straight_line import straight_line
from mbx.numerics.tolerances import DEPENDENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.experiments.state_functions import Invariants
    from mbx.codegen.native.program_function import ProgramFunction
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["Canonical", "canonical_form", "in_momenta", "is_canonical"]

MOMENTA: Final = ("p", "pd", "qd")
"""What a form must give."""
FIRST: Final = "hamilton"
"""The form that is taken unless one is named, if it says the model."""
NEAR: Final = 1e-8
STRAYED: Final = 1e-10
"""Part by which a step in machine code may leave the invariants before it is brought back."""


def canonical_form(system: System) -> tuple[str, Equations]:
    """Return the form in momenta that runs a model unless one is named."""
    try:
        return FIRST, registry.derive(system, FIRST)
    except NotApplicableError:
        pass
    for name, equations in all_forms(system).items():
        if is_canonical(name, equations):
            return name, equations
    raise NotRunError("no form in momenta says this model")


def is_canonical(name: str, equations: Equations) -> bool:
    """Return whether a form is written in momenta alone."""
    try:
        in_momenta(name, equations)
    except NotRunError:
        return False
    return True


def in_momenta(name: str, equations: Equations) -> tuple[Equations, list[str]]:
    """Return a form with its momenta in the place of speeds, and the steps that they were."""
    if not set(MOMENTA) <= set(equations.results):
        raise NotRunError(f"{name} is not written in momenta; hamilton and tree_hamilton_* are")
    p = equations.step(equations.results["p"])
    own = [one for (one,) in p.grid if one is not None] if p.op == "block" else [p.name]
    sizes = shapes(equations.steps)
    entries = {one: entries_of(one, sizes[one][0] or 0) for one in own}
    steps = tuple(
        Step(name=one.name, op="define", entries=entries[one.name], meaning=one.meaning)
        if one.name in entries
        else one
        for one in equations.steps
    )
    momenta = [row[0] for one in own for row in entries[one]]
    signature = replace(
        equations.signature,
        u=tuple(Quantity(symbol=x, path=f"p[{k}]", unit="") for k, x in enumerate(momenta, 1)),
    )
    found = replace(equations, steps=steps, signature=signature)
    left = _named(found, [equations.results[one] for one in ("qd", "pd")])
    speeds = [x.path for x in equations.signature.u if x.symbol in left]
    if speeds:
        raise NotRunError(
            f"{name} has other momenta than those of the speeds ({', '.join(speeds)}):"
            " its rates are not written in momenta alone"
        )
    return found, own


def _named(equations: Equations, wanted: Sequence[str]) -> set[Node]:
    """Return the symbols from outside that some results depend on."""
    names, found = set(wanted), set()
    for step in reversed(equations.steps):
        if step.name in names:
            names |= needs(step)
            for one in (step, *step.steps):
                nodes = [x for row in one.entries for x in row]
                found |= set(free_symbols(nodes)) - set(one.symbols)
    return found


class Canonical:
    """Momenta and coordinates, and their rates by a form.

    Attributes:
        calls: How often it was asked.
        sizes: How large the coordinates and momenta are.
        names: What they are called.
    """

    def __init__(
        self,
        plan: Plan,
        name: str,
        equations: Equations,
        start: Array,
        rows: Invariants,
        sizes: Array,
    ) -> None:
        """Compile a form; raise `NotRunError` where it is not in momenta.

        `sizes` are those of the numbers of a state.
        """
        self.calls = 0
        self._nq = len(equations.signature.q)
        self._rows = rows
        changed, own = in_momenta(name, equations)
        self.names = [x.path for x in (*changed.signature.q, *changed.signature.u)]
        if len(changed.signature.u) == len(equations.signature.u):
            self.names[self._nq :] = [f"momentum of {x.path}" for x in equations.signature.u]
        values = put_in(plan, changed)
        if equations.states is not None:
            changed = replace(changed, states=with_entries(equations, own))
        found = build(Subject(equations=changed, values=values), ("qd", "pd"))
        self._fast = found if isinstance(found, Function) else None
        self.interpreted = (
            "" if self._fast is not None else f"{name} cannot be written out as machine code"
        )
        self._slow = build(Subject(equations=changed, values=values), ("qd", "pd"), "numpy")
        u = [one.symbol for one in equations.signature.u]
        p = [row[0] for row in straight_line(equations, ("p",))["p"]]
        G = [x for row in jacobian(p, u) for x in row]
        self._shape = len(p), len(u)
        self._momenta = Matrices.of(
            equations, (), plan.parameters, inputs_of(plan), [*p, *G], plan.system
        )
        x = self.inside(plan.first, start)
        self._speeds = sizes[self._nq :]
        self.sizes = self._sizes(plan.first, start, sizes)
        if self._fast is not None:
            fast, slow = self.rate(plan.first, x), self._by(self._slow, plan.first, x)
            off, size = (np.abs(v) / self.sizes for v in (fast - slow, slow))
            if not off.max(initial=0.0) <= NEAR * size.max(initial=0.0):
                self._fast, self.interpreted = None, INACCURATE_START

    def _sizes(self, t: float, y: Array, sizes: Array) -> Array:
        """Return the sizes of coordinates and momenta at a state; p = 0 has those of the others."""
        _, G = self._at(t, y)
        p = np.abs(G) @ sizes[self._nq :]
        p = np.where(p > 0, p, p.max(initial=0.0) or 1.0)
        return np.concatenate([sizes[: self._nq], p])

    @property
    def backend(self) -> str:
        """What runs it now."""
        return "python" if self._fast is None else self._fast.backend

    @property
    def function(self) -> Function | None:
        """The rates in machine code."""
        return self._fast

    def ran(self, times: int) -> None:
        """Count evaluations in machine code."""
        self.calls += times

    def rate(self, t: float, x: Array) -> Array:
        """Return qd and pd; raise `NotRunError` where there are none."""
        self.calls += 1
        if self._fast is not None:
            found = self._fast.single(x[: self._nq], x[self._nq :], t)
            if found[-1] == 0:
                return found[:-1].copy()
        return self._by(self._slow, t, x)

    def _by(self, function: Function | ProgramFunction, t: float, x: Array) -> Array:
        """Return the rates step by step, on the invariants: off them, multipliers may have none."""
        if self._rows.any:
            y = self.outside(t, x)
            x = self.inside(t, np.concatenate(self._rows.onto(t, y[: self._nq], y[self._nq :])))
        found = function(x[: self._nq], x[self._nq :], t)
        if found.status != 0:
            raise NotRunError(f"the equations are singular at t = {t:.6g} s")
        return np.concatenate([found.qd, found.pd])

    def inside(self, t: float, y: Array) -> Array:
        """Return q and p of a state."""
        p, _ = self._at(t, y)
        return np.concatenate([y[: self._nq], p])

    def outside(self, t: float, x: Array) -> Array:
        """Return the state whose momenta these are: p is affine in u.

        Speeds that have no momenta follow from the invariants.
        """
        q, still = x[: self._nq], np.zeros(self._shape[1])
        p, G = self._at(t, np.concatenate([q, still]))
        momenta = self.sizes[self._nq :]
        left, G = (x[self._nq :] - p) / momenta, G * self._speeds / momenta[:, None]
        if len(G) != G.shape[1] or _is_singular(G):
            v, Vu = self._rows.velocity(t, q, still)
            Vu = Vu * self._speeds
            size = np.abs(Vu).max(axis=1, initial=0.0)
            size = np.where(size > 0, size, 1.0)
            G, left = np.vstack([G, Vu / size[:, None]]), np.concatenate([left, -v / size])
        u = self._speeds * np.linalg.lstsq(G, left, rcond=DEPENDENT)[0]
        return np.concatenate([q, u])

    def ahead(self, t: float, y: Array, h: float) -> Array:
        """Return the state a little later, by the midpoint rule."""
        x = self.inside(t, y)
        half = x + h / 2 * self.rate(t, x)
        return self.outside(t + h, x + h * self.rate(t + h / 2, half))

    def _at(self, t: float, y: Array) -> tuple[Array, Array]:
        (found,) = self._momenta.at([t, *y.tolist()])
        n, _ = self._shape
        return found[:n, 0], found[n:, 0].reshape(self._shape)

    def trusted(self, t: float, y: Array, A: Array, b: Array, moved: float) -> bool:  # noqa: ARG002
        """Return whether the last step kept the invariants; what is solved with care is believed.

        There are no accelerations to look at: pivots that come near zero show in the steps.
        """
        return self._fast is None or moved <= STRAYED

    def distrusted(self) -> bool:
        """Leave machine code alone from now on; return whether there was some."""
        before, self._fast = self._fast, None
        if before is not None:
            self.interpreted = INACCURATE
        return before is not None


def _is_singular(G: Array) -> bool:
    """Return whether a square matrix has a singular value that is nearly zero."""
    sizes = np.linalg.svd(G, compute_uv=False)
    return bool(np.any(sizes <= DEPENDENT * sizes.max(initial=0.0)))
