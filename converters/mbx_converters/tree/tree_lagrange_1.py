"""Lagrange's equations of the first kind on the tree of links: reactions first.

Equation numbers are those of Ivanov and Shimanovskiy; see spec/formalisms/tree_lagrange_1.md.

    H_Sigma lam = Z^T (c - S M^-1 (S^T m + F - G)),    m = A (A^T A)^-1 Q
    R = Z lam + m,    v' = M^-1 (S^T R + F - G),    z'' = (A^T A)^-1 A^T (S v' - c)        (36)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.tree.closure import close_tree, constraint_forces
from mbx.formalism.tree.regular_tree import refuse_empty
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.subspaces import centred, subspaces
from mbx.mechanics.tree.ties import ties
from mbx_converters.tree import link_kinematics, orthogonal, projection_page
from mbx_converters.tree.hinge_reactions import hinge_wrenches, report_reactions
from mbx_converters.tree.link_loads import on_hinges, on_links
from mbx_converters.tree.patterns import describe
from mbx_converters.tree.right_hand_sides import Request, stack_hinges
from mbx_converters.tree.transmitted import whole

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
    """Return (36), the blocks of H_Sigma eliminated link by link, closed by the invariants."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    original = links(moving)
    refuse_empty(original)
    tree, kept = centred(original), subspaces(original)
    closing = ties(tree, levels)
    plain = closing.open and whole(tree)

    p = Program()
    on = link_kinematics.hinges(p, tree)
    v, vj = link_kinematics.twists(p, on)
    c = link_kinematics.accelerations(p, on, v, vj)
    M = link_kinematics.inertias(p, tree)
    G = link_kinematics.gyroscopic(p, on, M, v)
    solver = orthogonal.factorize(p, on, M, kept)
    swept = close_tree(
        p,
        closing,
        levels,
        lambda p, h: _sweep(p, on, solver, h, G, c, "R" if plain else ""),
        solver.response,
    )
    constrained = constraint_forces(p, levels, swept.lam)
    if plain:
        R: ByLink = {k: p.find(f"R_{k}") for k, _ in on.links}
    else:
        R = hinge_wrenches(p, on, levels, swept, M, G, c)
    results = report_reactions(p, on, levels, swept, constrained["A"], R)
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": swept.ud, **constrained, **results},
        notes=describe("H_Sigma", tree, orthogonal.kin(tree, kept)),
    )


def _sweep(
    p: Program, on: Hinges, solver: Solver, h: Matrix, G: ByLink, c: ByLink, R: str
) -> Matrix:
    """Add z'' of the tree under loads, and R where its hinges transmit nothing else."""
    F, Q = on_links(p, on, h), on_hinges(p, on, h)
    a = {k: p.let(f"a_{k}", G[k] - F[k], "gyroscopic wrench less loads") for k in F}
    meanings = ("", "reaction on", "z'' of the hinge of")
    request = Request(x="", y=R, z="z", a=a, b=c, e=Q, mark="h", meanings=meanings)
    return stack_hinges(p, on, solver.sweep(p, request).z, "z0", "z'' of the tree")


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return what the hinges hold, the balances, and A^T R = Q."""
    return projection_page.write_first_kind_page(system, equations, options, CONVERTER.title)


CONVERTER: Final = Converter(
    name="tree_lagrange_1",
    title="Lagrange's equations of the first kind on the tree",
    purpose="reactions of hinges of trees, block by block",
    reference="V. Ivanov, V. Shimanovskiy, Matrix equations of the motion of multibody systems "
    "with a tree structure in Hamiltonian variables, Journal of Applied and Computational "
    "Mechanics 9(4), 2023, (36), (38), algorithm 3",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
    write_page=write_page,
)
