"""The total energy of a system along a run, and whether it can be expected to stay the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.codegen.python_function import python_function
from mbx.experiments.start import inputs_of
from mbx.experiments.written import numbers_in, state_symbols
from mbx.expr.build import add, mul, scale, sub
from mbx.expr.diff import gradient
from mbx.expr.elimination import vanishes
from mbx.expr.nodes import ZERO
from mbx.expr.subs import substitute
from mbx.expr.walk import free_symbols
from mbx.mechanics import energy, invariants, loads, motion
from mbx.system.names import TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mbx.experiments.plan import Plan
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.numerics import Array
    from mbx.mechanics.motion import Motion

__all__ = ["Energies"]

LOST: Final = 1e-5
"""Part of the largest kinetic energy by which a run may be off."""
DIGITS: Final = 1e-9
"""Part of the largest potential energy by which it may be off: a small motion high up."""
_SECOND: Final = 2


class Energies:
    """Hears the states of a run, and keeps the largest change of the energy."""

    def __init__(self, plan: Plan, equations: Equations) -> None:
        """Write out the energies."""
        moving = motion.in_speeds(plan.system)
        known = numbers_in(equations, plan.parameters, inputs_of(plan))
        T, V = substitute([energy.kinetic(moving), *moving.said([energy.potential(moving)])], known)
        self._written = moving, T, V, known
        self._energies = python_function([T, V], state_symbols(equations.signature))
        self._first: float | None = None
        self.change = 0.0
        self.kinetic = 0.0
        self._potential = 0.0

    def at(self, t: float, y: Array) -> tuple[float, float]:
        """Return the kinetic and the potential energy of a state."""
        T, V = self._energies([t, *y.tolist()])
        return T, V

    def hear(self, t: float, y: Array) -> None:
        """Take a state of the run."""
        T, V = self.at(t, y)
        self._first = T + V if self._first is None else self._first
        self.change = max(self.change, abs(T + V - self._first))
        self.kinetic = max(self.kinetic, T)
        self._potential = max(self._potential, abs(V))

    @property
    def relative(self) -> float:
        """The largest change, relative to the largest kinetic energy."""
        return self.change / self.kinetic if self.kinetic else self.change

    @property
    def unexplained(self) -> bool:
        """Whether the energy changes by more than a run may be off, and nothing does work."""
        large = self.change > max(LOST * self.kinetic, DIGITS * self._potential)
        return large and self.changed_by is None

    @property
    def changed_by(self) -> str | None:
        """What makes the energy change; None where it stays the same."""
        return next(_changes(*self._written), None)


def _changes(moving: Motion, T: Node, V: Node, known: Mapping[Node, Node]) -> Iterator[str]:
    """Yield what makes the energy change."""
    system = moving.system
    for load in system.effective:
        yield f"'{load.path}' is known by its effective forces alone"
    for row in system.rows:
        if row.order >= _SECOND:
            yield f"'{row.path}' is an invariant of accelerations, which may do work"
    yield from _rheonomic(moving, known)
    if TIME in free_symbols([T]):
        yield "the kinetic energy depends on t"
    if TIME in free_symbols([V]):
        yield "the potential energy depends on t"
    yield from _working(moving, known)


def _rheonomic(moving: Motion, known: Mapping[Node, Node]) -> Iterator[str]:
    """Yield invariants and bodies that move by themselves."""
    levels = invariants.levels(moving)
    rows = [row for row in levels.rows if row.order < _SECOND]
    values = substitute(list(levels.velocity), known)
    for row, value in zip(rows, values, strict=True):
        # the power of the reaction, per unit of it: zero by itself, or where the invariant holds
        power = _dot(gradient(value, moving.u), moving.u)
        if not any(vanishes(sub(power, scale(k, value))) for k in (1, 2)):
            yield f"the invariant '{row.path}' is rheonomic, or not homogeneous in the speeds"
    still = {**known, **dict.fromkeys(moving.u, ZERO)}
    for element in moving.elements:
        if not all(map(vanishes, substitute([*element.v, *element.w], still))):
            yield f"'{element.path}' is moved by time itself"


def _working(moving: Motion, known: Mapping[Node, Node]) -> Iterator[str]:
    """Yield the loads that do work and have no potential."""
    system = moving.system
    elements = {m.path: m for m in moving.elements}
    powers: dict[str, list[Node]] = {}
    for damping in system.dissipations:
        slopes = gradient(moving.said([damping.value])[0], moving.u)
        powers.setdefault(damping.path, []).append(_dot(slopes, moving.u))
    for force in system.forces:
        on = elements[force.on]
        wrench = moving.said([*force.force, *force.torque])
        powers.setdefault(force.path, []).append(_dot(wrench, (*on.v, *on.w)))
    for load in system.generalized:
        rows = loads.conjugate(moving, load.on, moving.said([load.value])[0])
        powers.setdefault(load.path, []).append(_dot(rows, moving.u))
    for element in moving.elements:
        if element.weight is not None and not element.high:
            powers[f"weight of {element.path}"] = [_dot(element.weight, element.v)]
    for path, terms in powers.items():
        (power,) = substitute([add(*terms, ZERO)], known)
        if not vanishes(power):
            yield f"'{path}' does work and has no potential"


def _dot(a: Iterable[Node], b: Iterable[Node]) -> Node:
    return add(ZERO, ZERO, *(mul(x, y) for x, y in zip(a, b, strict=True)))
