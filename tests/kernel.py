"""What tests of the expression kernel share: random expressions, and text read back."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from random import Random
from typing import TYPE_CHECKING, Any, Final

import sympy

from mbx.expr import build, conditions
from mbx.expr.evaluate import evaluate, free_symbols
from mbx.expr.nodes import Node, number, symbol
from mbx.language.document import expressions as written
from mbx.language.text.expression_rules import parse_expression

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["SYMBOLS", "Pair", "assert_same_values", "point", "random_pairs", "read"]

SYMBOLS: Final = tuple(symbol(name) for name in ("x", "y", "arm.theta'", "m[2]"))
_SYMPY: Final = tuple(sympy.Symbol(s.value, real=True) for s in SYMBOLS)
_ANYWHERE: Final = ("sin", "cos", "atan", "sinh", "cosh", "tanh", "exp", "abs", "sign", "tan")
_SYMPY_NAMES: Final = {"abs": "Abs"}


@dataclass(frozen=True, slots=True)
class Pair:
    """One expression, made by the kernel and by SymPy from the same steps."""

    node: Node
    peer: Any


def _bounded(pair: Pair) -> Pair:
    """Return an expression between -1 and 1, so that nothing overflows."""
    return Pair(build.function("tanh", pair.node), sympy.tanh(pair.peer))


def _positive(pair: Pair) -> Pair:
    """Return an expression above one half, for what divides or stands under a root."""
    return Pair(
        build.add(build.power(pair.node, 2), number(Fraction(1, 2))),
        pair.peer**2 + sympy.Rational(1, 2),
    )


def _step(draw: Random, a: Pair, b: Pair) -> Pair:
    kind = draw.randrange(11)
    name = draw.choice(_ANYWHERE)
    inner = _bounded(a)
    half = Pair(build.scale(Fraction(1, 2), inner.node), inner.peer / 2)
    match kind:
        case 0 | 1:
            return Pair(build.add(a.node, b.node), a.peer + b.peer)
        case 2:
            return Pair(build.sub(a.node, b.node), a.peer - b.peer)
        case 3 | 4:
            return Pair(build.mul(a.node, b.node), a.peer * b.peer)
        case 5:
            below = _positive(b)
            return Pair(build.divide(a.node, below.node), a.peer / below.peer)
        case 6:
            exponent = Fraction(draw.choice([4, 6, -2, -4, 1, -3]), 2)
            base = _positive(a)
            return Pair(
                build.power(base.node, exponent), base.peer ** sympy.Rational(str(exponent))
            )
        case 7:
            peer = getattr(sympy, _SYMPY_NAMES.get(name, name))
            return Pair(build.function(name, half.node), peer(half.peer))
        case 8:
            name = draw.choice(["asin", "acos"])
            return Pair(build.function(name, half.node), getattr(sympy, name)(half.peer))
        case 9:
            below = _positive(b)
            angle = Pair(
                build.function("atan2", a.node, below.node), sympy.atan2(a.peer, below.peer)
            )
            root = Pair(build.function("log", below.node), sympy.log(below.peer))
            return draw.choice([angle, root])
    return Pair(
        build.choose(build.less(a.node, b.node), a.node, build.scale(2, b.node)),
        sympy.Piecewise((a.peer, a.peer < b.peer), (2 * b.peer, True)),
    )


def random_pairs(seed: int, steps: int = 8) -> list[Pair]:
    """Return expressions made step by step from symbols and numbers."""
    draw = Random(seed)  # noqa: S311
    pool = [Pair(node, peer) for node, peer in zip(SYMBOLS, _SYMPY, strict=True)]
    pool += [Pair(number(v), sympy.Rational(str(v))) for v in (2, -1, Fraction(2, 3))]
    start = len(pool)
    for _ in range(steps):
        pool.append(_step(draw, draw.choice(pool), draw.choice(pool)))
    return pool[start:]


def point(nodes: Sequence[Node], seed: int = 0) -> dict[Node, float]:
    """Return random values of the symbols of some nodes."""
    draw = Random(seed)  # noqa: S311
    return {s: draw.uniform(0.2, 1.4) for s in {*free_symbols(nodes), *SYMBOLS}}


def assert_same_values(a: Sequence[Node], b: Sequence[Node], seed: int = 0) -> None:
    """Fail unless two lists of nodes have the same values at random points."""
    for k in range(3):
        at = dict(sorted(point([*a, *b], seed + k).items(), key=lambda item: item[0].order))
        for x, y in zip(evaluate(a, at), evaluate(b, at), strict=True):
            assert abs(x - y) <= 1e-8 * (1 + abs(x)), (x, y)


# -- text read back -------------------------------------------------------------------------

_COMPARE: Final[dict[str, Callable[[Node, Node], Node]]] = {
    "<": build.less,
    "<=": conditions.at_most,
    ">": lambda a, b: build.less(b, a),
    ">=": lambda a, b: conditions.at_most(b, a),
    "==": conditions.equal,
    "!=": lambda a, b: conditions.negation(conditions.equal(a, b)),
}


def read(text: str) -> Node:
    """Return the node that a text in .mb syntax means."""
    return _lower(parse_expression(text))


def _lower(e: written.Expression) -> Node:
    match e:
        case written.Number(text):
            return number(Fraction(text))
        case written.Reference(path, primes):
            return symbol(".".join(map(_segment, path)) + "'" * primes)
        case written.Group(x):
            return _lower(x)
        case written.Negative(x):
            return build.neg(_lower(x))
        case written.Sum(terms):
            return build.total([build.scale(1 if s == "+" else -1, _lower(x)) for s, x in terms])
        case written.Product(factors):
            return build.mul(*(build.power(_lower(x), 1 if s == "*" else -1) for s, x in factors))
        case written.Power(base, exponent):
            return build.power(_lower(base), _lower(exponent).value)
        case written.Call("min", items):
            return conditions.smallest(*map(_lower, items))
        case written.Call("max", items):
            return conditions.largest(*map(_lower, items))
        case written.Call(name, items):
            return build.function(name, *map(_lower, items))
        case written.Comparison(operator, a, b):
            return _COMPARE[operator](_lower(a), _lower(b))
        case written.Junction(operator, items):
            joined = conditions.both if operator == "and" else conditions.either
            return reduce(joined, map(_lower, items))
        case written.Not(x):
            return conditions.negation(_lower(x))
        case written.Conditional(c, a, b):
            return build.choose(_lower(c), _lower(a), _lower(b))
        case written.MaterialPoint() | written.Vector():
            raise AssertionError(e)


def _segment(segment: written.Segment) -> str:
    match segment.index:
        case None:
            return segment.name
        case written.Number(text):
            return f"{segment.name}[{text}]"
    raise AssertionError(segment)
