"""Expressions as a table: each node once, made of those before it.

    ["number", "1/3"]   ["symbol", "m"]           ["add", 0, 1, "2"]   ["scale", 0, "-1"]
    ["product", 0, 1]   ["power", 0, "1/2"]       ["function", 0, "sin"]
    ["less", 0, 1]      ["choose", 2, 0, 1]

A number that is exact is written as `p` or `p/q`, a float with a point or an exponent.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import EquationsError
from mbx.expr.build import FUNCTIONS
from mbx.expr.evaluate import ordered
from mbx.expr.nodes import ADD, NUMBER, PRODUCT, SCALE, Node, Number, intern, number, symbol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["read_nodes", "write_nodes"]

_ARITY: Final = {
    "number": (0, 0),
    "symbol": (0, 0),
    "add": (1, 100_000),
    "scale": (1, 1),
    "product": (2, 2),
    "power": (1, 1),
    "function": (1, 2),
    "less": (2, 2),
    "choose": (3, 3),
}
_VALUELESS: Final = frozenset({"product", "less", "choose"})
_EXACT: Final = re.compile(r"-?[0-9]{1,400}(/[0-9]{1,400})?", re.ASCII)
_FLOAT: Final = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?(e[+-]?[0-9]{1,3})?", re.ASCII)
_LARGEST_EXPONENT: Final = 1_000


def write_nodes(nodes: Iterable[Node]) -> tuple[list[list[Any]], dict[Node, int]]:
    """Return the table of all nodes below these, and the index of each in it."""
    table: list[list[Any]] = []
    indices: dict[Node, int] = {}
    for node in ordered(nodes):
        indices[node] = len(table)
        row: list[Any] = [node.op, *(indices[a] for a in node.args)]
        if node.value is not None:
            row.append(node.value if isinstance(node.value, str) else _text(node.value))
        table.append(row)
    return table, indices


def _text(value: Number) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def read_nodes(table: Sequence[Sequence[Any]]) -> list[Node]:
    """Return the nodes of a table; raise an error where a row is none."""
    nodes: list[Node] = []
    for k, row in enumerate(table):
        try:
            nodes.append(_node(row, nodes))
        except ValueError as error:
            raise EquationsError(f"node {k}: {error}", f"/nodes/{k}") from None
    return nodes


def _node(row: Sequence[Any], nodes: Sequence[Node]) -> Node:
    op, *rest = row
    if op not in _ARITY:
        raise ValueError(f"there is no operation {op!r}")
    value = None if op in _VALUELESS else rest.pop()
    least, most = _ARITY[op]
    if not least <= len(rest) <= most or not all(
        isinstance(a, int) and 0 <= a < len(nodes) for a in rest
    ):
        raise ValueError("its arguments are no nodes before it, or their number is wrong")
    args = tuple(nodes[a] for a in rest)
    if value is not None and not isinstance(value, str):
        raise ValueError("its value is no text")
    return _made(op, args, value or "")


def _made(op: str, args: tuple[Node, ...], value: str) -> Node:
    """Return a node as it was written; constants are folded already, so nothing can grow."""
    constant = [a.op is NUMBER for a in args]
    match op:
        case "symbol":
            if not value:
                raise ValueError("a symbol needs a name")
            return symbol(value)
        case "number":
            return number(_number(value))
        case "function":
            if value not in FUNCTIONS or (len(args) == 2) != (value == "atan2"):  # noqa: PLR2004
                raise ValueError(f"there is no such function: {value!r}")
            if not all(constant):
                return intern("function", args, value)
        case "less":
            if not all(constant):
                return intern("less", args)
        case "choose":
            if not constant[0]:
                return intern("choose", args)
        case _ if not any(constant):
            return _arithmetic(op, args, value)
    raise ValueError("an operation on constants, which is a number")


def _arithmetic(op: str, args: tuple[Node, ...], value: str) -> Node:
    # a file may hold arguments in any order
    match op:
        case "add":
            terms = sorted(args, key=lambda a: (a.args[0] if a.op is SCALE else a).order)
            return intern(ADD, tuple(terms), _number(value))
        case "product":
            return intern(PRODUCT, tuple(sorted(args, key=lambda a: a.order)))
        case "scale":
            return intern(SCALE, args, _number(value))
    exponent = _number(value)
    if not -_LARGEST_EXPONENT <= exponent <= _LARGEST_EXPONENT:
        raise ValueError("its exponent is too large")
    return intern("power", args, exponent)


def _number(text: str) -> Number:
    if _EXACT.fullmatch(text):
        top, _, bottom = text.partition("/")
        if bottom and not int(bottom):
            raise ValueError("a denominator is zero")
        exact = Fraction(int(top), int(bottom or 1))
        return exact.numerator if exact.denominator == 1 else exact
    if _FLOAT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    raise ValueError(f"{text[:40]!r} is no number")
