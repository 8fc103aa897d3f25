"""Semi-recursive method II: the reference point of every body is the origin of the ground.

    Z'_i = Z'_p + b_j z'_j,    Z' = W z',    W = T R_d
    Z''_i = Z''_p + b_j z''_j + d_j,    Z'' = T (R_d z'' + d)

Z'_i are the velocity of the point of (extended) body i that is at the origin now, and the
angular velocity; Z''_i the acceleration of that material point, not the rate of Z'_i.
Equation numbers are those of Yu, Mikkola, Pan and Escalona; see
spec/formalisms/semi_recursive_2.md. All components are those of the ground.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, scale
from mbx.expr.matrix import cross, dot, matvec, minus, plus, skew
from mbx.expr.nodes import ONE, ZERO
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.named_program import NamedProgram
from mbx.formalism.tree.regular_tree import refuse_empty
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx.system.kinematics.rotations import twice
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
    from collections.abc import Sequence

    from mbx.expr.matrix import Vector
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System
    from mbx_converters.semi_recursive.ground_components import Axes

__all__ = ["CONVERTER", "derive"]


def derive(system: System, variant: str = "") -> Equations:
    """Return the equations in joint rates, by the path matrix T and the joint matrix R_d."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    closing = ties(tree, levels)
    loaded = [any(x is not ZERO for x in six) for six in closing.wrenches]
    N = len(tree.links)

    program = NamedProgram()
    hinges = places(program, tree)
    _recursion(program, tree, hinges)
    _paths(program, tree)
    _references(program, tree)
    bodies(program, tree, [f"Zd_{k}" for k in range(1, N + 1)])
    _tree_equations(program, tree)
    turns(program, tree)

    def forces(p: NamedProgram, h: str) -> str:
        """Add Qebb, (52), and Qbb."""
        p.begin("loads and equations of motion")
        terms = []
        for k, name in enumerate(applied(p, tree, h, loaded), start=1):
            if name is not None:
                terms.append(p.product(f"WDQe_{k}", f"Wt_{k}", f"Dt_{k}", name))
        p.rows("Qz", h, range(6 * N, 6 * N + len(tree.direct)), "loads on the joint rates")
        p.sum("Qebb", *terms, "Qz", meaning="applied forces, (52)", symbol=r"\bar{\bar{Q}}_{e}")
        return p.sum("Qbb", "Qvbb", "Qebb", meaning="all forces", symbol=r"\bar{\bar{Q}}")

    joined = close_joints(program, tree, closing, levels, variant, "Mbb", forces)
    results = {**joined.results, "W": "W", "T": "T", "R_d": "R_d", "d": "d", "e": "e"}
    results |= {"Mbb": "Mbb", "Qv": "Qvbb", "Qe": "Qebb"}
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


def _recursion(p: NamedProgram, tree: Links, hinges: list[Axes]) -> None:
    """Add b, d and Z' of each body, (31) and (34)."""
    p.begin("forward sweep, root to leaves: joints and velocities, seen from the origin")
    for k, (link, axes) in enumerate(zip(tree.links, hinges, strict=True), start=1):
        r, A = three(p, f"rho_{k}"), matrix_of(p, f"A_{k}")
        count = len(axes.h)
        h = [three(p, f"h_{k}", j) for j in range(count)]
        w = [three(p, f"w_{k}", j) for j in range(count)]
        # the point of the body at the ground's origin is -r away from the joint
        own = [(*plus(a, cross(r, b)), *b) for a, b in zip(h, w, strict=True)]
        p.derived(
            f"b_{k}", beside(own[: link.freedoms], 6), f"joint of {link.path}", columns=link.names
        )
        rates = [*tree.moves(k - 1), ONE][:count]
        # against the parent: velocity of the joint's point, turning, and their drifts
        slide, turn = (_by(x, rates) for x in (h, w))
        fixed = [minus(x, cross(t, axes.bd)) for x, t in zip(axes.hd, axes.w, strict=True)]
        slipped = plus(matvec(A, _by(fixed, rates)), cross(turn, slide))
        turned = matvec(A, _by(axes.wd, rates))
        over = [dot(row, rates) for row in beside(own, 6)]
        if link.parent is not None:
            up = f"Zd_{link.parent + 1}"
            wp = turning(p, up)
            slipped = plus(slipped, twice(cross(wp, slide)), cross(wp, cross(wp, r)))
            turned = plus(turned, cross(wp, turn))
            over = [add(row[0], x) for row, x in zip(p.entries(up), over, strict=True)]
        p.derived(f"Zd_{k}", column(over), f"Z' of {link.path}, (31)")
        wi = turning(p, f"Zd_{k}")
        # of the material point at the origin, not the rate of b z'
        lin = minus(plus(slipped, cross(r, turned)), cross(wi, cross(wi, r)))
        meaning = f"accelerations over the joint of {link.path} without z''"
        p.derived(f"d_{k}", column((*lin, *turned)), meaning)


