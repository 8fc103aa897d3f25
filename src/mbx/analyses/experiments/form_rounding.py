"""How many digits a form has at a sample: its values at the same sample, to the last digits.

All numbers that go in are changed by units in their last place. A value that is well determined
then moves by as little; what moves more is rounding of the form, as where one choice of
independent speeds is nearly singular.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.numerics.execute.stacked_algebra import EPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.expr.nodes import Node

__all__ = ["COUNT", "noise", "nudged"]

COUNT: Final = 8
"""At how many samples nearby a form is evaluated."""
UNITS: Final = 4
SLACK: Final = 10.0
"""How much larger the rounding may be than it was seen."""


def nudged(values: Mapping[Node, Any], count: int) -> dict[Node, Any]:
    """Return values of symbols at samples, each changed in its last digits."""
    rng = np.random.default_rng(1)
    return {
        node: value * (1 + UNITS * EPS * rng.uniform(-1, 1, count))
        for node, value in values.items()
    }


def noise(value: float, nearby: Iterable[float]) -> float:
    """Return how far a value may be off by rounding, as values at nearly the same sample show."""
    return SLACK * max((abs(x - value) for x in nearby), default=0.0)
