"""Values of expressions at one state, or at several, with bounds of their rounding errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import SYMBOL
from mbx.expr.walk import free_symbols, ordered
from mbx.numerics.bounds import Bounds
from mbx.numerics.rounding import literal_error, moved_by
from mbx.numerics.tolerances import ENTRY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Point", "States"]

CLOSE: Final = 1e-9


class States:
    """States where symbols have values; an expression is evaluated at all of them at once."""

    def __init__(
        self,
        values: Sequence[Mapping[Node, Any]],
        errors: Callable[[Mapping[Node, Any]], Mapping[Node, Any]],
    ) -> None:
        """Take the values of the symbols at each state, and what says how far they may be off."""
        self.count = len(values)
        symbols = values[0] if values else ()
        self._values = {s: np.array([one[s] for one in values], dtype=float) for s in symbols}
        self._errors = errors(self._values)

    def of(
        self,
        rows: Sequence[Sequence[Node]],
        columns: int,
        more: Mapping[Node, Array] | None = None,
    ) -> tuple[Array, Array]:
        """Return the values of a matrix and bounds of their errors, (states, rows, columns).

        `more` are the values of further symbols. What has no value is not finite.
        """
        shape = self.count, len(rows), columns
        nodes = [node for row in rows for node in row]
        known = self._values | dict(more or {})
        if not self.count or not all(node in known for node in free_symbols(nodes)):
            return np.full(shape, np.nan), np.zeros(shape)
        values, bounds = Bounds(nodes).run(known, self._errors, self.count)
        return values.T.reshape(shape), bounds.T.reshape(shape)


class Point:
    """A state where symbols have values; what was computed there once is kept.

    `others` are further states, perhaps not in general position, such as a start: what is chosen
    by values should hold there, too. `close` is the part by which solutions may be off where
    pivots are chosen by zeros alone, for fewest operations. `doubts`, where there are some, take
    in conditions on which what was chosen here does not hold at a state.
    """

    def __init__(
        self,
        values: Mapping[Node, Any],
        others: Sequence[Mapping[Node, Any]] = (),
        close: float = CLOSE,
        errors: Callable[[Mapping[Node, Any]], Mapping[Node, Any]] = lambda _: {},
        doubts: list[Node] | None = None,
    ) -> None:
        """Take the values of the symbols, and what says how far they may be off."""
        self.close = close
        self.doubts = doubts
        self.others = States(others, errors)
        self._values = {node: float(value) for node, value in values.items()}
        self._found: dict[Node, Any] = {}
        self._noise = {node: float(error) for node, error in errors(self._values).items()}

    def of(self, rows: Sequence[Sequence[Node]], columns: int) -> Array:
        """Return the values of a matrix; one that an entry does not have is an error."""
        nodes = [node for row in rows for node in row]
        try:
            values = evaluate(nodes, self._values, known=self._found)
        except KeyError as missing:
            raise ValueError(f"'{missing.args[0].value}' has no value at the state") from None
        return np.array(values, dtype=np.float64).reshape(len(rows), columns)

    def noise(self, rows: Sequence[Sequence[Node]], columns: int) -> Array:
        """Return bounds of the errors of a matrix whose values are known."""
        nodes = [node for row in rows for node in row]
        with np.errstate(all="ignore"):
            for node in ordered(nodes, self._noise):
                self._noise[node] = self._noise_of(node)
        return np.array([self._noise[node] for node in nodes]).reshape(len(rows), columns)

    def _noise_of(self, node: Node) -> float:
        own = abs(self._found[node])
        if not node.args:
            return float(ENTRY * own) if node.op is SYMBOL else literal_error(node.value)
        args = [np.float64(self._found[a]) for a in node.args]
        noise = moved_by(node, [self._noise[a] for a in node.args], args, self._found[node])
        # a root at zero has no slope, and no noise worth the name
        return float(noise) if np.isfinite(noise) else float(ENTRY * own)
