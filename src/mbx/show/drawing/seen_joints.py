"""Joints as they are drawn: their sides, their axes, and the variables that move them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import ADD, SCALE, SYMBOL
from mbx.language.document.kinematic_statements import AxisRotation
from mbx.language.joints import MOTIONS
from mbx.show.drawing.scene import Joint, Measure, Track, unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.language.document.bodies import JointCall
    from mbx.show.drawing.marks.label_text import Label
    from mbx.show.drawing.pose import Pose
    from mbx.show.drawing.scene import Array
    from mbx.system.kinematics.frames import Frame
    from mbx.system.lower_expressions import Lowering

__all__ = ["Named", "Names", "combination", "joint_of"]

_SAMPLES: Final = 73
_FLAT: Final = 1e-9
_TERMS: Final = 2


@dataclass(frozen=True, slots=True)
class Named:
    """What is known of a symbol: label, dimension, range, and whether it is a coordinate."""

    label: Label
    dimension: str
    range: tuple[float, float] | None
    moves: bool


Names: TypeAlias = "Mapping[Node, Named]"


def joint_of(
    lowering: Lowering,
    call: JointCall,
    frames: tuple[Frame, Frame],
    sides: tuple[str | None, str | None],
    pose: Pose,
    names: Names,
    path: str,
) -> tuple[Joint, Track | None]:
    """Return a joint, and the curve that a `general` joint moves on, if there is one."""
    F, M = frames
    here = lowering.inside(F)
    arguments = {a.name.base: a.value for a in call.arguments}
    R = pose.matrix(F.R)
    joint = Joint(
        path,
        call.joint,
        *sides,
        R,
        pose.of(F.origin.p),
        pose.matrix(M.R),
        pose.of(M.origin.p),
    )
    if "axis" in arguments:
        joint.axis = unit(R @ pose.of(here.axis(arguments["axis"]).n))
    if "axis2" in arguments:
        joint.axis2 = unit(joint.M @ pose.of(lowering.inside(M).axis(arguments["axis2"]).n))
    for name in MOTIONS:
        if name in arguments:
            measure = _measure(here.scalar(arguments[name]), pose, names)
            if measure is not None:
                joint.measures[name] = measure
    track = None
    if call.joint == "general":
        track = _general(joint, call, here, pose, names)
    return joint, track


def _measure(node: Node, pose: Pose, names: Names) -> Measure | None:
    label = combination(node, names)
    return None if label is None else Measure(label, float(pose.of([node])[0]), node)


def combination(node: Node, names: Names) -> Label | None:
    """Return the label of a symbol, or of a short sum of symbols; None of anything else."""
    terms = node.args if node.op is ADD and not node.value else (node,)
    if len(terms) > _TERMS:
        return None
    pieces: list[tuple[str, bool]] = []
    for k, term in enumerate(sorted(terms, key=lambda term: term.op is SCALE)):
        negative = term.op is SCALE and term.value == -1
        symbol = term.args[0] if negative else term
        if symbol.op is not SYMBOL or symbol not in names:
            return None
        sign = "−" if negative else "+" if k else ""
        pieces += [(sign, False)] if sign else []
        pieces += names[symbol].label
    return tuple(pieces)


def _general(
    joint: Joint, call: JointCall, here: Lowering, pose: Pose, names: Names
) -> Track | None:
    """Detect whether a joint slides along a line or a curve, and turns about a single axis."""
    arguments = {a.name.base: a.value for a in call.arguments}
    turns = [r for r in call.rotations if isinstance(r, AxisRotation)]
    if len(call.rotations) == len(turns) == 1:
        joint.turns = unit(joint.F @ pose.of(here.axis(turns[0].axis).n))
        measure = _measure(here.scalar(turns[0].angle), pose, names)
        if measure is not None:
            joint.measures["angle"] = measure
    if "move" not in arguments:
        return None
    r = here.components(arguments["move"])
    moving = [s for s in free_symbols(r) if s in names and names[s].moves]
    if len(moving) != 1:
        return None
    named = names[moving[0]]
    points = _sample(r, moving[0], named, pose)
    if not np.isfinite(points).all():
        return None
    spread = points - points.mean(axis=0)
    singular = np.linalg.svd(spread, compute_uv=False)
    if singular[0] <= _FLAT:
        return None
    if singular[1] > _FLAT * singular[0]:
        return Track(joint.first, joint.p + points @ joint.F.T)
    joint.along = joint.F @ unit(points[-1] - points[0])
    plain = sum(x.op is SYMBOL and x is moving[0] for x in r) == 1
    if plain:
        joint.measures["distance"] = Measure(named.label, float(pose.of(moving)[0]), moving[0])
    return None


def _sample(r: Sequence[Node], symbol: Node, named: Named, pose: Pose) -> Array:
    """Return the positions, relative to the first side, that a coordinate leads through."""
    lower, upper = named.range or ((0.0, 2 * np.pi) if named.dimension == "1" else (-1.0, 1.0))
    here = pose.with_values({symbol: np.linspace(lower, upper, _SAMPLES)})
    return here.many(list(r), _SAMPLES)
