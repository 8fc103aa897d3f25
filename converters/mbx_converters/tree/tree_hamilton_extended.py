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

from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.tree.closure import close_tree
from mbx.formalism.tree.regular_tree import refuse_empty, refuse_singular
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx_converters.tree import link_kinematics, momenta, momenta_page
from mbx_converters.tree.right_hand_sides import Request, response, stack_hinges
from mbx_converters.tree.solvers import SOLVERS, TITLES

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
    """Return (22) solved by the method of the variant, and (23) with what closes the tree."""
    moving = motion.in_speeds(system)
    momenta.refuse_accelerated(moving)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    refuse_singular(tree)
    closing = ties(tree, levels)

    p = Program()
    on = link_kinematics.hinges(p, tree)
    M = link_kinematics.inertias(p, tree)
    vs, _ = link_kinematics.twists(p, on, "s")
    conjugate = momenta.of_state(p, on, M, vs)
    solver = SOLVERS[variant](p, on, M)
    vr = momenta.drifts(p, tree)
    meanings = ("twist of", "momentum of what hangs on the hinge of", "rates of the hinge of")
    moving_by = Request(x="v", y="mu", z="zd", b=vr, e=conjugate, mark="v", meanings=meanings)
    state = solver.sweep(p, moving_by)

    momenta.replace_speeds(p, on, state.z)
    gyro = momenta.gyroscopic_rates(p, on, state)
    vj = link_kinematics.twists_over(p, on, state.z)
    c = link_kinematics.accelerations(p, on, state.x, vj, state.z)
    a = momenta.carried_rates(p, on, state, gyro)
    pd = "pd" if closing.open else "pd0"
    swept = close_tree(
        p,
        closing,
        levels,
        lambda p, h: _sweep(p, on, solver, momenta.rates(p, on, h, gyro, pd), gyro, a, c),
        lambda p, F, name: response(p, on, solver, F, name),
    )
    results = momenta.results(p, on, levels, closing, swept, conjugate, M, state)
    return p.equations(
        system, CONVERTER.name, CONVERTER.title, CONVERTER.reference, results, variant=variant
    )


def _sweep(
    p: Program,
    on: Hinges,
    solver: Solver,
    pd: ByLink,
    gyro: momenta.Gyroscopic,
    a: ByLink,
    c: ByLink,
) -> Matrix:
    """Add z'' of the tree from p', (23), under loads."""
    e = dict(pd)
    for k, Admu in gyro.Admu.items():
        e[k] = p.let(f"e_{k}", pd[k] - Admu, "A^T mu'")
    meanings = ("rates of the twist of", "", "accelerations of the hinge of")
    request = Request(x="vd", z="zdd", a=a, b=c, e=e, mark="d", meanings=meanings)
    zdd = solver.sweep(p, request).z
    return stack_hinges(p, on, zdd, "z0", "accelerations of the hinges")


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return twists, momenta, and p'."""
    return momenta_page.write_extended_page(system, equations, options, CONVERTER.title)


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
    write_page=write_page,
)
