"""Baumgarte's feedback: what the invariants are off by, fed back into their accelerations.

    A ud + b = -2 a C' - b^2 C        (60)

An invariant of order 1 has no C, and one of order 2 nothing to feed back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, mul, power, scale
from mbx.expr.nodes import ZERO, Node, number, symbol
from mbx.formalism.equations import Quantity

if TYPE_CHECKING:
    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.invariants import Levels

__all__ = ["GAIN", "feedback"]

GAIN: Final = 10
"""Of both gains, in 1/s: what is off decays as exp(-10 t)."""


def feedback(program: NamedProgram, levels: Levels) -> tuple[Quantity, ...]:
    """Add bm = -b - 2 a C' - b^2 C, and return the gains as parameters, if there are rows."""
    rows = [row.path for row in levels.rows]
    if not rows:
        return ()
    system = levels.motion.system
    taken = {x.path for x in (*system.parameters, *system.inputs)}
    taken |= {x.path for x in (*system.q, *system.u)}
    a = _gain("baumgarte_a", "weight of the invariants at velocity level", taken)
    b = _gain("baumgarte_b", "weight of the invariants at position level", taken)
    position, velocity = iter(levels.position), iter(levels.velocity)
    C = [next(position) if row.order == 0 else ZERO for row in levels.rows]
    Cd = [next(velocity) if row.order <= 1 else ZERO for row in levels.rows]
    program.column("C", C, "what the invariants are off by", rows=rows)
    program.column("Cd", Cd, "likewise at velocity level", rows=rows)
    x, y = program.entries("C"), program.entries("Cd")
    fed: list[list[Node]] = [
        [add(mul(scale(2, a.symbol), yd), mul(power(b.symbol, 2), xd))]
        for (xd,), (yd,) in zip(x, y, strict=True)
    ]
    program.derived("fed", fed, "what is fed back", rows=rows)
    program.sum("bm", "b", "fed", signs=(-1, -1))
    return (a, b)


def _gain(name: str, meaning: str, taken: set[str]) -> Quantity:
    while name in taken:
        name += "_"
    return Quantity(symbol=symbol(name), path=name, unit="1/s", meaning=meaning, value=number(GAIN))
