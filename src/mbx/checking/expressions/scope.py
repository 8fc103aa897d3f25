"""Names of a linked model: what each of them stands for, level by level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import MAX_SHOWN, Report, Span, article, suggestion
from mbx.language.document.bodies import Body, Particle
from mbx.language.document.document import InlineSubsystem
from mbx.language.document.expressions import (
    Expression,
    Identifier,
    Number,
    Reference,
    Segment,
    walk,
)
from mbx.language.document.node import expressions_of
from mbx.language.functions import FUNCTIONS
from mbx.language.units import known_units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mbx.checking.rules.joints import Parents
    from mbx.language.document.node import Node

__all__ = [
    "RESERVED",
    "VALUES",
    "VARIABLES",
    "Scope",
    "Symbol",
    "Target",
    "binding_of",
    "build_scope",
    "label",
    "resolve",
    "sort_symbols",
]


RESERVED: Final = frozenset(
    "if then else and or not euler quaternion own ground t pi".split()  # noqa: SIM905  words
) | frozenset(FUNCTIONS)
"""Words that no model can use as names."""

VARIABLES: Final = frozenset({"coordinate", "speed", "variable"})
VALUES: Final = frozenset({"param", "let", "input"})


@dataclass(eq=False, slots=True)
class Symbol:
    """Something named: its kind, what declares it, and the level it belongs to."""

    name: str
    kind: str
    node: Any
    scope: Scope
    at: Span | None
    unit: str | None = None
    order: int = -1

    @property
    def path(self) -> str:
        """The name as the whole model sees it."""
        return f"{self.scope.prefix}{self.name}"


@dataclass(eq=False, slots=True)
class Scope:
    """One level of a model: its statements, its names, its subsystems."""

    prefix: str
    statements: tuple[Any, ...]
    subsystem: InlineSubsystem | None = None
    parent: Scope | None = None
    symbols: dict[str, Symbol] = field(default_factory=dict)
    rows: dict[str, list[str]] = field(default_factory=dict)
    children: dict[str, Scope] = field(default_factory=dict)

    def walk(self) -> Iterator[Scope]:
        """Yield this level and all below it."""
        stack = [self]
        while stack:
            scope = stack.pop()
            yield scope
            stack.extend(reversed(scope.children.values()))

    def all_symbols(self) -> Iterator[Symbol]:
        """Yield the symbols of this level and of all below it."""
        for scope in self.walk():
            yield from scope.symbols.values()

    def of(self, cls: type[Node] | tuple[type[Node], ...]) -> Iterator[Any]:
        """Yield the statements of this level that are of a class."""
        return (s for s in self.statements if isinstance(s, cls))


def label(identifier: Identifier | Segment) -> str:
    """Return a name as it is looked up: with its index, if it has one."""
    base = identifier.base if isinstance(identifier, Identifier) else identifier.name
    index = identifier.index
    return base if not isinstance(index, Number) else f"{base}[{index.text}]"


def build_scope(
    statements: Iterable[Any],
    report: Report,
    prefix: str = "",
    subsystem: InlineSubsystem | None = None,
    parent: Scope | None = None,
) -> Scope:
    """Return the level that statements make, with the levels below it."""
    scope = Scope(prefix, tuple(statements), subsystem, parent)
    for statement in scope.statements:
        for name, kind, node, unit, order in _declared(statement):
            _add(
                scope,
                Symbol(label(name), kind, node, scope, name.at or node.at, unit, order),
                name,
                report,
            )
        if isinstance(statement, InlineSubsystem):
            below = label(statement.name)
            inner = build_scope(statement.body, report, f"{prefix}{below}.", statement, scope)
            scope.children[below] = inner
    return scope


def _declared(statement: Any) -> Iterator[tuple[Identifier, str, Any, str | None, int]]:
    """Yield what a statement declares: name, kind, node, unit, order."""
    kind = statement.kind
    match kind:
        case "param" | "input" | "let":
            for item in statement.items:
                yield item.name, kind, item, item.unit, -1
        case "coordinate" | "speed":
            for item in statement.items:
                yield item.name, kind, item, item.unit, 0 if kind == "coordinate" else 1
        case "variable":
            yield statement.item.name, kind, statement.item, statement.item.unit, statement.order
        case "inline_subsystem":
            yield statement.name, "subsystem", statement, None, -1
        case _:
            name = getattr(statement, "name", None)
            if isinstance(name, Identifier):
                yield name, kind, statement, None, -1
    yield from _reactions(statement)


def _reactions(statement: Any) -> Iterator[tuple[Identifier, str, Any, str | None, int]]:
    owners = [statement]
    if isinstance(statement, Body):
        owners = [c for c in statement.clauses if c.kind == "joint"]
    for owner in owners:
        reaction = getattr(owner, "reaction", None)
        if isinstance(reaction, Identifier):
            yield reaction, "reaction", owner, None, -1


def _add(scope: Scope, symbol: Symbol, name: Identifier, report: Report) -> None:
    if name.base in RESERVED:
        report.add(
            "MBX3004",
            f"'{name.base}' is a word of the language",
            symbol.at,
            help="choose another name",
        )
    other = scope.symbols.get(symbol.name)
    if other is not None:
        report.add(
            "MBX3003",
            f"'{symbol.name}' is there twice: it is {article(other.kind)} already",
            symbol.at,
            help="give one another name",
        )
        return
    single, row = name.base in scope.symbols, name.base in scope.rows
    if single if name.index is not None else row:
        report.add(
            "MBX3003",
            f"'{name.base}' is one name and a row of names",
            symbol.at,
            help="give one another name",
        )
    scope.symbols[symbol.name] = symbol
    if name.index is not None:
        scope.rows.setdefault(name.base, []).append(symbol.name)


@dataclass(frozen=True, slots=True)
class Target:
    """What a path leads to: a symbol, and the members that are requested of it."""

    symbol: Symbol
    members: tuple[Segment, ...]


def resolve(reference: Reference, scope: Scope, report: Report | None = None) -> Target | None:
    """Return what a path names; that it names nothing is reported if there is a report."""
    here = scope
    for k, segment in enumerate(reference.path):
        name = label(segment)
        symbol = here.symbols.get(name)
        if symbol is None:
            if report is not None:
                _unknown(reference, k, here, report)
            return None
        inner = here.children.get(name)
        if inner is None or k == len(reference.path) - 1:
            return Target(symbol, reference.path[k + 1 :])
        if inner.subsystem is not None and inner.subsystem.opaque:
            return None
        here = inner
    return None


def _unknown(reference: Reference, k: int, scope: Scope, report: Report) -> None:
    segment = reference.path[k]
    name = label(segment)
    where = "" if k == 0 else f" in '{scope.prefix.rstrip('.')}'"
    row = scope.rows.get(segment.name)
    if row is not None:
        if segment.index is None:
            report.add(
                "MBX3020",
                f"'{segment.name}' is a row of names{where}",
                reference.at,
                help=f"name one of {row[0]} … {row[-1]}",
            )
        else:
            report.add(
                "MBX3020",
                f"there is no '{name}'{where}",
                reference.at,
                help=f"there are {row[0]} … {row[-1]}",
            )
        return
    known = [*scope.symbols, *scope.rows, *(("ground", "t", "pi") if k == 0 else ())]
    remedy = suggestion(name, known) if len(report) < MAX_SHOWN else ""
    report.add(
        "MBX3002",
        f"there is no '{name}'{where}",
        reference.at,
        help=remedy or _unit_remedy(name),
    )


def _unit_remedy(name: str) -> str | None:
    """Return how a unit is written, if an unknown name is a unit."""
    if name not in known_units():
        return None
    return f"a unit of several parts stands in brackets, as in 9.81 [m/s^2]; '{name}' is one"


_VALUES = frozenset({"param", "let", "input"})
_GEOMETRY = frozenset({"frame", "point"})
_MADE_OF = frozenset({"mass", "inertia", "joint", "frame", "com", "at", "velocity", "omega"})


def sort_symbols(root: Scope, parents: Parents, report: Report) -> list[Symbol]:
    """Return all symbols, each after those it needs; circles are reported and cut."""
    order: list[Symbol] = []
    state: dict[Symbol, int] = {}  # 1 while its needs are followed, 2 when done
    for start in root.all_symbols():
        if start in state:
            continue
        stack = [(start, iter(list(_needs(start, parents))))]
        state[start] = 1
        while stack:
            symbol, needs = stack[-1]
            needed = next(needs, None)
            if needed is None:
                state[symbol] = 2
                order.append(symbol)
                stack.pop()
            elif needed not in state:
                state[needed] = 1
                stack.append((needed, iter(list(_needs(needed, parents)))))
            elif state[needed] == 1:
                circle = [s for s, _ in stack]
                _circle(circle[circle.index(needed) :], report)
    return order


def _circle(circle: list[Symbol], report: Report) -> None:
    first = circle[0]
    names = " -> ".join(s.path for s in [*circle[:6], first])
    kinds = {s.kind for s in circle}
    if kinds <= {"body", "particle"}:
        if len(circle) == 1:
            report.add(
                "MBX3102",
                f"body '{first.name}' is placed by itself",
                first.at,
                help="join it to another body or to ground",
            )
        else:
            report.add(
                "MBX3101",
                f"bodies are placed by each other: {names}",
                first.at,
                help="join one of them to ground, and close the loop with a joint of its own",
            )
    elif kinds & (_GEOMETRY | {"body", "particle"}):
        report.add("MBX3108", f"frames and points go round in a circle: {names}", first.at)
    else:
        report.add("MBX3014", f"values go round in a circle: {names}", first.at)


def _needs(symbol: Symbol, parents: Parents) -> Iterator[Symbol]:
    """Yield the symbols a symbol is made of."""
    for expression, scope in _made_of(symbol, parents):
        for node in walk(expression):
            if isinstance(node, Reference):
                needed = _find(node, scope)
                if needed is not None:
                    yield needed


def _made_of(symbol: Symbol, parents: Parents) -> Iterator[tuple[Expression, Scope]]:
    node: Any = symbol.node
    scope = symbol.scope
    if symbol.kind in _VALUES:
        bound = binding_of(symbol)
        if bound is not None:
            yield bound
        elif node.value is not None:
            yield node.value, scope
    elif symbol.kind in _GEOMETRY:
        for expression in expressions_of(node):
            yield expression, scope
    elif isinstance(node, (Body, Particle)):
        for clause in node.clauses:
            if clause.kind in _MADE_OF:
                for expression in expressions_of(clause):
                    yield expression, scope
        joint = parents.placing.get(symbol)
        if joint is not None:
            for expression in expressions_of(joint.call):
                if expression != joint.call.sides[-1].base:
                    yield expression, joint.scope
    elif symbol.kind == "reaction" and node.kind == "invariant":
        yield node.left, scope
        yield node.right, scope


def binding_of(symbol: Symbol) -> tuple[Expression, Scope] | None:
    """Return the value a subsystem's parent gives to one of its names, and the parent."""
    subsystem, parent = symbol.scope.subsystem, symbol.scope.parent
    if subsystem is None or parent is None or symbol.kind == "let":
        return None
    for binding in subsystem.bindings:
        if label(binding.name) == symbol.name:
            return binding.value, parent
    return None


def _find(reference: Reference, scope: Scope) -> Symbol | None:
    """Return the symbol that a path names, if any; faults are reported elsewhere."""
    here = scope
    for k, segment in enumerate(reference.path):
        symbol = here.symbols.get(label(segment))
        inner = here.children.get(label(segment))
        if symbol is None or inner is None or k == len(reference.path) - 1:
            return symbol
        here = inner
    return None
