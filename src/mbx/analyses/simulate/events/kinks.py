"""Kinks and jumps of the kinematics: surfaces at which velocities or places would have to jump.

Where a placement, an invariant or a definition of a speed has another slope on the other side of a
surface, the same speeds are another motion there. No force of finite size brings that about, and
what an impact would do the model does not say: a run ends there. So it does where a place, or a
potential energy, is another one on the other side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.state_functions import numbers_in, state_symbols
from mbx.codegen.python.python_function import python_function
from mbx.expr.build import mul
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import evaluate_arrays, free_symbols, ordered, substitute
from mbx.expr.nodes import FUNCTION, POWER
from mbx.mechanics import energy, invariants, motion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.simulate.events.switches import Sides
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array

    Conditions = tuple[Sides, Mapping[Node, Node]]
    """Sides of surfaces, and what stands for each condition on them."""

__all__ = ["Kinks"]

NARROW: Final = 1e-10
"""Part of the whole time within which a velocity that changes by much jumps."""
MOST: Final = 1000
ROUGH: Final = 1e-6
"""After so many parts of a step, as rounding makes them where a root is zero, this is narrow."""
PARTS: Final = (1 - np.cos(np.arange(9) * np.pi / 8)) / 2
"""Where velocities are looked at in a part of a step; every second one is a node."""
_FIT: Final = np.linalg.inv(np.polynomial.chebyshev.chebvander(2 * PARTS[::2] - 1, 4))
BETWEEN: Final = np.polynomial.chebyshev.chebvander(2 * PARTS[1::2] - 1, 4) @ _FIT
"""From values at nodes to those of their polynomial between them."""
SMOOTH: Final = 1e-6
"""Part of a velocity by which it may differ on two sides: a surface is met only by rounding."""
NOTHING: Final = 1e-6
"""Part of the largest velocity of its kind below which one is nothing but rounding."""
PLACE: Final = "place"
ENERGY: Final = "potential energy"
_KINETIC: Final = "kinetic energy"
_VELOCITY: Final = "velocity"
_SECOND: Final = 2
_BRANCHED: Final = frozenset({"asin", "acos", "atan", "atan2", "tan", "sqrt"})
"""Functions that have kinks or jumps where they are composed with others."""
_JUMPING: Final = frozenset({"atan2", "tan"})
"""Those that jump. A potential may have a kink: only its force changes there."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Velocities of one thing: where they are among all, of which kind, and its name.

    Of an invariant, the first is its rate, and the others are the terms that this is made of.
    """

    name: str
    kind: str
    first: int
    last: int


class Kinks:
    """Velocities of a system, as functions of the state on one side of each surface.

    Attributes:
        known: What stands for parameters and inputs.
        variables: The time and the state.
    """

    def __init__(self, plan: Plan, equations: Equations) -> None:
        """Write out the velocities: of mass elements, of invariants, and rates of coordinates."""
        moving = motion.in_speeds(plan.system)
        levels = invariants.levels(moving)
        self.known = numbers_in(equations, plan.parameters, inputs_of(plan), plan.system)
        self.variables = state_symbols(equations.signature)
        self._nodes: list[Node] = []
        self._groups: list[_Group] = []
        for element in moving.elements:
            if element.element.placed:
                self._add(element.path, PLACE, moving.express(element.element.com.p))
        for row in (*plan.system.rows, *plan.system.closed):
            if row.order == 0:
                self._add(row.path, PLACE, moving.express([row.value]))
        for one in plan.system.potentials:
            self._add(one.path, ENERGY, moving.express([one.value]))
        for element in moving.elements:
            self._add(element.path, _VELOCITY, element.v)
            self._add(element.path, "angular velocity", element.w)
        rows = [row for row in levels.rows if row.order < _SECOND]
        for row, rate in zip(rows, levels.velocity, strict=True):
            slopes = gradient(rate, moving.u)
            terms = [mul(x, u) for x, u in zip(slopes, moving.u, strict=True)]
            self._add(row.path, "invariant", [rate, *terms])
        self._add("", _KINETIC, [energy.kinetic(moving)])
        self._whole = plan.last - plan.first
        for v in plan.system.q:
            self._add(v.path, v.dimension, [moving.qd[v.symbol]])
        self._hiding = any(self._may_hide(group) for group in self._groups)
        self._functions: dict[Sides, Callable[[Sequence[float]], Sequence[float]]] = {}

    def _add(self, name: str, kind: str, nodes: Sequence[Node]) -> None:
        first = len(self._nodes)
        self._groups.append(_Group(name, kind, first, first + len(nodes)))
        self._nodes += nodes

    def _may_hide(self, group: _Group) -> bool:
        """Return whether a group may have a kink or a jump that no surface shows."""
        moves = set(self.variables)
        nodes = substitute(self._nodes[group.first : group.last], self.known)
        functions = _JUMPING if group.kind == ENERGY else _BRANCHED
        return any(
            _is_branched(node, functions) and not moves.isdisjoint(free_symbols([node]))
            for node in ordered(nodes)
        )

    @property
    def nodes(self) -> Sequence[Node]:
        """All of them, in which surfaces may be."""
        return self._nodes

    def at(self, t: float, y: Array, before: Conditions, after: Conditions) -> str | None:
        """Return what has another velocity on the side after than before, or is elsewhere.

        In words; None if nothing has.
        """
        x = [t, *y.tolist()]
        one, other = (self._values(*side, x) for side in (before, after))
        return self._jump(one, other, NOTHING)

    def within(
        self,
        t: float,
        end: float,
        between: Callable[[float], Array],
        sides: Sides,
        fixed: Callable[[Sides], Mapping[Node, Node]],
    ) -> tuple[float, str] | None:
        """Return when velocities or places jump within a step, and which; None if none do.

        No surface shows where sqrt(x^2) or acos(cos(x)) has its kink. So where such functions
        are, velocities have to be polynomials in smaller and smaller parts of the step.
        """
        if not self._hiding:
            return None
        stands = fixed(sides) if sides else {}

        def at(time: float) -> Array:
            return self._values(sides, stands, [time, *between(time).tolist()])

        waiting = [(t, end)]
        looked = 0
        while waiting:
            low, high = waiting.pop()
            looked += 1
            values = np.array([at(low + (high - low) * part) for part in PARTS])
            if self._smooth(values):
                continue
            narrow = NARROW if looked < MOST else ROUGH
            if high - low > narrow * self._whole and low < (low + high) / 2 < high:
                middle = (low + high) / 2
                waiting += [(middle, high), (low, middle)]
                continue
            ends = values[np.isfinite(values).all(axis=1)]
            if len(ends) > 1 and (jumps := self._jump(ends[0], ends[-1], 1.0)) is not None:
                return high, jumps
        return None

    def _smooth(self, values: Array) -> bool:
        """Return whether samples of velocities are those of a polynomial, but for little."""
        if not np.isfinite(values).all():
            return False
        change = np.ptp(values, axis=0)  # where nothing changes, nothing but rounding is rough
        miss = np.abs(BETWEEN @ values[::2] - values[1::2]).max(axis=0)
        size = np.abs(values).max(axis=0)
        sizes = self._sizes(size)
        for group in self._groups:
            rows = slice(group.first, group.last)
            own = max(float(size[rows].max(initial=0.0)), NOTHING * sizes[group.kind])
            rough = miss[rows].max(initial=0.0) > SMOOTH / 10 * own
            if rough and change[rows].max(initial=0.0) > SMOOTH * own:
                return False
        return True

    def _jump(self, one: Array, other: Array, still: float) -> str | None:
        """Return what differs on two sides, in words; None if nothing does.

        A place or an energy may differ by so much of its size that it is still the same.
        """
        change, size = np.abs(one - other), np.fmax(np.abs(one), np.abs(other))
        known = np.isfinite(change)  # what has no value on one side does not jump
        change, size = np.where(known, change, 0.0), np.where(np.isfinite(size), size, 0.0)
        sizes = self._sizes(size)
        for group in self._groups:
            rows = slice(group.first, group.last)
            if group.kind == _KINETIC:
                continue
            if group.kind == "invariant":
                terms = np.abs(other[group.first + 1 : group.last]).sum()
                rate = abs(other[group.first])
                if min(change[group.first], rate) > SMOOTH * max(terms, rate):
                    return f"velocities would have to jump: '{group.name}' has a kink"
                continue
            whole = group.kind in {PLACE, ENERGY}
            own = 0.0 if whole else size[rows].max()
            part = still if whole else NOTHING
            if change[rows].max() > SMOOTH * max(own, part * sizes[group.kind]):
                if whole:
                    return f"the {group.kind} of '{group.name}' jumps"
                return f"velocities would have to jump: '{group.name}' has a kink"
        return None

    def _sizes(self, size: Array) -> dict[str, float]:
        """Return how large what is of one kind is at most.

        Places are as large as what moves in all of the time, and potential energies at least as
        the kinetic energy: these may be zero on a surface.
        """
        found: dict[str, float] = {}
        for g in self._groups:
            found[g.kind] = max(found.get(g.kind, 0.0), float(size[g.first : g.last].max()))
        found[PLACE] = max(found.get(PLACE, 0.0), found.get(_VELOCITY, 0.0) * self._whole)
        found[ENERGY] = max(found.get(ENERGY, 0.0), found[_KINETIC])
        return found

    def _values(self, sides: Sides, fixed: Mapping[Node, Node], x: Sequence[float]) -> Array:
        """Return the values on the sides of surfaces; those that have none are no numbers."""
        try:
            return np.array(self._on(sides, fixed)(x), dtype=float)
        except (ArithmeticError, ValueError):
            nodes = substitute(substitute(self._nodes, fixed), self.known)
            known = {v: np.array([value]) for v, value in zip(self.variables, x, strict=True)}
            found = evaluate_arrays(nodes, known)
            return np.array([float(np.ravel(value)[0]) for value in found])

    def _on(
        self, sides: Sides, fixed: Mapping[Node, Node]
    ) -> Callable[[Sequence[float]], Sequence[float]]:
        if sides not in self._functions:
            nodes = substitute(substitute(self._nodes, fixed), self.known)
            self._functions[sides] = python_function(nodes, self.variables)
        return self._functions[sides]


def _is_branched(node: Node, functions: frozenset[str]) -> bool:
    """Return whether a node is one of these functions, or a root where `sqrt` is one of them."""
    if node.op is POWER:
        return "sqrt" in functions and node.value.__class__ is not int
    return node.op is FUNCTION and node.value in functions
