"""The equations of motion as one residual, with exact slopes: what is solved and linearised.

    r = M ud - h - A^T lam,    a = A ud + b,    c and v: invariants of positions and velocities

r follows from virtual power, as in Jourdain's principle. It is differentiated on the graph, so
that its slopes are exact; reactions that loads name are what the multipliers make of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.observe import given_inputs
from mbx.expr.build import add, dot, neg
from mbx.expr.derivatives import jacobian, pullback
from mbx.expr.evaluate import evaluate_arrays, free_symbols, substitute
from mbx.expr.nodes import ZERO, Node, symbol
from mbx.formalism.builder import Program
from mbx.formalism.equations import inputs_and_rates
from mbx.mechanics import balance, invariants, loads, motion, reactions
from mbx.numerics.bounds import bounds_of
from mbx.numerics.execute.evaluate_equations import values_of
from mbx.numerics.execute.execute import input_errors
from mbx.numerics.ranks import cleaned
from mbx.numerics.tolerances import ENTRY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.formalism.equations import Equations
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import Parameter, System

__all__ = ["Residual", "without_rounding"]

_SECOND: Final = 2


@dataclass(frozen=True)
class Residual:
    """The residual of a system; raise `NotRunError` for one of order 3 or more."""

    system: System

    def __post_init__(self) -> None:
        """Refuse what has accelerations in its state."""
        if self.system.order > _SECOND:
            raise NotRunError("an invariant of order 3 or more makes accelerations part of a state")

    @cached_property
    def moving(self) -> Motion:
        """The motion in speeds."""
        return motion.in_speeds(self.system)

    @cached_property
    def levels(self) -> Levels:
        """The invariants at every level."""
        return invariants.levels(self.moving)

    @cached_property
    def q(self) -> tuple[Node, ...]:
        """The coordinates."""
        return tuple(v.symbol for v in self.system.q)

    @cached_property
    def lam(self) -> tuple[Node, ...]:
        """The multipliers, one an invariant."""
        return tuple(symbol(f"multiplier of {row.path}") for row in self.levels.rows)

    @cached_property
    def inputs(self) -> tuple[Parameter, ...]:
        """The inputs from outside; an input that is made of the state is part of the system."""
        return tuple(
            parameter for parameter in self.system.inputs if parameter.symbol not in self.fed_back
        )

    @cached_property
    def fed_back(self) -> dict[Node, Node]:
        """Inputs that are made of the state, and their rates, each with what it is made of."""
        state = {*self.q, *self.moving.u}
        named = inputs_and_rates(self.system).values()
        definitions = {
            parameter.symbol: parameter.value for parameter in named if parameter.value is not None
        }
        values = self.moving.express(list(definitions.values()))
        for _ in definitions:  # an input may be made of others
            if definitions.keys().isdisjoint(free_symbols(values)):
                break
            values = substitute(values, dict(zip(definitions, values, strict=True)))
        return {
            node: value
            for node, value in zip(definitions, values, strict=True)
            if not state.isdisjoint(free_symbols([value]))
        }

    @cached_property
    def nodes(self) -> dict[str, list[Node]]:
        """The columns r, a, c and v, and the rates of the coordinates, qd."""
        moving, levels = self.moving, self.levels
        terms = (
            loads.project(moving, [balance.inertia_wrench(m) for m in moving.elements]),
            [neg(x) for x in loads.project(moving, loads.wrenches(moving))],
            [neg(x) for x in loads.generalized(moving)],
            [neg(x) for x in loads.effective(moving)],
            [neg(x) for x in loads.non_ideal(moving)],
        )
        forces = [add(*column) for column in zip(*terms, strict=True)]
        named = reactions.named_in(levels, forces)
        rows = reactions.reaction_map(levels, named)
        known = {s: dot(row, self.lam) for s, row in zip(named, rows, strict=True)}
        forces = substitute(forces, known) if known else forces
        constraint = pullback(levels.acceleration, self.lam, moving.ud)  # A^T lam
        columns = {
            "r": [add(f, neg(x)) for f, x in zip(forces, constraint, strict=True)],
            "a": list(levels.acceleration),
            "c": list(levels.position),
            "v": list(levels.velocity),
            "qd": moving.express([v.rate for v in self.system.q]),
        }
        if not self.fed_back:
            return columns
        return {name: substitute(column, self.fed_back) for name, column in columns.items()}

    @cached_property
    def slopes(self) -> dict[tuple[str, str], list[list[Node]]]:
        """The derivatives of each column by q, u, ud, lam and inputs, in pairs."""
        by = {
            "q": self.q,
            "u": self.moving.u,
            "ud": self.moving.ud,
            "lam": self.lam,
            "inputs": tuple(parameter.symbol for parameter in self.inputs),
        }
        wanted = {"r": tuple(by), "a": ("q", "u", "ud", "inputs"), "c": ("q",), "v": ("q", "u")}
        wanted["qd"] = ("q", "u")
        slopes = {}
        for name, variables in wanted.items():
            symbols = [s for kind in variables for s in by[kind]]
            table = jacobian(self.nodes[name], symbols)
            first = 0
            for kind in variables:
                slopes[name, kind] = [row[first : first + len(by[kind])] for row in table]
                first += len(by[kind])
        return slopes

    @property
    def time(self) -> Node:
        """The time."""
        return self._bare.signature.t

    @cached_property
    def _bare(self) -> Equations:
        program = Program()  # that names what the columns do, rates of inputs among it
        program.column("columns", [x for column in self.nodes.values() for x in column])
        return program.equations(self.system, "", "", "", {})

    def values(
        self,
        state: Mapping[str, Any],
        parameters: Mapping[str, float],
        inputs: Mapping[str, float],
        t: float,
    ) -> dict[Node, Any]:
        """Return the value of every symbol but ud and lam, which are zero."""
        input_values = given_inputs(self._bare, inputs)
        values: dict[Node, Any] = dict(values_of(self._bare, state, parameters, input_values, t))
        return values | dict.fromkeys((*self.moving.ud, *self.lam), 0.0)

    def columns(self, names: Sequence[str], values: Mapping[Node, Any], count: int) -> list[Array]:
        """Return columns at some states, (count, rows)."""
        return [_stacked([[x] for x in self.nodes[n]], values, count, 1)[:, :, 0] for n in names]

    def tables(
        self, names: Sequence[tuple[str, str]], values: Mapping[Node, Any], count: int
    ) -> list[Array]:
        """Return slopes at some states, (count, rows, columns)."""
        width = {"q": len(self.q), "lam": len(self.lam), "inputs": len(self.inputs)}
        return [
            _stacked(self.slopes[n], values, count, width.get(n[1], len(self.moving.u)))
            for n in names
        ]

    def known(self, names: Sequence[tuple[str, str]], values: Mapping[Node, Any]) -> list[Array]:
        """Return slopes at one state; entries that are nothing but rounding are zero."""
        slopes = []
        for name, A in zip(names, self.tables(names, values, 1), strict=True):
            slopes.append(without_rounding(A[0], self._noise_of(name, values, A[0].shape)))
        return slopes

    def sizes(self, names: Sequence[tuple[str, str]], values: Mapping[Node, Any]) -> list[Array]:
        """Return how large the terms are that slopes at one state are the sums of."""
        return [
            np.maximum(np.abs(A[0]), self._noise_of(name, values, A[0].shape) / ENTRY)
            for name, A in zip(names, self.tables(names, values, 1), strict=True)
        ]

    def _noise_of(
        self, name: tuple[str, str], values: Mapping[Node, Any], shape: tuple[int, ...]
    ) -> Array:
        return self.noise([x for row in self.slopes[name] for x in row], values).reshape(shape)

    def noise(self, nodes: Sequence[Node], values: Mapping[Node, Any]) -> Array:
        """Return bounds of the rounding errors of expressions at one state."""
        each = {node: np.ravel(np.asarray(value, dtype=float)) for node, value in values.items()}
        errors = input_errors(self._bare.signature, each)
        bound = bounds_of(nodes).run(each, errors, 1)[1][:, 0]
        return np.where(np.isfinite(bound), bound, 0.0)

    def unmoved(self) -> list[bool]:
        """Return which coordinates no force and no invariant depends on."""
        rows = [row for name in ("r", "a", "c", "v") for row in self.slopes[name, "q"]]
        return [all(row[k] is ZERO for row in rows) for k in range(len(self.q))]


def without_rounding(A: Array, noise: Array) -> Array:
    """Return a matrix whose entries below their rounding are zero; what is no number stays."""
    return np.where(np.isfinite(A), cleaned(A, noise), A)


def _stacked(
    table: Sequence[Sequence[Node]], values: Mapping[Node, Any], count: int, width: int
) -> Array:
    entries = evaluate_arrays([x for row in table for x in row], values)
    each = [np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in entries]
    flat = np.stack(each, axis=1) if each else np.zeros((count, 0))
    return flat.reshape(count, len(table), width)
