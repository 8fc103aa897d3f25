"""Expressions as polynomials in their atoms, and polynomials as short expressions.

An atom is what is no sum, product or whole power: a symbol, a function, a root, a sum that
was not opened. A monomial maps atoms to exponents; a polynomial maps monomials to numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.build import mul, power, scale, total
from mbx.expr.nodes import ADD, NUMBER, POWER, PRODUCT, SCALE, Node, Number, number

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "EMPTY",
    "Monomial",
    "Polynomial",
    "flat",
    "flat_total",
    "from_polynomial",
    "monomial_product",
    "polynomial_product",
    "polynomial_sum",
]

Monomial = tuple[tuple[Node, Number], ...]
Polynomial = dict[Monomial, Number]

EMPTY: Final[Monomial] = ()
_UNIT: Final[Number] = 1
_DEEPEST: Final = 50


def monomial_product(
    a: Iterable[tuple[Node, Number]], b: Iterable[tuple[Node, Number]]
) -> Monomial:
    """Return the product of two monomials."""
    exponents = dict(a)
    for atom, exponent in b:
        exponents[atom] = exponents.get(atom, 0) + exponent
    kept = [(atom, e) for atom, e in exponents.items() if e != 0]
    kept.sort(key=lambda pair: pair[0].order)
    return tuple(kept)


def polynomial_sum(parts: Iterable[tuple[Number, Polynomial]]) -> Polynomial:
    """Return the sum of numbers times polynomials."""
    result: Polynomial = {}
    for factor, part in parts:
        for monomial, c in part.items():
            result[monomial] = result.get(monomial, 0) + factor * c
    return {monomial: c for monomial, c in result.items() if c != 0}


def polynomial_product(a: Polynomial, b: Polynomial) -> Polynomial:
    """Return the product of two polynomials."""
    result: Polynomial = {}
    for m, c in a.items():
        for n, d in b.items():
            monomial = monomial_product(m, n)
            result[monomial] = result.get(monomial, 0) + c * d
    return {monomial: c for monomial, c in result.items() if c != 0}


def flat(node: Node) -> Polynomial:
    """Return a node as one monomial: its factors are opened, its sums are not."""
    factor: Number = 1
    exponents: list[tuple[Node, Number]] = []
    stack: list[tuple[Node, Number]] = [(node, 1)]
    while stack:
        n, exponent = stack.pop()
        whole = exponent.__class__ is int
        if n.op is NUMBER and exponent == 1:
            factor *= n.value
        elif n.op is SCALE and exponent == 1:
            factor *= n.value
            stack.append((n.args[0], exponent))
        elif n.op is PRODUCT and whole:
            stack += [(a, exponent) for a in n.args]
        elif n.op is POWER and whole:
            stack.append((n.args[0], exponent * n.value))
        else:
            exponents.append((n, exponent))
    monomial = EMPTY
    for pair in exponents:
        monomial = monomial_product(monomial, (pair,))
    return {monomial: factor} if factor else {}


def from_polynomial(polynomial: Polynomial, depth: int = 0) -> Node:
    """Return an expression of a polynomial, common factors taken out as often as that is seen."""
    if len(polynomial) <= 1 or depth > _DEEPEST:
        return total([_term(m, c) for m, c in polynomial.items()])
    common, rest = _without_common(polynomial)
    sizes: set[Number] = {c if c > 0 else -c for c in rest.values()}
    size: Number = sizes.pop() if len(sizes) == 1 else 1
    if size != 1:
        rest = {m: 1 if c > 0 else -1 for m, c in rest.items()}
    parts: list[Node] = []
    left = rest
    while (atom := _most_frequent(left)) is not None:
        group = {m: c for m, c in left.items() if any(a is atom for a, _ in m)}
        parts.append(from_polynomial(group, depth + 1))
        left = {m: c for m, c in left.items() if m not in group}
    parts += [_term(m, c) for m, c in left.items()]
    # several groups may have come out as multiples of one sum
    grouped = polynomial_sum([(1, flat(part)) for part in parts])
    smaller = len(grouped) < len(rest)
    inner = from_polynomial(grouped, depth + 1) if smaller else flat_total(parts)
    # the sum left may stand below the line of the common factor
    return total([_term(monomial_product(common, m), size * c) for m, c in flat(inner).items()])


def flat_total(nodes: Iterable[Node]) -> Node:
    """Return a sum in which all sums are opened."""
    terms: list[Node] = []
    stack = [(node, _UNIT) for node in nodes]
    while stack:
        node, factor = stack.pop()
        if node.op is SCALE:
            stack.append((node.args[0], factor * node.value))
        elif node.op is ADD:
            terms.append(number(factor * node.value))
            stack += [(a, factor) for a in node.args]
        else:
            terms.append(scale(factor, node))
    return total(terms)


def _term(monomial: Monomial, factor: Number) -> Node:
    return (
        scale(factor, mul(*(power(atom, e) for atom, e in monomial)))
        if monomial
        else number(factor)
    )


def _without_common(polynomial: Polynomial) -> tuple[Monomial, Polynomial]:
    """Return the monomial that divides all terms, and what is left of them."""
    shared: dict[Node, Number] | None = None
    for monomial in polynomial:
        exponents = dict(monomial)
        if shared is None:
            shared = exponents
        else:
            shared = {
                atom: min(e, exponents[atom])
                for atom, e in shared.items()
                if atom in exponents and (e > 0) == (exponents[atom] > 0)
            }
    common = monomial_product((shared or {}).items(), ())
    inverse = [(atom, -e) for atom, e in common]
    return common, {monomial_product(m, inverse): c for m, c in polynomial.items()}


def _most_frequent(polynomial: Polynomial) -> Node | None:
    """Return the atom that is in most terms, if it is in more than one term."""
    counts: dict[Node, int] = {}
    for monomial in polynomial:
        for atom, _ in monomial:
            counts[atom] = counts.get(atom, 0) + 1
    best = min(counts, key=lambda atom: (-counts[atom], atom.order), default=None)
    return best if best is not None and counts[best] > 1 else None
