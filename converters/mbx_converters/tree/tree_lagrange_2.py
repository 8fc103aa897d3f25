"""Lagrange's equations of the second kind on the tree of links, in blocks of two links.

Equation numbers are those of Ivanov and Shimanovskiy; see spec/formalisms/tree_lagrange_2.md.

    D_Sigma z'' = Q + A^T T^T (F - G - M T c),    D_Sigma = A^T (T^T M T) A              (35)
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
from mbx_converters.tree import link_kinematics, link_loads, tangent_projection
from mbx_converters.tree.patterns import described
from mbx_converters.tree.right_hand_sides import Ask, stacked

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return (35), the blocks of D_Sigma eliminated link by link, closed by the invariants."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    refuse_singular(tree)
    closing = ties(tree, levels)

    program = NamedProgram()
    link_kinematics.hinges(program, tree)
    link_kinematics.twists(program, tree)
    link_kinematics.accelerations(program, tree)
    link_kinematics.inertias(program, tree)
    link_kinematics.gyroscopic(program, tree)
    _without_rates(program, tree)
    tangent_projection.factors(program, tree)
    swept = close_tree(
        program,
        closing,
        levels,
        lambda p, h: _loaded(p, tree, h),
        lambda p, F, name: tangent_projection.response(p, tree, F, name),
    )
    constrained = constraint_forces(program, levels, swept.lam)
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": swept.ud, **constrained},
        notes=described("D_Sigma", tree, tangent_projection.ancestors(tree)),
    )


def _without_rates(p: NamedProgram, tree: Links) -> None:
    """Add g = G + M T c: the wrench on each link that the motion without z'' needs."""
    p.begin("forward sweep, root to leaves: wrenches that motion without z'' needs")
    for k, link in enumerate(tree.links, start=1):
        terms = [f"c_{k}"]
        if link.parent is not None:
            terms.append(p.product(f"CTc_{k}", f"C_{k}", f"Tc_{link.parent + 1}"))
        p.sum(f"Tc_{k}", *terms, meaning=f"rates of the twist of {link.path} without z''")
        p.product(f"MTc_{k}", f"M_{k}", f"Tc_{k}")
        p.sum(f"g_{k}", f"G_{k}", f"MTc_{k}", meaning=f"wrench that {link.path} needs for it")


def _loaded(p: NamedProgram, tree: Links, h: str) -> str:
    """Add z'' of the tree under loads."""
    F = link_loads.on_links(p, tree, h)
    Q = link_loads.on_hinges(p, tree, h)
    a = {
        k: p.sum(f"a_{k}", f"g_{k}", F[k], signs=(1, -1), meaning="wrench without z'' less loads")
        for k in F
    }
    tangent_projection.sweep(
        p, tree, Ask(x="", z="z", a=a, e=Q, meanings=("", "", "z'' of the hinge of"))
    )
    return stacked(p, tree, "z", "z0", "z'' of the tree")


CONVERTER: Final = Converter(
    name="tree_lagrange_2",
    title="Lagrange's equations of the second kind on the tree",
    purpose="trees in hinge coordinates, block by block",
    reference="V. Ivanov, V. Shimanovskiy, Matrix equations of the motion of multibody systems "
    "with a tree structure in Hamiltonian variables, Journal of Applied and Computational "
    "Mechanics 9(4), 2023, (34), (35), algorithm 3",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
)
