"""Repetition and choice carried out: `for`, `if`, rows of names, indices, functions.

What comes out has plain names and whole-number indices only.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mbx.base.errors import SourceError
from mbx.language.document.declarations import (
    Binding,
    Coordinate,
    Declaration,
    Function,
    Input,
    Let,
    Param,
    Speed,
)
from mbx.language.document.document import ForBlock, IfBlock, InlineSubsystem, Subsystem
from mbx.language.document.experiments import ForTasks
from mbx.language.document.expressions import (
    Call,
    Expression,
    Group,
    Identifier,
    Number,
    Reference,
    Segment,
    Vector,
    children,
    number,
    ungroup,
    with_children,
)
from mbx.language.document.metadata import Ext, Meta
from mbx.language.document.node import bottom_up, rewrite
from mbx.language.limits import LIMITS
from mbx.linking.structural_values import condition, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mbx.base.diagnostics import Report
    from mbx.linking.structural_values import Structure

__all__ = ["Budget", "Expander", "Inliner", "functions_of", "is_structural", "structure_of"]


@dataclass(slots=True)
class Budget:
    """How many statements may still be made; shared by a whole document."""

    left: int = LIMITS.statements

    def spend(self, at: Any) -> None:
        """Count one statement."""
        self.left -= 1
        if self.left < 0:
            raise SourceError.of(
                "MBX5009", f"more than {LIMITS.statements} statements after repetition", at
            )


def is_structural(declaration: Declaration) -> bool:
    """Return whether a parameter is a whole number known before expansion."""
    return declaration.unit == "integer"


def structure_of(body: Iterable[Any], bound: Structure, report: Report) -> dict[str, int]:
    """Return the structural parameters of a model, with the values bound from outside."""
    structure: dict[str, int] = {}
    for statement in body:
        if not isinstance(statement, Param):
            continue
        for item in statement.items:
            if not is_structural(item):
                continue
            name = item.name.base
            try:
                if name in bound:
                    structure[name] = bound[name]
                elif item.value is None:
                    raise SourceError.of(
                        "MBX3022",
                        f"structural parameter '{name}' has no value",
                        item.at,
                        help="give it one, or bind it in parentheses",
                    )
                else:
                    structure[name] = whole(item.value, structure)
            except SourceError as bad:
                report.extend(bad.report)
    return structure


def functions_of(body: Iterable[Any]) -> dict[str, Function]:
    """Return the functions of a model."""
    return {s.name: s for s in body if isinstance(s, Function)}


@dataclass(slots=True)
class Expander:
    """Expands the statements of one model."""

    structure: Structure
    inliner: Inliner
    budget: Budget
    report: Report
    instantiate: Callable[[Subsystem | InlineSubsystem, Expander], list[Any]]
    """Makes subsystems in place; linking does that, with the model's imports."""

    def block(self, body: Iterable[Any]) -> tuple[Any, ...]:
        """Return the statements of a block, expanded; faults go to the report."""
        return tuple(self._statements(body))

    def _statements(self, body: Iterable[Any]) -> Iterator[Any]:
        for statement in body:
            if self.budget.left < 0:
                return
            try:
                yield from self._statement(statement)
            except SourceError as bad:
                self.report.extend(bad.report)

    def _statement(self, statement: Any) -> Iterator[Any]:
        self.budget.spend(statement.at)
        match statement:
            case ForBlock() | ForTasks():
                first = whole(statement.first, self.structure)
                last = whole(statement.last, self.structure)
                for k in range(first, last + 1):
                    self.budget.spend(statement.at)
                    inner = replace(self, structure={**self.structure, statement.index: k})
                    yield from inner._statements(statement.body)  # noqa: SLF001  the same class
            case IfBlock():
                holds = condition(statement.condition, self.structure)
                yield from self._statements(statement.body if holds else statement.otherwise)
            case Function() | Meta() | Ext():
                return
            case Subsystem() | InlineSubsystem():
                yield from self.instantiate(statement, self)
            case Let() | Param() | Input() | Coordinate() | Speed():
                items = tuple(i for item in statement.items for i in self._row(item))
                if items:  # a row from 1 to 0 declares nothing, and a bare keyword is no statement
                    yield statement.model_copy(update={"items": items})
            case _:
                yield self.node(statement)

    def node(self, node: Any) -> Any:
        """Return one node with indices and functions resolved."""
        return rewrite(node, self.expression, self.identifier)

    def expression(self, expression: Expression) -> Expression:
        """Return an expression with indices and functions resolved."""
        loops: dict[str, Expression] = {k: number(v) for k, v in self.loops().items()}
        return bottom_up(self.inliner.expression(expression, loops), self._index)

    def loops(self) -> dict[str, int]:
        """Return the loop indices that are running, with their values."""
        return {k: v for k, v in self.structure.items() if k not in self.inliner.fixed}

    def _index(self, node: Expression) -> Expression:
        if not isinstance(node, Reference) or all(s.index is None for s in node.path):
            return node
        return replace(node, path=tuple(map(self._segment, node.path)))

    def _segment(self, segment: Segment) -> Segment:
        if segment.index is None:
            return segment
        return Segment(
            segment.name, number(whole(segment.index, self.structure), at=segment.index.at)
        )

    def identifier(self, identifier: Identifier) -> Identifier:
        """Return a declared name with its index as a number."""
        if identifier.last is not None:
            raise SourceError.of(
                "MBX3005",
                f"'{identifier.base}' is a row of names, and only "
                "values and variables can be declared in rows",
                identifier.at,
                help="use a for block",
            )
        if identifier.index is None:
            return identifier
        return replace(identifier, index=number(whole(identifier.index, self.structure)))

    def _row(self, item: Declaration | Binding) -> Iterator[Any]:
        """Return the declarations that one item stands for."""
        name = item.name
        if name.last is None or name.index is None:
            if (
                isinstance(item, Declaration)
                and is_structural(item)
                and (name.base in self.structure)
            ):
                at = item.at if item.value is None else item.value.at
                fixed = number(self.structure[name.base], at=at)
                item = item.model_copy(update={"value": fixed})
            yield self.node(item)
            return
        first = whole(name.index, self.structure)
        last = whole(name.last, self.structure)
        values = self._values(item, last - first + 1)
        plain = item.model_copy(update={"name": replace(name, index=None, last=None)})
        ready = self.node(plain.model_copy(update={"value": None}))
        for k in range(first, last + 1):
            self.budget.spend(item.at)
            value = None if values is None else self.expression(values[k - first])
            fresh = replace(name, index=number(k), last=None)
            yield ready.model_copy(update={"name": fresh, "value": value})

    def _values(self, item: Declaration | Binding, count: int) -> list[Expression] | None:
        if item.value is None:
            return None
        value = ungroup(item.value)
        if not isinstance(value, Vector):
            return [item.value] * count
        if len(value.items) != count:
            raise SourceError.of(
                "MBX3019",
                f"'{item.name.base}' has {count} names and {len(value.items)} values",
                item.at,
                help="give one value for all, or one for each",
            )
        return list(value.items)


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
