"""Sines and cosines gathered in a polynomial: each step leaves one term less."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from mbx.expr.build import function, scale
from mbx.expr.nodes import FUNCTION, Node
from mbx.expr.polynomial import flat, flat_total, monomial_product

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.expr.polynomial import Monomial, Polynomial

__all__ = ["gather"]

Rest: TypeAlias = "Callable[[int], Polynomial | None]"


def gather(polynomial: Polynomial) -> Polynomial:
    """Return a polynomial of the same value in which the addition theorems were used backwards."""
    found = dict(polynomial)
    before = len(found) + 1
    while len(found) < before:
        before = len(found)
        for monomial in list(found):
            if monomial in found:
                _join(found, monomial)
    return found


def _join(found: Polynomial, monomial: Monomial) -> None:
    """Put a term together with the first that goes with it."""
    factor = found[monomial]
    for partner, joined in _partners(monomial):
        other = found.get(partner)
        if other is None or abs(other) != abs(factor):
            continue
        new = joined(1 if other == factor else -1)
        if new is not None:
            del found[monomial], found[partner]
            for m, c in new.items():
                value = found.pop(m, 0) + factor * c
                if value != 0:
                    found[m] = value
            return


def _partners(monomial: Monomial) -> Iterator[tuple[Monomial, Rest]]:
    """Yield terms that go with a term, and the sum of both by the sign of the other's factor."""
    sines = [(f.args[0], e) for f, e in monomial if f.op is FUNCTION and f.value == "sin"]
    cosines = [(f.args[0], e) for f, e in monomial if f.op is FUNCTION and f.value == "cos"]
    for x, e in sines:
        if e >= 2:  # noqa: PLR2004  a square
            yield from _square(monomial, _sin(x), _cos(x), scale(2, x), -1)
    for x, e in cosines:
        if e >= 2:  # noqa: PLR2004
            yield from _square(monomial, _cos(x), _sin(x), scale(2, x), 1)
    above = [x for x, e in cosines if e >= 1]
    for k, x in enumerate(above):
        for y in above[k + 1 :]:
            yield _sum_of_cosines(monomial, x, y)
    for x, e in sines:
        for y in above:
            if e >= 1 and x is not y:
                yield _sum_of_sines(monomial, x, y)


def _square(
    monomial: Monomial, this: Node, other: Node, double: Node, sign: int
) -> Iterator[tuple[Monomial, Rest]]:
    """Yield what goes with a square: the square of the other function, or 1."""
    rest = _over(monomial, this, this)
    squared = monomial_product(rest, [(other, 2)])
    # cos^2 x + sin^2 x = 1, cos^2 x - sin^2 x = cos 2 x
    yield squared, lambda s: {rest: 1} if s > 0 else _times(rest, scale(sign, _cos(double)))
    # sin^2 x - 1 = -cos^2 x
    yield rest, lambda s: None if s > 0 else {squared: -1}


def _sum_of_cosines(monomial: Monomial, x: Node, y: Node) -> tuple[Monomial, Rest]:
    """Use cos x cos y + s sin x sin y = cos(x - s y)."""
    rest = _over(monomial, _cos(x), _cos(y))
    partner = monomial_product(rest, [(_sin(x), 1), (_sin(y), 1)])
    return partner, lambda s: _times(rest, _cos(flat_total((x, scale(-s, y)))))


def _sum_of_sines(monomial: Monomial, x: Node, y: Node) -> tuple[Monomial, Rest]:
    """Use sin x cos y + s cos x sin y = sin(x + s y)."""
    rest = _over(monomial, _sin(x), _cos(y))
    partner = monomial_product(rest, [(_cos(x), 1), (_sin(y), 1)])
    return partner, lambda s: _times(rest, _sin(flat_total((x, scale(s, y)))))


def _sin(x: Node) -> Node:
    return function("sin", x)


def _cos(x: Node) -> Node:
    return function("cos", x)


def _over(monomial: Monomial, a: Node, b: Node) -> Monomial:
    return monomial_product(monomial, monomial_product([(a, -1)], [(b, -1)]))


def _times(monomial: Monomial, node: Node) -> Polynomial:
    return {monomial_product(monomial, other): factor for other, factor in flat(node).items()}
