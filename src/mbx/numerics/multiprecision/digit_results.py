"""What equations give at a state, in many digits."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mbx.formalism.shapes import needs
from mbx.numerics.execute.execute import run
from mbx.numerics.multiprecision.digit_numbers import numbers_of
from mbx.numerics.multiprecision.digit_state import derived_values, known_values, precise_state
from mbx.numerics.multiprecision.execute_digits import Decided, execute, leading_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Residual, Step
    from mbx.numerics.multiprecision.digit_numbers import Exact, Numbers
    from mbx.numerics.states.manifold import Manifold, Points

__all__ = ["Place", "evaluate_precisely"]


def evaluate_precisely(
    equations: Equations,
    manifold: Manifold,
    point: Points,
    digits: int,
    higher: Mapping[str, float] | None = None,
) -> dict[str, Exact]:
    """Return all results of equations by meaning at one state, in so many digits.

    The state is brought onto the invariants. Arithmetic with what is returned has these digits
    inside `numbers_of(digits).within()` only. `higher` are rates beyond the speeds by path,
    where the state has some. Two forms are compared at one `Place`, so that their states are
    the same.
    """
    place = Place(manifold, point, numbers_of(digits), equations, higher or {})
    return place.results(equations)


@dataclass(frozen=True)
class Place:
    """One state, in numbers of so many digits.

    Attributes:
        manifold: The invariants that it keeps.
        point: The state in doubles, one row.
        numbers: What numbers are like.
        completing: The equations that say which rates beyond the speeds are consistent.
        higher: These rates in doubles, by path.
        decided: What runs in doubles decided here, which places of other digits may share.
        taken: The rows of the invariants that the state is found from, which places may share.
    """

    manifold: Manifold
    point: Points
    numbers: Numbers
    completing: Equations | None = None
    higher: Mapping[str, float] = field(default_factory=dict)
    decided: dict[tuple[int, frozenset[str]], tuple[Equations, Decided]] = field(
        default_factory=dict
    )
    taken: dict[str, list[int]] = field(default_factory=dict)

    @cached_property
    def state(self) -> dict[Node, Any]:
        """The state by symbol."""
        with self.numbers.within():
            given = self.completing, self.higher, self.taken
            return precise_state(self.numbers, self.manifold, self.point, *given)

    def results(
        self, equations: Equations, wanted: Iterable[str] | None = None
    ) -> dict[str, Exact]:
        """Return results of equations by meaning; all, if nothing is said."""
        meanings = list(equations.results) if wanted is None else list(wanted)
        names = {m: equations.results[m] for m in meanings}
        found = self.matrices(equations, names.values())
        return {meaning: found[name] for meaning, name in names.items()}

    def matrices(self, equations: Equations, names: Iterable[str]) -> dict[str, Exact]:
        """Return matrices of a program by name, and all that lead to them."""
        steps = leading_to(names, equations.steps)
        with self.numbers.within():
            values = self.values(equations)
            return execute(self.numbers, steps, values, None, self._decided(equations, steps))

    def residual(self, equations: Equations, residual: Residual, ud: Exact) -> tuple[Exact, Exact]:
        """Return value and magnitude of a residual of a form, for given accelerations."""
        names = {name for step in residual.steps for name in needs(step)}
        known = self.matrices(equations, names & {step.name for step in equations.steps})
        with self.numbers.within():
            values = self.values(equations)
            found = execute(self.numbers, residual.steps, values, {**known, "ud": ud})
        return found[residual.value], found[residual.magnitude]

    def values(self, equations: Equations) -> dict[Node, Any]:
        """Return the value of every symbol of some equations."""
        known = known_values(self.numbers, equations, self.manifold, self.point, self.higher)
        values = {**known, **self.state}
        derived_values(self.numbers, equations, values)
        return values

    def _decided(self, equations: Equations, steps: list[Step]) -> Decided:
        """Return what a run in doubles decides here; nothing, where it does not come to an end."""
        names = [step.name for step in steps]
        key = id(equations), frozenset(names)  # the equations are kept, so that no others have it
        if key not in self.decided:
            higher = {path: np.array([value]) for path, value in self.higher.items()}
            at = self.manifold.values.at(equations, self.point, higher)
            outcome = run(equations, at, wanted=names)
            found = Decided.by(steps, outcome.batches[0]) if outcome.batches else Decided()
            self.decided[key] = equations, found
        return self.decided[key][1]
