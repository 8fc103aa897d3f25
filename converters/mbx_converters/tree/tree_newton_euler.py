"""Newton-Euler equations on the tree of links: accelerations and reactions by sweeps.

Equation numbers are those of Ivanov and Shimanovskiy; see spec/formalisms/tree_newton_euler.md.

    M v' - S^T R = F - G,    S v' = A z'' + c,    A^T R = Q            (33), rates of components
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
from mbx_converters.tree import link_kinematics, links_page
from mbx_converters.tree.hinge_reactions import hinge_wrenches, report_reactions
from mbx_converters.tree.link_loads import on_hinges, on_links
from mbx_converters.tree.right_hand_sides import Request, response, stack_hinges
from mbx_converters.tree.solvers import SOLVERS, TITLES
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


def derive(system: System, variant: str = "lu") -> Equations:
    """Return the extended equations (33), solved by the method of the variant."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    refuse_singular(tree)
    closing = ties(tree, levels)
    plain = closing.open and whole(tree)

    p = Program()
    on = link_kinematics.hinges(p, tree)
    v, vj = link_kinematics.twists(p, on)
    c = link_kinematics.accelerations(p, on, v, vj)
    M = link_kinematics.inertias(p, tree)
    G = link_kinematics.gyroscopic(p, on, M, v)
    solver = SOLVERS[variant](p, on, M)
    swept = close_tree(
        p,
        closing,
        levels,
        lambda p, h: _sweep(p, on, solver, h, G, c, "" if plain else "0"),
        lambda p, F, name: response(p, on, solver, F, name),
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
        variant=variant,
    )


def _sweep(
    p: Program, on: Hinges, solver: Solver, h: Matrix, G: ByLink, c: ByLink, mark: str
) -> Matrix:
    """Add z'' of the tree under loads, and what its hinges transmit where these are all."""
    F, Q = on_links(p, on, h), on_hinges(p, on, h)
    a = {k: p.let(f"a_{k}", G[k] - F[k], "gyroscopic wrench less loads") for k in F}
    meanings = ("acceleration of", "reaction on", "accelerations of the hinge of")
    y = "" if mark else "R"
    request = Request(x=f"vd{mark}", y=y, z=f"zdd{mark}", a=a, b=c, e=Q, meanings=meanings)
    zdd = solver.sweep(p, request).z
    return stack_hinges(p, on, zdd, "z0", "accelerations of the hinges")


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return twists, the balances with the reactions R, and A^T R = Q."""
    tree = links_page.begin(system, equations, options, CONVERTER.title)
    links_page.write_newton_euler(tree)
    return tree.page.page()


CONVERTER: Final = Converter(
    name="tree_newton_euler",
    title="Newton-Euler equations on the tree",
    purpose="large trees, sparse, with all hinge wrenches",
    reference="V. Ivanov, V. Shimanovskiy, Journal of Applied and Computational Mechanics 9(4), "
    "2023, (33), Algorithms 1 and 2",
    variants=tuple(
        Variant(name=name, accepts=ON_TREES, title=title) for name, title in TITLES.items()
    ),
    derive=derive,
    write_page=write_page,
)
