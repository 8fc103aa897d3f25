"""Newton-Euler equations on the tree of links: accelerations and reactions by sweeps.

Equation numbers are those of Ivanov and Shimanovskiy; see spec/formalisms/tree_newton_euler.md.

    M v' - S^T R = F - G,    S v' = A z'' + c,    A^T R = Q            (33), rates of components
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.formalism.converter import Converter, Variant
from mbx.formalism.named_program import NamedProgram
from mbx.formalism.tree.named_closure import close_tree, constraint_forces
from mbx.formalism.tree.regular_tree import refuse_empty, refuse_singular
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx_converters.tree import link_kinematics
from mbx_converters.tree.hinge_reactions import Closed, hinge_wrenches, reported
from mbx_converters.tree.link_loads import on_hinges, on_links
from mbx_converters.tree.right_hand_sides import Ask, response, stacked
from mbx_converters.tree.solvers import SOLVERS, TITLES
from mbx_converters.tree.transmitted import whole

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System
    from mbx_converters.tree.right_hand_sides import Solver

__all__ = ["CONVERTER", "derive"]


def derive(system: System, variant: str = "lu") -> Equations:
    """Return the extended equations (33), solved as the variant says."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    refuse_singular(tree)
    closing = ties(tree, levels)
    solver = SOLVERS[variant]
    plain = closing.open and whole(tree)

    program = NamedProgram()
    link_kinematics.hinges(program, tree)
    link_kinematics.twists(program, tree)
    link_kinematics.accelerations(program, tree)
    link_kinematics.inertias(program, tree)
    link_kinematics.gyroscopic(program, tree)
    solver.factors(program, tree)
    swept = close_tree(
        program,
        closing,
        levels,
        lambda p, h: _sweep(p, tree, solver, h, "" if plain else "0"),
        lambda p, F, name: response(p, tree, solver, F, name),
    )
    constrained = constraint_forces(program, levels, swept.lam)
    zdd = "z0" if closing.open else swept.zdd
    closed = Closed(zdd, swept.ud, swept.lam, swept.named)
    if not plain:
        hinge_wrenches(program, tree, levels, closed)
    results = reported(program, tree, levels, closed)
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": swept.ud, **constrained, **results},
        variant=variant,
    )


def _sweep(p: NamedProgram, tree: Links, solver: Solver, h: str, mark: str) -> str:
    """Add z'' of the tree under loads, and what its hinges transmit where these are all."""
    F, Q = on_links(p, tree, h), on_hinges(p, tree, h)
    a = {
        k: p.sum(f"a_{k}", f"G_{k}", name, signs=(1, -1), meaning="gyroscopic wrench less loads")
        for k, name in F.items()
    }
    meanings = ("acceleration of", "reaction on", "accelerations of the hinge of")
    c = {k: f"c_{k}" for k in F}
    y = "" if mark else "R"
    ask = Ask(x=f"vd{mark}", y=y, z=f"zdd{mark}", a=a, b=c, e=Q, meanings=meanings)
    solver.sweep(p, tree, ask)
    return stacked(p, tree, f"zdd{mark}", "z0", "accelerations of the hinges")


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
)
