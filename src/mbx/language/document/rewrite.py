"""Changing the expressions and names of a document without touching its shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from mbx.language.document.expressions import Expression, Identifier, children, with_children
from mbx.language.document.node import Node

__all__ = ["bottom_up", "expressions_of", "nodes_of", "rewrite"]

N = TypeVar("N", bound=Node)


def rewrite(
    node: N,
    expression: Callable[[Expression], Expression],
    identifier: Callable[[Identifier], Identifier],
) -> N:
    """Return the node with every expression and every declared name below it replaced."""

    def value(old: Any) -> Any:
        if old is None or isinstance(old, (str, int)):
            return old
        if isinstance(old, Node):
            return rewrite(old, expression, identifier)
        if isinstance(old, tuple):
            new = tuple(map(value, old))
            return old if all(a is b for a, b in zip(old, new, strict=True)) else new
        if isinstance(old, Identifier):
            return identifier(old)
        return expression(old) if isinstance(old, Expression) else old

    changed = {}
    for key, old in node.__dict__.items():
        new = value(old)
        if new is not old:
            changed[key] = new
    return node.model_copy(update=changed) if changed else node


def bottom_up(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return the expression with `change` applied to every node, children first."""
    new = tuple(bottom_up(child, change) for child in children(expression))
    return change(with_children(expression, new))


def _fields(node: Node) -> Iterator[Any]:
    stack: list[Any] = list(reversed(node.__dict__.values()))
    while stack:
        value = stack.pop()
        if isinstance(value, Node):
            stack.extend(reversed(value.__dict__.values()))
        elif isinstance(value, tuple):
            stack.extend(reversed(value))
        elif value is not None:
            yield value


def expressions_of(node: Node) -> Iterator[Expression]:
    """Yield the expressions of a node and of all nodes below it, in the order written."""
    return (value for value in _fields(node) if isinstance(value, Expression))


def nodes_of(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it."""
    stack: list[Any] = [node]
    while stack:
        value = stack.pop()
        if isinstance(value, Node):
            yield value
            stack.extend(reversed(value.__dict__.values()))
        elif isinstance(value, tuple):
            stack.extend(reversed(value))
