"""The total energy of a system along a run, and whether what acts explains how it changes."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.state_functions import numbers_in, state_symbols
from mbx.analyses.simulate.results.powers import acts, by_loads, moved_by_time, rheonomic
from mbx.analyses.simulate.results.works import MANY, Works
from mbx.codegen.python.python_function import python_function
from mbx.expr.evaluate import evaluate_arrays, free_symbols, substitute
from mbx.expr.nodes import ZERO
from mbx.mechanics import energy, motion
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.mechanics.motion import Motion
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Energies"]

DIGITS: Final = 1e-9
"""Part of the largest potential energy by which it may be off: a small motion high up."""
_SECOND: Final = 2


class Energies:
    """Hears the states of a run, keeps the largest change of the energy, and balances it.

    Attributes:
        change: The largest change from the start, in J.
        kinetic: The largest kinetic energy, in J.
        work: The work of everything that acts up to the end, in J, after `balanced`.
        off: How far the energy is off its start and that work at most, in J; None if unknown.
        why: Why that is unknown.
    """

    def __init__(self, plan: Plan, equations: Equations) -> None:
        """Write out the energies."""
        moving = motion.in_speeds(plan.system)
        known = numbers_in(equations, plan.parameters, inputs_of(plan), plan.system)
        T, V = substitute(
            [energy.kinetic(moving), *moving.express([energy.potential(moving)])], known
        )
        self._written = moving, T, V, known
        self._energies = python_function([T, V], state_symbols(equations.signature))
        self._works = Works(plan, equations, moving, V, known)
        self._TV = T, V
        self._variables = state_symbols(equations.signature)
        self._waiting: list[tuple[float, Array]] = []
        self._all: list[tuple[Array, Array]] = []
        self.change = 0.0
        self.kinetic = 0.0
        self.work: dict[str, float] = {}
        self.off: float | None = None
        self.why = ""
        self._potential = 0.0

    @property
    def powers(self) -> Sequence[Node]:
        """The powers of what acts."""
        return self._works.powers

    def at(self, t: float, y: Array) -> tuple[float, float]:
        """Return the kinetic and the potential energy of a state."""
        try:
            T, V = self._energies([t, *y.tolist()])
        except (ArithmeticError, ValueError):  # no value just there
            return float("nan"), float("nan")
        return T, V

    def hear(self, t: float, y: Array) -> None:
        """Take a state of the run."""
        self._waiting.append((t, y))
        if len(self._waiting) >= MANY:
            self._settle()

    def _settle(self) -> None:
        """Evaluate the energies of all states that wait."""
        if not self._waiting:
            return
        t = np.array([at for at, _ in self._waiting])
        rows = np.array([y for _, y in self._waiting]).reshape(len(t), -1)
        self._waiting = []
        found = evaluate_arrays(self._TV, dict(zip(self._variables, (t, *rows.T), strict=True)))
        T, V = (np.broadcast_to(np.asarray(x, dtype=float), t.shape) for x in found)
        self._all.append((t, T + V))
        self.change = max(self.change, float(np.abs(T + V - self._all[0][1][0]).max()))
        self.kinetic = max(self.kinetic, float(T.max()))
        self._potential = max(self._potential, float(np.abs(V).max()))

    def step(self, t: float, end: float, between: Callable[[Array], Array]) -> None:
        """Take a step of the run, with the states at times between its ends."""
        self._works.hear(t, end, between)

    def balanced(self, tolerance: float) -> tuple[float, str] | None:
        """Balance the run; return until when it holds and what is wrong then, if something is.

        `tolerance` is how far the steps of the run may be off, relative to each variable.
        """
        self._settle()
        times, energies = (np.concatenate(some) for some in zip(*self._all, strict=True))
        works = self._works.done()
        self.why = self._works.unknown
        if self.why:
            return None
        if not self._works.names:
            works = np.zeros((len(times) - 1, 0))
        self.work = (
            dict(zip(self._works.names, works[-1].tolist(), strict=True)) if len(works) else {}
        )
        sizes = np.abs(works).max(axis=0, initial=0.0)
        off = np.abs(energies[1:] - energies[0] - works.sum(axis=1))
        self.off = float(off.max(initial=0.0))
        size = self.kinetic + float(sizes.max(initial=0.0))
        allowed = max(sqrt(tolerance) * size, DIGITS * self._potential)
        wrong = np.flatnonzero(~(off <= allowed))
        if not len(wrong):
            return None
        k = int(wrong[0])
        gap = energies[k + 1] - energies[0] - works[k].sum()
        without = "though nothing does work" if not sizes.any() else "beside the work of all loads"
        return float(
            times[k]
        ), f"the energy changes by {gap:.6g} J before t = {times[k + 1]:.6g} s, {without}"

    @property
    def relative(self) -> float:
        """The largest change, relative to the largest kinetic energy."""
        return self.change / self.kinetic if self.kinetic else self.change

    @property
    def changed_by(self) -> str | None:
        """What makes the energy change; None where it stays the same."""
        known = next(_changes(*self._written), None)
        if known is None:  # a load that acts so seldom that nothing but the run shows it
            large = {name: x for name, x in self.work.items() if abs(x) > DIGITS * self.kinetic}
            name = max(large, key=lambda one: abs(large[one]), default=None)
            known = None if name is None else f"'{name}' does work and has no potential"
        return known


def _changes(moving: Motion, T: Node, V: Node, known: Mapping[Node, Node]) -> Iterator[str]:
    """Yield what makes the energy change."""
    system = moving.system
    for load in system.effective:
        yield f"'{load.path}' is known by its effective forces alone"
    for row in system.rows:
        if row.order >= _SECOND:
            yield f"'{row.path}' is an invariant of accelerations, which may do work"
    for path in rheonomic(moving, known):
        yield f"the invariant '{path}' is rheonomic, or not homogeneous in the speeds"
    for path in moved_by_time(moving, known):
        yield f"'{path}' is moved by time itself"
    if TIME in free_symbols([T]):
        yield "the kinetic energy depends on t"
    if TIME in free_symbols([V]):
        yield "the potential energy depends on t"
    effective = {load.path for load in system.effective}
    for path, power in by_loads(moving).items():
        (said,) = substitute([power], known)
        if path not in effective and said is not ZERO and acts(said):
            yield f"'{path}' does work and has no potential"
