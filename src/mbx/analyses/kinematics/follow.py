"""A mechanism followed over time or over a drive, and where it cannot go on.

Steps are halved until the new positions are near those that the rates foretell, and every
group keeps the sign of its Jacobian's determinant: else Newton's method may have jumped.

lock-up            no position beyond; the Jacobian of a group becomes singular there
dead point         the Jacobian of a group passes through a singular one, and positions go on
branch switching   a group comes out on another branch, however short the steps: a drive jumps
jump               a drive jumps, and no group is seen to change its branch
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from mbx.analyses.kinematics.groups.group_machine import Machine
from mbx.analyses.kinematics.groups.solve_group import StuckError
from mbx.analyses.kinematics.jacobian_conditions import singular
from mbx.analyses.kinematics.nearness import Nearness
from mbx.analyses.kinematics.solve_motion import Instant
from mbx.base.errors import MbxError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.analyses.kinematics.groups.group import Group
    from mbx.analyses.kinematics.solve_motion import Solution
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Diagnosis", "HaltError", "March", "changed"]

Kind = Literal["lock-up", "dead point", "branch switching", "jump"]
_HALVINGS: Final = 40
_JUMP: Final = 1e-6
"""Part of a drive, or of 1, by which it jumps if that is within the shortest of steps."""
_BEYOND: Final = 1e-3
"""Part of a step by which one looks beyond an instant."""
_AROUND: Final = 0.3
"""Part of the largest coordinate within which positions beyond count."""
_LARGE: Final = 1e6
_SINGULAR: Final = 1e-7
"""Smallest singular value of a group's scaled Jacobian at a dead point."""


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """Why a mechanism cannot go on.

    Attributes:
        kind: What it is.
        group: The group that it is about.
        t: When, as closely as it was located.
        drives: Drives there, by name.
        state: Coordinates of the group there, by name.
        condition: The condition number of the group's Jacobian there.
    """

    kind: Kind
    group: str
    t: float
    drives: dict[str, float]
    state: dict[str, float]
    condition: float

    def __str__(self) -> str:
        """Return it in one line."""
        drives = ", ".join(f"{name} = {value:.6g}" for name, value in self.drives.items())
        where = ", ".join(f"{name} = {value:.6g}" for name, value in list(self.state.items())[:6])
        text = {
            "lock-up": "has no position beyond",
            "dead point": "is singular at",
            "branch switching": "changes to another branch at",
            "jump": "cannot follow its drive, which jumps at",
        }[self.kind]
        return (
            f"{self.kind}: {self.group} {text} {drives} (t = {self.t:.6g} s), where {where};"
            f" the condition of its Jacobian is {_size(self.condition)}"
        )


def _size(condition: float) -> str:
    """Return a condition in words; how large a very large one is, depends on the machine."""
    return f"{condition:.3g}" if condition < _LARGE else f"more than {_LARGE:.0e}"


class HaltError(MbxError):
    """A mechanism that cannot go on; `diagnosis` states why, `last` is the last instant."""

    def __init__(self, diagnosis: Diagnosis, last: Instant) -> None:
        """Keep both."""
        super().__init__(str(diagnosis))
        self.diagnosis = diagnosis
        self.last = last


