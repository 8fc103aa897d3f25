"""Sines and cosines gathered in a polynomial: each step leaves one term less.

A theorem is used with the same angles on all terms that it fits before another theorem is: what
a rotation has made is put together as a whole, in whatever order the terms stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from mbx.expr.algebra.polynomial import flat, flat_total, monomial_product
from mbx.expr.build import function, scale
from mbx.expr.nodes import FUNCTION, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.expr.algebra.polynomial import Monomial, Polynomial

__all__ = ["gather"]

_ONE: Final = 0  # cos^2 x + sin^2 x = 1
_SQUARES: Final = 1  # other theorems of squares
_SUMS: Final = 2  # sine and cosine of x + y and x - y


class _Theorem(NamedTuple):
    """A theorem and its angles, by their positions in the order of structure."""

    rank: int
    variant: int
    first: int
    second: int = 0


Use: TypeAlias = "tuple[_Theorem, Callable[[], Polynomial]]"
Rest: TypeAlias = "Callable[[int], Use | None]"
Join: TypeAlias = "tuple[Monomial, Monomial, int, Callable[[], Polynomial]]"


def gather(polynomial: Polynomial) -> Polynomial:
    """Return a polynomial of the same value in which the addition theorems were used backwards."""
    terms = dict(polynomial)
    before = len(terms) + 1
    while len(terms) < before:
        before = len(terms)
        for joins in _by_theorem(terms):
            for join in joins:
                _apply(terms, join)
    return terms


def _by_theorem(terms: Polynomial) -> list[list[Join]]:
    """Return the terms that go together: squares first, then by the theorem with most of them."""
    groups: dict[_Theorem, list[Join]] = {}
    for monomial, factor in terms.items():
        for partner, use in _partners(monomial):
            other = terms.get(partner)
            if other is None or abs(other) != abs(factor):
                continue
            sign = 1 if other == factor else -1
            fitting = use(sign)
            if fitting is not None:
                theorem, joined = fitting
                groups.setdefault(theorem, []).append((monomial, partner, sign, joined))
    ranked = sorted(groups, key=lambda theorem: (theorem.rank, -len(groups[theorem]), theorem))
    return [groups[theorem] for theorem in ranked]


def _apply(terms: Polynomial, join: Join) -> None:
    """Put two terms together, if both are still as they were."""
    monomial, partner, sign, joined = join
    factor = terms.get(monomial)
    if factor is None or terms.get(partner) != sign * factor:
        return
    del terms[monomial], terms[partner]
    for m, c in joined().items():
        value = terms.pop(m, 0) + factor * c
        if value != 0:
            terms[m] = value


def _partners(monomial: Monomial) -> Iterator[tuple[Monomial, Rest]]:
    """Yield terms that go with a term, and the theorem by the sign of the other's factor."""
    sines = [(f.args[0], e) for f, e in monomial if f.op is FUNCTION and f.value == "sin"]
    cosines = [(f.args[0], e) for f, e in monomial if f.op is FUNCTION and f.value == "cos"]
    for x, e in sines:
        if e >= 2:  # noqa: PLR2004  a square
            yield from _square(monomial, _sin(x), _cos(x), x, -1)
    for x, e in cosines:
        if e >= 2:  # noqa: PLR2004
            yield from _square(monomial, _cos(x), _sin(x), x, 1)
    above = [x for x, e in cosines if e >= 1]
    for k, x in enumerate(above):
        for y in above[k + 1 :]:
            yield _sum_of_cosines(monomial, x, y)
    for x, e in sines:
        for y in above:
            if e >= 1 and x is not y:
                yield _sum_of_sines(monomial, x, y)


def _square(
    monomial: Monomial, this: Node, other: Node, x: Node, sign: int
) -> Iterator[tuple[Monomial, Rest]]:
    """Yield what goes with a square: the square of the other function, or 1."""
    rest = _over(monomial, this, this)
    squared = monomial_product(rest, [(other, 2)])

    def both(s: int) -> Use:
        """Use cos^2 x + sin^2 x = 1, cos^2 x - sin^2 x = cos 2 x."""
        if s > 0:
            return _Theorem(_ONE, 0, x.order), lambda: {rest: 1}
        double = scale(sign, _cos(scale(2, x)))
        return _Theorem(_SQUARES, 0, x.order), lambda: _times(rest, double)

    def less_unit(s: int) -> Use | None:
        """Use sin^2 x - 1 = -cos^2 x."""
        return None if s > 0 else (_Theorem(_SQUARES, 1, x.order), lambda: {squared: -1})

    yield squared, both
    yield rest, less_unit


def _sum_of_cosines(monomial: Monomial, x: Node, y: Node) -> tuple[Monomial, Rest]:
    """Use cos x cos y + s sin x sin y = cos(x - s y)."""
    rest = _over(monomial, _cos(x), _cos(y))
    partner = monomial_product(rest, [(_sin(x), 1), (_sin(y), 1)])
    return partner, lambda s: _sum(rest, _cos, x, y, -s)


def _sum_of_sines(monomial: Monomial, x: Node, y: Node) -> tuple[Monomial, Rest]:
    """Use sin x cos y + s cos x sin y = sin(x + s y)."""
    rest = _over(monomial, _sin(x), _cos(y))
    partner = monomial_product(rest, [(_cos(x), 1), (_sin(y), 1)])
    return partner, lambda s: _sum(rest, _sin, x, y, s)


def _sum(rest: Monomial, name: Callable[[Node], Node], x: Node, y: Node, sign: int) -> Use:
    """Return the theorem of x + y or x - y, be it of sines or cosines; sums go first."""
    first, second = sorted((x.order, y.order))
    theorem = _Theorem(_SUMS, -sign, first, second)
    return theorem, lambda: _times(rest, name(flat_total((x, scale(sign, y)))))


def _sin(x: Node) -> Node:
    return function("sin", x)


def _cos(x: Node) -> Node:
    return function("cos", x)


def _over(monomial: Monomial, a: Node, b: Node) -> Monomial:
    return monomial_product(monomial, monomial_product([(a, -1)], [(b, -1)]))


def _times(monomial: Monomial, node: Node) -> Polynomial:
    return {monomial_product(monomial, other): factor for other, factor in flat(node).items()}
