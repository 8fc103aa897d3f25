"""Semi-recursive method I: the reference point of each body is its origin.

    q' = V z',    q'' = V z'' + V' z',    Mbar = sum V_i^T M_i V_i
    V_i^j = [h_j + w_j x (R_i - rho_j); w_j] for each joint j on the path to body i

Equation numbers are those of Yu, Mikkola, Pan and Escalona; see
spec/formalisms/semi_recursive_1.md. All components are those of the ground.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, total
from mbx.expr.matrix import cross, dot, matvec, minus, plus
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.named_program import NamedProgram
from mbx.formalism.tree.regular_tree import refuse_empty
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx_converters.semi_recursive.ground_components import (
    applied,
    beside,
    bodies,
    column,
    matrix_of,
    places,
    stacked,
    three,
    turning,
    turns,
)
from mbx_converters.semi_recursive.joint_space import VARIANTS, close_joints, with_parameters

if TYPE_CHECKING:
    from mbx.expr.matrix import Vector
    from mbx.formalism.equations import Equations
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System
    from mbx_converters.semi_recursive.ground_components import Axes

__all__ = ["CONVERTER", "derive"]


def derive(system: System, variant: str = "") -> Equations:
    """Return the equations in joint rates, by the velocity transformation V."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    closing = ties(tree, levels)
    loaded = [any(x is not ZERO for x in six) for six in closing.wrenches]
    N = len(tree.links)

    program = NamedProgram()
    hinges = places(program, tree)
    _velocities(program, tree, hinges)
    _transformation(program, tree)
    bodies(program, tree, [f"qd_{k}" for k in range(1, N + 1)])
    _tree_equations(program, tree)
    turns(program, tree)

    def forces(p: NamedProgram, h: str) -> str:
        """Add Qebar, (46), and Qbar."""
        p.begin("loads and equations of motion")
        terms = []
        for k, name in enumerate(applied(p, tree, h, loaded), start=1):
            if name is not None:
                terms.append(p.product(f"VQe_{k}", f"Vt_{k}", name))
        p.rows("Qz", h, range(6 * N, 6 * N + len(tree.direct)), "loads on the joint rates")
        p.sum("Qebar", *terms, "Qz", meaning="applied forces, (46)", symbol=r"\bar{Q}_{e}")
        return p.sum("Qbar", "Qvbar", "Qebar", meaning="all forces", symbol=r"\bar{Q}")

    joined = close_joints(program, tree, closing, levels, variant, "Mbar", forces)
    results = {**joined.results, "V": "V", "Vdot": "Vdot"}
    results |= {"Mbar": "Mbar", "Qv": "Qvbar", "Qe": "Qebar"}
    return with_parameters(
        program.equations(
            system,
            CONVERTER.name,
            CONVERTER.title,
            CONVERTER.reference,
            results,
            joined.residuals,
            variant=variant,
        ),
        joined.parameters,
    )


def _velocities(p: NamedProgram, tree: Links, hinges: list[Axes]) -> None:
    """Add q' of each body, (17), the velocity of its joint, and the rates of h and w."""
    p.begin("forward sweep, root to leaves: velocities of bodies and joints")
    for k, (link, axes) in enumerate(zip(tree.links, hinges, strict=True), start=1):
        R, rho = three(p, f"R_{k}"), three(p, f"rho_{k}")
        rates = [*tree.moves(k - 1), ONE][: len(axes.h)]
        h = [three(p, f"h_{k}", j) for j in range(len(rates))]
        w = [three(p, f"w_{k}", j) for j in range(len(rates))]
        own = [_moved(a, b, minus(R, rho)) for a, b in zip(h, w, strict=True)]
        over = [dot(row, rates) for row in beside(own, 6)]
        if link.parent is not None:
            up = f"qd_{link.parent + 1}"
            v, turn = three(p, up), turning(p, up)
            lever = minus(R, three(p, f"R_{link.parent + 1}"))
            over = [
                add(x, y) for x, y in zip((*plus(v, cross(turn, lever)), *turn), over, strict=True)
            ]
        p.derived(f"qd_{k}", column(over), f"velocity and turning of {link.path}, (17)")
        v, turn = three(p, f"qd_{k}"), turning(p, f"qd_{k}")
        A = matrix_of(p, f"A_{k}")
        slip = matvec(A, axes.bd)
        joint = plus(v, cross(turn, minus(rho, R)), slip)
        p.derived(f"rhod_{k}", column(joint), f"velocity of the joint of {link.path}")
        for name, now, own_rates in (("hd", h, axes.hd), ("wd", w, axes.wd)):
            turned = [
                plus(matvec(A, rate), cross(turn, x))
                for rate, x in zip(own_rates, now, strict=True)
            ]
            p.derived(f"{name}_{k}", beside(turned), f"rates of {name[0]}_{k}")


