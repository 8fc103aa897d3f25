"""Closed loops by structural groups: a whole state from its independent part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.analyses.assemble import assemble_at
from mbx.assembly.complete import likely
from mbx.experiments.plan import NotRunError
from mbx.expr.evaluate import evaluate
from mbx.groups.mechanism import mechanism_of
from mbx.groups.motion import solution_of
from mbx.groups.solve import StuckError
from mbx.system.names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.assemble import Assembly
    from mbx.experiments.plan import Plan
    from mbx.formalism.numerics import Array
    from mbx.groups.group import Group
    from mbx.groups.motion import Instant

__all__ = ["Closure", "assemble_by_groups"]


class Closure:
    """Whole states from independent coordinates and their rates, group by group."""

    def __init__(self, plan: Plan, independent: Sequence[str]) -> None:
        """Take coordinates that determine the mechanism; raise `NotDeterminedError` if not."""
        self.plan = plan
        given = {**plan.parameters, **plan.inputs}
        drives = dict.fromkeys(independent, TIME)
        self.mechanism = mechanism_of(plan.linked, plan.system, drives, given)
        self._symbols = {v.path: v.symbol for v in plan.system.q}
        self.independent = tuple(independent)
        self.solution = solution_of(self.mechanism, "td")
        self._near: Array | None = None
        self._last: Instant | None = None

    @property
    def worst(self) -> tuple[Group, float] | None:
        """The group whose Jacobian has the largest condition at the last state, and that."""
        found = [] if self._last is None else self.solution.conditions(self._last)
        return max(found, key=lambda one: one[1], default=None)

    @property
    def signs(self) -> list[tuple[Group, float]]:
        """The sign of the Jacobian's determinant of each square group, at the last state."""
        return [] if self._last is None else self.solution.signs(self._last)

    def begin(self, state: Mapping[str, float], t: float) -> None:
        """Look for states near another one from now on."""
        self._near = self.solution.start(state, t)

    def state(self, t: float, q: Sequence[float], u: Sequence[float]) -> dict[str, float]:
        """Return the whole state, coordinates and speeds by path; raise `StuckError` if none."""
        if self._near is None:
            raise TypeError("no state to begin with")
        moved = zip(self.independent, zip(q, u, strict=True), strict=True)
        self.solution.move({self._symbols[path]: pair for path, pair in moved})
        found = self.solution.at(t, self._near)
        self._near, self._last = found.x, found
        system, place = self.plan.system, self.solution.place
        state = {v.path: float(found.x[place[v.symbol]]) for v in system.q}
        values = dict(self.mechanism.numbers.values) | {TIME: t}
        for v in system.q:
            values[v.symbol] = float(found.x[place[v.symbol]])
            values[v.rate] = float(found.xd[place[v.symbol]])
        for one in system.u:
            if one.symbol not in values:
                if one.symbol not in system.defined:
                    raise NotRunError(f"the speed '{one.path}' is no rate of a coordinate")
                values[one.symbol] = float(evaluate([system.defined[one.symbol]], values)[0])
            state[one.path] = values[one.symbol]
        return state


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
        state = closure.state(plan.first, [near[path] for path in held], rates)
    except StuckError as stuck:
        raise NotRunError(f"the groups do not close: {stuck}") from None
    return assemble_at(plan, state)
