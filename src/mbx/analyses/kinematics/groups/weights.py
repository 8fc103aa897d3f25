"""Rows of a group brought to one scale, by constant factors.

Rows of lengths, of squares of lengths and of directions have gradients that differ by the size
of a mechanism; an orthogonal elimination loses as many digits. Gradients are evaluated where the
model starts and at samples around, lest one vanish there. Powers of two round nothing.
"""

from __future__ import annotations

from dataclasses import replace
from math import frexp, hypot, isfinite
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.build import mul
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import ZERO, number
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.kinematics.groups.group import Group
    from mbx.analyses.kinematics.natural.natural_view import View
    from mbx.expr.nodes import Node

__all__ = ["Samples", "weighted"]

_AROUND: Final = 0.3
"""How far other samples are: angles and directions by that, lengths by that part of the largest."""
_HALF: Final = 0.5**0.5


class Samples:
    """Values of all coordinates of a mechanism where it starts, and at samples around."""

    def __init__(self, view: View) -> None:
        """Evaluate where coordinates start; coordinates without a start get any value."""
        variables = view.mechanism.system.q
        generator = np.random.default_rng(3)
        start = {v.path: generator.uniform() if v.start is None else v.start for v in variables}
        first = {v.symbol: start[v.path] for v in variables} | dict(view.frozen)
        self.values: list[Mapping[Node, float]] = []
        try:
            first |= view.natural(start, 0.0)
        except (ArithmeticError, ValueError):  # not everything is somewhere then
            return
        lengths = [abs(x) for s, x in first.items() if view.dimension(s) == "m"]
        largest = max(lengths, default=0.0)
        self.values.append({**first, TIME: 0.0})
        for _ in range(2):
            far = {s: largest if view.dimension(s) == "m" else 1.0 for s in first}
            moved = {s: x + _AROUND * far[s] * generator.uniform(-1, 1) for s, x in first.items()}
            self.values.append({**moved, TIME: generator.uniform()})


def weighted(group: Group, samples: Samples) -> Group:
    """Return a group whose gradients have lengths of about 1."""
    entries = [[x for x in row if x is not ZERO] for row in group.Phi_phi]
    sizes = [0.0] * len(entries)
    for values in samples.values:
        try:
            lengths = _sizes(entries, values)
        except (ArithmeticError, ValueError):  # a sample where something has no slope
            continue
        sizes = [max(pair) for pair in zip(sizes, lengths, strict=True)]
    rows = [mul(number(_inverse(s)), row) for s, row in zip(sizes, group.rows, strict=True)]
    return replace(group, rows=tuple(rows))


def _sizes(entries: Sequence[Sequence[Node]], values: Mapping[Node, float]) -> list[float]:
    numbers = iter(evaluate([x for row in entries for x in row], values))
    return [hypot(*(float(next(numbers)) for _ in row)) for row in entries]


def _inverse(size: float) -> float:
    """Return the power of two that is nearest to the inverse of a size."""
    if not (isfinite(size) and size > 0):
        return 1.0
    mantissa, exponent = frexp(size)
    return 2.0 ** (-exponent + (mantissa < _HALF))
