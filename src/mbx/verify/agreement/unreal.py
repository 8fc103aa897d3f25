"""Which expression of a model has no real, finite value at a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.evaluate import evaluate_arrays, free_symbols, ordered
from mbx.expr.nodes import POWER
from mbx.expr.show import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold, Points
    from mbx.system.system import System

__all__ = ["unreal"]

_LONGEST: Final = 80
"""Characters of an expression in a message."""


def unreal(manifold: Manifold, points: Points, k: int) -> str:
    """Return which expression has no finite value at a state, with the element; "" if none."""
    system = manifold.system
    here = points.some(np.arange(len(points)) == k)
    known = manifold.values.at(manifold.equations, here)
    (rates,) = manifold.at(here, "rates")
    known |= {v.rate: rates[:, j, 0] for j, v in enumerate(system.q)}
    for path, node in _expressions(system):
        if all(symbol in known for symbol in free_symbols([node])):
            culprit = _culprit(node, known)
            if culprit is not None:
                return _message(system, path, culprit, known)
    return ""


def _expressions(system: System) -> Iterator[tuple[str, Node]]:
    """Yield what the model states, with the path of the element that states it."""
    for energy in (*system.potentials, *system.dissipations):
        yield energy.path, energy.value
    for force in system.forces:
        yield from ((force.path, node) for node in (*force.force, *force.torque))
    yield from ((load.path, load.value) for load in system.generalized)
    yield from ((load.path, load.value) for load in system.effective)
    for row in (*system.rows, *system.closed):
        yield row.path, row.value
    for element in system.elements:
        yield from ((element.path, node) for node in element.com.p if element.placed)


def _culprit(node: Node, known: Mapping[Node, Array]) -> Node | None:
    """Return the smallest part of an expression whose value is not finite."""
    parts = ordered([node])
    values = dict(zip(parts, evaluate_arrays(parts, known), strict=True))

    def sound(part: Node) -> bool:
        return bool(np.isfinite(values[part]).all())

    if sound(node):
        return None
    while True:
        below = next((a for a in node.args if not sound(a)), None)
        if below is None:
            return node
        node = below


def _message(system: System, path: str, node: Node, known: Mapping[Node, Array]) -> str:
    line = system.lines.get(path, "")
    where = f"{path} at {line}" if line else path
    state = ", ".join(
        f"{show(s)} = {float(np.ravel(known[s])[0]):.6g}" for s in free_symbols([node])
    )
    value = float(np.ravel(evaluate_arrays([node], known)[0])[0])
    what = "not real" if np.isnan(value) and node.op is POWER else "not finite"
    return f"{show(node, _LONGEST)} of {where} is {what} with {state}"
