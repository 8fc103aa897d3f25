"""The diagnosis: who is wrong, at which state, on which variable and body, in which term.

Terms are found by experiments on the model: what of it can go without the difference going.
A difference under constant loads alone, at rest, is due to inertia. If it goes with a load, it
is that load's. If it goes at rest, it is due to velocities.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from mbx.analyses.guard import Clock, Fault, attempt
from mbx.base.errors import MbxError
from mbx.base.short_repr import shorten_repr
from mbx.verify.diagnosis.carrying_body import find_body
from mbx.verify.diagnosis.measure_difference import ORACLE, Measure, Question, measure_of
from mbx.verify.diagnosis.minimise import differs, minimise, moved_to
from mbx.verify.diagnosis.variants import loads_of, probed, without
from mbx.verify.findings import judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.linking.link import Linked
    from mbx.numerics.states.complete import StatePoint
    from mbx.verify.findings import Error
    from mbx.verify.verification import Verification

__all__ = ["Diagnosis", "diagnose"]

SECONDS: Final = 60.0
"""How long a diagnosis may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Why forms disagree.

    Attributes:
        form: The form that is wrong, or all of them.
        other: What it was compared with.
        what: Accelerations or constraint forces.
        error: How large the difference is at the smallest state.
        state: That state.
        variable: The variable or the invariant of the row that differs most.
        body: The mass element that carries the difference; empty if it does not stand out.
        term: What carries the difference.
        seen: What was tried, and what came of it.
    """

    form: str
    other: str
    what: str
    error: Error
    state: StatePoint
    variable: str
    body: str = ""
    term: str = ""
    seen: tuple[str, ...] = field(default=())

    def __repr__(self) -> str:
        """Return what differs."""
        return shorten_repr(
            f"<Diagnosis: {self.form} differs from {self.other} in {self.what}, {self.term}>"
        )

    def __str__(self) -> str:
        """Return the diagnosis for people."""
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Yield the diagnosis for people."""
        yield f"diagnosis: {self.form} differs from {self.other} in {self.what}"
        at = ", ".join(f"{p} = {v:.6g}" for p, v in self.state.values.items() if v)
        zero = sum(not v for v in self.state.values.values())
        parts = [f"t = {self.state.t:.6g}"] if self.state.t else []
        parts += [at] if at else []
        parts += [f"{zero} of {len(self.state.values)} variables zero"] if zero else []
        yield f"  smallest state: {'; '.join(parts)}: {self.error.value:.1e}"
        yield f"  variable: {self.variable}"
        if self.body:
            yield f"  body: {self.body}"
        yield f"  term: {self.term}"
        for trial in self.seen:
            yield f"    {trial}"

    def as_json(self) -> dict[str, Any]:
        """Return the diagnosis as data."""
        return {
            "form": self.form,
            "other": self.other,
            "what": self.what,
            "error": self.error.value,
            "state": {"t": self.state.t, "values": dict(self.state.values)},
            "variable": self.variable,
            "body": self.body,
            "term": self.term,
            "seen": list(self.seen),
        }


def diagnose(
    linked: Linked, verification: Verification, seconds: float = SECONDS
) -> Diagnosis | None:
    """Return why forms disagree; None where they do not, or where nothing more is known."""
    chosen = _question(verification)
    if chosen is None:
        return None
    question, state = chosen
    point = next((candidate for candidate in verification.points if candidate.name == state), None)
    clock = Clock.of(seconds, seconds)
    result = attempt(lambda: _diagnose(linked, question, point, verification, clock), clock.left)
    return None if isinstance(result, Fault) else result


