"""Where equations switch: zeros of what stands in sign() and abs(), and of both sides of `<`.

On each side of such a surface the equations are smooth. A side is taken for all of a stretch of a
run, as if there was no other: sign(s) is a number then, abs(s) is s or -s, and a condition is true
or false. So no step is spoiled by what lies beyond a surface before it is reached.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NoRateError
from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.state_functions import numbers_in, state_symbols
from mbx.base.errors import EquationsError
from mbx.codegen.python.python_function import python_function
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import free_symbols, ordered, substitute
from mbx.expr.show import show
from mbx.expr.switches import is_switch, on_side, surface_of
from mbx.formalism.program import entries_of
from mbx.formalism.shapes import shapes
from mbx.numerics.execute.evaluate_equations import further_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Step
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Event", "Sides", "Switches"]

Sides = tuple[int, ...]
"""The side of each surface: 1 where s is positive, -1 where it is negative."""
ALIKE: Final = 1e-9
"""Part by which two values of the same variable may differ."""
_LONGEST: Final = 60
"""Letters of a surface that are told."""


@dataclass(frozen=True, slots=True)
class Event:
    """A surface that a run went through: when, what, and to which side."""

    t: float
    what: str
    side: int

    def __str__(self) -> str:
        """Return it for people."""
        return f"{self.what} turns {'positive' if self.side > 0 else 'negative'}"


class Switches:
    """The surfaces at which equations switch, as functions of the state.

    Attributes:
        names: What is zero on each surface.
    """

    def __init__(
        self,
        plan: Plan,
        equations: Equations,
        more: Sequence[Node] = (),
    ) -> None:
        """Find them in the equations, and in further expressions of the state."""
        self._equations = equations
        known = numbers_in(equations, plan.parameters, inputs_of(plan), plan.system)
        signature = equations.signature
        for one in signature.derived:
            if one.value is not None:
                (known[one.symbol],) = substitute([one.value], known)
        variables = state_symbols(signature)
        alias = _aliases(equations, {*variables, *known})
        moving, outside = set(variables), {*variables, *known, *alias}
        self._surfaces: dict[Node, list[Node]] = {}
        for node in ordered([*_entries(equations), *more]):
            if is_switch(node) and outside.issuperset(free_symbols([node])):
                (surface,) = substitute([surface_of(node)], alias)
                if not moving.isdisjoint(free_symbols(substitute([surface], known))):
                    self._surfaces.setdefault(surface, []).append(node)
        self.names = [show(one, limit=_LONGEST) for one in self._surfaces]
        self._variables = variables
        self._nodes = substitute(list(self._surfaces), known)
        self._function = python_function(self._nodes, variables)

    @property
    def any(self) -> bool:
        """Whether there are surfaces."""
        return bool(self._surfaces)

    def at(self, t: float, y: Array) -> Array:
        """Return what is zero on each surface."""
        try:
            return np.array(self._function([t, *y.tolist()]), dtype=float)
        except (ArithmeticError, ValueError):
            raise NoRateError(t) from None

    def nearby(self, t: float, y: Array, spread: Array) -> Array:
        """Return by how much the time and the state, spread by so much, move each surface."""
        rows = [gradient(node, self._variables) for node in self._nodes]
        slopes = python_function([x for row in rows for x in row], self._variables)
        try:
            found = np.array(slopes([t, *y.tolist()]), dtype=float).reshape(len(rows), -1)
        except (ArithmeticError, ValueError):  # a root that is zero: nothing else is on it
            return np.zeros(len(rows))
        return np.asarray(np.nan_to_num(np.abs(found)) @ spread)

    def fixed(self, sides: Sides) -> dict[Node, Node]:
        """Return what stands for each condition on one side of each surface."""
        return {
            node: on_side(node, side)
            for nodes, side in zip(self._surfaces.values(), sides, strict=True)
            for node in nodes
        }

    def on(self, sides: Sides) -> Equations:
        """Return the equations on one side of each surface, as if there was no other."""
        if not sides:
            return self._equations
        fixed = self.fixed(sides)
        signature = self._equations.signature
        inputs = tuple(
            one if one.value is None else replace(one, value=substitute([one.value], fixed)[0])
            for one in signature.inputs
        )
        return replace(
            self._equations,
            steps=tuple(_on(step, fixed) for step in self._equations.steps),
            signature=replace(signature, inputs=inputs),
        )


def _aliases(equations: Equations, outside: set[Node]) -> dict[Node, Node]:
    """Return what entries of matrices in conditions are: state variables of the same values.

    A form in momenta finds the speeds before it computes loads, by names of its own.
    """
    found: dict[Node, Node] = {}
    variables = state_symbols(equations.signature)
    for step in equations.steps:
        entries = [x for row in step.entries for x in row]
        nodes = [node for node in ordered(entries) if step.args and is_switch(node)]
        inner = set(free_symbols(nodes)) - outside
        if not inner:
            continue
        try:
            states = further_values(equations, step.args)
            own = [x for name in step.args for x in _column(equations, name)]
        except (EquationsError, KeyError):
            continue
        if not states:
            continue
        for mine, entry in zip(step.symbols, own, strict=False):
            if mine in inner:
                for one in variables:
                    if all(abs(at[entry] - at[one]) <= ALIKE * abs(at[one]) for at in states):
                        found[mine] = one
                        break
    return found


def _column(equations: Equations, name: str) -> list[Node]:
    rows, columns = shapes(equations.steps)[name]
    return [x for row in entries_of(name, rows or 0, columns or 0) for x in row]


def _entries(equations: Equations) -> Iterable[Node]:
    """Yield all expressions of some equations."""
    waiting = list(equations.steps)
    while waiting:
        step = waiting.pop()
        waiting += step.steps
        for row in step.entries:
            yield from row
    for one in equations.signature.inputs:
        if one.value is not None:
            yield one.value


def _on(step: Step, fixed: dict[Node, Node]) -> Step:
    entries = tuple(tuple(substitute(row, fixed)) for row in step.entries)
    return replace(step, entries=entries, steps=tuple(_on(one, fixed) for one in step.steps))