def _paths(p: NamedProgram, tree: Links) -> None:
    """Add T, R_d and W, (35), (36) and (39)."""
    p.begin("paths from the ground to the bodies")
    N = len(tree.links)
    on = [set(tree.path(i)) for i in range(N)]
    p.identity("one6", 6)
    T = [["one6" if j in on[i] else None for j in range(N)] for i in range(N)]
    p.block("T", T, "which joints lie on the path to which body, (35)")
    grid = [[f"b_{j}" if j == i else None for j in range(1, N + 1)] for i in range(1, N + 1)]
    p.block("R_d", grid, "the joints by themselves")
    stacked(p, "d", [f"d_{k}" for k in range(1, N + 1)], "accelerations over the joints, (36)")
    p.product("W", "T", "R_d", meaning="velocities at the origin by joint rates, (36)")
    p.product("Td", "T", "d", meaning="accelerations at the origin without z''")


def _references(p: NamedProgram, tree: Links) -> None:
    """Add D and e, which take Z' and Z'' to the reference point on the body, (26) to (28)."""
    p.begin("from the origin to the bodies")
    for k, link in enumerate(tree.links, start=1):
        R, w = three(p, f"R_{k}"), turning(p, f"Zd_{k}")
        S = skew(R)
        unit = [[ONE if i == j else ZERO for j in range(6)] for i in range(6)]
        for i in range(3):
            unit[i][3:] = [scale(-1, x) for x in S[i]]
        p.derived(f"D_{k}", unit, f"from the origin to {link.path}, (27)")
        p.transpose(f"Dt_{k}", f"D_{k}")
        p.derived(f"e_{k}", column((*cross(w, cross(w, R)), ZERO, ZERO, ZERO)), "w x (w x R), (28)")
    stacked(p, "e", [f"e_{k}" for k in range(1, len(tree.links) + 1)], "on the bodies, (28)")


def _tree_equations(p: NamedProgram, tree: Links) -> None:
    """Add Mbb and Qvbb of the open tree, (50) to (55)."""
    p.begin("equations of the tree")
    inertias, forces = [], []
    for k in range(1, len(tree.links) + 1):
        six = range(6 * k - 6, 6 * k)
        p.rows(f"W_{k}", "W", six, f"rows of {tree.links[k - 1].path}")
        p.transpose(f"Wt_{k}", f"W_{k}")
        p.rows(f"Td_{k}", "Td", six, f"rows of {tree.links[k - 1].path}")
        p.product(f"DMD_{k}", f"Dt_{k}", f"M_{k}", f"D_{k}", meaning="inertia about the origin")
        inertias.append(p.product(f"WMW_{k}", f"Wt_{k}", f"DMD_{k}", f"W_{k}"))
        p.product(f"Me_{k}", f"M_{k}", f"e_{k}")
        p.sum(f"Qve_{k}", f"Qv_{k}", f"Me_{k}", signs=(1, -1))
        p.product(f"DQ_{k}", f"Dt_{k}", f"Qve_{k}")
        p.product(f"DMDd_{k}", f"DMD_{k}", f"Td_{k}")
        p.sum(f"Qo_{k}", f"DQ_{k}", f"DMDd_{k}", signs=(1, -1))
        forces.append(p.product(f"WQ_{k}", f"Wt_{k}", f"Qo_{k}"))
    p.sum(
        "Mbb",
        *inertias,
        meaning="inertia in the joint rates, (51)",
        symbol=r"\bar{\bar{M}}",
    )
    p.sum(
        "Qvbb",
        *forces,
        meaning="quadratic forces in the joint rates, (52)",
        symbol=r"\bar{\bar{Q}}_{v}",
    )


def _by(columns: Sequence[Vector], rates: Sequence[Node]) -> Vector:
    """Return columns times rates."""
    x, y, z = (dot(row, rates) for row in beside(columns))
    return (x, y, z)


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
)
