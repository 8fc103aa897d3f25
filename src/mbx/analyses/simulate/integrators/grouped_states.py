"""Closed loops by structural groups: a whole state from its independent part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.assembly import assemble_at
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.kinematics.groups.group import rate
from mbx.analyses.kinematics.groups.group_machine import Machine, compiled
from mbx.analyses.kinematics.groups.solve_group import StuckError
from mbx.analyses.kinematics.natural.mechanism import mechanism_of
from mbx.analyses.kinematics.nearness import Nearness
from mbx.analyses.kinematics.solve_motion import Instant, solution_of
from mbx.analyses.simulate.integrators.state_sizes import usual_length
from mbx.codegen.native.closed import Closed, Places
from mbx.codegen.native.scalar_function import Scalars
from mbx.expr.evaluate import free_symbols, substitute
from mbx.numerics.states.complete import likely
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.assembly import Assembly
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.kinematics.groups.group import Group
    from mbx.codegen.native.function import Function
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Closure", "assemble_by_groups"]


class Closure:
    """Whole states from independent coordinates and their rates, group by group.

    Attributes:
        independent: The coordinates, by path.
    """

    def __init__(self, plan: Plan, independent: Sequence[str]) -> None:
        """Take coordinates that determine the mechanism; raise `NotDeterminedError` if not."""
        self.plan = plan
        given = {**plan.parameters, **plan.inputs}
        drives = dict.fromkeys(independent, TIME)
        self.mechanism = mechanism_of(plan.linked, plan.system, drives, given)
        self._symbols = {v.path: v.symbol for v in plan.system.q}
        self.independent = tuple(independent)
        self.solution = solution_of(self.mechanism, "td")
        nodes = self._nodes()
        named = [s for s in free_symbols(nodes) if s is not TIME]
        self._named = [self._place(s) for s in named]
        self._state = Scalars([*named, TIME], {"y": [nodes]})
        self._engine = compiled(self.solution, [(named, [nodes])])
        self._kept: Instant | None = None
        self._last: Instant | None = None
        self._nearness = Nearness(self.solution)
        view, length = self.solution.view, usual_length(plan)
        symbols = self.solution.symbols
        self._sizes = np.array([length if view.dimension(s) == "m" else 1.0 for s in symbols])

    def _place(self, s: Node) -> tuple[int, int]:
        """Return the order of a coordinate or rate, and its place."""
        place = self.solution.place
        return (0, place[s]) if s in place else (1, self._rates[s])

    def _nodes(self) -> list[Node]:
        """Return coordinates and speeds of the model, in coordinates and their rates."""
        system, place = self.plan.system, self.solution.place
        self._rates = {rate(s): k for s, k in place.items()}
        own = {v.rate: rate(v.symbol) for v in system.q}
        speeds = [system.defined.get(one.symbol, one.symbol) for one in system.u]
        found = substitute(self.mechanism.numbers.put(speeds), own)
        for one, node in zip(system.u, found, strict=True):
            if not set(free_symbols([node])) <= {*place, *self._rates, TIME}:
                raise NotRunError(f"the speed '{one.path}' is no rate of a coordinate")
        return [*(v.symbol for v in system.q), *found]

    @property
    def worst(self) -> tuple[Group, float] | None:
        """The group whose Jacobian has the largest condition at the last state, and that."""
        found = [] if self._last is None else self.solution.conditions(self._last)
        return max(found, key=lambda one: one[1], default=None)

    @property
    def steepest(self) -> tuple[Group, float] | None:
        """The group that is nearest to singular beside its inputs at the last state, and how near.

        It is a condition number with the slopes by the inputs: one unknown has a dead point, too.
        """
        if self._last is None:
            return None
        found = self.solution.steepness(self._last, self._sizes)
        return max(found, key=lambda one: one[1], default=None)

    @property
    def signs(self) -> list[tuple[Group, float]]:
        """The sign of the Jacobian's determinant of each square group, at the last state."""
        return [] if self._last is None else self.solution.signs(self._last)

    def begin(self, state: Mapping[str, float], t: float) -> None:
        """Look for states near another one from now on."""
        x = self.solution.start(state, t)
        self._kept = Instant(t, x, np.zeros(len(x)), np.zeros(len(x)))

    def keep(self) -> None:
        """Look for states near the last one from now on."""
        self._kept = self._last

    @property
    def followed(self) -> bool:
        """Whether the last state is where rates lead to from the one that is kept, no turn off."""
        here, new = self._kept, self._last
        if here is None or new is None or here is new:
            return True
        moved, dt = new.x - here.x, new.t - here.t
        off = moved - dt / 2 * (here.xd + new.xd)
        # what turns back moves more than it gets on
        way = np.maximum(np.abs(moved), abs(dt) * np.maximum(np.abs(here.xd), np.abs(new.xd)))
        return bool(self._nearness.near(new.x[None], way[None], off[None])[0])

    @property
    def fastest(self) -> float:
        """The largest rate of an angle or a direction at the last state."""
        if self._last is None:
            return 0.0
        view, place = self.solution.view, self.solution.place
        turning = [k for s, k in place.items() if view.dimension(s) == "1"]
        return float(np.abs(self._last.xd[turning]).max(initial=0.0))

    def state(self, t: float, q: Sequence[float], u: Sequence[float]) -> Array:
        """Return coordinates and speeds of the whole state; raise `StuckError` if there is none."""
        if self._kept is None:
            raise TypeError("no state to begin with")
        kept = self._kept
        moved = zip(self.independent, zip(q, u, strict=True), strict=True)
        self.solution.move({self._symbols[path]: pair for path, pair in moved})
        found = self._engine.at(t, kept.x + kept.xd * (t - kept.t))
        self._last = found
        levels = found.x, found.xd
        y = self._state.flat([*(levels[order][k] for order, k in self._named), t])
        return y[:-1].copy()

    def rates(self, rates: Function, which: Sequence[int]) -> Closed | None:
        """Return the rates of the independent part in machine code, if there is some.

        `rates` are those of the whole state, of which `which` are those of the independent speeds.
        """
        if not isinstance(self._engine, Machine):
            return None
        n = len(self.solution.symbols)
        places = Places(1, n, 3 * n, 3 * n + len(self.plan.system.q), which)
        return Closed(self._engine.chain, rates, self.independent, places)

    def restart(self) -> None:
        """Let machine code start from the state that is kept."""
        if isinstance(self._engine, Machine) and self._kept is not None:
            numbers, x = self._engine.chain.numbers, self._kept.x
            numbers[:] = 0.0
            numbers[: len(x)] = x


def assemble_by_groups(plan: Plan) -> Assembly:
    """Return the state with what is held, all else group by group, and its accelerations.

    Raise `NotDeterminedError` where what is held leaves freedoms, or is too much.
    """
    system = plan.system
    near = {v.path: plan.said.get(v.path, likely(v)) for v in system.q}
    held = [v.path for v in system.q if v.path in plan.held]
    closure = Closure(plan, held)
    closure.begin(near, plan.first)
    rates = [plan.said.get(f"{path}'", 0.0) for path in held]
    try:
        found = closure.state(plan.first, [near[path] for path in held], rates)
    except StuckError as stuck:
        raise NotRunError(f"the groups do not close: {stuck}") from None
    paths = [v.path for v in (*system.q, *system.u)]
    return assemble_at(plan, dict(zip(paths, found.tolist(), strict=True)))
