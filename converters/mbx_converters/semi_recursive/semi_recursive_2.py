"""Semi-recursive method II: the reference point of every body is the origin of the ground.

    Z'_i = Z'_p + b_j z'_j,    Z' = W z',    W = T R_d
    Z''_i = Z''_p + b_j z''_j + d_j,    Z'' = T (R_d z'' + d)

Z'_i are the velocity of the point of (extended) body i that is at the origin now, and the
angular velocity; Z''_i the acceleration of that material point, not the rate of Z'_i.
Equation numbers are those of Yu, Mikkola, Pan and Escalona; see
spec/formalisms/semi_recursive_2.md. All components are those of the ground.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, cross, dot, matvec, minus, plus, scale, skew
from mbx.expr.nodes import ONE, ZERO
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.tree.regular_tree import refuse_empty
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx.system.kinematics.frames import twice
from mbx_converters.semi_recursive import joints_page
from mbx_converters.semi_recursive.ground_components import (
    applied,
    beside,
    bodies,
    columns_of,
    matrix_of,
    places,
    stacked,
    three,
    turning,
    turns,
)
from mbx_converters.semi_recursive.joint_space import VARIANTS, close_joints, with_parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System
    from mbx_converters.semi_recursive.ground_components import ByLink, Places

__all__ = ["CONVERTER", "derive", "write_page"]


def derive(system: System, variant: str = "") -> Equations:
    """Return the equations in joint rates, by the path matrix T and the joint matrix R_d."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    closing = ties(tree, levels)
    N, n = len(tree.links), len(tree.direct)

    p = Program()
    at = places(p, tree)
    joints = _recursion(p, tree, at)
    T, R_d, d = _paths(p, tree, joints)
    W = p.let("W", T @ R_d, "velocities at the origin by joint rates, (36)")
    Td = p.let("Td", T @ d, "accelerations at the origin without z''")
    D, e = _references(p, tree, at, joints.Zd)
    on_bodies = stacked(p, "e", e, "on the bodies, (28)")
    M, Qv = bodies(p, tree, at.A, joints.Zd)
    Wk, Mbb, Qvbb = _tree_equations(p, tree, W, Td, D, e, M, Qv)
    AA = turns(p, at.A)

    def forces(p: Program, h: Matrix) -> Matrix:
        """Add Qebb, (52), and Qbb."""
        p.begin("loads and equations of motion")
        terms = [Wk[k].T @ D[k].T @ Qe for k, Qe in applied(p, tree, closing, AA, h).items()]
        Qz = p.let("Qz", h.rows(range(6 * N, 6 * N + n)), "loads on the joint rates")
        Qebb = p.let("Qebb", p.sum([*terms, Qz]), "applied forces, (52)", r"\bar{\bar{Q}}_{e}")
        return p.let("Qbb", Qvbb + Qebb, "all forces", r"\bar{\bar{Q}}")

    joined = close_joints(p, tree, closing, levels, variant, Mbb, forces)
    results = {**joined.results, "W": W, "T": T, "R_d": R_d, "d": d, "e": on_bodies}
    results |= {"Mbb": Mbb, "Qv": Qvbb, "Qe": p.find("Qebb")}
    equations = p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        results,
        joined.residuals,
        variant=variant,
    )
    return with_parameters(equations, joined.parameters)


@dataclass(frozen=True, slots=True)
class _Joints:
    """What joints do to the points of their bodies at the origin of the ground.

    Attributes:
        b: Columns of the joints.
        d: Accelerations over the joints without z''.
        Zd: Z' of the bodies.
    """

    b: ByLink = field(default_factory=dict)
    d: ByLink = field(default_factory=dict)
    Zd: ByLink = field(default_factory=dict)


def _recursion(p: Program, tree: Links, at: Places) -> _Joints:
    """Add b, d and Z' of each body, (31) and (34)."""
    p.begin("forward sweep, root to leaves: joints and velocities, seen from the origin")
    joints = _Joints()
    for k, link in enumerate(tree.links):
        axes, r, A = at.axes[k], three(p, at.rho[k]), matrix_of(p, at.A[k])
        h, w = columns_of(p, at.h[k]), columns_of(p, at.w[k])
        # the point of the body at the ground's origin is -r away from the joint
        own = [(*plus(a, cross(r, b)), *b) for a, b in zip(h, w, strict=True)]
        b = beside(own[: link.freedoms], 6)
        joints.b[k] = p.define(f"b_{k + 1}", b, f"joint of {link.path}", columns=link.names)
        rates = [*tree.moves(k), ONE][: len(h)]
        # against the parent: velocity of the joint's point, turning, and their drifts
        slide, turn = (_by(x, rates) for x in (h, w))
        fixed = [minus(x, cross(t, axes.bd)) for x, t in zip(axes.hd, axes.w, strict=True)]
        slipped = plus(matvec(A, _by(fixed, rates)), cross(turn, slide))
        turned = matvec(A, _by(axes.wd, rates))
        over = [dot(row, rates) for row in beside(own, 6)]
        if link.parent is not None:
            up = joints.Zd[link.parent]
            wp = turning(p, up)
            slipped = plus(slipped, twice(cross(wp, slide)), cross(wp, cross(wp, r)))
            turned = plus(turned, cross(wp, turn))
            over = [add(x, y) for x, y in zip(p.elements(up), over, strict=True)]
        joints.Zd[k] = p.column(f"Zd_{k + 1}", over, f"Z' of {link.path}, (31)")
        wi = turning(p, joints.Zd[k])
        # of the material point at the origin, not the rate of b z'
        lin = minus(plus(slipped, cross(r, turned)), cross(wi, cross(wi, r)))
        meaning = f"accelerations over the joint of {link.path} without z''"
        joints.d[k] = p.column(f"d_{k + 1}", (*lin, *turned), meaning)
    return joints


