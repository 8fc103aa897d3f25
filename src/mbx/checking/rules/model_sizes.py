"""How large a model may be: MBX5003, MBX5011."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.checking.expressions.scope import resolve
from mbx.language.document.expressions import Expression, Reference, walk
from mbx.language.limits import LIMITS

if TYPE_CHECKING:
    from mbx.base.diagnostics import Report
    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Scope, Symbol

__all__ = ["check_counts", "check_expansion"]


def check_counts(root: Scope, report: Report) -> bool:
    """Check the number of bodies, joints, invariants and parameters; return whether to go on."""
    counted = {
        "bodies": ("body", "particle"),
        "joints": ("joint",),
        "constraints": ("invariant",),
        "parameters": ("param",),
    }
    counts = dict.fromkeys(counted, 0)
    for scope in root.walk():
        for statement in scope.statements:
            for what, kinds in counted.items():
                if statement.kind in kinds:
                    counts[what] += len(statement.items) if what == "parameters" else 1
    for what, count in counts.items():
        limit = getattr(LIMITS, what)
        if count > limit:
            at = root.statements[0].at if root.statements else None
            report.add("MBX5003", f"{count} {what}; the limit is {limit}", at)
            return False
    return True


def check_expansion(context: Context) -> None:
    """Check that no expression becomes huge when the names in it are put in place."""
    sizes: dict[Symbol, int] = {}
    for symbol in context.order:
        node: Any = symbol.node
        if symbol.kind != "let":
            continue
        size = _size(node.value, symbol.scope, sizes)
        if size > LIMITS.expanded_nodes:
            context.report.add(
                "MBX5011",
                f"'{symbol.name}' has more than "
                f"{LIMITS.expanded_nodes} parts when the names in it are put in "
                "place",
                symbol.at,
            )
            size = 1
        sizes[symbol] = size


def _size(expression: Expression, scope: Scope, sizes: dict[Symbol, int]) -> int:
    total = 0
    for node in walk(expression):
        total += 1
        if isinstance(node, Reference) and node.path[0].name not in {"t", "pi", "ground"}:
            found = resolve(node, scope)
            if found is not None:
                total += sizes.get(found.symbol, 0)
    return total
