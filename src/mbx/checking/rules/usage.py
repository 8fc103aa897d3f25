"""Variables that nothing depends on, gravities above gravities, and counts: MBX401x."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mbx.base.diagnostics import Report
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.scope import VARIABLES, Scope, Symbol, resolve
from mbx.checking.rules.invariant_orders import equation_quantity
from mbx.checking.rules.turning_axes import find_turning
from mbx.language.document.expressions import Expression, Reference, walk
from mbx.language.document.kinematic_statements import Define, Invariant
from mbx.language.document.load_statements import Gravity
from mbx.language.document.node import expressions_of
from mbx.language.joints import JOINTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.checking.context import Context
    from mbx.checking.rules.topology import Parents
    from mbx.language.document.bodies import Joint

__all__ = ["check_freedoms", "check_gravity", "check_used", "loop_rows"]

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
            for expression in _own_expressions(statement):
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


def _own_expressions(statement: Any) -> Iterator[Expression]:
    if statement.kind == "inline_subsystem":
        for binding in statement.bindings:
            yield binding.value
    else:
        yield from expressions_of(statement)


def _named(expression: Expression, scope: Scope) -> Iterator[Symbol]:
    for node in walk(expression):
        if isinstance(node, Reference):
            found = resolve(node, scope)
            if found is not None:
                yield found.symbol


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
            found = equation_quantity(node, inference)
            rows += {"scalar": 1, "vector": 3}.get(found.sort, 0)
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
