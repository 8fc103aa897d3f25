"""Baumgarte's feedback: what the invariants are off by, fed back into their accelerations.

    A ud + b = -2 a C' - b^2 C        (60)

An invariant of order 1 has no C, and one of order 2 nothing to feed back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, mul, power, scale
from mbx.expr.nodes import ZERO, number, symbol
from mbx.formalism.equations import Quantity

if TYPE_CHECKING:
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.mechanics.invariants import Levels

__all__ = ["GAIN", "feedback"]

GAIN: Final = 10
"""Of both gains, in 1/s: what is off decays as exp(-10 t)."""


def feedback(p: Program, levels: Levels, b: Matrix) -> tuple[Matrix, tuple[Quantity, ...]]:
    """Add bm = -b - 2 a C' - b^2 C; return it, and the gains as parameters."""
    rows = [row.path for row in levels.rows]
    system = levels.motion.system
    taken = {x.path for x in (*system.parameters, *system.inputs)}
    taken |= {x.path for x in (*system.q, *system.u)}
    by_velocity = _gain("baumgarte_a", "weight of the invariants at velocity level", taken)
    by_position = _gain("baumgarte_b", "weight of the invariants at position level", taken)
    position, velocity = iter(levels.position), iter(levels.velocity)
    off = [next(position) if row.order == 0 else ZERO for row in levels.rows]
    rate = [next(velocity) if row.order <= 1 else ZERO for row in levels.rows]
    C = p.column("C", off, "what the invariants are off by", rows=rows)
    Cd = p.column("Cd", rate, "likewise at velocity level", rows=rows)
    weights = scale(2, by_velocity.symbol), power(by_position.symbol, 2)
    each = zip(p.elements(C), p.elements(Cd), strict=True)
    feedback = [add(mul(weights[0], yd), mul(weights[1], xd)) for xd, yd in each]
    fed = p.column("fed", feedback, "what is fed back", rows=rows)
    return p.let("bm", -b - fed), (by_velocity, by_position)


def _gain(name: str, meaning: str, taken: set[str]) -> Quantity:
    while name in taken:
        name += "_"
    return Quantity(symbol=symbol(name), path=name, unit="1/s", meaning=meaning, value=number(GAIN))
