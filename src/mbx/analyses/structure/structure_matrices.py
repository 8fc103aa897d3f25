"""What the structure is read from, at many states at once: invariants, inertia, reactions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mbx.expr.build import add, neg
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import substitute
from mbx.expr.nodes import ZERO
from mbx.formalism.builder import Program
from mbx.mechanics import balance, invariants, loads, motion, reactions
from mbx.mechanics.programme import lift
from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.ranks import cleaned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.mechanics.motion import Motion
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Points, Values
    from mbx.system.system import Row, System

__all__ = ["Matrices", "Skeleton", "matrices_of", "skeleton_of"]

_SECOND = 2


@dataclass(frozen=True)
class Skeleton:
    """A program of the matrices, with the names of their rows.

    Attributes:
        equations: The program.
        motion: The motion in speeds that it is written in.
        rows: Invariants, a row of A each.
        idle: Rows of joints that are in no equation; they follow those of A in WL and Y.
        holders: Paths of the joints that place bodies, with where their reaction stands.
        joints: Paths of the joints that have multipliers.
    """

    equations: Equations
    motion: Motion
    rows: tuple[Row, ...]
    idle: tuple[Row, ...]
    holders: dict[str, range]
    joints: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Matrices:
    """The matrices at K states.

    Attributes:
        A: Invariants by the highest rates of the speeds, (K, m, n).
        M: Inertia, (K, n, n).
        W: Reactions of placing joints in the balances of the bodies, (K, r, r).
        WL: Multipliers of loops there, idle ones behind the others, (K, r, m + i).
        Y: Force and torque of each joint with multipliers, (K, 6, m + i) each.
        sound: Where all of them are finite.
    """

    A: Array
    M: Array
    W: Array
    WL: Array
    Y: dict[str, Array]
    sound: NDArray[np.bool_]


def skeleton_of(system: System) -> Skeleton:
    """Return the program of the matrices of a system."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    rows, A = levels.rows, levels.A
    if system.order > _SECOND:
        lifted = lift(moving)
        rows, A = lifted.rows, lifted.A
    # what joints do to bodies, those of idle rows too
    every = replace(levels, rows=(*rows, *system.idle))
    W, blocks = reactions.joint_wrenches(moving)
    columns = [s.path for s in moving.speeds]
    program = Program()
    program.define("A", A, rows=[r.path for r in rows], columns=columns)
    program.define("M", _inertia(moving, rows), rows=columns, columns=columns)
    program.define("W", W)
    program.define("WL", reactions.loop_columns(moving, every, blocks))
    joints = reactions.loop_wrenches(every)
    for k, six in enumerate(joints.values(), start=1):
        program.define(f"Y{k}", six)
    unsure = reactions.unsure(moving)
    holders = {
        holder.path: range(start, start + size)
        for k, (holder, (start, size)) in enumerate(
            zip(reactions.holders(moving), blocks, strict=True)
        )
        if holder.joint and k not in unsure
    }
    equations = program.equations(system, "structure", "Structure", "", {"A": "A"})
    return Skeleton(equations, moving, rows, system.idle, holders, tuple(joints))


def _inertia(moving: Motion, rows: Sequence[Row]) -> list[list[Node]]:
    """Return M: minus the derivatives of active and inertia forces by the accelerations."""
    inertia = [balance.inertia_wrench(m) for m in moving.elements]
    forces = [
        add(a, b, neg(c), d)
        for a, b, c, d in zip(
            loads.project(moving, loads.wrenches(moving)),
            loads.generalized(moving),
            loads.project(moving, inertia),
            loads.effective(moving),
            strict=True,
        )
    ]
    # a load may be any function of accelerations and reactions; its slope at zero counts
    named = {r.reaction for r in rows if r.reaction is not None}
    named |= {s for six in moving.system.joint_reactions.values() for s in six}
    zero: dict[Node, Node] = dict.fromkeys([*moving.ud, *named], ZERO)
    n = len(moving.u)
    slopes = [x for row in jacobian(forces, moving.ud) for x in row]
    flat = [neg(x) for x in substitute(slopes, zero)]
    return [flat[n * i : n * (i + 1)] for i in range(n)]


def matrices_of(skeleton: Skeleton, values: Values, points: Points) -> Matrices:
    """Return the matrices at some states; rates above velocities are random."""
    equations = skeleton.equations
    rng = np.random.default_rng(0)
    higher = {v.path: rng.standard_normal(len(points)) for v in equations.signature.higher}
    names = ["A", "M", "W", "WL", *(f"Y{k + 1}" for k in range(len(skeleton.joints)))]
    known = values.at(equations, points, higher)
    outcome = run(equations, known, wanted=names)
    A, M, W, WL, *Y = (np.asarray(outcome.matrix(name)) for name in names)
    sound = np.asarray(outcome.status == REGULAR)
    noise = np.zeros(A.shape)
    for batch in outcome.batches:
        noise[batch.states] = batch.noise["A"]
    A = cleaned(A, noise)
    return Matrices(A, M, W, WL, dict(zip(skeleton.joints, Y, strict=True)), sound)
