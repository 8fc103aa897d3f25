"""Runs by structural groups: independent coordinates are integrated, all others follow from them.

Each state is closed group by group, so that invariants of positions and velocities are kept at
every instant and never corrected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.linalg import qr

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.kinematics.follow import changed
from mbx.analyses.kinematics.groups.solve_group import StuckError
from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError
from mbx.analyses.request import require_names
from mbx.analyses.simulate.integrators.explicit import Explicit
from mbx.analyses.simulate.integrators.grouped_states import Closure
from mbx.base.errors import MbxError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.experiments.state_functions import Invariants
    from mbx.analyses.kinematics.groups.group import Group
    from mbx.analyses.simulate.engine import Engine
    from mbx.codegen.native.closed import Closed
    from mbx.codegen.native.function import Function
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["GroupedSteps", "Independent", "independent_of"]

_RANK: Final = 1e-9
"""Part of the largest singular value of the invariants below which one is rounding."""
_STEEP: Final = 1e-3
"""Part of the largest singular value of all columns that the smallest of dependent ones has at
least."""
_SINGULAR: Final = 1e3
"""Condition of a group's Jacobian from which dependent coordinates are not followed on."""
_NEARLY: Final = 30.0
"""The same from which it is the reason where no step leads on."""
_WORN: Final = 5.0
"""Condition of a group with its inputs from which other coordinates are looked for."""
_BETTER: Final = 0.5
"""Part of a condition that other coordinates must have to be taken."""
_TURN: Final = 0.7
"""Angle that is turned in a step at most."""
_TRIES: Final = 5
"""Shorter steps that are tried where groups are lost on the way."""
_SAME: Final = 1e-8
"""Part of the largest number of a state, in sizes, by which groups may close it elsewhere."""


