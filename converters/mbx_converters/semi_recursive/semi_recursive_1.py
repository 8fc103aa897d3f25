"""Semi-recursive method I: the reference point of each body is its origin.

    q' = V z',    q'' = V z'' + V' z',    Mbar = sum V_i^T M_i V_i
    V_i^j = [h_j + w_j x (R_i - rho_j); w_j] for each joint j on the path to body i

Equation numbers are those of Yu, Mikkola, Pan and Escalona; see
spec/formalisms/semi_recursive_1.md. All components are those of the ground.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, cross, dot, matvec, minus, plus, total
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.tree.regular_tree import refuse_empty
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
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

    from mbx.expr.build import Matrix as Tensor
    from mbx.expr.build import Vector
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System
    from mbx_converters.semi_recursive.ground_components import ByLink, Places

__all__ = ["CONVERTER", "derive", "write_page"]


def derive(system: System, variant: str = "") -> Equations:
    """Return the equations in joint rates, by the velocity transformation V."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    closing = ties(tree, levels)
    N, n = len(tree.links), len(tree.direct)

    p = Program()
    at = places(p, tree)
    moves = _velocities(p, tree, at)
    V, Vd, c = _transformation(p, tree, at, moves)
    all_V = stacked(p, "V", V, "velocities of the bodies by joint rates, (13)")
    Vdot = stacked(p, "Vdot", Vd, "the rate of V, (22)")
    M, Qv = bodies(p, tree, at.A, moves.qd)
    Mbar, Qvbar = _tree_equations(p, V, c, M, Qv)
    AA = turns(p, at.A)

    def forces(p: Program, h: Matrix) -> Matrix:
        """Add Qebar, (46), and Qbar."""
        p.begin("loads and equations of motion")
        terms = [V[k].T @ Qe for k, Qe in applied(p, tree, closing, AA, h).items()]
        Qz = p.let("Qz", h.rows(range(6 * N, 6 * N + n)), "loads on the joint rates")
        Qebar = p.let("Qebar", p.sum([*terms, Qz]), "applied forces, (46)", r"\bar{Q}_{e}")
        return p.let("Qbar", Qvbar + Qebar, "all forces", r"\bar{Q}")

    joined = close_joints(p, tree, closing, levels, variant, Mbar, forces)
    results = {**joined.results, "V": all_V, "Vdot": Vdot}
    results |= {"Mbar": Mbar, "Qv": Qvbar, "Qe": p.find("Qebar")}
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
class _Moves:
    """Velocities of bodies and joints.

    Attributes:
        qd: q' of the bodies.
        rhod: Velocities of the joints.
        hd: Rates of h.
        wd: Rates of w.
    """

    qd: ByLink = field(default_factory=dict)
    rhod: ByLink = field(default_factory=dict)
    hd: ByLink = field(default_factory=dict)
    wd: ByLink = field(default_factory=dict)


def _velocities(p: Program, tree: Links, at: Places) -> _Moves:
    """Add q' of each body, (17), the velocity of its joint, and the rates of h and w."""
    p.begin("forward sweep, root to leaves: velocities of bodies and joints")
    moves = _Moves()
    for k, link in enumerate(tree.links):
        axes, R, rho = at.axes[k], three(p, at.R[k]), three(p, at.rho[k])
        rates = [*tree.moves(k), ONE][: len(axes.h)]
        h, w = columns_of(p, at.h[k]), columns_of(p, at.w[k])
        own = [_moved(a, b, minus(R, rho)) for a, b in zip(h, w, strict=True)]
        over = [dot(row, rates) for row in beside(own, 6)]
        if link.parent is not None:
            up = moves.qd[link.parent]
            v, turn = three(p, up), turning(p, up)
            lever = minus(R, three(p, at.R[link.parent]))
            over = [
                add(x, y) for x, y in zip((*plus(v, cross(turn, lever)), *turn), over, strict=True)
            ]
        qd = p.column(f"qd_{k + 1}", over, f"velocity and turning of {link.path}, (17)")
        moves.qd[k] = qd
        v, turn = three(p, qd), turning(p, qd)
        A = matrix_of(p, at.A[k])
        slip = matvec(A, axes.bd)
        joint = plus(v, cross(turn, minus(rho, R)), slip)
        moves.rhod[k] = p.column(f"rhod_{k + 1}", joint, f"velocity of the joint of {link.path}")
        hd, wd = _turned(A, turn, axes.hd, h), _turned(A, turn, axes.wd, w)
        moves.hd[k] = p.define(f"hd_{k + 1}", hd, f"rates of h_{k + 1}")
        moves.wd[k] = p.define(f"wd_{k + 1}", wd, f"rates of w_{k + 1}")
    return moves


