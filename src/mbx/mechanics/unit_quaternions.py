"""Motion with quaternions of length 1: what holds where the norm does, and is shorter.

With the angular velocity w = 2 G q' of a frame that a quaternion q turns, in its own axes, and
G G^T = 1, G q = 0 for |q| = 1:

    q' = G^T w/2,  w_ground = R w,  d/dt w_ground = R d/dt w

The motion in `mbx.mechanics.motion` solves for the rates at any |q|, which is longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, matvec, mul, scale, transposed
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import ZERO, Node
from mbx.mechanics.motion import Motion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.system.kinematics.frames import Frame
    from mbx.system.system import System
    from mbx.system.world import Element

__all__ = ["UnitMotion", "in_unit_quaternions", "quaternions_of"]

_QUARTER: Final = Fraction(1, 4)
_PARTS: Final = 4


@dataclass(frozen=True, slots=True)
class _Turned:
    """An element that a quaternion turns, whose angular velocity is declared as speeds.

    Attributes:
        element: The element.
        turning: The frame whose rotation the quaternion is.
        rates: The rates of the quaternion.
        speeds: The speeds.
        in_ground: Whether these are components of the ground, or of the element.
    """

    element: Element
    turning: Frame
    rates: tuple[Node, ...]
    speeds: Vector
    in_ground: bool


class UnitMotion(Motion):
    """A motion in which the quaternions have length 1."""

    turned: tuple[_Turned, ...] = ()

    @cached_property
    def component_rates(self) -> dict[str, tuple[Vector, Vector]] | None:
        """Rates of the components of v and w; d/dt w = R^T d/dt w_ground for space axes."""
        rates = Motion.component_rates.func(self)  # type: ignore[attr-defined]
        if rates is None:
            return None
        by_path: dict[str, tuple[Vector, Vector]] = dict(rates)
        for turned in self.turned:
            if turned.in_ground:
                frame = turned.element.frame
                assert frame is not None  # noqa: S101  a quaternion turns it
                a, b, c = self.rate(turned.speeds)
                path = turned.element.path
                by_path[path] = (by_path[path][0], matvec(transposed(frame.R), (a, b, c)))
        return by_path


def in_unit_quaternions(system: System, motion: Motion) -> Motion:
    """Return a motion in speeds with the quaternions of length 1, where speeds turn with them."""
    found = tuple(_turned_elements(system))
    if not found:
        return motion
    replaced: dict[Node, Node] = {}
    for each in found:
        frame = each.element.frame
        assert frame is not None  # noqa: S101  a quaternion turns it
        back = transposed(frame.R)
        local = matvec(back, each.speeds) if each.in_ground else each.speeds
        ground = each.speeds if each.in_ground else matvec(frame.R, each.speeds)
        replaced |= dict(zip(frame.w, ground, strict=True))
        replaced |= dict(zip(frame.w_local, local, strict=True))
        by_rates = jacobian(each.turning.rotation.w, each.rates)  # 2 G
        for k, rate in enumerate(each.rates):
            terms = [mul(row[k], w) for row, w in zip(by_rates, local, strict=True)]
            replaced[rate] = scale(_QUARTER, add(*terms))
    unit = UnitMotion(system, motion.speeds, {**motion.replaced, **replaced})
    unit.turned = found
    return unit


def quaternions_of(system: System) -> list[tuple[Node, ...]]:
    """Return the coordinates of each quaternion whose norm is an invariant, the real part last."""
    real = {v.symbol for v in system.q if v.start is not None and v.start == 1}
    found: list[tuple[Node, ...]] = []
    for row in (*system.closed, *system.rows):
        if row.kind == "norm":
            parts = free_symbols([row.value])
            found.append(tuple(sorted(parts, key=lambda x: (x in real, x.order))))
    return found


def _turned_elements(system: System) -> Sequence[_Turned]:
    by_value = {value: speed for speed, value in system.defined.items()}
    found: list[_Turned] = []
    for element in system.elements:
        frame = element.frame
        if frame is None:
            continue
        turning = _only_rotation(frame)
        if turning is None or frame.R is not turning.R:
            continue
        rates = tuple(
            system.rates.direction[v.symbol]
            for v in system.q
            if any(
                system.rates.direction[v.symbol] in free_symbols([w]) for w in turning.rotation.w
            )
        )
        quaternion = {r for q in quaternions_of(system) for r in q}
        coordinates = {v.symbol for v in system.q if system.rates.direction[v.symbol] in rates}
        if len(rates) != _PARTS or not coordinates <= quaternion:
            continue
        for in_ground, components in ((True, frame.w), (False, frame.w_local)):
            speeds = [by_value.get(w) for w in components]
            if all(speed is not None for speed in speeds):
                a, b, c = (speed or ZERO for speed in speeds)
                found.append(_Turned(element, turning, rates, (a, b, c), in_ground))
                break
    return found


def _only_rotation(frame: Frame) -> Frame | None:
    """Return the frame that turns, if there is one on the way from the ground."""
    turning: list[Frame] = []
    at: Frame | None = frame
    while at is not None:
        if any(w is not ZERO for w in at.rotation.w):
            turning.append(at)
        at = at.parent
    return turning[0] if len(turning) == 1 else None
