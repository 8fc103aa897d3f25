"""What planted faults are written with, beside the code around them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from mbx.expr.build import add, choose, less, neg, scale
from mbx.expr.nodes import ZERO, Node

__all__ = ["nothing", "only_where", "opposite", "slightly"]

_SMALL: Final = Fraction(1, 10**6)


def slightly(value: Any, other: Node | None = None) -> Any:
    """Return a node, or a vector or matrix of nodes, times 1 + 1e-6.

    With another node, 1e-6 of that is added to a node instead.
    """
    if isinstance(value, Node):
        return scale(1 + _SMALL, value) if other is None else add(value, scale(_SMALL, other))
    found = [slightly(one) for one in value]
    if all(one is old for one, old in zip(found, value, strict=True)):
        return value  # zero vectors are known by identity
    return found if isinstance(value, list) else tuple(found)


def only_where(positive: Node, wrong: Any, right: Any) -> Any:
    """Return what is wrong where a node is above zero, and what is right elsewhere."""
    if isinstance(right, Node):
        return choose(less(ZERO, positive), wrong, right)
    return tuple(only_where(positive, a, b) for a, b in zip(wrong, right, strict=True))


def opposite(value: Node) -> Node:
    """Return minus a node."""
    return neg(value)


def nothing(_: Node) -> Node:
    """Return zero in the place of a node."""
    return ZERO
