"""Polynomials with exact coefficients."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["evaluate", "interpolate"]


def interpolate(points: Sequence[int], values: Sequence[int | Fraction]) -> tuple[Fraction, ...]:
    """Return the polynomial through some points: coefficients of 1, x, x^2, ..., the last not 0."""
    # Newton's divided differences, then Horner's rule on (x - points[i])
    differences = [Fraction(value) for value in values]
    count = len(points)
    for width in range(1, count):
        for i in range(count - 1, width - 1, -1):
            change = differences[i] - differences[i - 1]
            differences[i] = change / (points[i] - points[i - width])
    coefficients = [Fraction(0)]
    for point, difference in zip(reversed(points), reversed(differences), strict=True):
        shifted = [Fraction(0), *coefficients]
        for i, c in enumerate(coefficients):
            shifted[i] -= point * c
        shifted[0] += difference
        coefficients = shifted
    while len(coefficients) > 1 and coefficients[-1] == 0:
        coefficients.pop()
    return tuple(coefficients)


def evaluate(coefficients: Sequence[Fraction], x: int) -> Fraction:
    """Return the value of a polynomial."""
    value = Fraction(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value
