"""Entries for display: simplified where they are small, in named parts where they are large."""

from __future__ import annotations

import re
from functools import reduce
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.polynomial import (
    EMPTY,
    flat,
    from_polynomial,
    monomial_product,
    polynomial_product,
    polynomial_sum,
)
from mbx.expr.algebra.simplify import simplify
from mbx.expr.algebra.trigonometry import gather
from mbx.expr.build import function, mul, neg, total
from mbx.expr.count import operations
from mbx.expr.cse import definitions
from mbx.expr.evaluate import ordered, rebuild, substitute
from mbx.expr.nodes import ADD, FUNCTION, POWER, PRODUCT, SCALE, Node, number, symbol
from mbx.expr.show import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mbx.expr.algebra.polynomial import Polynomial
    from mbx.expr.nodes import Number

__all__ = ["cost", "intermediates", "positive_part", "shortened", "turned", "written"]

_SMALL: Final = 300  # operations of a matrix that is simplified
_FAIR: Final = 250  # likewise, with the whole budget
_TINY: Final = 150  # likewise, twice
_BUDGET: Final = 200  # terms of a polynomial that is looked at
_TERMS: Final = 100  # terms of an entry whose squares are exchanged
_OPENED: Final = 100  # operations of such an entry
_CHEAP: Final = 6  # operations of a part that is written out wherever it stands
_LONG: Final = 24  # operations that are written in one piece
_NAMED: Final = frozenset({ADD, PRODUCT, POWER, FUNCTION})


def cost(nodes: Sequence[Node]) -> int:
    """Return the number of operations when shared parts are computed once."""
    return sum(operations(nodes).values())


def written(nodes: Sequence[Node]) -> int:
    """Return the number of signs and functions when every part stands wherever it is used."""
    sizes: dict[Node, int] = {}
    for node in ordered(nodes):
        sizes[node] = _own(node) + sum(sizes[a] for a in node.args)
    return sum(sizes[node] for node in nodes)


def _own(node: Node) -> int:
    match node.op:
        case "add":
            return len(node.args) - (0 if node.value else 1)
        case "scale":
            return int(abs(node.value) != 1)
        case "number" | "symbol":
            return 0
    return 1


