"""Values of expressions at one state; what rounding alone has left there is zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import SYMBOL
from mbx.expr.walk import ordered
from mbx.formalism.numerics import EPS
from mbx.formalism.rounding import ENTRY, moved_by

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.numerics import Array

__all__ = ["Point"]

CLOSE: Final = 1e-9
_STATE: Final = 64 * EPS
"""Part of a coordinate by which a state may be off its invariants."""
_ROUNDING: Final = 8.0
"""Times its noise: a smaller value counts as zero."""


class Point:
    """A state where symbols have values; what was computed there once is kept.

    `others` are further states, perhaps not in general position, such as a start: what is chosen
    by values should hold there, too. `close` is the part by which solutions may be off where
    pivots are chosen by zeros alone, for fewest operations.
    """

    def __init__(
        self,
        values: Mapping[Node, Any],
        others: Sequence[Mapping[Node, Any]] = (),
        close: float = CLOSE,
    ) -> None:
        """Take the values of the symbols."""
        self.close = close
        self.others = tuple(Point(each) for each in others)
        self._values = {node: float(value) for node, value in values.items()}
        self._found: dict[Node, Any] = {}
        self._noise: dict[Node, float] = {}

    def of(self, rows: Sequence[Sequence[Node]], columns: int) -> Array:
        """Return the values of a matrix; one that an entry does not have is an error."""
        nodes = [node for row in rows for node in row]
        try:
            values = evaluate(nodes, self._values, found=self._found)
        except KeyError as missing:
            raise ValueError(f"'{missing.args[0].value}' has no value at the state") from None
        return np.array(values, dtype=np.float64).reshape(len(rows), columns)

    def cleaned(self, rows: Sequence[Sequence[Node]], columns: int) -> Array:
        """Return the values of a matrix, with zeros for what is rounding only."""
        found = self.of(rows, columns)
        nodes = [node for row in rows for node in row]
        with np.errstate(all="ignore"):
            for node in ordered(nodes, self._noise):
                self._noise[node] = self._noise_of(node)
        noise = np.array([self._noise[node] for node in nodes]).reshape(found.shape)
        return np.where(np.abs(found) <= _ROUNDING * noise, 0.0, found)

    def _noise_of(self, node: Node) -> float:
        own = abs(self._found[node])
        if not node.args:
            return float((_STATE if node.op is SYMBOL else ENTRY) * own)
        args = [np.float64(self._found[a]) for a in node.args]
        noise = moved_by(node, [self._noise[a] for a in node.args], args, self._found[node])
        # a root at zero has no slope, and no noise worth the name
        return float(noise) if np.isfinite(noise) else float(ENTRY * own)
