"""States along prescribed motions.

Each motion is an invariant more. Where these determine all coordinates, the states follow in
two stages: an assembly at the start, and from there on Newton's steps onto the invariants, along
the time, short enough that the assembly stays the one of the start. What they leave open is
integrated (`mbx.analyses.inverse.internal_dynamics`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import driven, inputs_of, start_of
from mbx.analyses.experiments.observe import Place
from mbx.analyses.experiments.state_functions import Invariants, Rows
from mbx.analyses.inverse.actuation import require_loads
from mbx.analyses.inverse.internal_dynamics import integrated
from mbx.analyses.simulate.events.free_ranks import rank
from mbx.analyses.simulate.events.lost_rank import first_singular, moving_ones
from mbx.analyses.simulate.events.passage import Passage
from mbx.numerics.tolerances import SHORTEST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.experiments.time_limit import Clock
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Driven", "Track", "driven_samples"]

STRIDE: Final = 0.05
"""How far a coordinate moves in a step along the time, relative to 1 and to itself."""
SMOOTH: Final = 0.25
"""Part of the largest speed by which speeds may change in a step through a singular state."""


@dataclass(frozen=True, slots=True, eq=False)
class Driven:
    """A sample of a prescribed motion, and the rows of the motions: A ud + b = 0."""

    place: Place
    A: Array
    b: Array

    def missing(self, ud: Array) -> tuple[Array, Array]:
        """Return what accelerations leave of the motions, and the size of the terms."""
        return self.A @ ud + self.b, np.abs(self.A) @ np.abs(ud) + np.abs(self.b)


class Track:
    """The way of a mechanism along its prescribed motions, from the start on.

    Attributes:
        open: How many freedoms the motions leave; these move by themselves.
        followed: Whether positions follow from the motions alone, so that nothing is integrated.
        passed: Singular states that the way went through with its velocities, in words.
    """

    def __init__(
        self, plan: Plan, clock: Clock, forms: Mapping[str, Equations] | None = None
    ) -> None:
        """Find the start; raise `NotRunError` where the motions contradict each other there."""
        if plan.system.order > 2:  # noqa: PLR2004  then ud are no accelerations
            raise NotRunError("motions under an invariant of order 3 or more are not prescribed")
        require_loads(plan)
        self.plan = plan
        self.passed: list[str] = []
        self._clock = clock
        self._forms = forms
        self._system = driven(plan)
        start = start_of(plan)
        self._q, self._u = (
            np.array([start[v.path] for v in x]) for x in (self._system.q, self._system.u)
        )
        self._rows = Invariants(self._system, plan.parameters, inputs_of(plan))
        self._sizes = Rows()
        A, _ = self._rows.accelerations(plan.first, self._q, self._u)
        self.open = A.shape[1] - rank(A)
        self._require_independent(A)
        self.followed = not self.open and self._rows.fixed(plan.first, self._q)

    def at(
        self, times: Sequence[float], progress: Callable[[float], None] = lambda _part: None
    ) -> list[Driven]:
        """Return the states at some times, in rising order."""
        if not self.followed:
            start = np.concatenate([self._q, self._u])
            states = integrated(self.plan, start, times, self._clock, self._forms, progress)
            n = len(self._q)
            return [self._sample(t, y[:n], y[n:]) for t, y in zip(times, states, strict=True)]
        t, q, u, samples = self.plan.first, self._q, self._u, []
        passage = Passage()
        passage.hear(t, self._matrix(t, q, u))
        whole = max(self.plan.last - self.plan.first, SHORTEST)
        for wanted in times:
            while t < wanted:
                self._clock.check()
                before = t, q, u
                t, q, u = self._stepped(t, q, u, wanted)
                passage = self._hear(passage, before, (t, q, u))
            progress((t - self.plan.first) / whole)
            samples.append(self._sample(t, q, u))
        return samples

    def between(self, known: Driven, t: float) -> Driven:
        """Return the state at a time after one that is known."""
        q, u = (
            np.array([known.place.state[v.path] for v in x])
            for x in (self._system.q, self._system.u)
        )
        if self.followed:
            at = known.place.t
            while at < t:
                at, q, u = self._stepped(at, q, u, t)
            return self._sample(t, q, u)
        start = np.concatenate([q, u])
        (y,) = integrated(self.plan, start, [t], self._clock, self._forms, first=known.place.t)
        return self._sample(t, y[: len(q)], y[len(q) :])

    def _sample(self, t: float, q: Array, u: Array) -> Driven:
        A, b = self._rows.accelerations(t, q, u)
        p = len(self.plan.motions)
        state = dict(zip([v.path for v in self._system.q], q.tolist(), strict=True))
        state |= dict(zip([v.path for v in self._system.u], u.tolist(), strict=True))
        sample = Place(state, self.plan.parameters, inputs_of(self.plan), t)
        return Driven(sample, A[len(A) - p :], b[len(b) - p :])

    def _matrix(self, t: float, q: Array, u: Array) -> Array:
        """Return the rows of the invariants, each relative to what it was at most."""
        A, _ = self._rows.accelerations(t, q, u)
        return np.asarray(A / self._sizes.of(np.abs(A).max(axis=1, initial=0.0))[:, None])

    def _require_independent(self, A: Array) -> None:
        """Raise an error where a motion follows from the others, or from the mechanism."""
        p = len(self.plan.motions)
        mechanism_rows = A[: len(A) - p]
        known = rank(mechanism_rows)
        for k, motion in enumerate(self.plan.motions):
            more = rank(A[: len(mechanism_rows) + k + 1])
            if more == known:
                before = [f"'{x.path}'" for x in self.plan.motions[:k]]
                of = " and of the motion of " + ", ".join(before) if before else ""
                raise NotRunError(
                    f"the motion of '{motion.path}' cannot be prescribed at t ="
                    f" {self.plan.first:.6g} s: it follows from that of the mechanism{of}"
                )
            known = more

    def _stepped(self, t: float, q: Array, u: Array, last: float) -> tuple[float, Array, Array]:
        """Go on by a step in which no coordinate moves far; halve it as long as one would."""
        rows, plan = self._rows, self.plan
        rate = rows.rates(t, q, u)
        size = np.maximum(1.0, np.abs(q))
        speed = float((np.abs(rate) / size).max(initial=0.0))
        whole = plan.last - plan.first
        longest = min(last - t, STRIDE / speed if speed > 0 else last - t, whole / 20)
        step = (last - t) / ceil((last - t) / longest)  # the last of them is as long as the others
        while step > SHORTEST * min(whole, last - t):
            new = last if step == last - t else t + step
            guess = q + rate * (new - t)
            try:
                q1, u1 = rows.onto(new, guess, u)
            except NotRunError:
                step /= 2
                continue
            if (np.abs(q1 - guess) <= STRIDE * size).all():
                return new, q1, u1
            step /= 2
        free = moving_ones(self._matrix(t, q, u), self._system)
        raise NotRunError(
            f"the prescribed motions cannot be followed beyond t = {t:.4g} s, where"
            f" {_quoted(free)} moves although {self._prescribed} stands still"
        )

    def _hear(
        self,
        passage: Passage,
        before: tuple[float, Array, Array],
        now: tuple[float, Array, Array],
    ) -> Passage:
        """Note where the way led through a singular state, and go on behind it.

        Velocities lead on beyond it, and distinguish the assemblies that meet there: raise an error
        with its time where they jump.
        """
        A = self._matrix(*now)
        try:
            passage.hear(now[0], A)
        except NotRunError:
            t, q, u = first_singular(self._rows, before, now[0], self._matrix)
            free = moving_ones(self._matrix(t, q, u), self._system)
            what = f"{_quoted(free)} moves although {self._prescribed} stands still"
            fastest = np.abs(np.concatenate([before[2], now[2]])).max(initial=0.0)
            if np.abs(now[2] - before[2]).max(initial=0.0) > SMOOTH * fastest:
                raise NotRunError(
                    f"the prescribed motions lead through a singular state at t = {t:.4g} s, where"
                    f" {what}"
                ) from None
            self.passed.append(f"a singular state at t = {t:.4g} s, where {what}")
            return Passage()
        return passage

    @property
    def _prescribed(self) -> str:
        return _quoted([motion.path for motion in self.plan.motions])


def _quoted(paths: Sequence[str]) -> str:
    return ", ".join(f"'{path}'" for path in paths)


def driven_samples(
    plan: Plan,
    times: Sequence[float],
    clock: Clock,
    forms: Mapping[str, Equations] | None = None,
) -> list[Driven]:
    """Return the states on the prescribed motions at some times, in rising order."""
    return Track(plan, clock, forms).at(times)
