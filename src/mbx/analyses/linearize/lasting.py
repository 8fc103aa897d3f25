"""Whether a motion goes on as it is: where a system is a little later, or at other times.

Small motions about a state show its stability only where the linear system stays what it is,
and neither the time nor a coordinate that moves on changes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.observe import Place
from mbx.expr.evaluate import free_symbols
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.numerics.tolerances import ROUGH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.analyses.linearize.residual_slopes import Residual
    from mbx.analyses.linearize.tangent_motions import Choice

__all__ = ["later"]

AFTER: Final = (0.37, 1.0, 2.6, 17.3)
"""Seconds, in no simple ratio, so that hardly a period divides all of them."""
MOVED: Final = 1e-3
"""How far a coordinate moves on at most, in rad and m."""
SOON: Final = 1e-3
"""Seconds after which a moving system is checked again, at most."""


def later(residual: Residual, at: Place, choice: Choice) -> Iterator[Place | None]:
    """Yield references where a state would be later if it went on evenly; None where there is none.

    At rest it is the same state at other times; nothing, where the time is nowhere in the system.
    """
    values = residual.values(at.state, at.parameters, at.inputs, at.t)
    qd = residual.columns(["qd"], values, 1)[0]
    speed = float(np.abs(qd).max(initial=0.0))
    if speed:
        step = min(SOON, MOVED / speed)
        times = np.array([step, 3 * step])
    elif _timed(residual):
        times = np.array(AFTER)
    else:
        return
    q, u = (
        np.array([[at.state[v.path] for v in x]]) for x in (residual.system.q, residual.system.u)
    )
    manifold = Manifold(residual.system, Values(at.parameters, at.inputs))
    points = Points(at.t + times, q + times[:, None] * qd, np.repeat(u, len(times), axis=0))
    free_q, free_u = (
        np.array([k not in c for k in range(n)], dtype=bool)
        for c, n in zip(choice, (q.size, u.size), strict=True)
    )
    points, off = manifold.project(points, (free_q, free_u))
    paths = [v.path for v in (*residual.system.q, *residual.system.u)]
    for k, t in enumerate(points.t.tolist()):
        if off[k] > ROUGH:
            yield None
        else:
            numbers = [*points.q[k].tolist(), *points.u[k].tolist()]
            state = dict(zip(paths, numbers, strict=True))
            yield Place(state, at.parameters, at.inputs, t)


def _timed(residual: Residual) -> bool:
    """Return whether the time is anywhere in the system."""
    values = [
        parameter.value for parameter in residual.system.inputs if parameter.value is not None
    ]
    nodes = [x for column in residual.nodes.values() for x in column]
    return residual.time in free_symbols([*nodes, *values])
