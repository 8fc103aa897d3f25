"""Splitting expressions that are affine in some symbols: A x + b."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.derivatives import jacobian
from mbx.expr.nodes import ADD, LESS, NUMBER, PRODUCT, SCALE, ZERO, Node
from mbx.expr.subs import substitute
from mbx.expr.walk import ordered

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NotAffineError", "split"]


class NotAffineError(ValueError):
    """An expression is not affine in the symbols; `row` is its number."""

    def __init__(self, row: int) -> None:
        """Keep the row."""
        super().__init__(f"expression {row} is not affine")
        self.row = row


def split(
    nodes: Sequence[Node], symbols: Sequence[Node], *, symmetric: bool = False
) -> tuple[list[list[Node]], list[Node]]:
    """Return A and b with nodes = A symbols + b; raise `NotAffineError` if there are none.

    Of an A that is known to be `symmetric`, one half is derived and stands for both.
    """
    rows = jacobian(nodes, symbols, symmetric=symmetric)
    if _seen_affine(nodes, symbols):
        return rows, substitute(nodes, dict.fromkeys(symbols, ZERO))
    coefficients = [entry for row in rows for entry in row if entry.op is not NUMBER]
    moved = set(symbols)
    stepped: set[Node] = set()  # jumps have no slope that would show in the derivatives
    for node in ordered([*nodes, *coefficients]):
        if any(a in moved for a in node.args):
            moved.add(node)
            if node.op is LESS or node.value == "sign" or any(a in stepped for a in node.args):
                stepped.add(node)
    for k, row in enumerate(rows):
        if nodes[k] in stepped or not moved.isdisjoint(row):
            raise NotAffineError(k)
    return rows, substitute(nodes, dict.fromkeys(symbols, ZERO))


def _seen_affine(nodes: Sequence[Node], symbols: Sequence[Node]) -> bool:
    """Whether every operation on the symbols is a sum or a product with what is free of them."""
    moved = set(symbols)
    for node in ordered(nodes):
        args = node.args
        if not args:
            continue
        if node.op is ADD or node.op is SCALE:
            if not moved.isdisjoint(args):
                moved.add(node)
        elif node.op is PRODUCT:
            a, b = args
            if a in moved:
                if b in moved:
                    return False
                moved.add(node)
            elif b in moved:
                moved.add(node)
        elif not moved.isdisjoint(args):
            return False
    return True
