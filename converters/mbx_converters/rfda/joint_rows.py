"""What a joint states of the rates of its two nodes: joint rows, driving rows, and their inverse.

    Q_k y'_j + G_k y'_k = nu_k                    (1)
    Qd_k y'_j + Gd_k y'_k = nud_k + z'_k          (59)
    [E_k D_k] = [G_k; Gd_k]^-1                    (60)

Rows on all three components of a velocity are in ground components, others in those of the node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.base.errors import EquationsError
from mbx.expr.algebra.small_systems import generic_rank
from mbx.expr.build import NULL, UNIT, divide, dot, matmul, matvec, neg, skew, transposed
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.mechanics.tree.absolute_hinges import across
from mbx_converters.rfda.absolute_rates import block, grid, vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Matrix as Block
    from mbx.expr.build import Vector
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx_converters.rfda.absolute_rates import Nodes, Sweep

__all__ = [
    "RATES",
    "JointRows",
    "driving_rows",
    "full_rank",
    "gather",
    "hold",
    "joint_rows",
    "over_hinge",
    "release",
]

Rows = list[list[Node]]
RATES: Final = ("vx", "vy", "vz", "wx", "wy", "wz")
_SIX: Final = 6


@dataclass(frozen=True, slots=True)
class JointRows:
    """Rows of the joints by node, and the rates that they leave.

    Attributes:
        G: Joint rows, (1).
        Q: Joint rows by the parent, (1).
        gamma: Joint rows without accelerations, (3).
        Gd: Driving rows, (59).
        Qd: Driving rows by the parent, (59).
        gammad: Driving rows without accelerations.
        ET: Constrained rates E, transposed, (60).
        E: Constrained rates, (60).
        H: D, rates of the node by those of the hinge, (61).
        Ti: The rates of the node to a twist at the joint.
        Hf: What the rates do to the driving rows before scaling, (58).
        Z: What hinges do not allow, where only numbers can state it.
    """

    G: dict[int, Matrix] = field(default_factory=dict)
    Q: dict[int, Matrix] = field(default_factory=dict)
    gamma: dict[int, Matrix] = field(default_factory=dict)
    Gd: dict[int, Matrix] = field(default_factory=dict)
    Qd: dict[int, Matrix] = field(default_factory=dict)
    gammad: dict[int, Matrix] = field(default_factory=dict)
    ET: dict[int, Matrix] = field(default_factory=dict)
    E: dict[int, Matrix] = field(default_factory=dict)
    H: dict[int, Matrix] = field(default_factory=dict)
    Ti: dict[int, Matrix] = field(default_factory=dict)
    Hf: dict[int, Matrix] = field(default_factory=dict)
    Z: dict[int, Matrix] = field(default_factory=dict)


def full_rank(rows: Sequence[Sequence[Node]], path: str) -> None:
    """Refuse joint rows that depend on each other: the reactions in them would not be unique."""
    if rows and generic_rank(rows) < len(rows):
        raise EquationsError(f"the joint of '{path}' has dependent rows: G must have full row rank")


def joint_rows(p: Program, on: Nodes, joints: JointRows, k: int) -> None:
    """Add G and Q of a node."""
    at = on.hinge(k)
    constrained = across(at.A)
    R = block(p, on.Rw[k])
    RT = transposed(R)
    lever = None if at.e is NULL else matmul(skew(at.e), RT)
    inverse = grid([[RT, lever], [None, RT]])
    Ti = p.define(f"Ti_{k}", inverse, "rates of the node to a twist at the joint")
    joints.Ti[k] = Ti
    if constrained.own is None:
        G = joints.G[k] = p.let(f"G_{k}", _not_allowed(p, on, joints, k).T @ Ti, _G)
    else:
        full_rank(constrained.own, on.link(k).path)
        columns = [list(c) for c in zip(*inverse, strict=True)]
        rows: Rows = []
        if constrained.linear:
            rows += grid([[UNIT, _arm(p, k, R, at.e)]])
        rows += [[dot(z, c) for c in columns] for z in constrained.own]
        if constrained.angular:
            rows += grid([[None, UNIT]])
        G = joints.G[k] = p.define(f"G_{k}", rows, _G, columns=RATES)
    if on.parent(k):
        joints.Q[k] = p.let(f"Q_{k}", -(G @ on.B[k]), "joint rows by the parent, (1)")
    joints.gamma[k] = p.let(f"gamma_{k}", G @ on.d[k], "joint rows without accelerations, (3)")


_G: Final = "joint rows, (1)"


def _not_allowed(p: Program, on: Nodes, joints: JointRows, k: int) -> Matrix:
    """Return Z, A^T Z = 0; add it where it is new."""
    if k not in joints.Z:
        meaning = "what the hinge does not let happen"
        joints.Z[k] = p.null(f"Z_{k}", on.A[k].T, meaning=meaning)
    return joints.Z[k]


def _arm(p: Program, k: int, R: Block, e: Vector) -> Block | None:
    """Return sigma~, sigma the mass centre from the joint in ground components."""
    if e is NULL:
        return None
    sigma = matvec(R, e)
    return skew(vector(p, p.column(f"sig_{k}", sigma, "mass centre from the joint")))


def driving_rows(p: Program, on: Nodes, joints: JointRows, k: int) -> None:
    """Add Gd and Qd of a node after its joint rows, (58) and (59)."""
    AT = on.A[k].T
    Gb = p.let(f"Gb_{k}", AT @ joints.Ti[k], "driving rows before scaling, (58)")
    Hf = joints.Hf[k] = p.let(f"Hf_{k}", AT @ on.A[k], "what the rates do to these, (58)")
    Gd = p.solve(f"Gd_{k}", Hf, Gb, "positive", meaning="driving rows, (59)")
    joints.Gd[k] = Gd
    if on.parent(k):
        joints.Qd[k] = p.let(f"Qd_{k}", -(Gd @ on.B[k]), "driving rows by the parent, (59)")
    meaning = "driving rows without accelerations"
    joints.gammad[k] = p.let(f"gammad_{k}", Gd @ on.d[k], meaning)


def release(p: Program, on: Nodes, joints: JointRows, k: int) -> None:
    """Add E and D by inverting joint and driving rows, (60), and H = D, (61)."""
    GG = p.let(f"GG_{k}", p.stack(joints.G[k], joints.Gd[k]), "joint and driving rows, (59)")
    one = p.let(f"I_{k}", p.identity(_SIX))
    EDT = p.solve(f"EDT_{k}", GG.T, one, meaning="[E D]^T, (60)")
    held = on.joint_rows(k)
    joints.ET[k] = p.let(f"ET_{k}", EDT.rows(range(held)))
    DT = p.let(f"HT_{k}", EDT.rows(range(held, _SIX)))
    joints.E[k] = p.let(f"E_{k}", joints.ET[k].T, _E)
    meaning = "D, rates of the node by those of the hinge, (61)"
    joints.H[k] = p.let(f"H_{k}", DT.T, meaning)


def gather(
    p: Program,
    on: Nodes,
    joints: JointRows,
    swept: Sweep,
    fup: dict[int, Matrix],
    given: Matrix,
    k: int,
    n: str,
) -> Matrix:
    """Return the loads on a node, with its motor, and those that its children hand on."""
    tau = swept.tau[k] = on.motor(p, given, k, n)
    total = swept.Gtau[k] = p.let(f"{n}Gtau_{k}", joints.Gd[k].T @ tau, "a motor, on the node")
    if not n:
        swept.f[k] = on.loads(p, given, k)
        total += swept.f[k]
    for j in on.children(k):
        total += fup[j]
        total += swept.Qtau[j]
    return total


def over_hinge(
    p: Program, on: Nodes, joints: JointRows, ydd: dict[int, Matrix], k: int, n: str
) -> Matrix:
    """Add z'' = Gd y''_k + Qd y''_j - gammad, from the driving rows (59); from rest with `n`."""
    z = p.sum([joints.Gd[k] @ ydd[k]])
    if j := on.parent(k):
        z += joints.Qd[k] @ ydd[j]
    if not n:
        z -= joints.gammad[k]
    return p.let(f"{n}z_{k}", z, "rates of the hinge's rates")


def hold(p: Program, on: Nodes, joints: JointRows, k: int) -> None:
    """Add E with G E = 1 and Gd E = 0, (60), in closed form: no inverse is needed."""
    at = on.hinge(k)
    constrained = across(at.A)
    if constrained.own is None:
        E = joints.E[k] = p.let(f"E_{k}", on.T[k] @ _not_allowed(p, on, joints, k), _E)
        joints.ET[k] = E.T
        return
    R = block(p, on.Rw[k])
    T = grid([[R, None if at.e is NULL else _minus_arm(R, at.e)], [None, R]])
    columns: Rows = []
    if constrained.linear:
        columns += grid([[UNIT, None]])
    columns += [[dot(row, y) for row in T] for y in map(_scaled, constrained.own)]
    if constrained.angular:
        # columns of [-sigma~; 1]: rows of [sigma~, 1]
        lever = None if at.e is NULL else skew(matvec(R, at.e))
        columns += grid([[lever, UNIT]])
    joints.ET[k] = p.define(f"ET_{k}", columns, columns=RATES)
    joints.E[k] = p.let(f"E_{k}", joints.ET[k].T, _E)


_E: Final = "constrained rates, (60)"


def _minus_arm(R: Block, e: Vector) -> Block:
    return matmul(R, skew((neg(e[0]), neg(e[1]), neg(e[2]))))


def _scaled(z: Sequence[Node]) -> list[Node]:
    square = dot(z, z)
    return [x if square is ONE or x is ZERO else divide(x, square) for x in z]