def _transformation(p: NamedProgram, tree: Links) -> None:
    """Add V and V', block by block: each needs its own body and joint alone, (21) to (23)."""
    p.begin("velocity transformation, body by body")
    n, names = len(tree.direct), [name for link in tree.links for name in link.names]
    p.column("zd", tree.zd, "joint rates", rows=names)
    for k, link in enumerate(tree.links, start=1):
        R, Rd = three(p, f"R_{k}"), three(p, f"qd_{k}")
        V: list[tuple[Node, ...]] = [(ZERO,) * 6] * n
        Vd = list(V)
        drift: list[tuple[Node, ...]] = []
        for j in tree.path(k - 1):
            hinge = tree.links[j]
            lever = minus(R, three(p, f"rho_{j + 1}"))
            swing = minus(Rd, three(p, f"rhod_{j + 1}"))
            for c in range(len(p.entries(f"h_{j + 1}")[0])):
                h, w, hd, wd = (three(p, f"{x}_{j + 1}", c) for x in ("h", "w", "hd", "wd"))
                rate = (*plus(hd, cross(wd, lever), cross(w, swing)), *wd)
                if c == hinge.freedoms:
                    drift.append(rate)
                    continue
                V[hinge.first + c] = _moved(h, w, lever)
                Vd[hinge.first + c] = rate
        p.derived(f"V_{k}", beside(V, 6), f"V of {link.path}", columns=names)
        p.derived(f"Vd_{k}", beside(Vd, 6), f"V' of {link.path}", columns=names)
        p.transpose(f"Vt_{k}", f"V_{k}")
        terms = [p.product(f"Vdz_{k}", f"Vd_{k}", "zd")]
        if drift:
            rest = [total(row) for row in zip(*drift, strict=True)]
            terms.append(p.derived(f"Vtd_{k}", column(rest), "of joints that move by themselves"))
        p.sum(f"c_{k}", *terms, meaning=f"acceleration of {link.path} without z''")
    every = range(1, len(tree.links) + 1)
    stacked(p, "V", [f"V_{k}" for k in every], "velocities of the bodies by joint rates, (13)")
    stacked(p, "Vdot", [f"Vd_{k}" for k in every], "the rate of V, (22)")


def _tree_equations(p: NamedProgram, tree: Links) -> None:
    """Add Mbar and Qvbar of the open tree, (44) to (48)."""
    p.begin("equations of the tree")
    inertias, forces = [], []
    for k in range(1, len(tree.links) + 1):
        inertias.append(p.product(f"VMV_{k}", f"Vt_{k}", f"M_{k}", f"V_{k}"))
        p.product(f"Mc_{k}", f"M_{k}", f"c_{k}")
        p.sum(f"Qc_{k}", f"Qv_{k}", f"Mc_{k}", signs=(1, -1))
        forces.append(p.product(f"VQc_{k}", f"Vt_{k}", f"Qc_{k}"))
    p.sum("Mbar", *inertias, meaning="inertia in the joint rates, (45)", symbol=r"\bar{M}")
    p.sum(
        "Qvbar",
        *forces,
        meaning="quadratic forces in the joint rates, (45)",
        symbol=r"\bar{Q}_{v}",
    )


def _moved(h: Vector, w: Vector, lever: Vector) -> tuple[Node, ...]:
    """Return the column of a joint on a body whose origin is a lever away from it."""
    return (*plus(h, cross(w, lever)), *w)


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
)
