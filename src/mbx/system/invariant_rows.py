"""Invariants and definitions as rows, and those of joints that close loops."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.scope import label
from mbx.checking.expressions.symbols import multiplier_unit
from mbx.expr.algebra.affine import NotAffineError, split
from mbx.expr.algebra.elimination import vanishes
from mbx.expr.build import sub
from mbx.expr.derivatives import gradient
from mbx.expr.matrix import matvec, minus, transposed
from mbx.expr.nodes import ZERO
from mbx.expr.walk import free_symbols
from mbx.language.document.kinematic_statements import Define, Invariant
from mbx.system.kinematics.loops import loop_rows
from mbx.system.kinematics.solve_rates import somewhere
from mbx.system.lower_expressions import Lowering
from mbx.system.symbol_names import rate_symbol
from mbx.system.system import Row
from mbx.system.world import Element

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.checking.context import Context
    from mbx.checking.rules.joints import Parents
    from mbx.expr.nodes import Node
    from mbx.system.world import World

__all__ = ["declared_rows", "rows_of"]

_TINY = 1e-9


def declared_rows(context: Context, world: World) -> tuple[list[Row], dict[str, Any]]:
    """Return a row for each component of invariants and definitions, and their spans."""
    rows: list[Row] = []
    spans: dict[str, Any] = {}
    for scope in context.root.walk():
        counts = {"invariant": 0, "definition": 0}
        for node in scope.of((Invariant, Define)):
            kind = "invariant" if isinstance(node, Invariant) else "definition"
            counts[kind] += 1
            name = getattr(node, "name", None)
            path = f"{scope.prefix}{label(name) if name else f'{kind}({counts[kind]})'}"
            equation = list(_equation(node, kind, path, Lowering(world, scope), context))
            spans |= dict.fromkeys([row.path for row in equation], node.at)
            rows += equation
    return rows, spans


def rows_of(context: Context, parents: Parents, world: World) -> tuple[list[Row], dict[str, Any]]:
    """Return all invariants and definitions, a row for each component."""
    rows, spans = declared_rows(context, world)
    for joint, scope in parents.loops:
        path = f"{scope.prefix}{label(joint.name)}"
        named = path if joint.reaction is None else scope.prefix + label(joint.reaction)
        loop = [
            row if row.joint is None else replace(row, joint=named)
            for row in loop_rows(Lowering(world, scope), joint, path, scope.prefix)
        ]
        spans |= dict.fromkeys([row.path for row in loop], joint.at)
        rows += loop
    variables = [rate_symbol(name, 0) for name, order in world.orders.items() if order == 0]
    norms = [(value, part) for value, part in world.norms.items() if _moves(value, variables)]
    for k, (value, part) in enumerate(norms):
        rows.append(
            Row(
                path=f"{part}norm({k + 1})",
                part=part,
                value=value,
                order=0,
                kind="norm",
                multiplier_unit="J",
            )
        )
    return [*rows, *world.auxiliary], spans


def _moves(value: Node, variables: list[Node]) -> bool:
    """Return whether any variable changes a value: the norm of (cos a, sin a, 0, 0) is 1."""
    return any(abs(slope) > _TINY for slope in somewhere(gradient(value, variables)))


def _equation(
    node: Invariant | Define, kind: Any, path: str, lowering: Lowering, context: Context
) -> Iterator[Row]:
    inference = Inference(context, lowering.scope)
    left, right = inference.of(node.left), inference.of(node.right)
    if "unknown" in {left.sort, right.sort}:
        raise TypeError(path)  # a fault, which would have been reported
    order = max(left.order, right.order)
    part = lowering.scope.prefix
    reaction = getattr(node, "reaction", None)
    unit = multiplier_unit(node, inference)
    symbol = None
    if reaction is not None:
        declared = lowering.scope.symbols[label(reaction)]
        symbol = lowering.world.values[declared]
    if left.sort == right.sort == "scalar":
        value = sub(lowering.scalar(node.left), lowering.scalar(node.right))
        row = _row(path, part, value, order, kind, symbol, lowering)
        yield replace(row, multiplier_unit=unit)
        return
    here = lowering
    if node.frame is not None:
        frame = lowering.of(node.frame)
        if isinstance(frame, Element):
            frame = frame.frame
        here = lowering.inside(frame)
    components = _difference(node, here, of_points="point" in {left.sort, right.sort})
    for k, letter in enumerate("xyz"):
        component = None if symbol is None else symbol[k]
        row = _row(f"{path}.{letter}", part, components[k], order, kind, component, lowering)
        yield replace(row, multiplier_unit=unit)


def _difference(node: Invariant | Define, here: Lowering, *, of_points: bool) -> Any:
    """Return left minus right in the components of the frame of the equation."""
    if of_points:  # a bracket is a position from the origin of that frame
        apart = minus(here.point(node.left).p, here.point(node.right).p)
        return matvec(transposed(here.frame.R), apart)
    a, b = here.components(node.left), here.components(node.right)
    return minus(a, b)


def _row(
    path: str, part: str, value: Node, order: int, kind: Any, reaction: Any, lowering: Lowering
) -> Row:
    if kind == "invariant" and vanishes(value):
        value = ZERO  # it holds by itself: what rounding leaves of it is no invariant
    highest = [s for s in free_symbols([value]) if _order_of(s, lowering) == order and order > 0]
    affine = True
    if highest:
        try:
            split([value], highest)
        except NotAffineError:
            affine = False
    return Row(
        path=path, part=part, value=value, order=order, kind=kind, reaction=reaction, affine=affine
    )


def _order_of(symbol: Node, lowering: Lowering) -> int:
    """Return the order of a variable or rate; -1 of anything else."""
    name: str = symbol.value
    base = name.rstrip("'")
    known = lowering.world.orders.get(base)
    return -1 if known is None else known + len(name) - len(base)
