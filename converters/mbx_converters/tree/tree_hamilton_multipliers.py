"""Hamilton's equations on the tree of links, with multipliers of what the hinges hold.

Equation numbers are those of Ivanov and Shimanovskiy, who call the form HZU; see
spec/formalisms/tree_hamilton_multipliers.md. (37) as it must be; printed is another matrix of
lam, and v without the second term of mu:

    H_Sigma lam = Z^T (vr - S M^-1 S^T m),    m = A (A^T A)^-1 p
    mu = Z lam + m,    v = M^-1 S^T mu,    z' = (A^T A)^-1 A^T (S v - vr)                   (37)
    p' = (A'^T - A^T Om) mu + A^T Fst + Q                                                  (23)

Accelerations are the rates of these, with the same matrix. With nu = mu' + Om mu and (17):

    M v' - S^T nu = -Om M v,    S v' = A z'' + c,    A^T nu = p' - (A'^T - A^T Om) mu
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.formalism.converter import Converter, Variant
from mbx.formalism.named_program import NamedProgram
from mbx.formalism.tree.named_closure import close_tree
from mbx.formalism.tree.regular_tree import refuse_empty
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.subspaces import centred, subspaces
from mbx.mechanics.tree.ties import ties
from mbx_converters.tree import link_kinematics, momenta, orthogonal
from mbx_converters.tree.orthogonal import Across
from mbx_converters.tree.patterns import described
from mbx_converters.tree.right_hand_sides import Ask, hinged, stacked

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return (37), the blocks of H_Sigma eliminated link by link, and (23)."""
    moving = motion.in_speeds(system)
    momenta.refuse_accelerated(moving)
    levels = invariants.levels(moving)
    original = links(moving)
    refuse_empty(original)
    on = Across(centred(original), subspaces(original))
    tree = on.tree
    closing = ties(tree, levels)

    program = NamedProgram()
    link_kinematics.hinges(program, tree)
    link_kinematics.inertias(program, tree)
    link_kinematics.twists(program, tree, "s")
    p = momenta.of_state(program, tree)
    orthogonal.factors(program, on)
    vr = momenta.drifts(program, tree)
    meanings = ("twist of", "momentum of what hangs on the hinge of", "rates of the hinge of")
    asked = Ask(x="v", y="mu", z="zd", b=vr, e=p, mark="v", meanings=meanings)
    orthogonal.sweep(program, on, asked)

    start = program.size
    momenta.gyroscopic_rates(program, tree)
    link_kinematics.twists_over(program, tree, "zd")
    link_kinematics.accelerations(program, tree, "zd")
    link_kinematics.gyroscopic(program, tree)
    swept = close_tree(
        program,
        closing,
        levels,
        lambda p, h: _loaded(p, on, h, "pd" if closing.open else "pd0"),
        lambda p, F, name: orthogonal.response(p, on, F, name),
    )
    results = momenta.results(program, tree, levels, closing, swept)
    momenta.swept(program, tree, start)
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        results,
        notes=described("H_Sigma", tree, orthogonal.kin(on)),
    )


def _loaded(p: NamedProgram, on: Across, h: str, pd: str) -> str:
    """Add p' of the tree under loads, (23), and z'' from it, the rates of (37)."""
    momenta.rates(p, on.tree, h, pd)
    e = {k: p.sum(f"e_{k}", f"{pd}_{k}", f"g_{k}", signs=(1, -1)) for k in hinged(on.tree)}
    a = {k: f"G_{k}" for k in on.every}
    c = {k: f"c_{k}" for k in on.every}
    meanings = ("", "", "z'' of the hinge of")
    orthogonal.sweep(p, on, Ask(x="", z="zdd", a=a, b=c, e=e, mark="d", meanings=meanings))
    return stacked(p, on.tree, "zdd", "z0", "z'' of the tree")


CONVERTER: Final = Converter(
    name="tree_hamilton_multipliers",
    title="Hamilton's equations on the tree, with multipliers",
    purpose="momenta of trees, with the reactions of hinges",
    reference="V. Ivanov, V. Shimanovskiy, Matrix equations of the motion of multibody systems "
    "with a tree structure in Hamiltonian variables, Journal of Applied and Computational "
    "Mechanics 9(4), 2023, (23), (37) corrected, algorithm 3",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
)
