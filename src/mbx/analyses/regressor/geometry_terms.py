"""Coefficients of base parameters as expressions of the geometry: l, l^2, l1*l2, sin(a), numbers.

A coefficient is known in numbers, for several geometries. Those parameters are sought that it
depends on, one at a time, and then a sum of few products of these that gives all its values.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.build import add, divide, function, mul
from mbx.expr.nodes import ONE, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import Parameter

__all__ = ["Geometry", "Varied", "coefficient"]

_SAME: Final = 1e-8
"""Part by which a coefficient is off an expression that it is, at most."""
_CLOSE: Final = 1e-9
_LARGEST: Final = 24
"""Largest denominator that is taken for a fraction."""
_DIGITS: Final = 8
"""Digits of a number that stands in a model."""
_SPARE: Final = 4
"""Values that an expression has to give beyond those that it is fitted to."""


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """Coefficients, (rows, columns), for several geometries.

    Attributes:
        parameters: What the geometry is made of.
        table: Values of these, a row for each geometry.
        own: The coefficients at the geometry of the model.
        alone: Those where one parameter is another one, for each of them.
        varied: Those for each row of the table.
    """

    parameters: tuple[Parameter, ...]
    table: Array
    own: Array
    alone: Array
    varied: Array

    def of(self, row: int, column: int) -> Varied:
        """Return one of the coefficients, with the parameters that it depends on."""
        values, own = self.varied[:, row, column], self.own[row, column]
        size = max(abs(own), float(np.abs(values).max()))
        moved = np.abs(self.alone[:, row, column] - own) > _SAME * size
        used = np.flatnonzero(moved)
        return Varied(tuple(self.parameters[k] for k in used), self.table[:, used], values)


@dataclass(frozen=True, slots=True, eq=False)
class Varied:
    """A coefficient for several geometries, and the parameters that it depends on."""

    parameters: tuple[Parameter, ...]
    table: Array
    values: Array


def coefficient(
    own: float, degree: int, at: Varied | None, *, has_geometry: bool
) -> tuple[Node, bool]:
    """Return a coefficient, and whether it holds whatever values parameters have.

    `degree` is the power of a length that it has the dimension of.
    """
    if at is not None:
        found = _fitted(degree, at, at.values) or _quotient(degree, at)
        if found is not None:
            return found, True
    return number(_number(own)), not has_geometry


def _quotient(degree: int, at: Varied) -> Node | None:
    """Return a coefficient as such a sum divided by a length, or by two."""
    lengths = [
        (parameter.symbol, values)
        for parameter, values in zip(at.parameters, at.table.T, strict=True)
        if parameter.dimension == "m"
    ]
    for count in (1, 2):
        for some in combinations_with_replacement(lengths, count):
            below = np.prod([values for _, values in some], axis=0)
            found = _fitted(degree + count, at, at.values * below)
            if found is not None:
                return divide(found, mul(*(node for node, _ in some)))
    return None


def _fitted(degree: int, at: Varied, values: Array) -> Node | None:
    terms = list(_terms(degree, at))
    if len(terms) + _SPARE > len(values):
        return None
    columns = np.stack([column for _, column in terms], axis=1)
    size = np.linalg.norm(columns, axis=0)
    x, _, found, _ = np.linalg.lstsq(columns / size, values, rcond=1e-12)
    if found < len(terms):
        return None
    factors = x / size
    factors = np.where(np.abs(x) > _SAME * np.abs(x).max(initial=0.0), factors, 0.0)
    exact = [_number(float(x)) for x in factors]
    given = columns @ np.array([float(x) for x in exact])
    if np.abs(given - values).max() > _SAME * np.abs(values).max():
        return None
    return add(*(mul(number(x), node) for x, (node, _) in zip(exact, terms, strict=True) if x))


def _terms(degree: int, at: Varied) -> Iterator[tuple[Node, Array]]:
    """Yield products of at most two factors, with their values."""
    yield ONE, np.ones(len(at.values))
    factors = list(_factors(at))
    for k in range(1, 3):
        for some in combinations_with_replacement(range(len(factors)), k):
            chosen = [factors[j] for j in some]
            if sum(one[2] for one in chosen) > max(degree, 0) or _is_square_of_cosine(chosen):
                continue
            yield mul(*(one[0] for one in chosen)), np.prod([one[1] for one in chosen], axis=0)


def _factors(at: Varied) -> Iterator[tuple[Node, Array, int]]:
    """Yield what products are made of: a node, its values, and whether it is a length."""
    for parameter, values in zip(at.parameters, at.table.T, strict=True):
        if parameter.unit in {"rad", "deg"}:
            yield function("sin", parameter.symbol), np.sin(values), 0
            yield function("cos", parameter.symbol), np.cos(values), 0
        else:
            yield parameter.symbol, values, int(parameter.dimension == "m")


def _is_square_of_cosine(chosen: Sequence[tuple[Node, Array, int]]) -> bool:
    """Whether a product is one that 1 and the square of the sine give."""
    node = chosen[0][0]
    return len(chosen) > 1 and node is chosen[1][0] and node.value == "cos"


def _number(value: float) -> Fraction | float:
    """Return a number as the fraction or the decimal that it is the rounding of."""
    if not value:
        return Fraction(0)
    simple = Fraction(value).limit_denominator(_LARGEST)
    short = Fraction(f"{value:.{_DIGITS - 1}e}")
    for exact in (simple, short):
        if abs(float(exact) - value) <= _CLOSE * abs(value):
            return exact
    return value
