"""Rounding errors of single operations, to first order."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.expr.build import function
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.nodes import symbol
from mbx.numerics.ranks import EPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node

__all__ = ["literal_error", "moved_by"]

_SHORT: Final = 2**26
"""A rational with a smaller power of two as denominator is meant as it is, such as 1/2."""


def literal_error(value: Fraction | float) -> float:
    """Return the error of a constant: none if it is whole or a short binary fraction."""
    try:
        exact = Fraction(value)
        short = exact.denominator < _SHORT and exact.denominator & (exact.denominator - 1) == 0
        return 0.0 if short else EPS * abs(float(value))
    except (OverflowError, ValueError):  # beyond the floats, or no number
        return 0.0


def moved_by(node: Node, parts: Sequence[Any], args: Sequence[Any], value: Any) -> Any:
    """Return the error of an operation from those of its arguments, and its own rounding.

    Errors are added in quadrature: they are independent for the most part, and sums of their
    magnitudes would exceed them a thousandfold in long chains of operations.
    """
    match node.op:
        case "add":
            error = literal_error(node.value or 0)
            rounded = (EPS * a for a in (*args, float(node.value or 0)))
            return reduce(np.hypot, [*parts, error, *rounded])
        case "scale":
            error = literal_error(node.value) + EPS * abs(float(node.value))
            return np.hypot(float(node.value) * parts[0], error * args[0])
        case "product":
            moved = np.hypot(args[0] * parts[1], args[1] * parts[0])
            return np.hypot(moved, EPS * value)
        case "power":
            n = float(node.value)
            return np.hypot(n * np.abs(args[0]) ** (n - 1) * parts[0], EPS * value)
        case "less":
            return 0.0 * parts[0]
        case "choose":
            return np.where(args[0], parts[1], parts[2])
    symbols, slopes = _slopes(node.value, len(args))
    by = evaluate_arrays(slopes, dict(zip(symbols, args, strict=True)))
    return reduce(np.hypot, [*(s * d for s, d in zip(by, parts, strict=True)), EPS * value])


@cache
def _slopes(name: str, count: int) -> tuple[list[Node], list[Node]]:
    """Return symbols, and the derivatives of a function of them."""
    symbols = [symbol(f"x{k}") for k in range(count)]
    return symbols, gradient(function(name, *symbols), symbols)
