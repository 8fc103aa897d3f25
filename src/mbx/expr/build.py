"""Smart constructors of scalars, vectors and matrices in canonical form.

Constants are folded and like terms merged; nothing is expanded. A sum inside a sum is opened only
where that cancels or merges a term; a product inside a product never, because what is shared would
be computed twice. NULL and UNIT are known by identity, so that what does not move costs nothing.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.expr.nodes import (
    ADD,
    CHOOSE,
    FUNCTION,
    FUNCTIONS,
    LESS,
    NUMBER,
    ONE,
    POWER,
    PRODUCT,
    SCALE,
    SYMBOL,
    ZERO,
    Node,
    Number,
    intern,
    number,
    number_function,
    number_power,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


__all__ = [
    "FUNCTIONS",
    "NULL",
    "UNIT",
    "Matrix",
    "Vector",
    "add",
    "choose",
    "cross",
    "divide",
    "dot",
    "function",
    "is_condition",
    "less",
    "matmul",
    "matvec",
    "minus",
    "mul",
    "neg",
    "plus",
    "power",
    "scale",
    "settled",
    "skew",
    "sub",
    "times",
    "total",
    "transposed",
]

_ODD: Final = frozenset({"sin", "tan", "asin", "atan", "sinh", "tanh", "sign"})
_EVEN: Final = frozenset({"cos", "cosh", "abs"})
_PLAIN: Final = frozenset({SYMBOL, PRODUCT, POWER, FUNCTION, LESS, CHOOSE})  # in sums
_SIMPLE: Final = frozenset({SYMBOL, ADD, PRODUCT, FUNCTION, LESS, CHOOSE})  # in products
_ROUNDING: Final = 1e-15  # of floats that cancel: what is left below it is rounding
_AT_ZERO: Final = {
    "cos": 1,
    "cosh": 1,
    "exp": 1,
    "sin": 0,
    "tan": 0,
    "asin": 0,
    "atan": 0,
    "sinh": 0,
    "tanh": 0,
    "abs": 0,
    "sign": 0,
}


def scale(factor: Number, node: Node) -> Node:
    """Return a number times a node."""
    if factor == 1:
        return node
    op = node.op
    if op is SCALE:
        return scale(plain(factor * node.value, "a product"), node.args[0])
    if op is NUMBER:
        return number(plain(factor * node.value, "a product"))
    if factor == 0:
        return ZERO
    if op is ADD and factor == -1:
        return _negated(node)
    return intern(SCALE, (node,), factor if factor.__class__ is int else plain(factor))


def _negated(node: Node) -> Node:
    """Return minus a sum; of the two, the sum with more plus signs is kept as it is."""
    minus = 0
    for a in node.args:
        if a.op is SCALE and a.value < 0:
            minus += 1
    if 2 * minus <= len(node.args):
        return intern(SCALE, (node,), -1)
    return _sum({_base(a): -_factor(a) for a in node.args}, -node.value)


def _base(node: Node) -> Node:
    return node.args[0] if node.op is SCALE else node


def _factor(node: Node) -> Number:
    factor: Number = node.value if node.op is SCALE else 1
    return factor


def add(*nodes: Node) -> Node:
    """Return a sum."""
    return _pair(*nodes) if len(nodes) == 2 else total(nodes)  # noqa: PLR2004


def _pair(a: Node, b: Node) -> Node:
    """Return the sum of two nodes: nearly all sums are of two, so this is `total` made fast."""
    if a.op in _PLAIN and b.op in _PLAIN and a is not b:
        return intern(ADD, (a, b) if a.order < b.order else (b, a), 0)
    if a is ZERO:
        return b
    if b is ZERO:
        return a
    base_a = a.args[0] if a.op is SCALE else a
    base_b = b.args[0] if b.op is SCALE else b
    simple = base_a.op in _PLAIN and base_b.op in _PLAIN and base_a is not base_b
    if simple or (_apart(base_a, base_b) and _apart(base_b, base_a)):
        return intern(ADD, (a, b) if base_a.order < base_b.order else (b, a), 0)
    return _total((a, b))


def total(nodes: Iterable[Node]) -> Node:
    """Return the sum of several nodes."""
    nodes = tuple(nodes)
    if len(nodes) == 2:  # noqa: PLR2004
        return _pair(*nodes)
    return nodes[0] if len(nodes) == 1 else _total(nodes)


def _total(nodes: Iterable[Node]) -> Node:
    constant: Number = 0
    terms: dict[Node, Number] = {}
    sizes: dict[Node, float] = {}
    sums: list[Node] = []
    for node in nodes:
        if node.op is NUMBER:
            constant = _merge(constant, node.value, ONE, sizes)
            continue
        base, factor = (node.args[0], node.value) if node.op is SCALE else (node, 1)
        if base in terms:
            terms[base] = _merge(terms[base], factor, base, sizes)
            continue
        if base.op is ADD:
            sums.append(base)
        terms[base] = factor
    if sums:
        constant = _open(terms, sums, constant, sizes)
    for base, size in sizes.items():
        if base is ONE:
            constant = _round_off(constant, size)
        else:
            terms[base] = _round_off(terms[base], size)
    return _sum(terms, constant)


def _merge(old: Number, new: Number, base: Node, sizes: dict[Node, float]) -> Number:
    """Return the sum of two factors of a base, and note the size of floats that are in it."""
    merged = old + new
    if merged.__class__ is float:
        sizes[base] = sizes.get(base, abs(float(old))) + abs(float(new))
    return merged


def _round_off(factor: Number, size: float) -> Number:
    """Return a factor, and zero for what rounding leaves of floats that cancel."""
    return 0 if abs(float(factor)) <= _ROUNDING * size < math.inf else factor


def _apart(base: Node, other: Node) -> bool:
    """Whether a base is no number, and not the other nor a sum that holds it."""
    if base.op is ADD:
        for a in base.args:
            if a is other or (a.op is SCALE and a.args[0] is other):
                return False
    return base is not other and base.op is not NUMBER


def _open(
    terms: dict[Node, Number], sums: list[Node], constant: Number, sizes: dict[Node, float]
) -> Number:
    """Replace each sum that shares a term with the others by its terms; return the constant."""
    seen = constant != 0
    while True:
        # what is opened brings terms that may open more, so the order of the sums is no matter
        opened = [
            node
            for node in sums
            if (seen and node.value) or any(_base(a) in terms for a in node.args)
        ]
        if not opened:
            return constant
        sums = [node for node in sums if node not in opened]
        for node in opened:
            factor, terms[node] = terms[node], 0
            if node.value:
                constant = _merge(constant, factor * node.value, ONE, sizes)
                seen = True
            for a in node.args:
                base = _base(a)
                if base in terms:
                    terms[base] = _merge(terms[base], factor * _factor(a), base, sizes)
                    continue
                if base.op is ADD:
                    sums.append(base)
                terms[base] = factor * _factor(a)


def _sum(terms: dict[Node, Number], constant: Number) -> Node:
    kept = [(base, f) for base, f in terms.items() if f != 0]
    if not kept:
        return number(plain(constant, "a sum"))
    if len(kept) == 1 and constant == 0:
        return scale(kept[0][1], kept[0][0])
    kept.sort(key=_term_order)
    args = tuple([b if f == 1 else intern(SCALE, (b,), plain(f, "a sum")) for b, f in kept])
    return intern(ADD, args, plain(constant, "a sum"))


def _term_order(term: tuple[Node, Number]) -> int:
    return term[0].order


def neg(node: Node) -> Node:
    """Return minus a node."""
    return scale(-1, node)


def sub(a: Node, b: Node) -> Node:
    """Return a difference."""
    return _pair(a, scale(-1, b))


def mul(*nodes: Node) -> Node:
    """Return a product."""
    if len(nodes) == 2:  # noqa: PLR2004  nearly all products are of two
        a, b = nodes
        if a.op in _SIMPLE and b.op in _SIMPLE and a is not b:
            return intern(PRODUCT, (a, b) if a.order < b.order else (b, a))
        if a.op is NUMBER:
            return scale(a.value, b)
        if b.op is NUMBER:
            return scale(b.value, a)
        if a.op is not SCALE and b.op is not SCALE:
            return _product(a, b)
    factor: Number = 1
    rest: list[Node] = []
    for node in nodes:
        if node.op is NUMBER:
            factor *= node.value
        elif node.op is SCALE:
            factor *= node.value
            rest.append(node.args[0])
        else:
            rest.append(node)
    if factor == 0 or not rest:
        return number(plain(factor, "a product"))
    rest.sort(key=_base_order)  # powers of a base side by side
    merged = rest[:1]
    for node in rest[1:]:
        if _power_base(node) is _power_base(merged[-1]):
            merged[-1] = _product(merged[-1], node)
        else:
            merged.append(node)
    # what was merged may be a number or have a factor: two roots of 2 x
    result = merged[0]
    for node in merged[1:]:
        result = mul(result, node)
    return scale(plain(factor, "a product"), result)


def _power_base(node: Node) -> Node:
    return node.args[0] if node.op is POWER else node


def _base_order(node: Node) -> int:
    return _power_base(node).order


def _product(a: Node, b: Node) -> Node:
    base_a, power_a = (a.args[0], a.value) if a.op is POWER else (a, 1)
    base_b, power_b = (b.args[0], b.value) if b.op is POWER else (b, 1)
    if base_a is base_b:
        return power(base_a, power_a + power_b)
    return intern(PRODUCT, (a, b) if a.order < b.order else (b, a))


def power(base: Node, exponent: Number) -> Node:
    """Return a rational power."""
    exponent = plain(exponent)
    if exponent == 0:
        return ONE
    if exponent == 1:
        return base
    whole = exponent.__class__ is int
    if base.op is NUMBER:
        return number_power(base.value, exponent)
    if base.op is POWER and (whole or base.value.__class__ is not int):
        return power(base.args[0], base.value * exponent)
    if base.op is SCALE and whole:
        factor = number_power(base.value, exponent).value
        return scale(factor, power(base.args[0], exponent))
    return intern(POWER, (base,), exponent)


def divide(a: Node, b: Node) -> Node:
    """Return a quotient."""
    return mul(a, power(b, -1))


def function(name: str, *args: Node) -> Node:
    """Return an elementary function."""
    first = args[0]
    if len(args) == 1:
        if first is ZERO and name in _AT_ZERO:
            return number(_AT_ZERO[name])
        if name == "sqrt":
            return power(first, Fraction(1, 2))
        negative = (first.op is SCALE and first.value < 0) or (
            first.op is NUMBER and first.value < 0
        )
        if negative and name in _ODD:
            return scale(-1, function(name, scale(-1, first)))
        if negative and name in _EVEN:
            return function(name, scale(-1, first))
    if all(a.op is NUMBER for a in args):
        return number_function(name, [a.value for a in args])
    if name not in FUNCTIONS:
        raise ValueError(f"no function is called {name}")
    return intern(FUNCTION, args, name)


def less(a: Node, b: Node) -> Node:
    """Return the condition a < b, as 1 or 0."""
    if a is b:
        return ZERO
    if a.op is NUMBER and b.op is NUMBER:
        return ONE if a.value < b.value else ZERO
    return intern(LESS, (a, b))


def choose(condition: Node, yes: Node, no: Node) -> Node:
    """Return either of two nodes, by a condition."""
    if condition.op is NUMBER:
        return yes if condition.value else no
    if yes is no:
        return yes
    if condition.op is CHOOSE and condition.args[1:] == (ZERO, ONE):  # a negation
        return choose(condition.args[0], no, yes)
    if yes is ONE and no is ZERO and is_condition(condition):
        return condition
    return intern(CHOOSE, (condition, yes, no))


def is_condition(node: Node) -> bool:
    """Whether a node is seen to be 1 or 0: a comparison, or such joined by and, or, not."""
    while node.op is CHOOSE:
        rest = [a for a in node.args[1:] if a is not ZERO and a is not ONE]
        if len(rest) > 1:
            return False
        if not rest:
            return True
        node = rest[0]
    return node.op is LESS


Vector = tuple[Node, Node, Node]
Matrix = tuple[Vector, Vector, Vector]

NULL: Vector = (ZERO, ZERO, ZERO)
UNIT: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def dot(a: Sequence[Node], b: Sequence[Node]) -> Node:
    """Return the scalar product."""
    parts = [mul(x, y) for x, y in zip(a, b, strict=True) if x is not ZERO and y is not ZERO]
    return add(*parts) if parts else ZERO


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    if a is NULL or b is NULL:
        return NULL
    return (
        sub(mul(a[1], b[2]), mul(a[2], b[1])),
        sub(mul(a[2], b[0]), mul(a[0], b[2])),
        sub(mul(a[0], b[1]), mul(a[1], b[0])),
    )


def plus(*vectors: Vector) -> Vector:
    """Return a sum of vectors."""
    nonzero = [v for v in vectors if v is not NULL]
    if not nonzero:
        return NULL
    if len(nonzero) == 1:
        return nonzero[0]
    return (
        add(*(v[0] for v in nonzero)),
        add(*(v[1] for v in nonzero)),
        add(*(v[2] for v in nonzero)),
    )


def minus(a: Vector, b: Vector) -> Vector:
    """Return a difference of vectors."""
    return a if b is NULL else (sub(a[0], b[0]), sub(a[1], b[1]), sub(a[2], b[2]))


def times(factor: Node, a: Vector) -> Vector:
    """Return a scalar times a vector."""
    return (mul(factor, a[0]), mul(factor, a[1]), mul(factor, a[2]))


def matvec(m: Matrix, a: Vector) -> Vector:
    """Return a matrix times a vector."""
    if a is NULL:
        return NULL
    return a if m is UNIT else (dot(m[0], a), dot(m[1], a), dot(m[2], a))


def transposed(m: Matrix) -> Matrix:
    """Return the transpose."""
    if m is UNIT:
        return UNIT
    a, b, c = zip(*m, strict=True)
    return (a, b, c)


def matmul(m: Matrix, n: Matrix) -> Matrix:
    """Return a product of matrices."""
    if m is UNIT:
        return n
    if n is UNIT:
        return m
    columns = transposed(n)
    a, b, c = (tuple(dot(row, column) for column in columns) for row in m)
    return (a, b, c)  # type: ignore[return-value]


def skew(a: Vector) -> Matrix:
    """Return the matrix that takes b to the vector product a x b."""
    x, y, z = a
    return ((ZERO, neg(z), y), (z, ZERO, neg(x)), (neg(y), x, ZERO))


def settled(a: Vector) -> Vector:
    """Return the vector, as NULL itself if all its components are zero."""
    return NULL if a[0] is ZERO and a[1] is ZERO and a[2] is ZERO else a