def _question(verification: Verification) -> tuple[Question, str] | None:
    """Return what to compare, and the state where it differs most."""
    oracle = verification.oracle
    if oracle is not None and oracle.states:
        wrong = [f for f in verification.forms if oracle.verdict_on(f) == "disagree"]
        for form in [f for f in verification.outliers if f in wrong] or wrong:
            for what, errors in (("ud", oracle.ud), ("Fc", oracle.Fc)):
                if form in errors and judge(errors[form]) == "disagree":
                    return Question(form, ORACLE, what), errors[form].state
    worst: tuple[float, Question, str] | None = None
    for pair in verification.pairs:
        for what, error in (("ud", pair.ud), ("Fc", pair.Fc)):
            if error is None or judge(error) != "disagree":
                continue
            form, other = pair.forms
            if other in verification.outliers and form not in verification.outliers:
                form, other = other, form
            if worst is None or error.value > worst[0]:
                worst = error.value, Question(form, other, what), error.state
    return None if worst is None else worst[1:]


def _diagnose(
    linked: Linked,
    question: Question,
    point: StatePoint | None,
    verification: Verification,
    clock: Clock,
) -> Diagnosis | None:
    measure = measure_of(linked, question, verification.seed, clock)
    if measure is None or point is None or measure.system.order > 2:  # noqa: PLR2004
        return None
    (error,) = measure.at([point])
    if error is None:
        return None
    # half of the time for the state, the rest for the term
    half = Clock.of(clock.left / 2, clock.left / 2)
    small = minimise(replace(measure, clock=half), point, error.value)
    (last,) = measure.at([small])
    last = last or error
    trial = _Trials(linked, measure, point, small, last.value, verification.seed, clock)
    term = trial.term(last)
    elements = measure.system.elements
    body = elements[0].path if len(elements) == 1 else find_body(measure, verification.points)
    everyone = verification.against_oracle and question.other == ORACLE
    return Diagnosis(
        form="every form" if everyone else question.form,
        other=question.other,
        what="constraint forces" if question.what == "Fc" else "accelerations",
        error=last,
        state=small,
        variable=last.row,
        body=body,
        term=term,
        seen=tuple(trial.seen),
    )


@dataclass(slots=True)
class _Trials:
    """Experiments on a model at the smallest state."""

    linked: Linked
    measure: Measure
    first: StatePoint
    state: StatePoint
    at_first: float
    seed: int
    clock: Clock
    seen: list[str] = field(default_factory=list)

    def term(self, error: Error) -> str:
        """Return what carries the difference."""
        if self.measure.question.what == "Fc":
            return "constraint forces; accelerations do not differ"
        rows = {row.path for row in self.measure.system.rows}
        resting = self._remains(self.linked, "at rest", rest=True)
        if error.row in rows:
            return f"{'Jacobian' if resting else 'bias'} of invariant {error.row}"
        speeds = [v.path for v in self.measure.system.u]
        if self._remains(probed(self.linked, speeds), "at rest, constant loads alone", rest=True):
            free = without(self.linked, loads_of(self.linked))
            moving = self._remains(free, "in motion, without loads", point=self.first)
            return "inertia" if moving else "inertia, or every load"
        for part in loads_of(self.linked):
            if self._remains(without(self.linked, [part]), f"without {part.title}") is False:
                return part.title
        if resting is False:
            return "gyroscopic, Coriolis and centrifugal terms"
        return "not to be told apart"

    def _remains(
        self, linked: Linked, what: str, *, rest: bool = False, point: StatePoint | None = None
    ) -> bool | None:
        """Return whether the difference remains in a model; None if that cannot be seen."""
        if self.clock.left <= 0:
            return None
        try:
            measure = measure_of(linked, self.measure.question, self.seed, self.clock)
        except (MbxError, ValueError):
            measure = None
        if measure is None:
            return None
        wanted = {v.path: 0.0 for v in measure.system.u} if rest else {}
        point = point or self.state
        here = moved_to(measure, point, wanted, point.t)
        if here is None:
            return None
        (error,) = measure.at([here])
        if error is None:
            return None
        remains = differs(error.value, self.at_first)
        outcome = "remains" if remains else "gone"
        self.seen.append(f"{what}: {outcome} ({error.value:.1e})")
        return remains
