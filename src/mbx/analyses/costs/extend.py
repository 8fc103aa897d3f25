"""Counts of a few sizes of a limit system, extended to all sizes.

What a form costs on a chain or on a carousel is a polynomial of the number of bodies, of degree
three at most, once the first few bodies are past, whose matrices have more zeros. The polynomial
is exact, and is used only where it meets two counts more than determine it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.analyses.costs.cost_polynomial import evaluate, interpolate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

__all__ = ["BySize", "counts_of"]

_DEGREE: Final = 3
_CHECKS: Final = 2
_LATEST: Final = 6
"""The largest size at which the polynomial may begin."""


@dataclass(frozen=True, slots=True)
class BySize:
    """Operations by size.

    Attributes:
        counted: What was counted.
        law: Coefficients of 1, N, N^2, ... of the polynomial that gives all larger sizes; none
            if there is none.
    """

    counted: Mapping[int, int]
    law: tuple[Fraction, ...] | None

    def at(self, size: int) -> int | None:
        """Return the operations of a size, None where they are not known."""
        if size in self.counted:
            return self.counted[size]
        return None if self.law is None else int(evaluate(self.law, size))


def counts_of(count: Callable[[int], int | None]) -> BySize:
    """Return the operations by size, from counts of the sizes 1, 2, ...

    `count` returns None of a size that is too large for it.
    """
    counted: dict[int, int] = {}
    width = _DEGREE + 1 + _CHECKS
    for size in range(1, _LATEST + width):
        operations = count(size)
        if operations is None:
            break
        counted[size] = operations
        start = size - width + 1
        law = _law(counted, start) if start >= 1 else None
        if law is not None:
            return BySize(counted, law)
    return BySize(counted, None)


def _law(counted: Mapping[int, int], start: int) -> tuple[Fraction, ...] | None:
    """Return the polynomial from a size on, if it meets the counts that do not determine it."""
    sizes = range(start, start + _DEGREE + 1)
    law = interpolate(sizes, [counted[size] for size in sizes])
    checks = range(sizes.stop, sizes.stop + _CHECKS)
    return law if all(evaluate(law, size) == counted[size] for size in checks) else None
