"""The pairs of a mechanism: what each joint ties, where, and how it may move.

Points and directions are numbers in the components of the bodies. A body that no joint places
is where its frame is, an expression of coordinates that stand by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError
from mbx.expr.build import UNIT, mul, times
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import SYMBOL, ZERO, number
from mbx.language.joints import JOINTS
from mbx.system.kinematics.frame_placements import holder
from mbx.system.kinematics.frames import GROUND, Axis, about_axis
from mbx.system.kinematics.relative import relative

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mbx.analyses.kinematics.natural.model_numbers import Numbers
    from mbx.expr.build import Matrix, Vector
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.kinematics.frames import Frame
    from mbx.system.system import System
    from mbx.system.world import Element, JointFrames

__all__ = ["Pair", "Side", "pairs_of", "turning"]


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
        coordinates: Those that its motion brings in, or that measure it.
        motion: R_FM and r_FM in coordinates and time, where the model states them.
        placing: Whether it places its second body.
        pitch: Of a screw that closes a loop.
    """

    path: str
    kind: str
    first: Side
    second: Side
    axes: tuple[Array, ...]
    coordinates: tuple[Node, ...]
    motion: tuple[Matrix, Vector] | None
    placing: bool
    pitch: float = 0.0

    @property
    def freedoms(self) -> int | None:
        """The freedoms that its kind leaves; None where its motion alone gives them."""
        kind = JOINTS[self.kind]
        return kind.freedoms if kind.constrains else None

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies it ties, without the ground."""
        return tuple(dict.fromkeys(side.body for side in (self.first, self.second) if side.body))


def pairs_of(system: System, numbers: Numbers) -> list[Pair]:
    """Return the pairs of a model, those that place bodies first."""
    elements = {element.path: element for element in system.elements}
    coordinates = {v.symbol for v in system.q}
    known: set[Node] = set()
    pairs = []
    for element in system.elements:
        if element.joint is None or element.frame is None:
            if element.frame is not None:
                known |= set(free_symbols([*element.frame.origin.p, *_flat(element.R)]))
            continue
        try:
            pair = _placing(element, elements, system, numbers)
        except NotNaturalError:
            pair = _moving(element, elements, system, numbers)
        R, r = pair.motion or (UNIT, (ZERO, ZERO, ZERO))
        named = [s for s in free_symbols([*_flat(R), *r]) if s in coordinates]
        pairs.append(replace(pair, coordinates=tuple(s for s in named if s not in known)))
        known |= set(named)
    pairs += [_closing(loop, elements, system, numbers) for loop in system.loops]
    return pairs


def _placing(
    element: Element, elements: dict[str, Element], system: System, numbers: Numbers
) -> Pair:
    """Return the joint that places a body, without its coordinates."""
    joint, frame = element.joint, element.frame
    if joint is None or frame is None:
        raise TypeError(element.path)
    moved = relative(joint.M, joint.F, system.rates)
    back = relative(frame, joint.M, system.rates)
    what = f"the frame of '{element.path}' on its joint"
    R_MB = numbers.array(_flat(back.R), what).reshape(3, 3)
    r_MB = numbers.array(back.r, what)
    return Pair(
        path=element.path,
        kind=joint.kind,
        first=_side(joint.F, joint.parent, elements, system, numbers),
        second=Side(element.path, R_MB.T, -R_MB.T @ r_MB),
        axes=_axes(joint, numbers),
        coordinates=(),
        motion=(_rows(numbers.put(_flat(moved.R))), _three(numbers.put(moved.r))),
        placing=True,
    )


def _moving(
    element: Element, elements: dict[str, Element], system: System, numbers: Numbers
) -> Pair:
    """Return the same where a side moves on its body: the whole motion between the two bodies."""
    joint, frame = element.joint, element.frame
    if joint is None or frame is None:
        raise TypeError(element.path)
    base = GROUND if joint.parent is None else elements[joint.parent].frame
    if base is None:
        raise NotNaturalError(f"only the twist of '{joint.parent}' is known, not where it is")
    moved = relative(frame, base, system.rates)
    return Pair(
        path=element.path,
        kind="general",
        first=Side(joint.parent or "", np.eye(3), np.zeros(3)),
        second=Side(element.path, np.eye(3), np.zeros(3)),
        axes=(),
        coordinates=(),
        motion=(_rows(numbers.put(_flat(moved.R))), _three(numbers.put(moved.r))),
        placing=True,
    )


def _closing(
    loop: JointFrames, elements: dict[str, Element], system: System, numbers: Numbers
) -> Pair:
    second = _side(loop.M, holder(loop.M), elements, system, numbers)
    measured = tuple(s for s in loop.coordinates if s.op is SYMBOL)
    motion = None
    pitch = 0.0
    if loop.pitch is not None:
        pitch = float(numbers.array([loop.pitch], f"the pitch of '{loop.path}'")[0])
    if measured:  # the angle of a revolute joint or of a screw, the distance of a prismatic one
        n = _three(numbers.put(loop.axes[0]))
        if loop.kind == "prismatic":
            motion = UNIT, times(measured[0], n)
        else:
            motion = turning(n, measured[0], pitch)
    return Pair(
        path=loop.path,
        kind=loop.kind,
        first=_side(loop.F, loop.parent, elements, system, numbers),
        second=second,
        axes=_axes(loop, numbers),
        coordinates=measured,
        motion=motion,
        placing=False,
        pitch=pitch,
    )


def turning(n: Vector, angle: Node, pitch: float) -> tuple[Matrix, Vector]:
    """Return R_FM and r_FM of a turn about an axis, with a way along it for each radian."""
    R = about_axis(Axis(n), (angle, ZERO, ZERO)).R
    return R, times(mul(number(pitch), angle), n)


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
    pose = relative(frame, base, system.rates)
    what = f"a side of a joint on '{body or 'ground'}'"
    R = numbers.array(_flat(pose.R), what).reshape(3, 3)
    return Side(body or "", R, numbers.array(pose.r, what))


def _axes(joint: JointFrames, numbers: Numbers) -> tuple[Array, ...]:
    axes = [numbers.array(n, f"the axis of '{joint.path}'") for n in joint.axes]
    return tuple(n / np.linalg.norm(n) for n in axes)


def _flat(R: Iterable[Sequence[Node]]) -> list[Node]:
    return [x for row in R for x in row]


def _rows(nodes: Sequence[Node]) -> Matrix:
    return _three(nodes[:3]), _three(nodes[3:6]), _three(nodes[6:])


def _three(nodes: Sequence[Node]) -> Vector:
    x, y, z = nodes
    return x, y, z
