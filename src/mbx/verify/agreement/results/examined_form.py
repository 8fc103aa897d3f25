"""A form under examination: its declared results, and what they are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mbx.mechanics.motion import rate_variables
from mbx.verify.agreement.reference.sized import Sized
from mbx.verify.agreement.reference.tree_sums import Accelerated

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.reference.coupling import Coupling
    from mbx.verify.agreement.reference.reference_numbers import Reference
    from mbx.verify.agreement.reference.tree_sums import Tree

__all__ = ["Difference", "Differences", "NotCheckedError", "Subject"]


class Difference(NamedTuple):
    """What must be zero, and a text that names it.

    `full` is how large the row is with all that it is coupled to, where it comes from a solution:
    what is rounding of that, or of what it is at most states, is no difference.
    """

    name: str
    gap: Sized
    full: Array | None = None


Differences = Iterator[Difference]
SECOND: Final = 2


class NotCheckedError(Exception):
    """A declared result that nothing here can be compared with, and why."""


@dataclass(frozen=True)
class Subject:
    """A form: `numbers` returns a matrix of its program, (N, rows, columns), by name."""

    equations: Equations
    reference: Reference
    numbers: Callable[[str], Array]
    each: Callable[[str], list[Array]]
    """Returns a declared result state by state, where its shape may depend on the state."""
    zero: Callable[[str], Sized]
    """Returns a declared result that must be zero, with the size of its terms by rounding."""

    def result(self, meaning: str) -> Sized:
        """Return a declared result."""
        return Sized.of(self.numbers(self.equations.results[meaning]))

    def has(self, *meanings: str) -> bool:
        """Return whether the form declares all of these."""
        return all(meaning in self.equations.results for meaning in meanings)

    @cached_property
    def ud(self) -> Sized:
        """The accelerations; these are compared with other forms and with the oracle."""
        return self.result("ud")

    @property
    def programme(self) -> bool:
        """Whether accelerations belong to the state, so that `ud` is a higher rate."""
        return self.reference.programs.system.order > SECOND

    def labels(self, meaning: str, *, columns: bool = False) -> tuple[str, ...]:
        """Return what the rows or columns of a result belong to."""
        step = self.equations.step(self.equations.results[meaning])
        return step.column_labels if columns else step.row_labels

    def space(self, labels: tuple[str, ...], what: str) -> str:
        """Return which variables labels are: speeds, rates of the coordinates, of the tree."""
        system = self.reference.programs.system
        speeds = tuple(v.path for v in system.u)
        if labels in {(), speeds}:
            return "speeds"
        if labels == tuple(v.path for v in rate_variables(system)):
            return "rates"
        raise NotCheckedError(f"the rows of '{what}' are neither speeds nor rates of coordinates")

    @cached_property
    def change(self) -> tuple[Sized, Sized]:
        """N and n of q'' = N ud + n."""
        numbers = self.reference.numbers("rates")
        return Sized.of(numbers["N"]), Sized.of(numbers["n"])

    @cached_property
    def rows(self) -> list[int | None]:
        """For each row of A, its position among the invariants of the system; None if not there."""
        known = [row.path for row in self.reference.programs.levels.rows]
        labels = self.labels("A")
        if not labels:
            size = self.result("A").shape[1]
            labels = tuple(known) if size == len(known) else ("",) * size
        return [known.index(path) if path in known else None for path in labels]

    @cached_property
    def lam(self) -> Sized | None:
        """The multipliers in the order of the invariants of the system."""
        if not self.has("lam", "A"):
            return None
        lam = self.result("lam")
        N = lam.shape[0]
        multipliers = np.zeros(
            (N, len(self.reference.programs.levels.rows), 1), dtype=lam.value.dtype
        )
        for k, at in enumerate(self.rows):
            if at is not None:
                multipliers[:, at] = lam.value[:, k]
        return Sized.of(multipliers)

    @cached_property
    def balance(self) -> tuple[Sized, Sized]:
        """M and h of the balance from mechanics, in the speeds."""
        return self.reference.balance(self.lam)

    @property
    def tree(self) -> Tree:
        """The tree of links."""
        return self.reference.tree

    @cached_property
    def accelerated(self) -> Accelerated:
        """The tree at the accelerations of the form."""
        return Accelerated(self.tree, self.tree.accelerations(self.ud))

    @cached_property
    def coupling(self) -> Coupling:
        """Which rows are coupled."""
        return self.reference.coupling