class Independent:
    """Independent coordinates and their rates, and the states that groups close with them.

    Unless they are named, they are changed where the groups come near a dead point.

    Attributes:
        chosen: The coordinates, by path.
        sizes: How large they and their rates are.
        names: What they and their rates are called.
    """

    def __init__(
        self, plan: Plan, engine: Engine, rows: Invariants, start: Array, named: Sequence[str] = ()
    ) -> None:
        """Take some coordinates by name, or else the first that determine all others.

        Raise `NotNaturalError` or `NotDeterminedError` where groups do not close the model.
        """
        system = plan.system
        self._plan, self._rows, self._engine = plan, rows, engine
        self._paths = [v.path for v in (*system.q, *system.u)]
        _require_second_order(plan, len(start))
        self._nq = len(system.q)
        require_names(named, set(self._paths[: self._nq]), "coordinate")
        self._named = bool(named)
        self._known: dict[tuple[str, ...], Closure] = {}
        self._signs: list[tuple[Group, float]] = []
        self._code: tuple[Closure, Function, Closed | None] | None = None
        self._given_up = 0.0
        self.stuck: StuckError | None = None
        first = tuple(dict.fromkeys(named))
        self._take(first or independent_of(plan, rows, plan.first, start[: self._nq]))
        self.inside(plan.first, start)

    def _take(self, chosen: tuple[str, ...]) -> None:
        for path in chosen:
            if f"{path}'" not in self._paths[self._nq :]:
                raise NotNaturalError(f"the rate of '{path}' is no speed of the model")
        if chosen not in self._known:
            self._known[chosen] = Closure(self._plan, chosen)
        self._closure = self._known[chosen]
        self.chosen = chosen
        self._q = [self._paths.index(path) for path in chosen]
        self._u = [self._paths.index(f"{path}'") for path in chosen]
        self.sizes = self._engine.sizes[[*self._q, *self._u]]
        self.names = [self._paths[k] for k in (*self._q, *self._u)]

    @property
    def function(self) -> Function | None:
        """The rates in machine code, from the last state on, if both groups and form have some."""
        rates = self._engine.function
        if rates is None:
            return None
        if self._code is None or self._code[:2] != (self._closure, rates):
            self._code = self._closure, rates, self._closure.rates(rates, self._u)
        self._closure.restart()
        return self._code[2]

    def ran(self, times: int) -> None:
        """Count evaluations in machine code."""
        self._engine.calls += times

    def inside(self, t: float, y: Array) -> Array:
        """Return the independent part of a state, near which others are looked for from now on."""
        self._closure.begin(dict(zip(self._paths, y.tolist(), strict=True)), t)
        x = y[[*self._q, *self._u]]
        try:
            closed = self._state(t, x)
        except StuckError as stuck:
            raise NotRunError(f"the groups do not close at t = {t:.6g} s: {stuck}") from None
        apart, large = (np.abs(x) / self._engine.sizes for x in (closed - y, y))
        if apart.max(initial=0.0) > _SAME * large.max(initial=1.0):
            k = int(apart.argmax())
            raise NotNaturalError(
                f"the groups close '{self._paths[k]}' at {closed[k]:.6g}, where it is {y[k]:.6g}:"
                " they do not say all of this model"
            )
        self._signs = self._closure.signs
        self._closure.keep()
        return x

    def keep(self) -> None:
        """Look for states near the last one from now on."""
        self._closure.keep()

    @property
    def longest(self) -> float:
        """The step in which no angle turns so far that Newton's method could lose a turn."""
        rate = self._closure.fastest
        return _TURN / rate if rate > 0 else float("inf")

    def outside(self, t: float, x: Array) -> Array:
        """Return the state of independent coordinates; refuse one on another branch."""
        try:
            found = self._state(t, x)
        except StuckError as stuck:
            self.stuck = stuck
            raise NotRunError(f"the groups do not close at t = {t:.6g} s{self.told(x)}") from None
        if not (np.isfinite(found).all() and self._closure.followed):
            raise NotRunError(
                f"the groups lose their branch on the way to t = {t:.6g} s{self.told(x)}"
            )
        group = changed(self._signs, self._closure.signs)
        worst = self._closure.worst
        if group is None and worst is not None and worst[1] > _SINGULAR:
            group = worst[0]
        if group is not None:
            raise self._dead(group, t, found)
        return found

    def told(self, x: Array) -> str:
        """Return the group that is nearest to singular, and where the coordinates are."""
        worst = self._closure.steepest
        near = "" if worst is None else f"; of all groups {worst[0].label} is nearest to singular"
        pairs = zip(self.chosen, x[: len(self._q)].tolist(), strict=True)
        stuck = "" if self.stuck is None else f": {self.stuck}"
        return f", at {', '.join(f'{path} = {value:.6g}' for path, value in pairs)}{near}{stuck}"

    def _dead(self, group: Group, t: float, y: Array) -> NotRunError:
        where = ", ".join(f"{self._paths[k]} = {y[k]:.6g}" for k in self._q)
        beyond = "; other coordinates may be independent there" if self._named else ""
        return NotRunError(
            f"dead point: {group.label} is nearly singular at {where} (t = {t:.6g} s), and"
            f" its branch beyond is not certain{beyond}"
        )

    def ended(self, t: float, y: Array) -> NotRunError | None:
        """Return why no step leads on from a state: the group that is nearly singular there."""
        for worst, most in ((self._closure.worst, _NEARLY), (self._closure.steepest, _SINGULAR)):
            if worst is not None and worst[1] > most:
                return self._dead(worst[0], t, y)
        return None

    @property
    def worn(self) -> bool:
        """Whether other coordinates would determine the last state better, perhaps."""
        worst = self._closure.steepest
        return not self._named and worst is not None and worst[1] > max(_WORN, self._given_up)

    def change(self, t: float, y: Array) -> bool:
        """Take the coordinates that determine a state best; return whether others are better."""
        if self._named:
            return False
        before, worst = self.chosen, self._closure.steepest
        self._given_up = 0.0 if worst is None else 2 * worst[1]  # unless it gets much worse
        chosen = independent_of(self._plan, self._rows, t, y[: self._nq], best=True)
        if chosen == before:
            return False
        try:
            self._take(chosen)
            self.inside(t, y)
        except (MbxError, StuckError):
            better = False
        else:
            now = self._closure.steepest
            better = now is None or worst is None or now[1] < _BETTER * worst[1]
        if better:
            self._given_up = 0.0
        else:
            self._take(before)
            self.inside(t, y)
        return better

    def rate(self, t: float, x: Array) -> Array:
        """Return how fast they change; no number where groups do not close, and steps shrink."""
        if not np.isfinite(x).all():
            return np.full(len(x), np.nan)
        try:
            y = self._state(t, x)
        except StuckError as stuck:
            self.stuck = stuck
            return np.full(len(x), np.nan)
        return np.concatenate([x[len(self._q) :], self._engine.rate(t, y)[self._u]])

    def _state(self, t: float, x: Array) -> Array:
        n = len(self._q)
        return self._closure.state(t, x[:n].tolist(), x[n:].tolist())


