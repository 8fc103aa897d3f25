"""The shape of a group: its constraints without its names and numbers.

Groups of one shape, as the dyads of a long mechanism, are compiled once; each has its numbers as
parameters of that code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mbx.analyses.kinematics.groups.group import Group
from mbx.expr.build import add, mul
from mbx.expr.evaluate import ordered, rebuild
from mbx.expr.nodes import ADD, NUMBER, SCALE, SYMBOL, symbol
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from mbx.expr.nodes import Node

__all__ = ["Shape", "Shaped", "shaped"]

_SIGN: Final = -1
"""A factor that is part of a shape."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What groups have in common.

    Attributes:
        group: One of them, in symbols of the shape: phi0, h0 and so on.
        numbers: Symbols instead of its numbers.
    """

    group: Group
    numbers: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Shaped:
    """The shape of one group: what distinguishes it, and the numbers that are the group's."""

    key: tuple[Any, ...]
    values: tuple[float, ...]
    shape: Shape


def shaped(group: Group) -> Shaped:
    """Return the shape of a group."""
    symbols = {s: symbol(f"phi{k}") for k, s in enumerate(group.phi)}
    symbols |= {s: symbol(f"h{k}") for k, s in enumerate(group.h)}
    symbols[TIME] = TIME
    new: dict[Node, Node] = {}
    index: dict[Node, int] = {}
    values: list[float] = []
    numbers: list[Node] = []
    key: list[Any] = []

    def figure(value: Any) -> Node:
        values.append(float(value))
        numbers.append(symbol(f"n{len(numbers)}"))
        return numbers[-1]

    for node in ordered(group.rows):
        args = [new[a] for a in node.args]
        what: Any = node.value
        if node.op is SYMBOL:
            new[node] = symbols[node]
            what = symbols[node].value
        elif node.op is NUMBER:
            new[node], what = figure(node.value), None
        elif node.op is ADD and node.value:
            new[node], what = add(*args, figure(node.value)), True
        elif node.op is SCALE and node.value != _SIGN:
            new[node], what = mul(figure(node.value), args[0]), None
        else:
            new[node] = rebuild(node, args)
        index[node] = len(index)
        key.append((node.op, what, tuple(index[a] for a in node.args)))
    rows = tuple(new[row] for row in group.rows)
    h = tuple(symbols[s] for s in group.h)
    alike = Group(group.name, (), tuple(symbols[s] for s in group.phi), h, rows)
    identity = (tuple(key), tuple(index[row] for row in group.rows), len(group.phi))
    return Shaped(identity, tuple(values), Shape(alike, tuple(numbers)))
