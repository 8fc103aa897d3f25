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

__all__ = ["Digits", "bounds", "multiprecision_subject", "size_of"]

_LEAST: Final = 1e-9
"""Part of the largest entry that any entry counts as, at least."""
_INVARIANTS: Final = ("A", "b", "G", "rates")


@dataclass(frozen=True, slots=True)
class Digits:
    """Programs run at one state, in so many digits."""

    exact_state: Place
    known: dict[int, tuple[Equations, dict[str, Array]]] = field(default_factory=dict)

    @property
    def points(self) -> Points:
        """The state, in doubles."""
        return self.exact_state.point

    def matrices(
        self, equations: Equations, known: Mapping[str, Array] | None = None
    ) -> dict[str, Array]:
        """Return the matrices of a program."""
        exact_state = self.exact_state
        if known is None:
            if id(equations) not in self.known:
                matrices = exact_state.matrices(equations, self._names(equations))
                every: dict[str, Any] = {name: value[None] for name, value in matrices.items()}
                self.known[id(equations)] = equations, every
            return self.known[id(equations)][1]
        inputs = {name: value[0] for name, value in known.items()}
        with exact_state.numbers.within():
            matrices = execute(
                exact_state.numbers, equations.steps, exact_state.values(equations), inputs
            )
        run: dict[str, Any] = {name: value[None] for name, value in matrices.items()}
        return run

    def _names(self, equations: Equations) -> tuple[str, ...]:
        """Return what is needed of a program; branches are decided in doubles."""
        if equations is self.exact_state.manifold.equations:
            return _INVARIANTS
        return tuple(step.name for step in equations.steps)

    def matrix(self, equations: Equations, known: Mapping[str, Array], name: str) -> Array:
        """Return one matrix of a program in which others are `known`."""
        exact_state = self.exact_state
        inputs = {key: _exact(exact_state, value[0]) for key, value in known.items()}
        steps = leading_to([name], equations.steps)
        with exact_state.numbers.within():
            matrix: Any = execute(
                exact_state.numbers, steps, exact_state.values(equations), inputs
            )[name][None]
        return np.asarray(matrix)

    def solve(self, A: Array, B: Array) -> Array:
        """Return A^-1 B."""
        X: Any = self.exact_state.numbers.solve(
            _exact(self.exact_state, A[0]), _exact(self.exact_state, B[0])
        )
        return np.asarray(X[None])


def _exact(exact_state: Place, A: Array) -> Any:
    return _each(exact_state.numbers, A)


def _each(numbers: Numbers, A: Array) -> Any:
    entries = np.empty(A.shape, dtype=object)
    entries.ravel()[:] = [_number(numbers, x) for x in A.ravel().tolist()]
    return entries


def _number(numbers: Numbers, x: Any) -> Any:
    return numbers.exact(x) if isinstance(x, (int, float)) else x


def bounds(
    exact_state: Place, equations: Equations, programs: Programs, name: str
) -> tuple[float, float] | None:
    """Return the least and the largest that a difference may be, in parts of its terms.

    None if there is none of that name in many digits.
    """
    with exact_state.numbers.within():
        for difference in differences(multiprecision_subject(exact_state, equations, programs)):
            if difference.name == name:
                return size_of(exact_state.numbers, difference.gap)
    return None


def multiprecision_subject(exact_state: Place, equations: Equations, programs: Programs) -> Subject:
    """Return a form under examination at one state, in so many digits."""
    reference = Reference(programs, exact_state.manifold, Digits(exact_state))
    results = exact_state.results(equations)
    by_step: dict[str, Any] = {equations.results[m]: value[None] for m, value in results.items()}

    def each(meaning: str) -> list[Array]:
        return [by_step[equations.results[meaning]][0]]

    def zero(meaning: str) -> Sized:
        name = equations.results[meaning]
        return Sized(by_step[name], _terms_in_doubles(exact_state, equations, reference, meaning))

    return Subject(equations, reference, by_step.__getitem__, each, zero)


def _terms_in_doubles(
    exact_state: Place, equations: Equations, reference: Reference, meaning: str
) -> Array:
    """Return how large the terms of a result are that must be zero: what its rounding is, over eps.

    In many digits there is no rounding that would show it.
    """
    higher = {path: np.array([value]) for path, value in exact_state.higher.items()}
    at = exact_state.manifold.values.at(equations, exact_state.point, higher)
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