class March:
    """Follows a mechanism from instant to instant."""

    def __init__(
        self,
        solution: Solution,
        engine: Machine | Solution,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        """Take a solution, and what computes it: itself, or machine code.

        `tick` is called at every step, and may raise to end the work.
        """
        self.solution = solution
        self.engine = engine
        self._tick = tick
        self._nearness = Nearness(solution)

    def begin(self, t: float, near: Array) -> Instant:
        """Return the first instant; where it is singular, or there is none, raise `HaltError`."""
        try:
            first = self.engine.at(t, near)
        except StuckError as stuck:
            last = _still(self.solution, t, near)
            raise HaltError(self._diagnosis("lock-up", stuck.group, last), last) from None
        bad = self._singular(first)
        if bad is not None:
            raise HaltError(self._diagnosis("dead point", bad, first), first)
        return first

    def go(self, last: Instant, t: float) -> Instant:
        """Return the instant at a time after another one."""
        here, signs = last, self.solution.signs(last)
        left = [t]
        beyond: Group | None = None  # on another branch at the nearest position that is not near
        tries = 0
        while left:
            self._tick()
            goal = left[-1]
            new: Instant | None = None
            wrong: Group | None = None
            near = False
            try:
                new, near = self._tried(here, goal)
                wrong = changed(signs, self.solution.signs(new))
                beyond = beyond if near else wrong
            except StuckError as stuck:
                wrong = stuck.group
            if new is not None and near and wrong is None:
                here = new
                left.pop()
                tries = 0
                bad = self._singular(here)
                if bad is not None:
                    ahead = _BEYOND * (t - last.t)
                    raise HaltError(self._diagnosed(here, ahead, bad), here)
                continue
            tries += 1
            middle = (here.t + goal) / 2
            if tries > _HALVINGS or middle in {here.t, goal}:
                jumped = self._jumped(here, goal)
                if jumped is not None:
                    kind: Kind = "jump" if beyond is None else "branch switching"
                    raise HaltError(self._diagnosis(kind, beyond or jumped, here), here)
                ahead = _BEYOND * (t - last.t)
                raise HaltError(self._diagnosed(here, ahead, wrong), here)
            left.append(middle)
        return here

    def sweep(self, last: Instant, times: Array) -> list[Instant]:
        """Return instants at times after another one as far as nothing is doubtful.

        They are solved in one go, each from the one before, and judged as `go` judges a step;
        where one is not sound, they end before it, and `go` takes shorter steps from there.
        """
        if not isinstance(self.engine, Machine):
            return []
        t = np.concatenate([[last.t], times])
        new = self.engine.run(times, last.x)
        x, xd, xdd = (
            np.vstack([first, level])
            for first, level in zip((last.x, last.xd, last.xdd), new, strict=True)
        )
        count = self._sound(t[: len(x)], x, xd, xdd)
        return [Instant(float(t[k]), x[k], xd[k], xdd[k]) for k in range(1, count + 1)]

    def _sound(self, t: Array, x: Array, xd: Array, xdd: Array) -> int:
        """Return how many instants after the first are where the one before foretells them.

        Every group must keep the sign of its determinant there, and be regular.
        """
        dt = np.diff(t)[:, None]
        moved = np.diff(x, axis=0)
        off = moved - xd[:-1] * dt - xdd[:-1] * (dt * dt / 2)
        good = self._nearness.near(x[1:], np.maximum(np.abs(moved), np.abs(xd[:-1] * dt)), off)
        for group, J in self.solution.jacobians_over(t, x):
            good &= ~singular(J[1:], 1 / _SINGULAR)
            if group.square:
                signs = np.sign(np.linalg.det(J))
                good &= signs[1:] == signs[0]
        return len(good) if good.all() else int(good.argmin())

    def _tried(self, here: Instant, t: float) -> tuple[Instant, bool]:
        """Return the instant at a time, and whether it is where the rates foretell it."""
        dt = t - here.t
        foretold = here.x + here.xd * dt + here.xdd * (dt * dt / 2)
        new = self.engine.at(t, foretold)
        way = np.maximum(np.abs(new.x - here.x), np.abs(here.xd * dt))
        off = new.x - foretold
        return new, bool(self._nearness.near(new.x[None], way[None], off[None])[0])

    # -- what is wrong -----------------------------------------------------------------------

    def _singular(self, instant: Instant) -> Group | None:
        for group, J in self.solution.jacobians(instant):
            if singular(J[None], 1 / _SINGULAR)[0]:
                return group
        return None

    def _jumped(self, here: Instant, t: float) -> Group | None:
        """Return the first group that a drive moves where one jumps between two near times."""
        d, _, _ = self.solution.driven(t)
        before = here.x[: len(d)]
        foretold = before + here.xd[: len(d)] * (t - here.t)
        far = np.abs(d - foretold) > _JUMP * np.maximum(np.abs(before), 1.0)
        groups = zip(self.solution.groups, self.solution.h, strict=True)
        moved = (group for group, h in groups if far[h[h < len(d)]].any())
        return next(moved, None)

    def _diagnosed(self, here: Instant, ahead: float, group: Group | None) -> Diagnosis:
        """Return what it is: whether positions go on a little ahead decides."""
        if group is None:
            group = max(self.solution.conditions(here), key=lambda item: item[1])[0]
        kind: Kind = "dead point" if self._goes_on(here, ahead) else "lock-up"
        return self._diagnosis(kind, group, here)

    def _goes_on(self, here: Instant, ahead: float) -> bool:
        """Return whether there are positions beyond an instant, near it."""
        size = float(np.abs(here.x).max(initial=0.0))
        generator = np.random.default_rng(0)
        for scale in (0.0, 1e-4, 1e-3, 1e-2):
            near = here.x + scale * size * generator.standard_normal(len(here.x))
            try:
                new = self.engine.at(here.t + ahead, near)
            except StuckError:
                continue
            if np.abs(new.x - here.x).max() <= _AROUND * size:
                return True
        return False

    def _diagnosis(
        self,
        kind: Kind,
        group: Group,
        instant: Instant,
    ) -> Diagnosis:
        solution = self.solution
        index, drives = solution.place, solution.view.mechanism.drives
        condition = next((c for g, c in solution.conditions(instant) if g is group), float("inf"))
        return Diagnosis(
            kind=kind,
            group=group.label,
            t=instant.t,
            drives={str(s.value): float(instant.x[index[s]]) for s in drives},
            state={str(s.value): float(instant.x[index[s]]) for s in group.phi},
            condition=condition,
        )


def changed(before: list[tuple[Group, float]], after: list[tuple[Group, float]]) -> Group | None:
    """Return the first group whose sign changed, if any."""
    for (group, a), (_, b) in zip(before, after, strict=True):
        if a != b:
            return group
    return None


def _still(solution: Solution, t: float, near: Array) -> Instant:
    d, v, a = solution.driven(t)
    x, xd, xdd = near.copy(), np.zeros(len(near)), np.zeros(len(near))
    n = len(d)
    x[:n], xd[:n], xdd[:n] = d, v, a
    return Instant(t, x, xd, xdd)
