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

from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.tree.closure import close_tree
from mbx.formalism.tree.regular_tree import refuse_empty
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.subspaces import centred, subspaces
from mbx.mechanics.tree.ties import ties
from mbx_converters.tree import link_kinematics, momenta, momenta_page, orthogonal
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
    """Return (37), the blocks of H_Sigma eliminated link by link, and (23)."""
    moving = motion.in_speeds(system)
    momenta.refuse_accelerated(moving)
    levels = invariants.levels(moving)
    original = links(moving)
    refuse_empty(original)
    tree, kept = centred(original), subspaces(original)
    closing = ties(tree, levels)

    p = Program()
    on = link_kinematics.hinges(p, tree)
    M = link_kinematics.inertias(p, tree)
    vs, _ = link_kinematics.twists(p, on, "s")
    conjugate = momenta.of_state(p, on, M, vs)
    solver = orthogonal.factorize(p, on, M, kept)
    vr = momenta.drifts(p, tree)
    meanings = ("twist of", "momentum of what hangs on the hinge of", "rates of the hinge of")
    moving_by = Request(x="v", y="mu", z="zd", b=vr, e=conjugate, mark="v", meanings=meanings)
    state = solver.sweep(p, moving_by)

    momenta.replace_speeds(p, on, state.z)
    gyro = momenta.gyroscopic_rates(p, on, state)
    vj = link_kinematics.twists_over(p, on, state.z)
    c = link_kinematics.accelerations(p, on, state.x, vj, state.z)
    G = link_kinematics.gyroscopic(p, on, M, state.x)
    pd = "pd" if closing.open else "pd0"
    swept = close_tree(
        p,
        closing,
        levels,
        lambda p, h: _sweep(p, on, solver, momenta.rates(p, on, h, gyro, pd), gyro.g, G, c),
        solver.response,
    )
    results = momenta.results(p, on, levels, closing, swept, conjugate, M, state)
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        results,
        notes=describe("H_Sigma", tree, orthogonal.kin(tree, kept)),
    )


def _sweep(
    p: Program, on: Hinges, solver: Solver, pd: ByLink, g: ByLink, G: ByLink, c: ByLink
) -> Matrix:
    """Add z'' of the tree from p', (23), under loads: the rates of (37)."""
    e = {k: p.let(f"e_{k}", pd[k] - g[k]) for k in on.free}
    meanings = ("", "", "z'' of the hinge of")
    request = Request(x="", z="zdd", a=G, b=c, e=e, mark="d", meanings=meanings)
    return stack_hinges(p, on, solver.sweep(p, request).z, "z0", "z'' of the tree")


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return momenta, what the hinges hold of them, and p'."""
    return momenta_page.write_multipliers_page(system, equations, options, CONVERTER.title)


CONVERTER: Final = Converter(
    name="tree_hamilton_multipliers",
    title="Hamilton's equations on the tree, with multipliers",
    purpose="momenta of trees, with the reactions of hinges",
    reference="V. Ivanov, V. Shimanovskiy, Matrix equations of the motion of multibody systems "
    "with a tree structure in Hamiltonian variables, Journal of Applied and Computational "
    "Mechanics 9(4), 2023, (23), (37) corrected, algorithm 3",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
    write_page=write_page,
)
