"""Conditions: nodes that are 1 where something holds and 0 elsewhere."""

from __future__ import annotations

from functools import reduce

from mbx.expr.build import choose, less
from mbx.expr.nodes import ONE, ZERO, Node

__all__ = ["at_most", "both", "either", "equal", "largest", "negation", "smallest"]


def negation(condition: Node) -> Node:
    """Return the condition that another does not hold."""
    return choose(condition, ZERO, ONE)


def both(*conditions: Node) -> Node:
    """Return the condition that all of these hold."""
    return reduce(lambda a, b: choose(a, b, ZERO), conditions)


def either(*conditions: Node) -> Node:
    """Return the condition that any of these holds."""
    return reduce(lambda a, b: choose(a, ONE, b), conditions)


def at_most(a: Node, b: Node) -> Node:
    """Return the condition a <= b."""
    return negation(less(b, a))


def equal(a: Node, b: Node) -> Node:
    """Return the condition a == b."""
    return both(at_most(a, b), at_most(b, a))


def smallest(*nodes: Node) -> Node:
    """Return the smallest of these nodes."""
    return reduce(lambda a, b: choose(less(b, a), b, a), nodes)


def largest(*nodes: Node) -> Node:
    """Return the largest of these nodes."""
    return reduce(lambda a, b: choose(less(a, b), b, a), nodes)
