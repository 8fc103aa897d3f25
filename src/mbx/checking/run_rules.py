"""All rules on all models of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import Report
from mbx.checking.context import Context
from mbx.checking.expressions.infer import fill_quantities
from mbx.checking.expressions.known_values import check_constants, fill_values
from mbx.checking.expressions.scope import build_scope, resolve, sort_symbols
from mbx.checking.expressions.slots import check_slots
from mbx.checking.rules.experiment_statements import check_experiments
from mbx.checking.rules.invariants import check_effective, check_invariants, check_orders
from mbx.checking.rules.joints import Parents, check_bodies, find_parents
from mbx.checking.rules.mass_properties import check_centres, check_inertia
from mbx.checking.rules.names import (
    check_displays,
    check_freedoms,
    check_gravity,
    check_names,
    check_used,
)
from mbx.checking.rules.placements import check_model_starts, check_rotations
from mbx.checking.rules.values import check_axes, check_overrides, check_powers, check_ranges
from mbx.language.document.expressions import Expression, Reference, walk
from mbx.language.limits import LIMITS
from mbx.linking.link import link_document, link_models

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.checking.expressions.scope import Scope, Symbol
    from mbx.language.document.document import Document
    from mbx.linking.link import Linked

__all__ = [
    "RULES",
    "TREE_RULES",
    "check_counts",
    "check_document",
    "check_expansion",
    "check_linked",
    "examine",
]


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
    """Check that no expression becomes huge when its names are replaced by what they stand for."""
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
            target = resolve(node, scope)
            if target is not None:
                total += sizes.get(target.symbol, 0)
    return total


RULES: Final[tuple[Callable[[Context], None], ...]] = (
    check_expansion,
    check_slots,
    check_invariants,
    check_effective,
    check_orders,
    check_used,
    check_gravity,
    fill_values,
    check_constants,
    check_ranges,
    check_axes,
    check_rotations,
    check_model_starts,
    check_powers,
    check_displays,
    check_experiments,
)
"""Rules that look at the model, in order: a later rule may use results of an earlier one."""

DIMENSIONS: Final = frozenset(f"MBX411{k}" for k in range(2, 7))
"""The codes of dimensions that do not fit."""

_UNITS: Final = "give units where values are declared: `param m: kg = 1`, `coordinate x: m = 0`"
"""For a model without any, as of somebody who comes from tools that know none."""

TREE_RULES: Final[tuple[Callable[[Context, Parents], None], ...]] = (
    check_inertia,
    check_centres,
    check_freedoms,
    check_overrides,
)
"""Rules that also look at how bodies are placed."""


def check_document(document: Document, *, model: str | None, relaxed: bool) -> Report:
    """Check every model of a document, or the one that is named."""
    report = Report()
    check_names(document, report)
    if model is None:
        linked = link_models(document, report)
    else:
        single = link_document(document, model, report)
        linked = [] if single is None else [single]
    for each in linked:
        check_linked(each, report, relaxed=relaxed)
    return report


def check_linked(linked: Linked, report: Report, *, relaxed: bool = False) -> None:
    """Check one linked model."""
    before = len(report)
    context, parents = examine(linked, report, relaxed=relaxed)
    if context is None:
        return
    for rule in RULES:
        rule(context)
    for tree_rule in TREE_RULES:
        tree_rule(context, parents)
    if not any(s.unit for scope in context.root.walk() for s in scope.symbols.values()):
        report.advise(DIMENSIONS, _UNITS, since=before)


def examine(
    linked: Linked, report: Report, *, relaxed: bool = False
) -> tuple[Context | None, Parents]:
    """Find the names of a linked model and what each of them stands for."""
    root = build_scope(linked.model.body, report)
    if not check_counts(root, report):
        return None, Parents()
    context = Context(linked, root, report, relaxed)
    parents = find_parents(root, report)
    check_bodies(root, parents, report)
    context.order = sort_symbols(root, parents, report)
    fill_quantities(context, parents)
    return context, parents
