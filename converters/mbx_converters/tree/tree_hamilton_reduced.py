"""Hamilton's equations on the tree of links, reduced to the momenta of its hinges.

Equation numbers are those of Ivanov and Shimanovskiy, who call the form DAH; see
spec/formalisms/tree_hamilton_reduced.md.

    D_Sigma z' = p - A^T T^T M T vr,    D_Sigma = A^T (T^T M T) A                           (30)
    p' = (A'^T - A^T Om) mu + A^T Fst + Q                                                  (23)

Accelerations are the rates of (30), D_Sigma z'' = p' - p'_0: p'_0 are the rates of the momenta
where z'' is zero, and come from the rates of mu = T^T M v with (16) for C'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.nodes import ZERO
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.named_program import NamedProgram
from mbx.formalism.tree.named_closure import close_tree
from mbx.formalism.tree.regular_tree import refuse_empty, refuse_singular
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx_converters.tree import link_kinematics, momenta, tangent_projection
from mbx_converters.tree.patterns import described
from mbx_converters.tree.right_hand_sides import Ask, hinged, stacked

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return (30), the blocks of D_Sigma eliminated link by link, and (23)."""
    moving = motion.in_speeds(system)
    momenta.refuse_accelerated(moving)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    refuse_singular(tree)
    closing = ties(tree, levels)

    program = NamedProgram()
    link_kinematics.hinges(program, tree)
    link_kinematics.inertias(program, tree)
    link_kinematics.twists(program, tree, "s")
    p = momenta.of_state(program, tree)
    tangent_projection.factors(program, tree)
    vr = momenta.drifts(program, tree)
    meanings = ("twist of", "momentum of what hangs on the hinge of", "rates of the hinge of")
    asked = Ask(x="v", y="mu", z="zd", b=vr, e=p, mark="v", meanings=meanings)
    tangent_projection.sweep(program, tree, asked)

    start = program.size
    momenta.gyroscopic_rates(program, tree)
    link_kinematics.twists_over(program, tree, "zd")
    link_kinematics.accelerations(program, tree, "zd")
    _rates_without_zdd(program, tree)
    swept = close_tree(
        program,
        closing,
        levels,
        lambda p, h: _loaded(p, tree, h, "pd" if closing.open else "pd0"),
        lambda p, F, name: tangent_projection.response(p, tree, F, name),
    )
    results = momenta.results(program, tree, levels, closing, swept)
    momenta.swept(program, tree, start)
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        results,
        notes=described("D_Sigma", tree, tangent_projection.ancestors(tree)),
    )


def _rates_without_zdd(p: NamedProgram, tree: Links) -> None:
    """Add v' and mu' where z'' is zero, and pr = A'^T mu + A^T mu', the rates of p there.

    mu'_i = M_i v'_i + sum C_j^T mu'_j + C'_j^T mu_j, and by (16)
    C'_j^T mu_j = C_j^T Om_j mu_j - Om_i C_j^T mu_j.
    """
    for k, link in enumerate(tree.links, start=1):
        terms = [f"c_{k}"]
        if link.parent is not None:
            terms.append(p.product(f"CTc_{k}", f"C_{k}", f"Tc_{link.parent + 1}"))
        p.sum(f"Tc_{k}", *terms, meaning=f"rates of the twist of {link.path} without z''")
    for k in reversed(range(1, len(tree.links) + 1)):
        link, carried = tree.links[k - 1], [j + 1 for j in tree.children[k - 1]]
        terms, signs = [p.product(f"MTc_{k}", f"M_{k}", f"Tc_{k}")], [1]
        for j in carried:
            terms.append(p.product(f"CdC_{j}", f"Ct_{j}", f"muO_{j}"))
            signs.append(1)
        if carried:
            p.sum(
                f"muc_{k}", *(f"vCmu_{j}" for j in carried), meaning="momentum of what it carries"
            )
            terms.append(link_kinematics.turned(p, f"Omuc_{k}", f"v_{k}", f"muc_{k}", "Om of it"))
            signs.append(-1)
        p.sum(f"mud_{k}", *terms, signs=tuple(signs), meaning=f"rates of mu_{k} without z''")
        if link.parent is not None:
            if not link.freedoms:
                link_kinematics.turned(p, f"Omu_{k}", f"v_{k}", f"mu_{k}", "Om mu")
            p.sum(f"muO_{k}", f"mud_{k}", f"Omu_{k}")
        if link.freedoms:
            parts = [p.product(f"Amud_{k}", f"At_{k}", f"mud_{k}")]
            if any(x is not ZERO for row in link.Ad for x in row):
                parts.append(p.product(f"Admu_{k}", f"Adt_{k}", f"mu_{k}"))
            p.sum(f"pr_{k}", *parts, meaning=f"rates of p_{k} without z''")


def _loaded(p: NamedProgram, tree: Links, h: str, pd: str) -> str:
    """Add p' of the tree under loads, (23), and z'' from it, the rates of (30)."""
    momenta.rates(p, tree, h, pd)
    e = {k: p.sum(f"e_{k}", f"{pd}_{k}", f"pr_{k}", signs=(1, -1)) for k in hinged(tree)}
    meanings = ("", "", "z'' of the hinge of")
    tangent_projection.sweep(p, tree, Ask(x="", z="zdd", e=e, mark="d", meanings=meanings))
    return stacked(p, tree, "zdd", "z0", "z'' of the tree")


CONVERTER: Final = Converter(
    name="tree_hamilton_reduced",
    title="Hamilton's equations on the tree, reduced",
    purpose="momenta of trees, with no other unknowns",
    reference="V. Ivanov, V. Shimanovskiy, Matrix equations of the motion of multibody systems "
    "with a tree structure in Hamiltonian variables, Journal of Applied and Computational "
    "Mechanics 9(4), 2023, (23), (30), algorithm 3",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
)
