"""Hamilton's equations on the tree of links, with all twists and momenta as unknowns.

Equation numbers are those of Ivanov and Shimanovskiy, who call the form EMH; see
spec/formalisms/tree_hamilton_extended.md.

    M v - S^T mu = 0,    S v = A z' + vr,    A^T mu = p               (22)
    p' = (A'^T - A^T Om) mu + A^T Fst + Q                             (23)

Accelerations come from the rates of (22), whose matrix is the same, with (16) for those of C:

    M v' - S^T mu' = S'^T mu,    S v' = A z'' + c,    A^T mu' = p' - A'^T mu
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.formalism.converter import Converter, Variant
from mbx.formalism.named_program import NamedProgram
from mbx.formalism.tree.named_closure import close_tree
from mbx.formalism.tree.regular_tree import refuse_empty, refuse_singular
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx_converters.tree import link_kinematics, momenta
from mbx_converters.tree.right_hand_sides import Ask, added, hinged, response, stacked
from mbx_converters.tree.solvers import SOLVERS, TITLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.formalism.equations import Equations
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System
    from mbx_converters.tree.right_hand_sides import Solver

__all__ = ["CONVERTER", "derive"]


def derive(system: System, variant: str = "lu") -> Equations:
    """Return (22) solved as the variant says, and (23) with what closes the tree."""
    moving = motion.in_speeds(system)
    momenta.refuse_accelerated(moving)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    refuse_singular(tree)
    closing = ties(tree, levels)
    solver = SOLVERS[variant]

    program = NamedProgram()
    link_kinematics.hinges(program, tree)
    link_kinematics.inertias(program, tree)
    link_kinematics.twists(program, tree, "s")
    p = momenta.of_state(program, tree)
    solver.factors(program, tree)
    vr = momenta.drifts(program, tree)
    meanings = ("twist of", "momentum of what hangs on the hinge of", "rates of the hinge of")
    asked = Ask(x="v", y="mu", z="zd", b=vr, e=p, mark="v", meanings=meanings)
    solver.sweep(program, tree, asked)

    start = program.size
    momenta.gyroscopic_rates(program, tree)
    link_kinematics.twists_over(program, tree, "zd")
    link_kinematics.accelerations(program, tree, "zd")
    a = momenta.carried_rates(program, tree)
    swept = close_tree(
        program,
        closing,
        levels,
        lambda p, h: _sweep(p, tree, solver, h, a, "pd" if closing.open else "pd0"),
        lambda p, F, name: response(p, tree, solver, F, name),
    )
    results = momenta.results(program, tree, levels, closing, swept)
    momenta.swept(program, tree, start)
    return program.equations(
        system, CONVERTER.name, CONVERTER.title, CONVERTER.reference, results, variant=variant
    )


def _sweep(
    p: NamedProgram, tree: Links, solver: Solver, h: str, a: Mapping[int, str], pd: str
) -> str:
    """Add p' of the tree under loads, (23), and z'' from it."""
    momenta.rates(p, tree, h, pd)
    e = {k: f"{pd}_{k}" for k in hinged(tree)}
    for k in momenta.turning(tree):
        terms = [(e[k],), (f"Adt_{k}", f"mu_{k}")]
        e[k] = added(p, f"e_{k}", *terms, signs=(1, -1), meaning="A^T mu'")
    c = {k: f"c_{k}" for k in range(1, len(tree.links) + 1)}
    meanings = ("rates of the twist of", "", "accelerations of the hinge of")
    solver.sweep(p, tree, Ask(x="vd", z="zdd", a=a, b=c, e=e, mark="d", meanings=meanings))
    return stacked(p, tree, "zdd", "z0", "accelerations of the hinges")


CONVERTER: Final = Converter(
    name="tree_hamilton_extended",
    title="Hamilton's equations on the tree, extended",
    purpose="momenta and twists of trees, large and sparse",
    reference="V. Ivanov, V. Shimanovskiy, Journal of Applied and Computational Mechanics 9(4), "
    "2023, (22), (23), Algorithms 1 and 2",
    variants=tuple(
        Variant(name=name, accepts=ON_TREES, title=title) for name, title in TITLES.items()
    ),
    derive=derive,
)
