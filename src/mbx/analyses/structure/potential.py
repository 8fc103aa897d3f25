"""The function with known slopes, where it can be written: sums, powers, sines and such.

The result is differentiated again and compared, so that it is right or not there at all.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.elimination import vanishes
from mbx.expr.algebra.simplify import simplify
from mbx.expr.build import add, divide, function, mul, neg, power, scale, sub, total
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import ADD, FUNCTION, NUMBER, ONE, POWER, PRODUCT, SCALE, ZERO, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node

__all__ = ["potential"]

_DEEPEST: Final = 12
_TERMS: Final = 200
"""Longest sum that is integrated, terms counted after products are opened."""


def potential(a: Sequence[Node], x: Sequence[Node]) -> Node | None:
    """Return a function with the slopes a by x; None where these rules give none."""
    primitive: Node = ZERO
    for k, symbol in enumerate(x):
        rest = sub(a[k], gradient(primitive, [symbol])[0])
        if vanishes(rest):
            continue
        # what is left depends on no earlier coordinate, so each may stand at zero
        (rest,) = simplify([rest])
        earlier = set(x[:k]) & set(free_symbols([rest]))
        if earlier:
            try:
                (rest,) = simplify(substitute([rest], dict.fromkeys(earlier, ZERO)))
            except (ArithmeticError, ValueError):
                return None
        part = _integral(rest, symbol, 0)
        if part is None:
            return None
        primitive = add(primitive, part)
    slopes = gradient(primitive, list(x))
    right = all(vanishes(sub(s, coefficient)) for s, coefficient in zip(slopes, a, strict=True))
    return primitive if right else None


def _integral(node: Node, x: Node, depth: int) -> Node | None:
    """Return an antiderivative by one symbol."""
    if x not in free_symbols([node]):
        return mul(node, x)
    if depth > _DEEPEST:
        return None
    if node.op is SCALE:
        inner = _integral(node.args[0], x, depth + 1)
        return None if inner is None else scale(node.value, inner)
    if node.op is ADD:
        if len(node.args) > _TERMS:
            return None
        parts = [_integral(part, x, depth + 1) for part in node.args]
        sound = [part for part in parts if part is not None]
        return total([*sound, scale(node.value, x)]) if len(sound) == len(parts) else None
    return _integral_of_product(_factors(node), x, depth)


def _factors(node: Node) -> list[Node]:
    if node.op is SCALE:
        return [number(node.value), *_factors(node.args[0])]
    if node.op is PRODUCT:
        return [f for a in node.args for f in _factors(a)]
    return [node]


def _integral_of_product(factors: list[Node], x: Node, depth: int) -> Node | None:
    """Return an antiderivative of c F(g) g' with a constant c, for whatever factor is F(g)."""
    moving = [f for f in factors if x in free_symbols([f])]
    constant = mul(*(f for f in factors if f not in moving)) if len(moving) < len(factors) else ONE
    for k, factor in enumerate(moving):
        inner = factor.args[0] if factor.op in {POWER, FUNCTION} and factor.args else factor
        remaining = moving[:k] + moving[k + 1 :]
        rest = mul(*remaining) if remaining else ONE
        for g, primitive in ((inner, _primitive(factor)), (factor, _half_square(factor))):
            slope = gradient(g, [x])[0]
            if primitive is None or vanishes(slope):
                continue
            ratio = divide(rest, slope)
            if vanishes(gradient(ratio, [x])[0]):
                return mul(constant, _fixed(ratio, x), primitive)
    for k, factor in enumerate(moving):
        if factor.op is ADD:  # the product of a sum is a sum of products
            remaining = moving[:k] + moving[k + 1 :]
            terms = [*factor.args, *([number(factor.value)] if factor.value else [])]
            opened = total([mul(term, *remaining) for term in terms])
            inner_sum = _integral(opened, x, depth + 1)
            return None if inner_sum is None else mul(constant, inner_sum)
    return None


def _half_square(node: Node) -> Node:
    """Return the antiderivative of a function by itself: half of its square."""
    return scale(Fraction(1, 2), power(node, 2))


def _fixed(ratio: Node, x: Node) -> Node:
    """Return a factor that does not depend on a symbol, written without it."""
    (short,) = simplify([ratio])
    if x not in free_symbols([short]):
        return short
    return simplify(substitute([short], {x: number(1)}))[0]


def _primitive(factor: Node) -> Node | None:
    """Return F(g) integrated by g, where g is its argument."""
    if factor.op is POWER:
        if factor.value == -1:
            return None  # a logarithm, which would need a sign
        exponent = factor.value + 1
        return divide(power(factor.args[0], exponent), number(exponent))
    if factor.op is FUNCTION and len(factor.args) == 1:
        g = factor.args[0]
        match factor.value:
            case "sin":
                return neg(function("cos", g))
            case "cos":
                return function("sin", g)
            case "exp":
                return factor
            case "sinh":
                return function("cosh", g)
            case "cosh":
                return function("sinh", g)
        return None
    return None if factor.op is NUMBER else _half_square(factor)
