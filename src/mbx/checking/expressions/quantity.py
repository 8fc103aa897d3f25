"""What an expression is: a scalar, vector, point, frame, tensor or condition, with dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mbx.language import units
from mbx.language.units import ONE, Dimension

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = [
    "ACCELERATION",
    "ENERGY",
    "FORCE",
    "FRAME",
    "INERTIA",
    "LENGTH",
    "MASS",
    "POWER",
    "RATE",
    "SPEED",
    "TIME",
    "TORQUE",
    "TWIST",
    "UNKNOWN",
    "Quantity",
    "Sort",
    "fits",
    "over",
    "times",
    "to_power",
]

Sort = Literal[
    "scalar", "vector", "point", "frame", "twist", "tensor", "condition", "wrench", "unknown"
]
"""A twist is a body known by its velocity alone, or its mass centre; a wrench is a reaction."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """Sort, dimension and order of an expression.

    `dimension` is none where any fits: a bare zero, or after a fault. `order` is that of the
    highest variable rate in it, -1 without variables; `timed` says whether it names t.
    """

    sort: Sort
    dimension: Dimension | None = ONE
    order: int = -1
    timed: bool = False


UNKNOWN = Quantity("unknown", None)
FRAME = Quantity("frame", None)
TWIST = Quantity("twist", None, 0)

LENGTH = units.parse("m").dimension
TIME = units.parse("s").dimension
MASS = units.parse("kg").dimension
SPEED = units.parse("m/s").dimension
RATE = units.parse("1/s").dimension
ACCELERATION = units.parse("m/s^2").dimension
FORCE = units.parse("N").dimension
TORQUE = units.parse("N*m").dimension
ENERGY = units.parse("J").dimension
POWER = units.parse("W").dimension
INERTIA = units.parse("kg*m^2").dimension


def times(a: Dimension | None, b: Dimension | None) -> Dimension | None:
    """Return the dimension of a product."""
    return None if a is None or b is None else tuple(x + y for x, y in zip(a, b, strict=True))


def over(a: Dimension | None, b: Dimension | None) -> Dimension | None:
    """Return the dimension of a quotient."""
    return None if a is None or b is None else tuple(x - y for x, y in zip(a, b, strict=True))


def to_power(a: Dimension | None, power: Fraction | int) -> Dimension | None:
    """Return the dimension of a power."""
    return None if a is None else tuple(x * power for x in a)


def fits(a: Dimension | None, b: Dimension | None) -> bool:
    """Return whether two dimensions can stand on the two sides of an equals sign."""
    return a is None or b is None or a == b
