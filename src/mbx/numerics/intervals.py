"""Interval arithmetic on arrays: bounds of expressions over boxes of their symbols.

Moore, Kearfott and Cloud, Introduction to interval analysis, 2009, chapters 2 and 6. Bounds hold up
to rounding, which nobody who looks for the sizes of features needs to know of. What has no value
somewhere in a box has no bounds there: from -inf to inf.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.expr.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.expr.nodes import Node

    Array = NDArray[np.float64]

__all__ = ["Interval", "enclosures"]


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """Numbers from `low` to `high`, many at once."""

    low: Array
    high: Array

    @property
    def width(self) -> Array:
        """How far apart the ends are."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.high - self.low)

    @property
    def most(self) -> Array:
        """The largest magnitude."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def __add__(self, other: Interval) -> Interval:
        """Return the sums."""
        return _between(self.low + other.low, self.high + other.high)

    def __mul__(self, other: Interval) -> Interval:
        """Return the products."""
        if self is other:
            return _power(self, 2, _constant)
        ends = (
            self.low * other.low,
            self.low * other.high,
            self.high * other.low,
            self.high * other.high,
        )
        return _between(
            np.minimum(np.minimum(ends[0], ends[1]), np.minimum(ends[2], ends[3])),
            np.maximum(np.maximum(ends[0], ends[1]), np.maximum(ends[2], ends[3])),
        )


def enclosures(nodes: Sequence[Node], boxes: Mapping[Node, Interval]) -> list[Interval]:
    """Return bounds of nodes where symbols are in boxes."""
    with np.errstate(all="ignore"):
        return evaluate(nodes, boxes, _FUNCTIONS, _constant)


def _constant(value: Any) -> Interval:
    x = np.asarray(float(value))
    return Interval(x, x)


def _between(low: Any, high: Any) -> Interval:
    """Return an interval; one without bounds where there is no number."""
    lost = np.isnan(low) | np.isnan(high)
    if lost.any():
        low, high = np.where(lost, -np.inf, low), np.where(lost, np.inf, high)
    return Interval(np.asarray(low), np.asarray(high))


def _power(base: Interval, exponent: Any, _: Callable[[Any], Any]) -> Interval:
    up = float(exponent)
    low, high = base.low, base.high
    whole = up == int(up)
    inside = (low <= 0) & (high >= 0)
    if not whole:  # of a negative number there is none
        some = _between(np.maximum(low, 0.0) ** up, np.maximum(high, 0.0) ** up)
        lost = (low < 0) & (up < 0)
    else:
        some = _between(low**up, high**up)
        lost = inside & (up < 0)
    a, b = np.minimum(some.low, some.high), np.maximum(some.low, some.high)
    if whole and int(up) % 2 == 0:
        a = np.where(inside & (up > 0), 0.0, a)
    return Interval(np.where(lost, -np.inf, a), np.where(lost, np.inf, b))


def _rising(f: Callable[[Any], Any]) -> Callable[[Interval], Interval]:
    return lambda x: _between(f(x.low), f(x.high))


def _cos(x: Interval) -> Interval:
    a, b = np.cos(x.low), np.cos(x.high)
    turns = x.low / (2 * pi), x.high / (2 * pi)
    top = np.floor(turns[1]) >= np.ceil(turns[0])
    bottom = np.floor(turns[1] - 0.5) >= np.ceil(turns[0] - 0.5)
    lost = ~np.isfinite(x.low + x.high)
    return Interval(
        np.where(bottom | lost, -1.0, np.minimum(a, b)), np.where(top | lost, 1.0, np.maximum(a, b))
    )


def _sin(x: Interval) -> Interval:
    return _cos(Interval(x.low - pi / 2, x.high - pi / 2))


def _tan(x: Interval) -> Interval:
    lost = np.floor(x.high / pi - 0.5) >= np.ceil(x.low / pi - 0.5)
    a, b = np.tan(x.low), np.tan(x.high)
    return _between(np.where(lost, -np.inf, a), np.where(lost, np.inf, b))


def _even(f: Callable[[Any], Any]) -> Callable[[Interval], Interval]:
    """Return a function that is least at zero, and rises from there to both sides."""

    def found(x: Interval) -> Interval:
        a, b = f(x.low), f(x.high)
        inside = (x.low <= 0) & (x.high >= 0)
        return _between(np.where(inside, f(0.0), np.minimum(a, b)), np.maximum(a, b))

    return found


def _acos(x: Interval) -> Interval:
    return _between(np.arccos(x.high), np.arccos(x.low))


def _atan2(y: Interval, x: Interval) -> Interval:
    corners = np.stack(
        [np.arctan2(a, b) for a in (y.low, y.high) for b in np.broadcast_arrays(x.low, x.high)]
    )
    cut = (y.low <= 0) & (y.high >= 0) & (x.low <= 0)
    low, high = corners.min(axis=0), corners.max(axis=0)
    return Interval(np.where(cut, -pi, low), np.where(cut, pi, high))


def _sign(x: Interval) -> Interval:
    return Interval(np.sign(x.low), np.sign(x.high))


def _less(a: Interval, b: Interval) -> Interval:
    return Interval((a.high < b.low).astype(float), (a.low < b.high).astype(float))


def _select(condition: Interval, yes: Interval, no: Interval) -> Interval:
    never, always = condition.high <= 0, condition.low > 0
    low, high = np.minimum(yes.low, no.low), np.maximum(yes.high, no.high)
    return Interval(
        np.where(never, no.low, np.where(always, yes.low, low)),
        np.where(never, no.high, np.where(always, yes.high, high)),
    )


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "asin": _rising(np.arcsin),
    "acos": _acos,
    "atan": _rising(np.arctan),
    "atan2": _atan2,
    "sinh": _rising(np.sinh),
    "cosh": _even(np.cosh),
    "tanh": _rising(np.tanh),
    "exp": _rising(np.exp),
    "log": _rising(np.log),
    "abs": _even(np.abs),
    "sign": _sign,
    "power": _power,
    "less": _less,
    "select": _select,
}
