"""The order in which names can be understood, each after what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.checking.expressions.scope import Scope, Symbol, label
from mbx.language.document.bodies import Body, Particle
from mbx.language.document.expressions import Expression, Reference, walk
from mbx.language.document.node import expressions_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.base.diagnostics import Report
    from mbx.checking.rules.topology import Parents

__all__ = ["binding_of", "sort_symbols"]

_VALUES = frozenset({"param", "let", "input"})
_PLACES = frozenset({"frame", "point"})
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
    elif kinds & (_PLACES | {"body", "particle"}):
        report.add("MBX3108", f"frames and points go round in a circle: {names}", first.at)
    else:
        report.add("MBX3014", f"values go round in a circle: {names}", first.at)


def _needs(symbol: Symbol, parents: Parents) -> Iterator[Symbol]:
    """Yield the symbols a symbol is made of."""
    for expression, scope in _made_of(symbol, parents):
        for node in walk(expression):
            if isinstance(node, Reference):
                found = _find(node, scope)
                if found is not None:
                    yield found


def _made_of(symbol: Symbol, parents: Parents) -> Iterator[tuple[Expression, Scope]]:
    node: Any = symbol.node
    scope = symbol.scope
    if symbol.kind in _VALUES:
        bound = binding_of(symbol)
        if bound is not None:
            yield bound
        elif node.value is not None:
            yield node.value, scope
    elif symbol.kind in _PLACES:
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
    """Return the symbol a path names, if it names one; faults are reported elsewhere."""
    here = scope
    for k, segment in enumerate(reference.path):
        symbol = here.symbols.get(label(segment))
        inner = here.children.get(label(segment))
        if symbol is None or inner is None or k == len(reference.path) - 1:
            return symbol
        here = inner
    return None
