"""When loads jump along a motion, and the places on both sides of each jump."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.inverse.load_switches import arguments_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.inverse.load_switches import Switch
    from mbx.analyses.inverse.prescribed_motion import Driven, Track
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Jump", "Rest", "jumps_along"]

ZERO: Final = 1e-9
"""Part of the largest value along a motion below which an argument is zero."""
CLOSE: Final = 1e-12
"""Part of a stretch to which the time of a jump is found."""


@dataclass(frozen=True, slots=True, eq=False)
class Jump:
    """A time at which something jumps in the loads.

    Attributes:
        place: The state then.
        switches: What jumps.
        before, after: What stands for each of them on the two sides; the same, where its
            argument only touches zero.
    """

    place: Driven
    switches: tuple[Switch, ...]
    before: dict[Node, Node]
    after: dict[Node, Node]

    @property
    def turns(self) -> bool:
        """Whether the two sides differ."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Rest:
    """A stretch of time in which an argument stays zero."""

    name: str
    first: float
    last: float


def jumps_along(
    track: Track, switches: Sequence[Switch], places: Sequence[Driven]
) -> tuple[list[Jump], list[Rest]]:
    """Return the jumps along a motion in order, and where nothing says on which side it is.

    At the first and the last place the side beyond is the other one.
    """
    if not switches:
        return [], []
    values = arguments_at(track.plan.system, switches, [one.place for one in places])
    found: dict[float, tuple[Driven, list[tuple[Switch, int, int]]]] = {}
    rests: list[Rest] = []
    for j, switch in enumerate(switches):
        v = values[:, j]
        signs = np.where(np.abs(v) > ZERO * np.abs(v).max(), np.sign(v), 0).astype(int)
        for k, sign in enumerate(signs.tolist()):
            after = int(signs[k + 1]) if k + 1 < len(signs) else 0
            before = int(signs[k - 1]) if k else 0
            if sign and after == -sign:
                at = _crossing(track, switch, places[k], places[k + 1], v[k : k + 2])
                found.setdefault(at.place.t, (at, []))[1].append((switch, sign, after))
            elif not sign and (before or after):
                sides = (before or -after, after or -before)
                ends = k in {0, len(signs) - 1}
                if (before and after) or ends:
                    at = places[k]
                    found.setdefault(at.place.t, (at, []))[1].append((switch, *sides))
        rests += _rests(switch, signs, places)
    jumps = [_jump(*found[t]) for t in sorted(found)]
    return jumps, rests


def _jump(place: Driven, sides: Sequence[tuple[Switch, int, int]]) -> Jump:
    return Jump(
        place,
        tuple(switch for switch, _, _ in sides),
        {switch.node: switch.on(sign) for switch, sign, _ in sides},
        {switch.node: switch.on(sign) for switch, _, sign in sides},
    )


def _rests(switch: Switch, signs: Array, places: Sequence[Driven]) -> list[Rest]:
    """Return the stretches of two places or more at which an argument is zero."""
    found: list[Rest] = []
    first: int | None = None
    for k, sign in enumerate([*signs.tolist(), 1]):
        if sign == 0:
            first = k if first is None else first
        elif first is not None:
            if k - first > 1 or len(places) == 1:
                found.append(Rest(switch.name, places[first].place.t, places[k - 1].place.t))
            first = None
    return found


def _crossing(track: Track, switch: Switch, one: Driven, other: Driven, ends: Array) -> Driven:
    """Return the place between two at which the argument of a switch is zero."""
    from scipy.optimize import brentq  # only for jumps

    system = track.plan.system
    a, b = one.place.t, other.place.t

    def argument(t: float) -> float:
        if t in {a, b}:
            return float(ends[0] if t == a else ends[1])
        at = track.between(one, t).place
        return float(arguments_at(system, [switch], [at])[0, 0])

    return track.between(one, float(brentq(argument, a, b, xtol=CLOSE * (b - a), rtol=1e-15)))