class GroupedSteps(Explicit):
    """Explicit steps of independent coordinates; where none leads on, others are tried.

    Where these do not help, either, the group is told.
    """

    def __init__(self, field: Independent, rtol: float, atol: float, shortest: float) -> None:
        """Take the coordinates, and what steps take."""
        super().__init__(field, rtol, atol, shortest)
        self._closed = field

    def step(self) -> None:
        """Take a step, as long as the tolerances allow."""
        if self._closed.worn and self._closed.change(self.t, self.y):
            self.move(self.y)
        longest = self._closed.longest
        reasons: list[NotRunError] = []
        for k in range(_TRIES):
            self._h = longest if self._h is None else min(self._h, longest)
            before = self.t, self._x, self._f, self._h, self.y
            try:
                self._once()
            except NotRunError as reason:
                reasons.append(reason)
                self.t, self._x, self._f, self._h, self.y = before
                self._closed.inside(self.t, self.y)
                if self._closed.change(self.t, self.y):
                    self.move(self.y)
                elif k + 1 == _TRIES:
                    told = (one for one in reasons if "dead point" in str(one))
                    raise next(told, reasons[0]) from None
                longest = self._h / 8
            else:
                self._closed.keep()
                return

    def held(self) -> str:
        """Return the variable that kept the last step short, the state, and the worst group."""
        variable = super().held()
        return f"{variable}{self._closed.told(self._x)}" if variable else ""

    def _once(self) -> None:
        self._closed.stuck = None
        try:
            super().step()
        except NotRunError as error:
            dead = None if "dead point" in str(error) else self._closed.ended(self.t, self.y)
            if dead is not None:
                raise dead from None
            if "group" in str(error):
                raise
            raise NotRunError(f"{error}{self._closed.told(self._x)}") from None


def independent_of(
    plan: Plan, rows: Invariants, t: float, q: Array, *, best: bool = False
) -> tuple[str, ...]:
    """Return the first coordinates of a model that determine all others at a place, and well.

    With `best`, those that do so best: their columns of the invariants are the last that an
    elimination with pivots takes. Columns are in sizes of the coordinates, and rows in theirs.
    """
    system = plan.system
    speeds = {v.path for v in system.u}
    C = rows.position(t, q)[1] * rows.sizes[0] if rows.any else np.zeros((0, len(q)))
    lengths = np.abs(C).max(axis=1, keepdims=True, initial=0.0)
    C = C / np.where(lengths > 0, lengths, 1.0)
    largest = _values(C).max(initial=0.0)
    rank = int((_values(C) > _RANK * largest).sum())
    order = list(range(len(q)))
    if best and rank:
        order = [int(k) for k in qr(C, mode="r", pivoting=True)[1][::-1]]
    left = list(range(len(q)))
    found: list[int] = []
    for k in order:
        if len(left) == rank or f"{system.q[k].path}'" not in speeds:
            continue
        rest = [j for j in left if j != k]
        values = _values(C[:, rest])[:rank]
        if len(values) == rank and (rank == 0 or values[-1] > _STEEP * largest):
            left = rest
            found.append(k)
    return tuple(system.q[k].path for k in sorted(found))


def _values(C: Array) -> Array:
    return np.asarray(np.linalg.svd(C, compute_uv=False))


def _require_second_order(plan: Plan, numbers: int) -> None:
    system = plan.system
    if numbers != len(system.q) + len(system.u):
        raise NotNaturalError("accelerations are part of the state: structural groups have none")
