"""Lagrange's equations of the second kind on the tree of links, in blocks of two links.

Equation numbers are those of Ivanov and Shimanovskiy; see spec/formalisms/tree_lagrange_2.md.

    D_Sigma z'' = Q + A^T T^T (F - G - M T c),    D_Sigma = A^T (T^T M T) A              (35)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.tree.closure import close_tree, constraint_forces
from mbx.formalism.tree.regular_tree import refuse_empty, refuse_singular
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx_converters.tree import link_kinematics, links_page, tangent_projection
from mbx_converters.tree.link_loads import on_hinges, on_links
from mbx_converters.tree.patterns import describe
from mbx_converters.tree.right_hand_sides import Request, stack_hinges

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.system.system import System
    from mbx_converters.tree.link_kinematics import ByLink, Hinges
    from mbx_converters.tree.right_hand_sides import Solver

__all__ = ["CONVERTER", "derive", "write_page"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return (35), the blocks of D_Sigma eliminated link by link, closed by the invariants."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    refuse_singular(tree)
    closing = ties(tree, levels)

    p = Program()
    on = link_kinematics.hinges(p, tree)
    v, vj = link_kinematics.twists(p, on)
    c = link_kinematics.accelerations(p, on, v, vj)
    M = link_kinematics.inertias(p, tree)
    G = link_kinematics.gyroscopic(p, on, M, v)
    g = _without_rates(p, on, M, G, c)
    solver = tangent_projection.factorize(p, on, M)
    swept = close_tree(
        p, closing, levels, lambda p, h: _sweep(p, on, solver, h, g), solver.response
    )
    constrained = constraint_forces(p, levels, swept.lam)
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": swept.ud, **constrained},
        notes=describe("D_Sigma", tree, tangent_projection.ancestors(tree)),
    )


def _without_rates(p: Program, on: Hinges, M: ByLink, G: ByLink, c: ByLink) -> ByLink:
    """Add g = G + M T c: the wrench on each link that the motion without z'' needs."""
    p.begin("forward sweep, root to leaves: wrenches that motion without z'' needs")
    Tc: dict[int, Matrix] = {}
    g: dict[int, Matrix] = {}
    for k, link in on.links:
        total = c[k]
        if link.parent is not None:
            total += on.C[k] @ Tc[on.parent(k)]
        Tc[k] = p.let(f"Tc_{k}", total, f"rates of the twist of {link.path} without z''")
        g[k] = p.let(f"g_{k}", G[k] + M[k] @ Tc[k], f"wrench that {link.path} needs for it")
    return g


def _sweep(p: Program, on: Hinges, solver: Solver, h: Matrix, g: ByLink) -> Matrix:
    """Add z'' of the tree under loads."""
    F, Q = on_links(p, on, h), on_hinges(p, on, h)
    a = {k: p.let(f"a_{k}", g[k] - F[k], "wrench without z'' less loads") for k in F}
    request = Request(x="", z="z", a=a, e=Q, meanings=("", "", "z'' of the hinge of"))
    return stack_hinges(p, on, solver.sweep(p, request).z, "z0", "z'' of the tree")


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return the blocks of D_Sigma, what the motion needs without z'', and (35)."""
    tree = links_page.begin(system, equations, options, CONVERTER.title)
    links_page.write_second_kind(tree)
    return tree.page.page()


CONVERTER: Final = Converter(
    name="tree_lagrange_2",
    title="Lagrange's equations of the second kind on the tree",
    purpose="trees in hinge coordinates, block by block",
    reference="V. Ivanov, V. Shimanovskiy, Matrix equations of the motion of multibody systems "
    "with a tree structure in Hamiltonian variables, Journal of Applied and Computational "
    "Mechanics 9(4), 2023, (34), (35), algorithm 3",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
    write_page=write_page,
)
