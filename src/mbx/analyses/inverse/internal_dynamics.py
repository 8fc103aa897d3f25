"""What prescribed motions leave open, integrated: the internal dynamics of a driven system.

With Z a basis of what the invariants A leave to the accelerations, and x the inputs,

    Z^T (M ud - h0 - H x) = 0,   A ud + b = 0,   A_p ud + b_p = 0,

where the last rows are those of the motions. If these leave no acceleration, but positions, as
where rolling makes coordinates open, the accelerations are those of A and A_p alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import driven, inputs_of
from mbx.analyses.experiments.state_functions import Invariants, numbers_in, state_symbols
from mbx.analyses.simulate.events.free_ranks import rank
from mbx.analyses.simulate.events.passage import Passage
from mbx.analyses.simulate.forward import PREFERRED
from mbx.analyses.simulate.integrators.explicit import ATOL, RTOL, Explicit
from mbx.analyses.simulate.integrators.state_sizes import state_sizes
from mbx.base.errors import EquationsError, MbxError
from mbx.codegen.python.python_function import python_function
from mbx.expr.algebra.elimination import NotAffineError, split
from mbx.expr.evaluate import free_symbols, substitute
from mbx.formalism import registry
from mbx.numerics.execute.straight_line import straight_line
from mbx.numerics.tolerances import DEPENDENT, SHORTEST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.experiments.time_limit import Clock
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["integrated"]

_MATRICES: Final = ("M", "h", "A", "b")
_SINGULAR: Final = ", where the invariants are nearly singular"


def integrated(
    plan: Plan,
    start: Array,
    times: Sequence[float],
    clock: Clock,
    forms: Mapping[str, Equations] | None = None,
    progress: Callable[[float], None] = lambda _part: None,
    *,
    first: float | None = None,
) -> list[Array]:
    """Return states of a driven system at some times, in rising order."""
    system = driven(plan)
    begin = plan.first if first is None else first
    rows = Invariants(system, plan.parameters, inputs_of(plan))
    A, _ = rows.accelerations(begin, *np.split(start, [len(system.q)]))
    dynamics = _Led(plan, rows) if rank(A) == A.shape[1] else _Driven(plan, rows, forms)
    whole = max(plan.last - plan.first, 1e-300)
    rtol = RTOL if plan.tolerance is None else plan.tolerance
    names = [v.path for v in (*system.q, *system.u)]
    field = _Rates(dynamics, state_sizes(plan, len(start)), names)
    stepper = Explicit(field, rtol, rtol * ATOL / RTOL, SHORTEST * max(plan.last - begin, 0.0))
    passage = Passage()
    passage.hear(begin, A)
    t, y = begin, start
    states = []
    for wanted in times:
        if wanted > t:
            stepper.begin(t, y, wanted)
        while t < wanted:
            clock.check()
            try:
                stepper.step()
            except NotRunError as error:
                raise NotRunError(f"{error}{_SINGULAR * passage.close}") from None
            q, u = rows.onto(stepper.t, *np.split(stepper.y, [len(system.q)]))
            t, y = stepper.t, np.concatenate([q, u])
            stepper.move(y)
            passage.hear(t, rows.accelerations(t, q, u)[0])
            progress((t - plan.first) / whole)
        states.append(y)
    return states


class _Rates:
    """States of a driven system, as explicit steps integrate them."""

    function = None

    def __init__(self, dynamics: _Led | _Driven, sizes: Array, names: Sequence[str]) -> None:
        """Take the dynamics that give how fast they change, their sizes and their names."""
        self.rate = dynamics.rate
        self.sizes, self.names = sizes, names

    def inside(self, t: float, y: Array) -> Array:  # noqa: ARG002  of all fields
        """Return the state."""
        return y

    def outside(self, t: float, x: Array) -> Array:  # noqa: ARG002  likewise
        """Return the state."""
        return x

    def ran(self, times: int) -> None:
        """Hear of machine code, of which there is none."""


class _Led:
    """A system whose accelerations follow from its motions."""

    def __init__(self, plan: Plan, rows: Invariants) -> None:
        """Keep the rows."""
        self._rows = rows
        self._q = len(plan.system.q)

    def rate(self, t: float, y: Array) -> Array:
        """Return qd and ud."""
        q, u = np.split(y, [self._q])
        A, b = self._rows.accelerations(t, q, u)
        ud = np.linalg.lstsq(A, -b, rcond=DEPENDENT)[0]
        return np.concatenate([self._rows.rates(t, q, u), ud])


class _Driven:
    """A system that moves by itself where its motions leave it to."""

    def __init__(self, plan: Plan, rows: Invariants, forms: Mapping[str, Equations] | None) -> None:
        """Write out the matrices of the first form that has them, apart in inputs."""
        if len(plan.unknowns) != len(plan.motions):
            raise NotRunError(
                "motions that leave freedoms open need as many inputs as there are motions:"
                f" {len(plan.motions)}, not {len(plan.unknowns)}"
            )
        self._plan = plan
        self._rows = rows
        self._q, self._p, self._m = len(plan.system.q), len(plan.motions), len(plan.unknowns)
        for _, equations in _candidates(plan, forms):
            try:
                self._write(equations)
            except (EquationsError, NotAffineError):
                continue
            return
        raise NotRunError(
            "the prescribed motions leave freedoms open, and no form has them apart from inputs"
        )

    def _write(self, equations: Equations) -> None:
        plan = self._plan
        if not set(_MATRICES) <= set(equations.results):
            raise EquationsError("no matrices of the speeds")
        if equations.step(equations.results["M"]).row_labels != tuple(
            v.path for v in plan.system.u
        ):
            raise EquationsError("its matrices are of other speeds")
        known = numbers_in(equations, plan.parameters, inputs_of(plan), plan.system)
        unknown = [x.symbol for x in equations.signature.inputs if x.path in plan.unknowns]
        for parameter in equations.signature.inputs:
            made_of = [] if parameter.value is None else free_symbols([parameter.value])
            if parameter.path.rstrip("'") in plan.unknowns and parameter.path not in plan.unknowns:
                raise EquationsError("it names the rate of an input that is sought")
            if not set(unknown).isdisjoint(made_of):
                raise EquationsError("an input is made of one that is sought")
        for symbol in unknown:
            del known[symbol]
        plain = {node: value.value for node, value in known.items() if value.op == "number"}
        tables = straight_line(equations, _MATRICES, plain)
        M, h, A, b = (
            substitute([x for row in tables[name] for x in row], known) for name in _MATRICES
        )
        H, h0 = split(h, unknown)
        n = len(h)
        self._shapes = ((n, n), (n, 1), (len(b), n), (len(b), 1), (n, self._m))
        nodes: list[Node] = [*M, *h0, *A, *b, *(x for row in H for x in row)]
        self._function = python_function(nodes, state_symbols(equations.signature))

    def rate(self, t: float, y: Array) -> Array:
        """Return qd and ud."""
        try:
            values = np.array(self._function([t, *y.tolist()]), dtype=float)
        except (ArithmeticError, ValueError):
            raise NotRunError(f"the equations have no value at t = {t:.6g} s") from None
        parts, first = [], 0
        for rows, columns in self._shapes:
            parts.append(values[first : first + rows * columns].reshape(rows, columns))
            first += rows * columns
        M, h, A, b, H = parts
        q, u = np.split(y, [self._q])
        whole, bias = self._rows.accelerations(t, q, u)
        ud = self._solved(M, h[:, 0], A, b[:, 0], H, whole[len(whole) - self._p :], bias, t)
        return np.concatenate([self._rows.rates(t, q, u), ud])

    def _solved(
        self, M: Array, h: Array, A: Array, b: Array, H: Array, Ap: Array, bias: Array, t: float
    ) -> Array:
        n = len(M)
        r = rank(A)
        if len(A):
            U, s, Vt = np.linalg.svd(A)
            particular = Vt[:r].T @ ((U[:, :r].T @ -b) / s[:r])
            Z = Vt[r:].T
        else:
            particular, Z = np.zeros(n), np.eye(n)
        f = Z.shape[1]
        left = np.block([[Z.T @ M @ Z, -Z.T @ H], [Ap @ Z, np.zeros((self._p, self._m))]])
        right = np.concatenate(
            [Z.T @ (h - M @ particular), -bias[len(bias) - self._p :] - Ap @ particular]
        )
        if not np.isfinite(left).all() or rank(left) < f + self._m:
            raise NotRunError(
                f"at t = {t:.6g} s {_quoted(self._plan.unknowns)} cannot bring about the motion"
                f" of {_quoted([motion.path for motion in self._plan.motions])}"
            )
        return np.asarray(particular + Z @ np.linalg.solve(left, right)[:f])


def _quoted(paths: Sequence[str]) -> str:
    return ", ".join(f"'{path}'" for path in paths)


def _candidates(plan: Plan, forms: Mapping[str, Equations] | None) -> list[tuple[str, Equations]]:
    candidates = list((forms or {}).items())
    for name in PREFERRED:
        if name not in (forms or {}) and name in registry.names():
            try:
                candidates.append((name, registry.derive(plan.system, name)))
            except MbxError:
                continue
    return candidates
