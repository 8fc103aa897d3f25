"""Errors that are neither small nor large go to the arbiter.

A pair is decided at every state where its results differ in doubles at all, the worst first:
a fault at one state may hide behind rounding at another.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import process_time
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from mbx.analyses.guard import Fault, attempt
from mbx.base.errors import EquationsError
from mbx.numerics.execute.stacked_algebra import EPS
from mbx.numerics.multiprecision.digit_numbers import numbers_of, widths
from mbx.numerics.multiprecision.digit_results import Place
from mbx.verify.agreement.kinetics import kinetics_program
from mbx.verify.agreement.mutual_residuals import NOISE, PASS
from mbx.verify.agreement.results.checks import named
from mbx.verify.arbitration.arbiter import (
    DIGITS,
    Answer,
    Gap,
    answer,
    difference,
    in_invariants,
    in_power,
    residual,
)
from mbx.verify.arbitration.multiprecision_checks import bounds
from mbx.verify.findings import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.multiprecision.digit_numbers import Exact
    from mbx.numerics.states.manifold import Points
    from mbx.verify.findings import Error, Pair
    from mbx.verify.verification_work import Work

__all__ = ["Arbiter", "is_open"]

T = TypeVar("T")

FURTHER: Final = 20.0
"""Seconds of CPU time for states other than the worst of each pair, all together."""
_WORST_FIRST: Final = ("different", "undecided", "rounding")
_LEFT: Final = "left"
"""Result of a form with an iteration: what it leaves of the equations."""
_COMPARED: Final = ("ud", "quasi", "Fc", "reaction:", "open:")


@dataclass(slots=True)
class Arbiter:
    """Multiprecision results of the forms of a verification, computed when they are needed.

    `reasons` holds why something stays undecided.
    """

    work: Work
    open_at: Mapping[tuple[str, str, str], Array] = field(default_factory=dict)
    """The errors of two forms in something, at each state."""
    reasons: list[str] = field(default_factory=list)
    spent: float = 0.0
    exact_states: dict[tuple[str, int], Place] = field(default_factory=dict)
    known: dict[tuple[str, str, int], dict[str, Exact] | None] = field(default_factory=dict)
    same: set[tuple[str, str, str, str]] = field(default_factory=set)
    """What two forms have the same to many digits, and at which state."""
    passed: set[tuple[str, str]] = field(default_factory=set)
    """Every two forms that agree in doubles."""

    def decide(
        self,
        pairs: Sequence[Pair],
        self_errors: Mapping[str, Error],
        invariants: Mapping[str, Error],
    ) -> tuple[list[Pair], dict[str, Error], dict[str, Error]]:
        """Return the errors with the answer of the arbiter where it is needed."""
        agreeing = [pair.forms for pair in pairs if pair.verdict == "agree"]
        self.passed = {
            names for first, second in agreeing for names in ((first, second), (second, first))
        }
        decided = [
            replace(
                pair,
                ud=self._pair(pair, pair.ud, "ud", "ud"),
                Fc=self._pair(pair, pair.Fc, "Fc", "Fc"),
                # accelerations of bodies are those of the speeds, times what all forms share
                bodies=self._pair(pair, pair.bodies, "bodies", "ud"),
                reactions=self._pair(pair, pair.reactions, "reactions", "reactions"),
            )
            for pair in pairs
        ]
        return (
            decided,
            {name: self._in_itself(name, error) for name, error in self_errors.items()},
            {
                name: self._single(
                    name, error, lambda exact_state, r: in_invariants(exact_state, r["ud"])
                )
                for name, error in invariants.items()
            },
        )

    def _pair(self, pair: Pair, error: Error | None, of: str, what: str) -> Error | None:
        """Return an error with the answer: different if that is so at any state.

        The error is `of` something that follows from `what` is decided.
        """
        if error is None or not is_open(error):
            return error
        if self._follows(pair, error.state, what):
            verdict: Answer = "rounding"
        else:
            verdict = self._at(pair, error.state, what, enough=error.excusable)
        for state in self._further(pair, of, error.state):
            if verdict == "different":
                break
            if self.spent > FURTHER:
                verdict = "undecided" if error.excusable else verdict
                break
            if self._follows(pair, state, what):
                continue
            began = process_time()
            there = self._at(pair, state, what, enough=True)
            self.spent += process_time() - began
            if there == "different":
                return replace(error, state=state, row="", arbiter=there)
            verdict = verdict if there == "rounding" else there
        return replace(error, arbiter=verdict)

    def _further(self, pair: Pair, of: str, but: str) -> list[str]:
        """Return the other states where the error of a pair is open, the worst first."""
        worst = self.open_at.get((*pair.forms, of), np.zeros(0))
        names = self.work.sample.names
        order = np.argsort(-worst, kind="stable")
        return [names[k] for k in order if worst[k] > PASS and names[k] != but]

    def _follows(self, pair: Pair, state: str, what: str) -> bool:
        """Return whether a form is the same as either of a pair here, and agrees with the other.

        Not so for reactions: a third form may give others.
        """
        return what != "reactions" and any(
            (what, state, first, third.name) in self.same and (third.name, second) in self.passed
            for first, second in (pair.forms, pair.forms[::-1])
            for third in self.work.forms
        )

    def _at(self, pair: Pair, state: str, what: str, *, enough: bool = False) -> Answer:
        """Return whether two forms differ at a state; to look once may be `enough`."""

        def gap(digits: int) -> Gap | None:
            mine, theirs = (self.multiprecision(name, state, digits) for name in pair.forms)
            if mine is None or theirs is None:
                return None
            exact_state = self.exact_states[state, digits]
            result = self.guarded(state, lambda: difference(exact_state, mine, theirs, what))
            return self._ended(result, *pair.forms)

        verdict = answer(gap, enough=enough)
        if verdict == "rounding":
            first, second = pair.forms
            self.same |= {(what, state, first, second), (what, state, second, first)}
        return verdict

    def _in_itself(self, name: str, error: Error) -> Error:
        """Decide whether a form's accelerations solve its own equations, all of them."""
        equations = self.work.forms[self._number(name)].equations
        every = [
            self._single(
                name,
                error,
                lambda exact_state, r, k=k: residual(exact_state, equations, k, r["ud"]),  # type: ignore[misc]
            )
            for k in range(len(equations.residuals))
        ]
        answers = {decided.arbiter: decided for decided in every}
        return next((answers[a] for a in _WORST_FIRST if a in answers), error)

    def results(self, errors: Mapping[str, Error]) -> dict[str, Error]:
        """Return how far results are from fitting each other, with the answer where needed."""
        return {
            name: self._single(
                name,
                error,
                lambda exact_state, _, name=name, row=error.row: self._declared(  # type: ignore[misc]
                    exact_state, self.work.forms[self._number(name)].equations, row
                ),
            )
            for name, error in errors.items()
        }

    def _declared(self, exact_state: Place, equations: Equations, row: str) -> Gap:
        """Return what declared results leave of a relation, named by its row."""
        name = named(row)
        limits = bounds(exact_state, equations, self.work.programs, name)
        if limits is None:
            raise EquationsError(f"'{name}' is compared in doubles only")
        lower, upper = limits
        # constants of a model, such as the sine of a fixed angle, are doubles in all forms
        return Gap(lower, upper, 1.0) if upper > NOISE else Gap(0.0, 0.0, 1.0)

    def power(self, errors: Mapping[str, Error]) -> dict[str, Error]:
        """Return errors of the balance of power, with the answer where it is needed."""
        if not any(map(is_open, errors.values())):
            return dict(errors)
        kinetics = kinetics_program(self.work.manifold.system)
        return {
            name: self._single(
                name,
                error,
                lambda exact_state, r: in_power(exact_state, kinetics, r["ud"], r["Fc"]),
            )
            for name, error in errors.items()
        }

    def _single(
        self, name: str, error: Error, left: Callable[[Place, dict[str, Exact]], Gap]
    ) -> Error:
        """Decide whether what the results of a form leave of something is rounding."""
        if not is_open(error):
            return error

        def gap(digits: int) -> Gap | None:
            results = self.multiprecision(name, error.state, digits)
            if results is None:
                return None
            exact_state = self.exact_states[error.state, digits]
            gap = self.guarded(f"{name} at {error.state}", lambda: left(exact_state, results))
            return self._ended(gap, name)

        return replace(error, arbiter=answer(gap, enough=error.excusable))

    def multiprecision(self, name: str, state: str, digits: int) -> dict[str, Exact] | None:
        """Return the multiprecision results of a form; None if doubles are more precise.

        Balls of an iteration grow with every round: in too few digits they contain anything.
        """
        key = name, state, digits
        if key not in self.known:
            equations = self.work.forms[self._number(name)].equations
            wanted = [m for m in equations.results if m.startswith(_COMPARED)]
            exact_state = self.exact_state(state, digits)
            results = self.guarded(
                f"{name} at {state}", lambda: exact_state.results(equations, wanted)
            )
            if results is not None and self._is_vague(name, exact_state, state, results):
                results = None
                if digits == DIGITS[-1]:
                    self.reasons.append(f"{name} at {state}: {digits} digits are too few")
            self.known[key] = results
        return self.known[key]

    def _is_vague(
        self, name: str, exact_state: Place, state: str, results: Mapping[str, Exact]
    ) -> bool:
        """Return whether less is known of a form's results than in doubles."""
        result = self.work.results[self._number(name)]
        k = self.work.sample.names.index(state)
        for meaning, values in (("ud", result.ud), ("Fc", result.Fc)):
            if values is None or meaning not in results:
                continue
            size = float(np.abs(values[k]).max(initial=0.0))
            with exact_state.numbers.within():
                width = float(widths(exact_state.numbers, results[meaning]).max(initial=0.0))
            if size > 0 and not width <= size:
                return True
        return False

    def _ended(self, gap: Gap | None, *names: str) -> Gap | None:
        """Return a gap; zero if it is what an iteration leaves below the rounding of doubles.

        An iteration has as many rounds in more digits as in doubles, so that this does not shrink.
        """
        iterated = any(_LEFT in self.work.forms[self._number(n)].equations.results for n in names)
        if gap is None or not iterated or gap.upper > EPS * gap.size:
            return gap
        return Gap(0.0, 0.0, gap.size)

    def exact_state(self, state: str, digits: int) -> Place:
        """Return a state in so many digits."""
        key = state, digits
        if key not in self.exact_states:
            work = self.work
            k = work.sample.names.index(state)
            forms = (form.equations for form in work.forms)
            completing = next((each for each in forms if each.signature.higher), None)
            higher = {path: float(value[k]) for path, value in work.higher.items()}
            point = _single_point(work.sample.points, k)
            numbers = numbers_of(digits)
            shared = (p.decided for (name, _), p in self.exact_states.items() if name == state)
            decided = next(shared, {})
            self.exact_states[key] = Place(
                work.manifold, point, numbers, completing, higher, decided
            )
        return self.exact_states[key]

    def guarded(self, what: str, work: Callable[[], T]) -> T | None:
        """Return the result of the work, in the time that is left; else note why there is none."""
        result = attempt(work, self.work.clock.left)
        if isinstance(result, Fault):
            reason = f"{what}: {result.reason}"
            if reason not in self.reasons:
                self.reasons.append(reason)
            return None
        return result

    def _number(self, name: str) -> int:
        return [form.name for form in self.work.forms].index(name)


def is_open(error: Error) -> bool:
    """Return whether an error needs an answer."""
    return judge(error) == "undecided" and not bool(np.isnan(error.value))


def _single_point(points: Points, k: int) -> Points:
    chosen = np.zeros(len(points), dtype=bool)
    chosen[k] = True
    return points.some(chosen)
