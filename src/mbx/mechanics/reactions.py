"""Reactions: what holds each mass element, and the reactions that loads or people name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.expr.build import NULL, add, dot, matmul, minus, neg, scale, skew, transposed
from mbx.expr.evaluate import ordered
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.language.joints import JOINTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Matrix, Vector
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion, Moving
    from mbx.system.world import JointFrames

__all__ = [
    "COMPONENTS",
    "Holder",
    "holders",
    "joint_wrenches",
    "loop_columns",
    "loop_wrenches",
    "meets_in_point",
    "named_in",
    "reaction_map",
    "unsure",
]

COMPONENTS: Final = ("fx", "fy", "fz", "tx", "ty", "tz")
"""Force and torque in ground components, the torque about the origin of the second side."""


@dataclass(frozen=True, slots=True)
class Holder:
    """What holds a mass element: a joint, or its placement by frames or by its twist.

    The reaction of a joint is a force and a torque about the origin of its second side, in
    ground components, on the element; minus that acts on the parent. The reaction of a
    placement is the resultant on the element, in the components of its balance; minus that
    acts on the element that carries the frame, if one does.
    """

    path: str
    element: int
    parent: int | None
    joint: bool


def holders(motion: Motion) -> list[Holder]:
    """Return the holder of each mass element."""
    index = {m.path: k for k, m in enumerate(motion.elements)}
    result = []
    for k, moving in enumerate(motion.elements):
        joint = moving.element.joint
        if joint is None:
            carrier = moving.element.carrier
            parent = None if carrier is None else index[carrier]
            result.append(Holder(f"{moving.path}.placement", k, parent, joint=False))
        else:
            parent = None if joint.parent is None else index[joint.parent]
            result.append(Holder(joint.reaction or joint.path, k, parent, joint=True))
    return result


def joint_wrenches(motion: Motion) -> tuple[list[list[Node]], list[tuple[int, int]]]:
    """Return W with W X = wrenches of all reactions X on the balances, and a list of shapes.

    Rows and columns come in blocks, one an element and one a holder, of the sizes listed:
    six, or three of a particle.
    """
    sizes = [3 if m.element.w_local is None else 6 for m in motion.elements]
    starts = [sum(sizes[:k]) for k in range(len(sizes) + 1)]
    W: list[list[Node]] = [[ZERO] * starts[-1] for _ in range(starts[-1])]
    for k, holder in enumerate(holders(motion)):
        moving = motion.elements[k]
        joint = moving.element.joint
        if joint is None or moving.element.frame is None:
            block = [[ONE if i == j else ZERO for j in range(sizes[k])] for i in range(sizes[k])]
            _put(W, block, starts[k], starts[k], 1)
            if holder.parent is not None:
                base = motion.elements[holder.parent]
                _put(W, _carried(base, moving), starts[holder.parent], starts[k], -1)
            continue
        point = joint.M.origin.p
        _put(W, _transfer(moving, point), starts[k], starts[k], 1)
        if holder.parent is not None:
            base = motion.elements[holder.parent]
            _put(W, _transfer(base, point), starts[holder.parent], starts[k], -1)
    return W, list(zip(starts, sizes, strict=False))


def loop_columns(motion: Motion, levels: Levels, blocks: list[tuple[int, int]]) -> list[list[Node]]:
    """Return what the multipliers of joints that close loops do to the balances, a column each."""
    index = {m.path: k for k, m in enumerate(motion.elements)}
    size = sum(n for _, n in blocks)
    columns: list[list[Node]] = []
    for row in levels.rows:
        column: list[Node] = [ZERO] * size
        if row.kind == "loop" and row.wrench is not None and row.point is not None:
            force, torque = row.wrench
            if row.measured is not None and row.joint is not None:
                # a pitch turns the measured coordinate, and the row that measures turns the bodies
                torque = NULL
            six = (*force, *torque)
            for path, sign in zip(row.sides, (-1, 1), strict=True):
                if path is None:
                    continue
                start, _ = blocks[index[path]]
                block = _transfer(motion.elements[index[path]], row.point)
                for i, line in enumerate(block):
                    column[start + i] = add(column[start + i], scale(sign, dot(line, six)))
        columns.append(column)
    return [list(line) for line in zip(*columns, strict=True)] or [[] for _ in range(size)]


def _put(W: list[list[Node]], block: list[list[Node]], row: int, column: int, sign: int) -> None:
    for i, line in enumerate(block):
        for j, value in enumerate(line):
            W[row + i][column + j] = value if sign > 0 else neg(value)


def _transfer(moving: Moving, point: Vector) -> list[list[Node]]:
    """Return what a force and a torque at a point, ground components, are to a balance."""
    R: Matrix = transposed(moving.element.R)
    turned = matmul(R, skew(minus(point, moving.element.com.p)))
    rows: list[list[Node]] = [[ONE if i == j else ZERO for j in range(6)] for i in range(3)]
    rows += [[*turned[i], *R[i]] for i in range(3)]
    return rows


def loop_wrenches(levels: Levels) -> dict[str, list[list[Node]]]:
    """Return, for each joint that has invariants, its force and torque by their multipliers.

    These are joints that close loops, and those that place a body and let go, because a load
    names their reaction.
    """
    wrenches: dict[str, list[list[Node]]] = {}
    for k, row in enumerate(levels.rows):
        if row.joint is None or row.wrench is None:
            continue
        six = wrenches.setdefault(row.joint, [[ZERO] * len(levels.rows) for _ in range(6)])
        for i, value in enumerate((*row.wrench[0], *row.wrench[1])):
            six[i][k] = value
    return wrenches


def _carried(base: Moving, moving: Moving) -> list[list[Node]]:
    """Return what the reaction of a placement is to the element that carries it."""
    rows = _transfer(base, moving.element.com.p)
    if moving.element.w_local is None:
        return [row[:3] for row in rows]
    R = moving.element.R
    return [[*row[:3], *(dot(row[3:], column) for column in transposed(R))] for row in rows]


def meets_in_point(joint: JointFrames) -> bool:
    """Return whether the origins of the two sides of a joint coincide."""
    return JOINTS[joint.kind].shares_point


def unsure(motion: Motion) -> set[int]:
    """Return the holders whose reactions are not known.

    An element that moves with a joint, and hangs on no frame that the joint carries, loads that
    joint in a way that the model does not state.
    """
    known = holders(motion)
    speeds = set(motion.u)
    uncertain: set[int] = set()
    for k, moving in enumerate(motion.elements):
        if known[k].parent is not None:
            continue
        joint_frames = moving.element.joint
        base = [*moving.v, *moving.w]
        if joint_frames is not None:
            base = motion.express([*joint_frames.F.origin.v, *joint_frames.F.w])
        moves = speeds.intersection(ordered(base))
        for j, other in enumerate(motion.elements):
            joint = other.element.joint
            if j == k or joint is None:
                continue
            rates = [motion.system.rates.direction[c] for c in joint.coordinates]
            if len(rates) < JOINTS[joint.kind].freedoms:  # some motion is an expression
                rates += [*joint.M.origin.v, *joint.M.w]
            if moves.intersection(ordered(motion.express(rates))):
                up: int | None = j
                while up is not None and up not in uncertain:
                    uncertain.add(up)
                    up = known[up].parent
    return uncertain


def named_in(levels: Levels, nodes: Sequence[Node]) -> list[Node]:
    """Return the symbols of reactions that expressions name."""
    system = levels.motion.system
    known = {row.reaction for row in system.rows if row.reaction is not None}
    for symbols in system.joint_reactions.values():
        known |= set(symbols)
    return [node for node in ordered(nodes) if node in known] if known else []


def reaction_map(levels: Levels, symbols: Sequence[Node]) -> list[list[Node]]:
    """Return Y with y = Y lam: named reactions from the multipliers of the rows."""
    system = levels.motion.system
    components = {
        symbol: (path, k)
        for path, six in system.joint_reactions.items()
        for k, symbol in enumerate(six)
    }
    rows: list[list[Node]] = []
    for symbol in symbols:
        row: list[Node] = []
        for each in levels.rows:
            if symbol in components:
                path, k = components[symbol]
                wrench = each.wrench if each.joint == path else None
                row.append(ZERO if wrench is None else wrench[k // 3][k % 3])
            else:
                row.append(ONE if each.reaction is symbol else ZERO)
        rows.append(row)
    return rows
