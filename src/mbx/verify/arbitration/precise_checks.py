"""Declared results against the reference in many digits, for the arbiter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.numerics.execute.execute import run
from mbx.numerics.multiprecision.execute_digits import execute, leading_to
from mbx.verify.agreement.reference.reference_numbers import Reference
from mbx.verify.agreement.reference.sized import Sized
from mbx.verify.agreement.results.checks import differences
from mbx.verify.agreement.results.examine import subject_of
from mbx.verify.agreement.results.examined_form import Subject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.multiprecision.digit_numbers import Numbers
    from mbx.numerics.multiprecision.digit_results import Place
    from mbx.numerics.states.manifold import Points
    from mbx.verify.agreement.reference.reference_programs import Programs

__all__ = ["Digits", "bounds", "precise_subject", "size_of"]

_LEAST: Final = 1e-9
"""Part of the largest entry that any entry counts as, at least."""
_INVARIANTS: Final = ("A", "b", "G", "rates")


@dataclass(frozen=True, slots=True)
class Digits:
    """Programs run at one state, in so many digits."""

    place: Place
    known: dict[int, tuple[Equations, dict[str, Array]]] = field(default_factory=dict)

    @property
    def points(self) -> Points:
        """The state, in doubles."""
        return self.place.point

    def matrices(
        self, equations: Equations, given: Mapping[str, Array] | None = None
    ) -> dict[str, Array]:
        """Return the matrices of a program."""
        place = self.place
        if given is None:
            if id(equations) not in self.known:
                found = place.matrices(equations, self._names(equations))
                every: dict[str, Any] = {name: value[None] for name, value in found.items()}
                self.known[id(equations)] = equations, every
            return self.known[id(equations)][1]
        one = {name: value[0] for name, value in given.items()}
        with place.numbers.within():
            found = execute(place.numbers, equations.steps, place.values(equations), one)
        run: dict[str, Any] = {name: value[None] for name, value in found.items()}
        return run

    def _names(self, equations: Equations) -> tuple[str, ...]:
        """Return what is needed of a program; branches are decided in doubles."""
        if equations is self.place.manifold.equations:
            return _INVARIANTS
        return tuple(step.name for step in equations.steps)

    def matrix(self, equations: Equations, given: Mapping[str, Array], name: str) -> Array:
        """Return one matrix of a program to which others are given."""
        place = self.place
        one = {key: _exact(place, value[0]) for key, value in given.items()}
        steps = leading_to([name], equations.steps)
        with place.numbers.within():
            found: Any = execute(place.numbers, steps, place.values(equations), one)[name][None]
        return np.asarray(found)

    def solve(self, A: Array, B: Array) -> Array:
        """Return A^-1 B."""
        found: Any = self.place.numbers.solve(_exact(self.place, A[0]), _exact(self.place, B[0]))
        return np.asarray(found[None])


def _exact(place: Place, A: Array) -> Any:
    return _each(place.numbers, A)


def _each(numbers: Numbers, A: Array) -> Any:
    found = np.empty(A.shape, dtype=object)
    found.ravel()[:] = [_number(numbers, x) for x in A.ravel().tolist()]
    return found


def _number(numbers: Numbers, x: Any) -> Any:
    return numbers.exact(x) if isinstance(x, (int, float)) else x


def bounds(
    place: Place, equations: Equations, programs: Programs, name: str
) -> tuple[float, float] | None:
    """Return the least and the largest that a difference may be, in parts of its terms.

    None if there is none of that name in many digits.
    """
    with place.numbers.within():
        for one in differences(precise_subject(place, equations, programs)):
            if one.name == name:
                return size_of(place.numbers, one.gap)
    return None


def precise_subject(place: Place, equations: Equations, programs: Programs) -> Subject:
    """Return a form under examination at one state, in so many digits."""
    reference = Reference(programs, place.manifold, Digits(place))
    results = place.results(equations)
    by_step: dict[str, Any] = {equations.results[m]: value[None] for m, value in results.items()}

    def each(meaning: str) -> list[Array]:
        return [by_step[equations.results[meaning]][0]]

    def zero(meaning: str) -> Sized:
        name = equations.results[meaning]
        return Sized(by_step[name], _terms_in_doubles(place, equations, reference, meaning))

    return Subject(equations, reference, by_step.__getitem__, each, zero)


def _terms_in_doubles(
    place: Place, equations: Equations, reference: Reference, meaning: str
) -> Array:
    """Return how large the terms of a result are that must be zero: what its rounding is, over eps.

    In many digits there is no rounding that would tell.
    """
    higher = {path: np.array([value]) for path, value in place.higher.items()}
    at = place.manifold.values.at(equations, place.point, higher)
    name = equations.results[meaning]
    outcome = run(equations, at, wanted={name}, noisy={name})
    return subject_of(equations, outcome, at, reference).zero(meaning).size


def size_of(numbers: Numbers, gap: Sized) -> tuple[float, float]:
    """Return the least and the largest magnitude of a difference, in parts of its terms."""
    entries = [_number(numbers, x) for x in gap.value.ravel().tolist()]
    # an entry that is zero has no size but rounding
    least = _LEAST * float(gap.size.max(initial=0.0)) or 1.0
    sizes = np.maximum(gap.size, least).ravel().tolist()
    pairs = list(zip(entries, sizes, strict=True))
    lower = max((float(numbers.lower(x)) / size for x, size in pairs), default=0.0)
    upper = max((float(numbers.upper(x)) / size for x, size in pairs), default=0.0)
    return lower, upper
