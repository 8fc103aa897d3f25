"""Lagrange's equations of the first kind on the tree of links: reactions first.

Equation numbers are those of Ivanov and Shimanovskiy; see spec/formalisms/tree_lagrange_1.md.

    H_Sigma lam = Z^T (c - S M^-1 (S^T m + F - G)),    m = A (A^T A)^-1 Q
    R = Z lam + m,    v' = M^-1 (S^T R + F - G),    z'' = (A^T A)^-1 A^T (S v' - c)        (36)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.formalism.converter import Converter, Variant
from mbx.formalism.named_program import NamedProgram
from mbx.formalism.tree.named_closure import close_tree, constraint_forces
from mbx.formalism.tree.regular_tree import refuse_empty
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.subspaces import centred, subspaces
from mbx.mechanics.tree.ties import ties
from mbx_converters.tree import link_kinematics, orthogonal
from mbx_converters.tree.hinge_reactions import Closed, hinge_wrenches, reported
from mbx_converters.tree.link_loads import on_hinges, on_links
from mbx_converters.tree.orthogonal import Across
from mbx_converters.tree.patterns import described
from mbx_converters.tree.right_hand_sides import Ask, stacked
from mbx_converters.tree.transmitted import whole

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return (36), the blocks of H_Sigma eliminated link by link, closed by the invariants."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    original = links(moving)
    refuse_empty(original)
    on = Across(centred(original), subspaces(original))
    tree = on.tree
    closing = ties(tree, levels)
    plain = closing.open and whole(tree)

    program = NamedProgram()
    link_kinematics.hinges(program, tree)
    link_kinematics.twists(program, tree)
    link_kinematics.accelerations(program, tree)
    link_kinematics.inertias(program, tree)
    link_kinematics.gyroscopic(program, tree)
    orthogonal.factors(program, on)
    swept = close_tree(
        program,
        closing,
        levels,
        lambda p, h: _loaded(p, on, h, "R" if plain else ""),
        lambda p, F, name: orthogonal.response(p, on, F, name),
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
        notes=described("H_Sigma", tree, orthogonal.kin(on)),
    )


def _loaded(p: NamedProgram, on: Across, h: str, R: str) -> str:
    """Add z'' of the tree under loads, and R where its hinges transmit nothing else."""
    F, Q = on_links(p, on.tree, h), on_hinges(p, on.tree, h)
    a = {
        k: p.sum(f"a_{k}", f"G_{k}", name, signs=(1, -1), meaning="gyroscopic wrench less loads")
        for k, name in F.items()
    }
    c = {k: f"c_{k}" for k in F}
    meanings = ("", "reaction on", "z'' of the hinge of")
    orthogonal.sweep(p, on, Ask(x="", y=R, z="z", a=a, b=c, e=Q, mark="h", meanings=meanings))
    return stacked(p, on.tree, "z", "z0", "z'' of the tree")


CONVERTER: Final = Converter(
    name="tree_lagrange_1",
    title="Lagrange's equations of the first kind on the tree",
    purpose="reactions of hinges of trees, block by block",
    reference="V. Ivanov, V. Shimanovskiy, Matrix equations of the motion of multibody systems "
    "with a tree structure in Hamiltonian variables, Journal of Applied and Computational "
    "Mechanics 9(4), 2023, (36), (38), algorithm 3",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
)
