"""A state as it is stated, by paths, and as rates by order and column."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import factorial
from typing import TYPE_CHECKING

from mbx.verify.oracle.kinematics.oracle_motion import Motion
from mbx.verify.oracle.refusal import OracleRefusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.verify.oracle.kinematics.declared_world import World
    from mbx.verify.oracle.kinematics.oracle_motion import Rates
    from mbx.verify.oracle.numbers.jet_scalars import Arithmetic
    from mbx.verify.oracle.numbers.number_fields import Field, Number

__all__ = ["Outside", "State", "read_outside", "read_state"]

SLACK = Fraction(1, 10**9)
"""How far a joint that does not let go may have moved in a state, by rounding."""
_AUXILIARY = frozenset(f"{kind}.{axis}" for kind in ("slip", "turn") for axis in "xyz")


@dataclass(eq=False)
class Outside:
    """What is given next to the state: time, parameters, inputs with their rates."""

    t: Number
    parameters: dict[str, Number]
    inputs: dict[str, tuple[Number, ...]]

    def later(self, h: Number) -> Outside:
        """Return what is given a time h later."""
        moved = {}
        for path, c in self.inputs.items():
            moved[path] = tuple(
                sum(
                    (c[j] * _binomial(j, k) * h ** (j - k) for j in range(k, len(c))),
                    start=0 * h,
                )
                for k in range(len(c))
            )
        return Outside(self.t + h, self.parameters, moved)


def _binomial(n: int, k: int) -> int:
    return factorial(n) // (factorial(k) * factorial(n - k))


@dataclass(eq=False)
class State:
    """Known rates by order and column; `stated` are those of the state, `speeds` their paths."""

    rates: Rates
    stated: set[tuple[int, int]]
    speeds: dict[str, int]
    auxiliary: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Speeds of joints that let go: by path, the reaction's path and the component."""

    def missing(self, world: World, order: int) -> list[int]:
        """Return the columns whose rate of an order was not stated."""
        return [
            variable.column
            for variable in world.variables
            if variable.order <= order and (order, variable.column) not in self.stated
        ]

    def motion(self, m: Arithmetic, order: int, outside: Outside) -> Motion:
        """Return the motion whose unknowns are the rates of an order."""
        return Motion(m, order, outside.t, self.rates, outside.parameters, outside.inputs)

    def later(self, h: Number) -> State:
        """Return the state a time h later, if the rates beyond those known were zero."""
        highest = max(self.rates)
        moved: Rates = {
            r: {
                column: sum(
                    (
                        self.rates[k][column] * h ** (k - r) / factorial(k - r)
                        for k in range(r, highest + 1)
                    ),
                    start=0 * h,
                )
                for column in self.rates[r]
            }
            for r in self.rates
        }
        return State(moved, self.stated, self.speeds, self.auxiliary)


def _exact(value: float | Fraction | str) -> Fraction:
    return Fraction(value)


def read_outside(
    field: Field,
    time: float,
    parameters: Mapping[str, float],
    inputs: Mapping[str, float],
) -> Outside:
    """Return time, parameters and inputs as numbers."""
    names = {path.rstrip("'") for path in inputs}
    series = {}
    for name in names:
        highest = max(len(path) - len(name) for path in inputs if path.rstrip("'") == name)
        series[name] = tuple(
            field.number(_exact(inputs.get(name + "'" * k, 0))) / factorial(k)
            for k in range(highest + 1)
        )
    numbers = {path: field.number(_exact(value)) for path, value in parameters.items()}
    return Outside(field.number(_exact(time)), numbers, series)


def read_state(
    world: World, field: Field, state: Mapping[str, float | Fraction | str], order: int
) -> State:
    """Return a state by paths; the rates below `order` that are not stated are zero so far."""
    known = {variable.path: variable for variable in world.variables}
    zero = field.number(0)
    rates: Rates = {
        r: {variable.column: zero for variable in world.variables if variable.order <= r}
        for r in range(order)
    }
    stated: set[tuple[int, int]] = set()
    speeds: dict[str, int] = {}
    auxiliary: dict[str, tuple[str, int]] = {}
    for path, value in state.items():
        name = path.rstrip("'")
        if name not in known:
            _auxiliary(path, name, value, auxiliary)
            continue
        variable = known[name]
        r = variable.order + len(path) - len(name)
        if r < order:
            rates[r][variable.column] = field.number(_exact(value))
            stated.add((r, variable.column))
        if r == 1:
            speeds[path] = variable.column
    for variable in world.variables:
        if variable.order == 0 and (0, variable.column) not in stated:
            raise OracleRefusal("the state does not state it", variable.path, variable.node.at)
    return State(rates, stated, speeds, auxiliary)


def _auxiliary(
    path: str, name: str, value: float | Fraction | str, auxiliary: dict[str, tuple[str, int]]
) -> None:
    """Take a motion of a joint that lets go, which must be zero."""
    owner, _, member = name.rpartition(".")
    owner, _, kind = owner.rpartition(".")
    if f"{kind}.{member}" not in _AUXILIARY:
        raise OracleRefusal("there is no such variable", path)
    if abs(_exact(value)) > SLACK:
        raise OracleRefusal("a joint does not let go", path)
    if path != name:
        auxiliary[path] = owner, 3 * (kind == "turn") + "xyz".index(member)