def shortened(nodes: Sequence[Node]) -> list[Node]:
    """Return nodes of the same values that are shorter, if there are not too many operations."""
    if cost(nodes) > _SMALL:
        return list(nodes)
    simple = turned(simplify(nodes, _BUDGET if cost(nodes) <= _FAIR else _BUDGET // 2))
    if cost(simple) <= _TINY:
        simple = turned(simplify(simple, _BUDGET // 2))
    return turned(
        [
            min((new, *_exchanged(old), *_exchanged(new)), key=lambda one: cost([one]))
            for old, new in zip(nodes, simple, strict=True)
        ]
    )


# -- signs -----------------------------------------------------------------------------------


def turned(nodes: Sequence[Node]) -> list[Node]:
    """Return nodes in which x and -x never both stand in sines or cosines."""
    new: dict[Node, Node] = {}
    for node in ordered(nodes):
        now = rebuild(node, [new[a] for a in node.args])
        if now.op is FUNCTION and now.value in {"sin", "cos"} and _is_turned(now.args[0]):
            other = function(now.value, _opposite(now.args[0]))
            now = neg(other) if now.value == "sin" else other
        new[node] = now
    return [new[node] for node in nodes]


def _is_turned(node: Node) -> bool:
    """Whether the term whose text comes first has a minus."""
    terms = node.args if node.op is ADD else (node,)
    split = [(a.args[0], a.value) if a.op is SCALE else (a, 1) for a in terms]
    return min((show(a), factor) for a, factor in split)[1] < 0


def _opposite(node: Node) -> Node:
    if node.op is not ADD:
        return neg(node)
    return total([*(neg(a) for a in node.args), number(-node.value)])


def positive_part(node: Node) -> tuple[Node, int]:
    """Return a node or its opposite, whichever has a plus, and the sign."""
    if node.op is SCALE and node.value < 0:
        return neg(node), -1
    if node.op is ADD:
        parts = [positive_part(a) for a in node.args]
        if node.value <= 0 and all(sign < 0 for _, sign in parts):
            return total([*(part for part, _ in parts), number(-node.value)]), -1
    if node.op is PRODUCT:
        (a, s), (b, t) = (positive_part(x) for x in node.args)
        return (mul(a, b), s * t) if s * t < 0 or s < 0 else (node, 1)
    return node, 1


# -- squares of sines and cosines ------------------------------------------------------------


def _exchanged(node: Node) -> Iterator[Node]:
    """Yield a node with squared sines as cosines, and the other way round."""
    opened = _open(node) if cost([node]) <= _OPENED else None
    if opened is not None:
        for this, other in (("sin", "cos"), ("cos", "sin")):
            found = _without_squares(opened, this, other)
            yield from_polynomial(found)
            yield from_polynomial(gather(found))


def _open(node: Node) -> Polynomial | None:
    """Return a node as a polynomial, or nothing if it has many terms, or no square."""
    found: dict[Node, Polynomial] = {}
    for n in ordered([node]):
        parts = [found[a] for a in n.args]
        match n.op:
            case "add":
                constant: Polynomial = {EMPTY: n.value} if n.value else {}
                found[n] = polynomial_sum([(1, p) for p in [*parts, constant]])
            case "scale":
                found[n] = polynomial_sum([(n.value, parts[0])])
            case "product":
                if len(parts[0]) * len(parts[1]) > _TERMS:
                    return None
                found[n] = polynomial_product(*parts)
            case "power" if n.value in {2, 3, 4}:
                if len(parts[0]) ** n.value > _TERMS:
                    return None
                found[n] = reduce(polynomial_product, parts * n.value)
            case "function" if _is_double(n):
                found[n] = _of_double(n)
            case _:
                found[n] = flat(n)
        if len(found[n]) > _TERMS:
            return None
    opened = found[node]
    return opened if any(_square(m, "sin") or _square(m, "cos") for m in opened) else None


def _is_double(node: Node) -> bool:
    """Whether a node is the sine or cosine of twice something."""
    arg = node.args[0]
    return node.value in {"sin", "cos"} and arg.op is SCALE and arg.value == 2  # noqa: PLR2004


def _of_double(node: Node) -> Polynomial:
    """Return sin(2 x) as 2 sin(x) cos(x), cos(2 x) as cos(x)^2 - sin(x)^2."""
    sin, cos = (function(name, node.args[0].args[0]) for name in ("sin", "cos"))
    if node.value == "sin":
        return {monomial_product([(sin, 1)], [(cos, 1)]): 2}
    return {((cos, 2),): 1, ((sin, 2),): -1}


def _square(monomial: Sequence[tuple[Node, object]], name: str) -> Node | None:
    for atom, exponent in monomial:
        if atom.op is FUNCTION and atom.value == name and exponent in {2, 3, 4, 5, 6}:
            return atom
    return None


def _without_squares(polynomial: Polynomial, this: str, other: str) -> Polynomial:
    """Return a polynomial with 1 - cos(x)^2 for sin(x)^2, or the other way round."""
    left = polynomial
    while any(_square(m, this) for m in left):
        parts: list[tuple[Number, Polynomial]] = []
        for monomial, factor in left.items():
            atom = _square(monomial, this)
            if atom is None:
                parts.append((factor, {monomial: 1}))
                continue
            rest = monomial_product(monomial, [(atom, -2)])
            squared = monomial_product(rest, [(function(other, atom.args[0]), 2)])
            parts.append((factor, {rest: 1, squared: -1}))
        left = polynomial_sum(parts)
    return left


# -- named parts -----------------------------------------------------------------------------


def intermediates(
    nodes: Sequence[Node], taken: Iterable[str] = ()
) -> tuple[list[tuple[Node, Node]], list[Node]]:
    """Return names for parts that are used more than once or are long, and nodes in them."""
    prefix = next(p for p in ("z", "zz", "zzz", "part") if not _begins(p, taken))
    found, new = definitions(nodes, prefix)
    kept: dict[Node, Node] = {}  # names by value
    known: dict[Node, Node] = {}

    def keep(value: Node) -> Node:
        plus, sign = positive_part(value)
        name = kept.setdefault(plus, symbol(f"{prefix}{len(kept) + 1}"))
        return name if sign > 0 else neg(name)

    def cut(node: Node) -> Node:
        """Return a node in pieces, the larger ones named."""
        pieces: dict[Node, Node] = {}
        root = node.args[0] if node.op is SCALE else node
        for n in ordered([node]):
            [now] = substitute([n], {a: pieces[a] for a in n.args if pieces[a] is not a})
            large = n.op in _NAMED and n is not root and written([now]) > _LONG
            pieces[n] = keep(now) if large else now
        return pieces[node]

    for name, value in found:
        [now] = substitute([value], known)
        known[name] = now if written([now]) < _CHEAP else keep(cut(now))
    rest = [cut(node) for node in substitute(new, known)]
    return [(name, value) for value, name in kept.items()], rest


def _begins(prefix: str, names: Iterable[str]) -> bool:
    # z_1 and z[1] are printed like z1
    return any(re.fullmatch(rf"{prefix}_?\[?[0-9]+\]?", n) for n in names)
