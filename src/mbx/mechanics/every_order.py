"""Motion in variables of every order: speeds, quasi-accelerations and beyond.

The unknown of order s is (u^(s-1), a^(s-2), ..), with `a` for a declared variable of order 2
(Orsino's q<s>). Partial velocities need a name for what a variable is the rate of at the level
of speeds: of `a` it is `a~1`, which no expression contains, so that `a` has no inertia unless a
known model gives it one. What the unknown is by the speeds alone is x = E x_u + e.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from mbx.expr.algebra.elimination import split
from mbx.expr.nodes import ONE, ZERO, Node, symbol
from mbx.language.units import multiply_seconds
from mbx.mechanics import motion
from mbx.mechanics.programme import higher_rates
from mbx.system.kinematics.extension import Extension
from mbx.system.symbol_names import Rates
from mbx.system.system import Effective, Generalized

if TYPE_CHECKING:
    from mbx.mechanics.motion import Motion
    from mbx.system.system import Quasi, System, Variable

__all__ = ["extend", "in_variables"]

_Load = TypeVar("_Load", Generalized, Effective)


def in_variables(system: System) -> Motion:
    """Return the motion in the speeds and in the declared variables of order 2 and more."""
    written = system.written
    if written is None:
        return motion.in_speeds(system)
    below = {quasi.symbol: _below(quasi) for quasi in system.quasi}
    direction = dict(system.rates.direction)
    for variable in system.quasi:
        for k in range(variable.order - 1, 0, -1):
            direction[_primitive(variable, k)] = _primitive(variable, k - 1)
    rows = {row.path: row for row in written.rows}
    enlarged = replace(
        system,
        rates=Rates(direction),
        # what an analysis adds to the rows is there, too
        rows=(*(rows.get(row.path, row) for row in system.rows), *written.ties),
        forces=written.forces,
        generalized=tuple(_on(x, below) for x in written.generalized),
        effective=tuple(_on(x, below) for x in written.effective),
        independent={
            part: tuple(below[x].symbol if x in below else x for x in symbols)
            for part, symbols in system.independent.items()
        },
    )
    return motion.in_speeds(enlarged, tuple(below.values()))


def _primitive(variable: Quasi, times: int) -> Node:
    """Return the symbol whose rate of some order a variable is."""
    return symbol(f"{variable.path}~{times}") if times else variable.symbol


def _below(quasi: Quasi) -> Variable:
    """Return a variable at the level of speeds, called by its own name."""
    k = quasi.order - 1
    return replace(
        quasi.variable,
        symbol=_primitive(quasi, k),
        rate=_primitive(quasi, k - 1),
        unit=multiply_seconds(quasi.variable.unit, k),
        base=None,
    )


def _on(load: _Load, below: dict[Node, Variable]) -> _Load:
    return replace(load, on=below[load.on].symbol) if load.on in below else load


def extend(system: System) -> Extension | None:
    """Return what all unknowns are by those of the speeds; None where there are no others."""
    if not system.quasi:
        return None
    moving = motion.in_speeds(system)
    n = len(moving.u)
    E = [[ONE if j == k else ZERO for j in range(n)] for k in range(n)]
    e: list[Node] = [ZERO] * n
    known: dict[Node, Node] = {}
    unknown: list[Node] = []
    top: list[Node] = []
    for variable in system.quasi:
        (value,) = moving.express([variable.value])
        at = variable.symbol
        for _ in range(variable.order, system.order):
            known[at] = value
            (value,) = moving.rate([value])
            at = system.rates.direction[at]
        unknown.append(at)
        top.append(value)
    slopes, rest = split(top, higher_rates(moving, system.order - 1))
    return Extension([*E, *slopes], [*e, *rest], known, tuple(unknown))
