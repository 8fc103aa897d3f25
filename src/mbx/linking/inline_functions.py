"""Functions of a model, put in place where they are used."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mbx.base.errors import SourceError
from mbx.language.document.expressions import (
    Call,
    Expression,
    Group,
    Number,
    Reference,
    children,
    with_children,
)
from mbx.language.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.language.document.declarations import Function

__all__ = ["Inliner"]

_ATOMS = (Number, Reference, Group, Call)


@dataclass(slots=True)
class Inliner:
    """Replaces loop indices by their values and calls of functions by what they mean."""

    functions: Mapping[str, Function]
    fixed: frozenset[str] = frozenset()
    """Structural parameters: they keep their names, unlike loop indices."""
    _running: list[str] = field(default_factory=list)
    _nodes: int = 0

    def expression(self, node: Expression, names: Mapping[str, Expression]) -> Expression:
        """Return one expression with `names` and functions replaced; its size is bounded."""
        if not names and not self.functions:
            return node
        self._nodes = 0
        return self._replace(node, names, 0)

    def _replace(self, node: Expression, names: Mapping[str, Expression], depth: int) -> Expression:
        self._nodes += 1
        if depth > LIMITS.nesting:
            raise SourceError.of(
                "MBX5002",
                f"nested deeper than {LIMITS.nesting} after functions are put in place",
                node.at,
            )
        if self._nodes > LIMITS.expression_nodes:
            raise SourceError.of(
                "MBX5011",
                f"expression of more than {LIMITS.expression_nodes} "
                "parts after its functions are put in place",
                node.at,
            )
        if isinstance(node, Reference) and len(node.path) == 1:
            segment = node.path[0]
            if segment.index is None and node.primes == 0 and segment.name in names:
                value = names[segment.name]
                self._nodes += _size(value, LIMITS.expression_nodes)
                return value
        new = with_children(node, tuple(self._replace(c, names, depth + 1) for c in children(node)))
        if isinstance(new, Call) and new.function in self.functions:
            return self._call(new, depth)
        return new

    def _call(self, node: Call, depth: int) -> Expression:
        function = self.functions[node.function]
        if node.function in self._running:
            raise SourceError.of(
                "MBX3013",
                f"function '{node.function}' calls itself",
                node.at,
                help="functions are put in place where they are used",
            )
        if len(node.arguments) != len(function.arguments):
            raise SourceError.of(
                "MBX3012",
                f"function '{node.function}' takes {len(function.arguments)} "
                f"arguments, not {len(node.arguments)}",
                node.at,
            )
        values = {
            name: value if isinstance(value, _ATOMS) else Group(value, at=value.at)
            for name, value in zip(function.arguments, node.arguments, strict=True)
        }
        self._running.append(node.function)
        try:
            value = self._replace(function.value, values, depth + 1)
        finally:
            self._running.pop()
        return replace(value, at=node.at) if isinstance(value, _ATOMS) else Group(value, at=node.at)


def _size(node: Expression, limit: int) -> int:
    count, stack = 0, [node]
    while stack and count <= limit:
        stack.extend(children(stack.pop()))
        count += 1
    return count
