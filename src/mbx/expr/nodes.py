"""Nodes of the graph, and the table that makes equal ones the same.

A node is an operation on other nodes:

    number     value                    an exact rational, or a float
    symbol     value = name
    add        args + value             at least two parts; value is the constant part
    scale      value * args[0]          a number times what is no number
    product    args[0] * args[1]
    power      args[0] ^ value          a rational power other than 0 and 1
    function   value(*args)
    less       args[0] < args[1]        conditions: 1 or 0
    choose     args[1] if args[0] else args[2]
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import count
from typing import Any, Final
from weakref import ref

__all__ = [
    "ADD",
    "CHOOSE",
    "FUNCTION",
    "LESS",
    "NUMBER",
    "ONE",
    "POWER",
    "PRODUCT",
    "SCALE",
    "SYMBOL",
    "ZERO",
    "Node",
    "Number",
    "forget",
    "intern",
    "number",
    "plain",
    "symbol",
]

NUMBER: Final = "number"
SYMBOL: Final = "symbol"
ADD: Final = "add"
SCALE: Final = "scale"
PRODUCT: Final = "product"
POWER: Final = "power"
FUNCTION: Final = "function"
LESS: Final = "less"
CHOOSE: Final = "choose"

Number = Fraction | float | int

_WHOLE: Final = 2.0**53  # beyond, a float stands for more than one whole number
_serials: Final = count()


class Node:
    """One expression; compare with `is`. Arithmetic is defined in `mbx.expr.build`."""

    __slots__ = ("__weakref__", "args", "op", "serial", "value")

    op: str
    args: tuple[Node, ...]
    value: Any
    serial: int

    def __repr__(self) -> str:
        """Return the expression as text, cut if it is long."""
        from mbx.expr.show import show  # noqa: PLC0415  only for people

        return show(self, limit=200)

    def __reduce__(self) -> Any:
        """Refuse to be copied or sent: identity is equality."""
        raise TypeError("expression nodes stay in their process")


class _Entry(ref[Node]):
    """What the table holds of a node: no more than a weak reference, and the node's key."""

    __slots__ = ("key",)

    key: tuple[Any, ...]


# A WeakValueDictionary does the same at three times the cost.
_table: Final[dict[tuple[Any, ...], _Entry]] = {}


def forget(entry: Any) -> None:
    """Take a dead node out of the table, unless a new one already has its place."""
    key = entry.key
    if _table.get(key) is entry:
        del _table[key]


def intern(
    op: str,
    args: tuple[Node, ...],
    value: Any = None,
    *,
    _find: Any = _table.get,  # found faster as a local name
    _new: Any = Node.__new__,
    _serial: Any = _serials.__next__,
) -> Node:
    """Return the one node of an operation; the caller has brought it to canonical form."""
    key = (op, args, value, value.__class__)
    entry = _find(key)
    if entry is not None:
        found: Node | None = entry()
        if found is not None:
            return found
    node: Node = _new(Node)
    node.op = op
    node.args = args
    node.value = value
    node.serial = _serial()
    fresh = _Entry(node, forget)
    fresh.key = key
    _table[key] = fresh
    return node


def number(value: Number) -> Node:
    """Return a number; whole floats become exact, so that 2.0 and 2 are one."""
    return intern(NUMBER, (), plain(value))


def plain(value: Number, operation: str = "a value") -> Any:
    """Return a number in its plainest type; raise `ValueError` if the operation gave none."""
    if value.__class__ is int:
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{operation} is {value}, which is no number")
        return int(value) if value.is_integer() and abs(value) < _WHOLE else float(value)
    return value.numerator if value.denominator == 1 else value


def symbol(name: str) -> Node:
    """Return a symbol."""
    return intern(SYMBOL, (), name)


ZERO: Final = number(0)
ONE: Final = number(1)