def _turned(
    A: Tensor, turn: Vector, own: Sequence[Vector], columns: Sequence[Vector]
) -> list[list[Node]]:
    """Return the rates of columns that turn with a link, by those in own components."""
    return beside(
        [plus(matvec(A, rate), cross(turn, x)) for rate, x in zip(own, columns, strict=True)]
    )


def _transformation(
    p: Program, tree: Links, at: Places, moves: _Moves
) -> tuple[ByLink, ByLink, ByLink]:
    """Add V and V' of each body, (21) to (23), and its acceleration c without z''.

    They are added block by block: each needs its own body and joint alone.
    """
    p.begin("velocity transformation, body by body")
    n, names = len(tree.direct), [name for link in tree.links for name in link.names]
    zd = p.column("zd", tree.zd, "joint rates", rows=names)
    V: ByLink = {}
    Vd: ByLink = {}
    c: ByLink = {}
    for k, link in enumerate(tree.links):
        R, Rd = three(p, at.R[k]), three(p, moves.qd[k])
        columns: list[tuple[Node, ...]] = [(ZERO,) * 6] * n
        rates = list(columns)
        drift: list[tuple[Node, ...]] = []
        for j in tree.path(k):
            hinge = tree.links[j]
            lever = minus(R, three(p, at.rho[j]))
            swing = minus(Rd, three(p, moves.rhod[j]))
            hinges = (at.h[j], at.w[j], moves.hd[j], moves.wd[j])
            each = zip(*(columns_of(p, x) for x in hinges), strict=True)
            for i, (h, w, hd, wd) in enumerate(each):
                rate = (*plus(hd, cross(wd, lever), cross(w, swing)), *wd)
                if i == hinge.freedoms:
                    drift.append(rate)
                    continue
                columns[hinge.first + i] = _moved(h, w, lever)
                rates[hinge.first + i] = rate
        V[k] = p.define(f"V_{k + 1}", beside(columns, 6), f"V of {link.path}", columns=names)
        Vd[k] = p.define(f"Vd_{k + 1}", beside(rates, 6), f"V' of {link.path}", columns=names)
        terms = [Vd[k] @ zd]
        if drift:
            rest = [total(row) for row in zip(*drift, strict=True)]
            terms.append(p.column(f"Vtd_{k + 1}", rest, "of joints that move by themselves"))
        c[k] = p.let(f"c_{k + 1}", p.sum(terms), f"acceleration of {link.path} without z''")
    return V, Vd, c


def _tree_equations(
    p: Program, V: ByLink, c: ByLink, M: ByLink, Qv: ByLink
) -> tuple[Matrix, Matrix]:
    """Add Mbar and Qvbar of the open tree, (44) to (48)."""
    p.begin("equations of the tree")
    inertias, forces = [], []
    for k in V:
        inertias.append(V[k].T @ M[k] @ V[k])
        forces.append(V[k].T @ (Qv[k] - M[k] @ c[k]))
    Mbar, Qvbar = p.sum(inertias), p.sum(forces)
    meaning = "quadratic forces in the joint rates, (45)"
    return (
        p.let("Mbar", Mbar, "inertia in the joint rates, (45)", r"\bar{M}"),
        p.let("Qvbar", Qvbar, meaning, r"\bar{Q}_{v}"),
    )


def _moved(h: Vector, w: Vector, lever: Vector) -> tuple[Node, ...]:
    """Return the column of a joint on a body whose origin is a lever away from it."""
    return (*plus(h, cross(w, lever)), *w)


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return the velocity transformation, the equations of the tree, and those in the speeds."""
    return joints_page.write_page(system, equations, options, _METHOD)


_METHOD: Final = joints_page.Method(
    title="Semi-recursive method I",
    axes="origin",
    point="its origin",
    b="",
    V="V",
    c=("c", "d"),
    M="Mbar",
    Q="Qbar",
    numbers="V of (21) to (23), Mbar and Qbar of (44) to (48)",
)

CONVERTER: Final = Converter(
    name="semi_recursive_1",
    title="Semi-recursive method I",
    purpose="closed loops by cut joints, a point on each body",
    reference="X. Yu, A. Mikkola, Y. Pan, J. L. Escalona, The explanation of two semi-recursive "
    "multibody methods for educational purpose, Mechanism and Machine Theory, 2022, (9) to (61)",
    variants=tuple(
        Variant(name=name, accepts=ON_TREES, title=title) for name, title in VARIANTS.items()
    ),
    derive=derive,
    write_page=write_page,
)
