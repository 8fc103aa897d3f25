"""How far rounding moves the values of expressions, to first order, operation by operation."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.expr.build import function
from mbx.expr.diff import gradient
from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.nodes import symbol
from mbx.expr.walk import ordered
from mbx.formalism.numerics import EPS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.numerics import Array
    from mbx.formalism.program import Step

__all__ = ["ENTRY", "expression_noise", "moved_by"]

ENTRY: Final = 4 * EPS
"""Of an expression, and of what is given."""


def expression_noise(
    step: Step, values: Mapping[Node, Array], noise: Mapping[Node, Array], value: Array
) -> Array:
    """Return the noise of a matrix of expressions from that of some of their symbols."""
    found = ENTRY * np.abs(value)
    every = ordered(node for row in step.entries for node in row)
    try:
        at = dict(zip(every, evaluate_arrays(every, values), strict=True))
    except OverflowError:  # an exact constant beyond the floats: no state has a value
        return found
    moved: dict[Node, Any] = {}
    for node in every:
        if node in noise:
            moved[node] = noise[node]
        elif any(a in moved for a in node.args):
            parts = [moved[a] if a in moved else ENTRY * np.abs(at[a]) for a in node.args]
            moved[node] = moved_by(node, parts, [at[a] for a in node.args], at[node])
    for i, row in enumerate(step.entries):
        for j, node in enumerate(row):
            if node in moved:
                # a root at zero has no slope, and no noise worth the name
                own = np.isnan(moved[node])
                found[:, i, j] = np.where(own, found[:, i, j], moved[node])
    return found


def moved_by(node: Node, parts: Sequence[Any], args: Sequence[Any], value: Any) -> Any:
    """Return the noise of an operation from that of its arguments, and its own rounding."""
    match node.op:
        case "add":
            return sum(parts) + EPS * sum(np.abs(a) for a in args)
        case "scale":
            return abs(float(node.value)) * parts[0]
        case "product":
            a, b = np.abs(args[0]), np.abs(args[1])
            da, db = parts
            return a * db + b * da + EPS * a * b
        case "power":
            n = float(node.value)
            return abs(n) * np.abs(args[0]) ** (n - 1) * parts[0] + EPS * np.abs(value)
        case "less":
            return 0.0 * parts[0]
        case "choose":
            return np.where(args[0], parts[1], parts[2])
    symbols, slopes = _slopes(node.value, len(args))
    by = evaluate_arrays(slopes, dict(zip(symbols, args, strict=True)))
    return sum(np.abs(s) * d for s, d in zip(by, parts, strict=True)) + EPS * np.abs(value)


@cache
def _slopes(name: str, count: int) -> tuple[list[Node], list[Node]]:
    """Return symbols, and the derivatives of a function of them."""
    symbols = [symbol(f"x{k}") for k in range(count)]
    return symbols, gradient(function(name, *symbols), symbols)
