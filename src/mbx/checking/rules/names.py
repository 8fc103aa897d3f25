"""Names: reserved words, display names, and what nothing uses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mbx.base.diagnostics import Report, suggestion
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.scope import RESERVED, VARIABLES, Scope, Symbol, resolve
from mbx.checking.rules.invariants import equation_quantity
from mbx.checking.rules.joints import find_turning
from mbx.language.display_names import display_fault
from mbx.language.document.declarations import Binding, Declaration, Function
from mbx.language.document.document import ForBlock, IfBlock, InlineSubsystem
from mbx.language.document.experiments import ForTasks
from mbx.language.document.expressions import Expression, Identifier, Reference, walk
from mbx.language.document.kinematic_statements import Define, Invariant
from mbx.language.document.load_statements import Gravity
from mbx.language.document.metadata import META_KEYS, MetaEntry
from mbx.language.document.node import expressions_of, nodes_of
from mbx.language.joints import JOINTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mbx.checking.context import Context
    from mbx.checking.rules.joints import Parents
    from mbx.language.document.bodies import Joint
    from mbx.language.document.document import Document, Model
    from mbx.language.document.experiments import Experiment

__all__ = [
    "check_displays",
    "check_freedoms",
    "check_gravity",
    "check_names",
    "check_used",
    "loop_rows",
]


def check_displays(context: Context) -> None:
    """Check the display names of all values and variables."""
    for scope in context.root.walk():
        for statement in scope.statements:
            if statement.kind == "inline_subsystem":
                continue
            for node in nodes_of(statement):
                if isinstance(node, (Declaration, Binding)) and node.latex is not None:
                    where = display_fault(node.latex)
                    if where is not None:
                        shown = node.latex[where : where + 20]
                        context.report.add(
                            "MBX1040",
                            f"display name cannot be read from '{shown}' on",
                            node.at,
                            help="letters, digits, Greek, _ ^ ', \\dot \\ddot \\hat \\bar \\tilde "
                            "\\vec \\mathrm \\mathbf",
                        )


def check_names(document: Document, report: Report) -> None:
    """Check the names that linking consumes, and the keys of `meta`."""
    named: list[Model | Experiment] = [*document.models, *document.experiments]
    for item in named:
        _free(item.name, item.at, report)
        _block(item.body, report, frozenset(_declared(item.body)))
    for node in nodes_of(document):
        if isinstance(node, MetaEntry) and node.key not in META_KEYS:
            report.add(
                "MBX1016",
                f"meta has no '{node.key}'",
                node.at,
                help=suggestion(node.key, META_KEYS) or "it has " + ", ".join(META_KEYS),
            )


def _free(name: str, at: Any, report: Report) -> None:
    if name in RESERVED:
        report.add("MBX3004", f"'{name}' is a word of the language", at, help="choose another name")


def _declared(body: Iterable[Any]) -> Iterator[str]:
    """Yield the names that statements declare, without indices."""
    for statement in body:
        match statement:
            case ForBlock() | ForTasks():
                yield from _declared(statement.body)
            case IfBlock():
                yield from _declared((*statement.body, *statement.otherwise))
            case _:
                for item in (statement, *getattr(statement, "items", ())):
                    name = getattr(item, "name", None)
                    if isinstance(name, Identifier):
                        yield name.base


def _block(body: Iterable[Any], report: Report, taken: frozenset[str]) -> None:
    functions: set[str] = set()
    for statement in body:
        match statement:
            case Function():
                _function(statement, functions | taken, report)
                functions.add(statement.name)
            case ForBlock() | ForTasks():
                _index(statement, report, taken)
                _block(statement.body, report, taken | {statement.index})
            case IfBlock():
                _block((*statement.body, *statement.otherwise), report, taken)
            case InlineSubsystem():
                _block(statement.body, report, frozenset(_declared(statement.body)))


def _index(statement: ForBlock | ForTasks, report: Report, taken: frozenset[str]) -> None:
    _free(statement.index, statement.at, report)
    if statement.index in taken:
        report.add(
            "MBX3003",
            f"loop index '{statement.index}' hides another '{statement.index}'",
            statement.at,
            help="give one another name",
        )


def _function(function: Function, taken: frozenset[str] | set[str], report: Report) -> None:
    for name in (function.name, *function.arguments):
        _free(name, function.at, report)
    if function.name in taken:
        report.add(
            "MBX3003",
            f"'{function.name}' is there twice: as a function and before",
            function.at,
            help="give one another name",
        )
    if len(set(function.arguments)) < len(function.arguments):
        report.add(
            "MBX3003",
            f"an argument of function '{function.name}' is there twice",
            function.at,
            help="give one another name",
        )


_NOT_PHYSICS = frozenset(
    {
        "initial",
        "state",
        "branch",
        "independent",
        "expect_rank",
        "meta",
        "ext",
        "coordinate",
        "speed",
        "variable",
        "param",
        "input",
    }
)


def check_used(context: Context) -> None:
    """Warn of variables that no body, invariant, definition or load names."""
    used: set[Symbol] = set()
    for scope in context.root.walk():
        for statement in scope.statements:
            if statement.kind in _NOT_PHYSICS:
                continue
            for expression in _level_expressions(statement):
                used.update(_named(expression, scope))
    for symbol in context.root.all_symbols():
        if symbol.kind in VARIABLES and symbol not in used:
            context.report.add(
                "MBX4012",
                f"nothing depends on {symbol.kind} '{symbol.path}'",
                symbol.at,
                severity="warning",
                help="no body, invariant, definition or load names it",
            )


def _level_expressions(statement: Any) -> Iterator[Expression]:
    if statement.kind == "inline_subsystem":
        for binding in statement.bindings:
            yield binding.value
    else:
        yield from expressions_of(statement)


def _named(expression: Expression, scope: Scope) -> Iterator[Symbol]:
    for node in walk(expression):
        if isinstance(node, Reference):
            target = resolve(node, scope)
            if target is not None:
                yield target.symbol


def check_gravity(context: Context) -> None:
    """Report a second gravity on the way from a mass element to the top."""

    def visit(scope: Scope, above: Gravity | None) -> None:
        for gravity in scope.of(Gravity):
            if above is not None:
                context.report.add(
                    "MBX4015",
                    "there is a gravity above this one already",
                    gravity.at,
                    help="keep one; reusable parts leave it out",
                )
            above = gravity
        for child in scope.children.values():
            visit(child, above)

    visit(context.root, None)


def loop_rows(joint: Joint, *, planar: bool) -> int:
    """Return how many rows a loop-closing joint adds."""
    kind = JOINTS[joint.call.joint]
    return kind.planar_rows if planar else kind.rows


def check_freedoms(context: Context, parents: Parents) -> None:
    """Note a count of freedoms below zero: the model moves only if rows are redundant."""
    if not context.report.ok:
        return
    speeds = sum(1 for s in context.root.all_symbols() if s.kind in {"coordinate", "speed"})
    rows = 0
    quiet = replace(context, report=Report())
    for scope in context.root.walk():
        inference = Inference(quiet, scope)
        for node in scope.of((Invariant, Define)):
            quantity = equation_quantity(node, inference)
            rows += {"scalar": 1, "vector": 3}.get(quantity.sort, 0)
    turning = find_turning(context, parents)
    for joint, scope in parents.loops:
        sides = [resolve(s.base, scope) for s in joint.call.sides]
        ways = {turning.get(f.symbol, "any") for f in sides if f is not None} - {"none"}
        rows += loop_rows(joint, planar=len(ways) <= 1 and "any" not in ways)
    if speeds and rows > speeds:
        context.report.add(
            "MBX4013",
            f"{speeds} variables and {rows} equations between them leave "
            f"{speeds - rows} freedoms by count",
            context.linked.model.at,
            severity="note",
            help="the model moves only if some of the equations are redundant",
        )
