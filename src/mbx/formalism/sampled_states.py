"""States of a model that equations carry, so that ranks and pivots can be chosen from them.

Where rows depend on each other, code is written for the rank that a matrix has in general
position, and pivots are chosen that vanish at none of some further states. Both are found by
running the program at these states, which belong to the equations for that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Signature

__all__ = ["Row", "SampledStates", "finite", "sampled_symbols"]

Row = tuple[float | None, ...]
"""The values of the symbols at one state; None where there is no finite value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledStates:
    """Consistent states of a model.

    Attributes:
        invariants: Number of equations that the invariants are, those of closed loops included.
        independent: Rank of these equations; None if it is not known.
        constants: Values that are the same at all states: of parameters, and of most inputs.
        symbols: All other symbols, in the order of the values of a state.
        general: States in general position, at which ranks are determined.
        further: States at which pivots must not vanish: the start, rest, the states that the
            model names, those in general position, and more of these.
        reason: Why there are none, if there is no consistent state.
    """

    invariants: int
    independent: int | None = None
    constants: Mapping[Node, float | None] = field(default_factory=dict)
    symbols: tuple[Node, ...] = ()
    general: tuple[Row, ...] = ()
    further: tuple[Row, ...] = ()
    reason: str = ""


def finite(x: float) -> float | None:
    """Return a number as a value of a sampled state: None unless it is finite."""
    return x if math.isfinite(x) else None


def sampled_symbols(signature: Signature) -> Iterable[Node]:
    """Yield the symbols that have a value at every sampled state."""
    yield signature.t
    groups = (signature.q, signature.u, signature.higher, signature.inputs)
    for group in (*groups, signature.parameters, signature.derived):
        for quantity in group:
            yield quantity.symbol
