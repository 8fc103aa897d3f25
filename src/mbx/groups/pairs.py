"""The pairs of a mechanism: what each joint ties, where, and how it may move.

Points and directions are numbers in the components of the bodies. A body that no joint places
is where its frame says, an expression of coordinates that stand by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.matrix import UNIT, times
from mbx.expr.nodes import SYMBOL, ZERO
from mbx.expr.walk import free_symbols
from mbx.groups.numbers import NotNaturalError
from mbx.system.frames import GROUND
from mbx.system.places import holder
from mbx.system.relative import relative
from mbx.system.rotations import Axis, about_axis

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mbx.expr.matrix import Matrix, Vector
    from mbx.expr.nodes import Node
    from mbx.formalism.numerics import Array
    from mbx.groups.numbers import Numbers
    from mbx.system.frames import Frame
    from mbx.system.system import System
    from mbx.system.world import Element, JointFrames

__all__ = ["FREEDOMS", "Pair", "Side", "pairs_of"]

FREEDOMS: Final = {
    "fixed": 0,
    "revolute": 1,
    "prismatic": 1,
    "screw": 1,
    "cylindrical": 2,
    "universal": 2,
    "spherical": 3,
    "planar": 3,
}
"""How many freedoms each kind of pair leaves; `free` and `general`, as many as they say."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One side of a pair: its frame on a body ("" is the ground), R_BF and the origin."""

    body: str
    R: Array
    r: Array


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A joint between two bodies.

    Attributes:
        path: Its name, or that of the body it places.
        kind: Its kind in the language.
        first, second: Its sides, F and M.
        axes: Its directions in F, and the second one of a universal joint in M.
        own: The coordinates that its motion brings in, or that measure it.
        motion: R_FM and r_FM in coordinates and time, where the model says them.
        placing: Whether it places its second body.
    """

    path: str
    kind: str
    first: Side
    second: Side
    axes: tuple[Array, ...]
    own: tuple[Node, ...]
    motion: tuple[Matrix, Vector] | None
    placing: bool

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies it ties, without the ground."""
        return tuple(dict.fromkeys(one.body for one in (self.first, self.second) if one.body))


def pairs_of(system: System, numbers: Numbers) -> list[Pair]:
    """Return the pairs of a model, those that place bodies first."""
    elements = {one.path: one for one in system.elements}
    coordinates = {v.symbol for v in system.q}
    known: set[Node] = set()
    found = []
    for element in system.elements:
        if element.joint is None or element.frame is None:
            if element.frame is not None:
                known |= set(free_symbols([*element.frame.origin.p, *_flat(element.R)]))
            continue
        joint = element.joint
        moved = relative(joint.M, joint.F, system.rates)
        R, r = _rows(numbers.put(_flat(moved.R))), _three(numbers.put(moved.r))
        named = [s for s in free_symbols([*_flat(R), *r]) if s in coordinates]
        back = relative(element.frame, joint.M, system.rates)
        what = f"the frame of '{element.path}' on its joint"
        R_MB = numbers.array(_flat(back.R), what).reshape(3, 3)
        r_MB = numbers.array(back.r, what)
        found.append(
            Pair(
                path=element.path,
                kind=joint.kind,
                first=_side(joint.F, joint.parent, elements, system, numbers),
                second=Side(element.path, R_MB.T, -R_MB.T @ r_MB),
                axes=_axes(joint, numbers),
                own=tuple(s for s in named if s not in known),
                motion=(R, r),
                placing=True,
            )
        )
        known |= set(named)
    found += [_closing(loop, elements, system, numbers) for loop in system.loops]
    return found


def _closing(
    loop: JointFrames, elements: dict[str, Element], system: System, numbers: Numbers
) -> Pair:

    second = _side(loop.M, holder(loop.M), elements, system, numbers)
    measured = tuple(s for s in loop.coordinates if s.op is SYMBOL)
    motion = None
    if measured:
        if loop.kind not in {"revolute", "prismatic"}:
            raise NotNaturalError(
                f"'{loop.path}' measures a {loop.kind} joint, which natural coordinates do not"
            )
        n = _three(numbers.put(loop.axes[0]))
        if loop.kind == "revolute":
            motion = about_axis(Axis(n), (measured[0], ZERO, ZERO)).R, (ZERO, ZERO, ZERO)
        else:
            motion = UNIT, times(measured[0], n)
    return Pair(
        path=loop.path,
        kind=loop.kind,
        first=_side(loop.F, loop.parent, elements, system, numbers),
        second=second,
        axes=_axes(loop, numbers),
        own=measured,
        motion=motion,
        placing=False,
    )


def _side(
    frame: Frame,
    body: str | None,
    elements: dict[str, Element],
    system: System,
    numbers: Numbers,
) -> Side:
    base = GROUND if body is None else elements[body].frame
    if base is None:
        raise NotNaturalError(f"only the twist of '{body}' is known, not where it is")
    found = relative(frame, base, system.rates)
    what = f"a side of a joint on '{body or 'ground'}'"
    R = numbers.array(_flat(found.R), what).reshape(3, 3)
    return Side(body or "", R, numbers.array(found.r, what))


def _axes(joint: JointFrames, numbers: Numbers) -> tuple[Array, ...]:
    found = [numbers.array(n, f"the axis of '{joint.path}'") for n in joint.axes]
    return tuple(n / np.linalg.norm(n) for n in found)


def _flat(R: Iterable[Sequence[Node]]) -> list[Node]:
    return [x for row in R for x in row]


def _rows(nodes: Sequence[Node]) -> Matrix:
    return _three(nodes[:3]), _three(nodes[3:6]), _three(nodes[6:])


def _three(nodes: Sequence[Node]) -> Vector:
    x, y, z = nodes
    return x, y, z