def _paths(p: Program, tree: Links, joints: _Joints) -> tuple[Matrix, Matrix, Matrix]:
    """Add T, R_d and d, (35) and (36)."""
    p.begin("paths from the ground to the bodies")
    each = range(len(tree.links))
    on = [set(tree.path(i)) for i in each]
    one = p.identity(6)
    T = p.block([[one if j in on[i] else None for j in each] for i in each])
    R_d = p.block([[joints.b[j] if j == i else None for j in each] for i in each])
    return (
        p.let("T", T, "which joints lie on the path to which body, (35)"),
        p.let("R_d", R_d, "the joints by themselves"),
        stacked(p, "d", joints.d, "accelerations over the joints, (36)"),
    )


def _references(p: Program, tree: Links, at: Places, Zd: ByLink) -> tuple[ByLink, ByLink]:
    """Add D and e, which take Z' and Z'' to the reference point on the body, (26) to (28)."""
    p.begin("from the origin to the bodies")
    D: ByLink = {}
    e: ByLink = {}
    for k, link in enumerate(tree.links):
        R, w = three(p, at.R[k]), turning(p, Zd[k])
        S = skew(R)
        unit = [[ONE if i == j else ZERO for j in range(6)] for i in range(6)]
        for i in range(3):
            unit[i][3:] = [scale(-1, x) for x in S[i]]
        D[k] = p.define(f"D_{k + 1}", unit, f"from the origin to {link.path}, (27)")
        turning_around = (*cross(w, cross(w, R)), ZERO, ZERO, ZERO)
        e[k] = p.column(f"e_{k + 1}", turning_around, "w x (w x R), (28)")
    return D, e


def _tree_equations(
    p: Program,
    tree: Links,
    W: Matrix,
    Td: Matrix,
    D: ByLink,
    e: ByLink,
    M: ByLink,
    Qv: ByLink,
) -> tuple[ByLink, Matrix, Matrix]:
    """Add the rows of W of each link, and Mbb and Qvbb of the open tree, (50) to (55)."""
    p.begin("equations of the tree")
    inertias, forces = [], []
    Wk: ByLink = {}
    for k, link in enumerate(tree.links):
        six = range(6 * k, 6 * k + 6)
        Wk[k] = p.let(f"W_{k + 1}", W.rows(six), f"rows of {link.path}")
        Tdk = p.let(f"Td_{k + 1}", Td.rows(six), f"rows of {link.path}")
        DMD = p.let(f"DMD_{k + 1}", D[k].T @ M[k] @ D[k], "inertia about the origin")
        inertias.append(Wk[k].T @ DMD @ Wk[k])
        forces.append(Wk[k].T @ (D[k].T @ (Qv[k] - M[k] @ e[k]) - DMD @ Tdk))
    Mbb, Qvbb = p.sum(inertias), p.sum(forces)
    meaning = "quadratic forces in the joint rates, (52)"
    return (
        Wk,
        p.let("Mbb", Mbb, "inertia in the joint rates, (51)", r"\bar{\bar{M}}"),
        p.let("Qvbb", Qvbb, meaning, r"\bar{\bar{Q}}_{v}"),
    )


def _by(columns: Sequence[Vector], rates: Sequence[Node]) -> Vector:
    """Return columns times rates."""
    x, y, z = (dot(row, rates) for row in beside(columns))
    return (x, y, z)


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return the velocity transformation, the equations of the tree, and those in the speeds."""
    return joints_page.write_page(system, equations, options, _METHOD)


_METHOD: Final = joints_page.Method(
    title="Semi-recursive method II",
    axes="ground",
    point="the point that is at the origin of the ground",
    b="b",
    V="W",
    c=("d", "δ"),
    M="Mbb",
    Q="Qbb",
    numbers="b of (31), W = T R_d of (36), Mbb and Qbb of (50) to (55)",
)

CONVERTER: Final = Converter(
    name="semi_recursive_2",
    title="Semi-recursive method II",
    purpose="the same, with the origin as the point of all bodies",
    reference="X. Yu, A. Mikkola, Y. Pan, J. L. Escalona, The explanation of two semi-recursive "
    "multibody methods for educational purpose, Mechanism and Machine Theory, 2022, (24) to (63)",
    variants=tuple(
        Variant(name=name, accepts=ON_TREES, title=title) for name, title in VARIANTS.items()
    ),
    derive=derive,
    write_page=write_page,
)
