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

from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.tree.closure import close_tree
from mbx.formalism.tree.regular_tree import refuse_empty, refuse_singular
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx_converters.tree import link_kinematics, momenta, momenta_page, tangent_projection
from mbx_converters.tree.link_kinematics import turn
from mbx_converters.tree.patterns import describe
from mbx_converters.tree.right_hand_sides import Request, stack_hinges

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.system.system import System
    from mbx_converters.tree.link_kinematics import ByLink, Hinges
    from mbx_converters.tree.right_hand_sides import Solver, Unknowns

__all__ = ["CONVERTER", "derive", "write_page"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return (30), the blocks of D_Sigma eliminated link by link, and (23)."""
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
    solver = tangent_projection.factorize(p, on, M)
    vr = momenta.drifts(p, tree)
    meanings = ("twist of", "momentum of what hangs on the hinge of", "rates of the hinge of")
    moving_by = Request(x="v", y="mu", z="zd", b=vr, e=conjugate, mark="v", meanings=meanings)
    state = solver.sweep(p, moving_by)

    momenta.replace_speeds(p, on, state.z)
    gyro = momenta.gyroscopic_rates(p, on, state)
    vj = link_kinematics.twists_over(p, on, state.z)
    c = link_kinematics.accelerations(p, on, state.x, vj, state.z)
    pr = _rates_without_zdd(p, on, M, state, gyro, c)
    pd = "pd" if closing.open else "pd0"
    swept = close_tree(
        p,
        closing,
        levels,
        lambda p, h: _sweep(p, on, solver, momenta.rates(p, on, h, gyro, pd), pr),
        solver.response,
    )
    results = momenta.results(p, on, levels, closing, swept, conjugate, M, state)
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        results,
        notes=describe("D_Sigma", tree, tangent_projection.ancestors(tree)),
    )


def _rates_without_zdd(
    p: Program, on: Hinges, M: ByLink, state: Unknowns, gyro: momenta.Gyroscopic, c: ByLink
) -> ByLink:
    """Add v' and mu' where z'' is zero, and pr = A'^T mu + A^T mu', the rates of p there.

    mu'_i = M_i v'_i + sum C_j^T mu'_j + C'_j^T mu_j, and by (16)
    C'_j^T mu_j = C_j^T Om_j mu_j - Om_i C_j^T mu_j.
    """
    v, mu, Omu = state.x, state.y, gyro.Omu
    Tc: dict[int, Matrix] = {}
    for k, link in on.links:
        total = c[k]
        if link.parent is not None:
            total += on.C[k] @ Tc[on.parent(k)]
        Tc[k] = p.let(f"Tc_{k}", total, f"rates of the twist of {link.path} without z''")
    muO: dict[int, Matrix] = {}
    pr: dict[int, Matrix] = {}
    for k, link in reversed(on.links):
        carried = on.children(k)
        total = p.sum([M[k] @ Tc[k], *(on.C[j].T @ muO[j] for j in carried)])
        if carried:
            muc = p.sum([on.C[j].T @ mu[j] for j in carried])
            muc = p.let(f"muc_{k}", muc, "momentum of what it carries")
            total -= turn(p, f"Omuc_{k}", v[k], muc, "Om of it")
        mud = p.let(f"mud_{k}", total, f"rates of mu_{k} without z''")
        if link.parent is not None:
            Omu_k = Omu[k] if k in Omu else turn(p, f"Omu_{k}", v[k], mu[k], "Om mu")
            muO[k] = mud + Omu_k
        if link.freedoms:
            terms = [on.A[k].T @ mud]
            terms += [gyro.Admu[k]] if k in gyro.Admu else []
            pr[k] = p.let(f"pr_{k}", p.sum(terms), f"rates of p_{k} without z''")
    return pr


def _sweep(p: Program, on: Hinges, solver: Solver, pd: ByLink, pr: ByLink) -> Matrix:
    """Add z'' of the tree from p', (23), under loads: the rates of (30)."""
    e = {k: p.let(f"e_{k}", pd[k] - pr[k]) for k in on.free}
    meanings = ("", "", "z'' of the hinge of")
    request = Request(x="", z="zdd", e=e, mark="d", meanings=meanings)
    return stack_hinges(p, on, solver.sweep(p, request).z, "z0", "z'' of the tree")


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return momenta, D_Sigma z' = p, and p'."""
    return momenta_page.write_reduced_page(system, equations, options, CONVERTER.title)


CONVERTER: Final = Converter(
    name="tree_hamilton_reduced",
    title="Hamilton's equations on the tree, reduced",
    purpose="momenta of trees, with no other unknowns",
    reference="V. Ivanov, V. Shimanovskiy, Matrix equations of the motion of multibody systems "
    "with a tree structure in Hamiltonian variables, Journal of Applied and Computational "
    "Mechanics 9(4), 2023, (23), (30), algorithm 3",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
    write_page=write_page,
)
