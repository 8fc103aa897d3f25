"""A joint whose reaction is requested or in a load: its motions become coordinates.

The reaction of a joint that places a body is nothing that a form in minimal variables has.
So the joint lets go: six small motions `R.slip.x` … `R.turn.z` of its second side, each with
the invariant that it is zero, and the multipliers of these are the reaction. This is the
auxiliary motion of Kane and Levinson, and the relaxation of Gibbs and Appell (Orsino (3.114)),
stated once for all forms; each form finds the multipliers in its own way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import NULL
from mbx.expr.nodes import ONE, ZERO
from mbx.system.kinematics.frames import Axis, Frame, about_axis
from mbx.system.symbol_names import rate_symbol
from mbx.system.system import Row

if TYPE_CHECKING:
    from mbx.expr.build import Vector
    from mbx.system.world import JointFrames, World

__all__ = ["relax"]

_UNITS: tuple[Vector, Vector, Vector] = (
    (ONE, ZERO, ZERO),
    (ZERO, ONE, ZERO),
    (ZERO, ZERO, ONE),
)


def relax(world: World, part: str, joint: JointFrames) -> Frame:
    """Return the second side of a joint, free to move by six auxiliary coordinates."""
    M = joint.M
    columns = [tuple(row[k] for row in M.R) for k in range(3)]
    reaction = joint.reaction or joint.path
    names = [f"{reaction}.{kind}.{x}" for kind in ("slip", "turn") for x in "xyz"]
    for k, name in enumerate(names):
        world.rates.follow(name, world.highest)
        world.orders[name] = 0
        direction: Vector = columns[k % 3]  # type: ignore[assignment]
        wrench = (direction, NULL) if ".slip." in name else (NULL, direction)
        world.auxiliary.append(
            Row(
                path=name,
                part=part,
                value=rate_symbol(name, 0),
                order=0,
                kind="auxiliary",
                wrench=wrench,
                joint=reaction,
            )
        )
    moved = tuple(rate_symbol(name, 0) for name in names[:3])
    frame = Frame(M, M.at(moved, world.rates, None))  # type: ignore[arg-type]
    for k, name in enumerate(names[3:]):
        angle = (rate_symbol(name, 0), rate_symbol(name, 1), rate_symbol(name, 2))
        frame = Frame(frame, frame.origin, about_axis(Axis(_UNITS[k]), angle))
    return frame
