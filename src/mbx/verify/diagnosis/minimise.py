"""The smallest state at which two results still differ: zeros first, then round numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.states.complete import StatePoint
from mbx.numerics.states.manifold import Points
from mbx.numerics.tolerances import CLOSE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from mbx.verify.diagnosis.measure_difference import Measure

__all__ = ["KEPT", "differs", "minimise", "moved_to"]

KEPT: Final = 1e-2
"""Part of an error that must remain for it to be the same error."""


def differs(value: float, at_first: float) -> bool:
    """Return whether an error is still there, of which this much was seen at first."""
    return value > 1e-12 and value >= KEPT * at_first  # noqa: PLR2004  the bound of agreement


def minimise(measure: Measure, start: StatePoint, at_first: float) -> StatePoint:
    """Return a state with as many zeros and round numbers as keep the difference."""
    best = start
    fixed: dict[str, float] = {}
    variables = [v.path for v in (*measure.system.u, *measure.system.q)]

    def accept(wanted: dict[str, float], t: float) -> bool:
        nonlocal best
        if measure.clock.left <= 0:
            return False
        point = moved_to(measure, best, wanted, t)
        if point is None:
            return False
        (error,) = measure.at([point])
        if error is None or not differs(error.value, at_first):
            return False
        best = point
        return True

    def settle(tries: Sequence[tuple[str, Callable[[float], float]]]) -> None:
        for path, change in tries:
            new = change(best.values[path])
            if best.values[path] == new or accept({**fixed, path: new}, best.t):
                fixed[path] = new

    if best.t:
        accept({}, 0.0)
    resting = {v.path: 0.0 for v in measure.system.u}
    if accept(resting, best.t):
        fixed |= resting
    settle([(path, lambda _: 0.0) for path in variables if path not in fixed])
    settle([(path, _rounded) for path in variables if path not in fixed])
    return best


def _rounded(x: float) -> float:
    return float(f"{x:.1g}")


def moved_to(
    measure: Measure, point: StatePoint, wanted: dict[str, float], t: float
) -> StatePoint | None:
    """Return the consistent state nearest to a point where these variables have given values."""
    manifold, system = measure.manifold, measure.system
    values = {**point.values, **wanted}

    def row(variables: Sequence[str]) -> NDArray[np.float64]:
        return np.array([[values[path] for path in variables]], dtype=float)

    def free(variables: Sequence[str]) -> NDArray[np.bool_]:
        return np.array([path not in wanted for path in variables], dtype=bool)

    q, u = [v.path for v in system.q], [v.path for v in system.u]
    points = Points(np.array([t]), row(q).reshape(1, len(q)), row(u).reshape(1, len(u)))
    points, error = manifold.project(points, (free(q), free(u)))
    if error[0] > CLOSE:
        return None
    new = dict(zip(q, map(float, points.q[0]), strict=True))
    new |= dict(zip(u, map(float, points.u[0]), strict=True))
    return StatePoint(point.name, t, new)
