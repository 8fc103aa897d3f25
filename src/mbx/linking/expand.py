"""Repetition and choice carried out: `for`, `if`, rows of names, functions; numbers in SI.

What comes out has plain names and whole-number indices only. A value written with numbers alone is
in the unit of what it is assigned to; a number with a unit is in that unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import SourceError
from mbx.language import units
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
    Negative,
    Number,
    Power,
    Product,
    Reference,
    Segment,
    Sum,
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
    from mbx.language.units import Unit
    from mbx.linking.structural_values import Structure


__all__ = [
    "Budget",
    "Expander",
    "Inliner",
    "Value",
    "bare",
    "functions_of",
    "in_unit",
    "is_structural",
    "literal",
    "pure_value",
    "structure_of",
    "unit_of",
]


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


Value = Fraction | float

_LARGEST: Final = 1e300
_EXACT_BITS: Final = 4096
_FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    name: getattr(math, name)
    for name in (
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "sqrt",
    )
}


def literal(text: str) -> Value:
    """Return a number's value, exact unless its exponent is extreme."""
    _, _, exponent = text.lower().partition("e")
    if exponent and abs(int(exponent)) > 60:  # noqa: PLR2004  exact powers beyond help nobody
        return float(text)
    return Fraction(text)


def bare(expression: Expression) -> bool:
    """Return whether an expression is made of unitless numbers alone (and pi)."""
    match expression:
        case Number(_, unit):
            return unit is None
        case Reference((segment,), 0):
            return segment.name == "pi" and segment.index is None
        case Negative(x) | Group(x):
            return bare(x)
        case Sum(pairs) | Product(pairs):
            return all(bare(e) for _, e in pairs)
        case Power(base, exponent):
            return bare(base) and bare(exponent)
        case Call(function, arguments):
            return function in _FUNCTIONS and all(map(bare, arguments))
    return False


def pure_value(expression: Expression) -> Value | None:
    """Return the value of an expression of numbers alone; none if it cannot be had."""
    try:
        value = _value(expression)
    except (ZeroDivisionError, OverflowError, ValueError, TypeError):
        return None
    return value if abs(float(value)) <= _LARGEST else None


def _value(node: Expression) -> Value:
    match node:
        case Number(text, _):
            return literal(text)
        case Reference():
            return math.pi
        case Negative(x):
            return -_value(x)
        case Group(x):
            return _value(x)
        case Sum(terms):
            return _sum([_value(e) if s == "+" else -_value(e) for s, e in terms])
        case Product(factors):
            value: Value = Fraction(1)
            for sign, factor in factors:
                part = _value(factor)
                value = _kept(value * part if sign == "*" else value / part)
            return value
        case Power(base, exponent):
            return _power(_value(base), _value(exponent))
        case Call(function, arguments):
            return _FUNCTIONS[function](*(float(_value(a)) for a in arguments))
    raise TypeError(node)


def _power(base: Value, exponent: Value) -> Value:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(exponent) * bits <= _EXACT_BITS:
            return Fraction(base ** int(exponent))
    return float(float(base) ** float(exponent))


def _kept(value: Value) -> Value:
    """Return an exact value as long as it is short; sums and products make them long."""
    if isinstance(value, Fraction) and value.denominator.bit_length() > _EXACT_BITS:
        return float(value)
    return value


def _sum(values: list[Value]) -> Value:
    total: Value = Fraction(0)
    for value in values:
        total = _kept(total + value)
    return total


def in_unit(expression: Expression, unit: Unit) -> Value | None:
    """Return the SI value of numbers alone that stand where a unit is declared."""
    value = pure_value(expression)
    return None if value is None else unit.si(value)


def unit_of(text: str | None) -> Unit:
    """Return a declared unit; none declared, or a whole number, is a pure number."""
    return units.parse("1" if text is None or text == "integer" else text)
