"""Functions that may change within a small part of a run: narrow pulses, walls and wells.

Where such a function is flat at all stages of a step, no control of the error sees it. So it is
bounded over boxes of its symbols, by interval arithmetic and by the mean value theorem (Moore,
Kearfott and Cloud, Introduction to interval analysis, 2009, sections 5.4 and 6.4): a function that
may change by much more than its samples show is not resolved by them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import evaluate_arrays, free_symbols, ordered, substitute
from mbx.expr.nodes import FUNCTION, POWER
from mbx.numerics.intervals import enclosures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.intervals import Interval

__all__ = ["HIDDEN", "NEGLIGIBLE", "STEEP", "Feature", "features_in"]

HIDDEN: Final = 0.5
"""Part of what a whole step shows of a function by which it may change in a small part of it."""
STEEP: Final = 8.0
"""How many times more than its samples show a function would change if it was as steep all over as
anywhere, before it is not resolved: a sample may be in a pulse by chance."""
NEGLIGIBLE: Final = 1e-14
"""Part of the largest value times the whole time that a change times its duration may miss."""
_WAVES: Final = frozenset({"sin", "cos", "sign", "abs", "asin", "acos", "log", "atan2"})
"""Functions that show themselves wherever they are looked at, or at whose surfaces a run stops."""


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """One function: its node, what it is a function of, the symbols in it, and its slopes."""

    node: Node
    argument: Node
    symbols: tuple[Node, ...]
    slopes: tuple[Node, ...]

    def changes(self, boxes: Mapping[Node, Interval]) -> tuple[Array, Array, float]:
        """Return by how much it may change at most in each box: by its bounds, and by its slopes.

        The third is how large it may be in all of them.
        """
        own, *slopes = enclosures([self.node, *self.slopes], boxes)
        count = len(next(iter(boxes.values())).low)
        with np.errstate(all="ignore"):
            spread = sum(
                (d.most * boxes[s].width for d, s in zip(slopes, self.symbols, strict=True)),
                np.zeros(count),
            )
        width, most = (np.broadcast_to(x, (count,)) for x in (own.width, own.most))
        return width, spread, float(most[np.isfinite(most)].max(initial=0.0))

    def at(self, values: Mapping[Node, Array]) -> Array:
        """Return its values."""
        (found,) = evaluate_arrays([self.node], values)
        shape = next(iter(values.values())).shape
        return np.asarray(np.broadcast_to(found, shape), dtype=float)


def features_in(
    nodes: Iterable[Node], known: Mapping[Node, Node], variables: Sequence[Node]
) -> list[Feature]:
    """Return the functions of some variables in nodes, where symbols that are `known` are put in.

    Sums, products and higher powers than -1 are resolved where their parts are.
    """
    all_of = set(variables)
    found: list[Feature] = []
    candidates = [node for node in ordered(nodes) if _may_hide(node)]
    for node in dict.fromkeys(substitute(candidates, known)):
        symbols = tuple(free_symbols([node]))
        if _may_hide(node) and symbols and all_of.issuperset(symbols):
            slopes = tuple(gradient(node, symbols))
            found.append(Feature(node, node.args[0], symbols, slopes))
    return found


def _may_hide(node: Node) -> bool:
    if node.op is FUNCTION:
        return node.value not in _WAVES
    return node.op is POWER and node.value <= -1  # 1/sqrt(1 + x^2) shows itself from afar
