"""Gibbs-Appell equations: derivatives of the Gibbs function by the quasi-accelerations.

Equation numbers are those of Orsino's thesis, section 3.3.1 and appendix A; see
spec/formalisms/gibbs_appell.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.elimination import split
from mbx.expr.algebra.shorten import written
from mbx.expr.build import add, dot, mul, neg, scale, sub
from mbx.expr.derivatives import gradient
from mbx.expr.nodes import ZERO
from mbx.formalism.builder import Program
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page import Side
from mbx.formalism.page.page_builder import PageBuilder
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_sections import is_nothing, write_kinematics
from mbx.formalism.page.quasi_velocities import (
    find_quasi_velocities,
    write_generalized_forces,
    write_motion,
    write_quasi_velocities,
    write_relaxed,
)
from mbx.formalism.page.relaxed_bodies import RelaxedBodies
from mbx.formalism.page.turning import (
    HALF,
    gyroscopic,
    half_square,
    inertia_of,
    state_components,
)
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import close, constraint_residual, projected_residual
from mbx.mechanics import gibbs, invariants, loads, motion, reactions
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive", "write_page"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return dG/dud_# = Fa_#, and the constraint forces by relaxation."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    labels = [s.path for s in moving.speeds]

    slopes = gradient(gibbs.gibbs_function(moving), moving.ud)  # dG/dud, (3.113), (A.1)
    Fa = active_forces(moving)
    # M_ij = d2G/(dud_i dud_j), (A.14)
    second, rest = split(
        [sub(s, f) for s, f in zip(slopes, Fa, strict=True)],
        moving.ud,
        symmetric=loads.symmetric(moving),
    )
    h = [neg(x) for x in rest]

    p = Program()
    M = p.define("M", second, "second derivatives of G", rows=labels, columns=labels)
    rows = [r.path for r in levels.rows]
    A = p.define("A", levels.A, "constraint functions by ud", rows=rows, columns=labels)
    b = p.column("b", levels.b, "constraint functions without ud", rows=rows)
    # the quasi-velocities are # and *, the constraint functions; [Phi_# Phi_*] is the
    # inverse of their Jacobian, (3.100), (3.105)
    Phi = p.null("Phi", A, moving.independent, "columns of #", r"\Phi_{\#}")
    Phis = p.let("Phis", p.pinv(A), "columns of *")
    Phit, Phist = Phi.T, Phis.T
    e = p.let("e", Phis @ p.let("e0", -b), "accelerations that keep the constraints")
    Mr = p.let("Mr", Phit @ M @ Phi, "second derivatives of G by #")

    def solve(p: Program, h: Matrix) -> tuple[Matrix, Matrix]:
        hr = p.let("hr", Phit @ p.let("ho", h - M @ e))
        uds = p.solve("uds", Mr, hr, meaning="rates of the quasi-velocities #")
        ud = p.let("ud", Phi @ uds + e)
        # relaxation, (3.114): * kept independent before differentiating, zero afterwards
        open_ = p.let("open", M @ ud - h)
        return ud, p.let("lam", Phist @ open_, "constraint forces on *")

    named = reactions.named_in(levels, h)
    Y = reactions.reaction_map(levels, named)
    closed = close(p, h, named, Y, solve, labels=labels, meaning="Fa - dG/dud without ud")
    Fc = p.let("Fc", A.T @ closed.lam, "constraint forces")
    n = len(labels)
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": closed.ud, "Fc": Fc, "lam": closed.lam, "M": M, "h": closed.h, "A": A, "b": b},
        [
            projected_residual(p, "dG/dud = Fa", n, M, closed.h, Phi),
            constraint_residual(p, n, A, b, rows),
        ],
    )


def active_forces(moving: Motion) -> list[Node]:
    """Return the generalized active forces on the speeds: Fa."""
    return [
        add(*terms)
        for terms in zip(
            loads.project(moving, loads.wrenches(moving)),
            loads.generalized(moving),
            loads.non_ideal(moving),
            loads.effective(moving),
            strict=True,
        )
    ]


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return the Gibbs function by body, its derivatives, and the reactions by relaxation."""
    model = PageModel(system, equations, options)
    model.refuse_long()
    page = PageBuilder(system, "Gibbs-Appell equations")
    quasi = find_quasi_velocities(page, model)
    relaxed = RelaxedBodies(page, quasi)
    model.begin(page)
    write_quasi_velocities(page, quasi)
    S = _write_gibbs_function(page, relaxed)

    Fa = active_forces(model.motion)
    page.step("Generalized forces", "the power of the loads by the quasi-velocities.")
    Q = write_generalized_forces(page, quasi, "Q", Fa)

    slopes = gradient(gibbs.gibbs_function(model.motion), model.ud)
    values = quasi.constrain(quasi.project(slopes))
    kept = ", and then what is zero in motion" if model.rows else ""
    page.step("Derivatives of S", f"by the accelerations{kept}.")
    named: list[Node] = []
    for k, (rate, value) in enumerate(zip(quasi.wd, values, strict=True)):
        slope = page.partial(S, rate)
        if k in quasi.combined:
            if written([value]) <= options.entry:
                page.equal(slope, value)
            else:
                page.left_out += 1
        named.append(sub(slope, Q[k]))

    rows = [sub(slope, force) for slope, force in zip(slopes, Fa, strict=True)]
    page.section("Equations of motion", "∂S/∂(rate) = Q for the independent quasi-velocities.")
    reduced = write_motion(page, quasi, rows, named)
    write_kinematics(page, model)
    reason = "the derivatives by what is zero in motion."
    write_relaxed(page, quasi, named, rows, reduced, " by relaxation", reason)
    return page.page()


def _write_gibbs_function(page: PageBuilder, relaxed: RelaxedBodies) -> Node:
    """Write accelerations and S by body, with the constraint functions kept."""
    page.step("Accelerations", "of the mass centres, and of what turns.")
    a = relaxed.accelerations("a")
    turning = relaxed.turned()
    is_indexed = sum(len(b.w) > 1 for b in turning) > 1
    spins: dict[Body, tuple[Body, Sequence[Node]]] = {}
    rates: dict[Body, Sequence[Node]] = {}
    for b in turning:
        own, w, alpha = relaxed.rotations(b, is_indexed=is_indexed)
        spins[b] = own, w
        if not is_nothing(alpha):
            rates[b] = state_components(page, "α", own, alpha, is_indexed=is_indexed)
    page.step("Gibbs function", "the energy of acceleration; what holds none is left out.")
    parts: list[Node] = []
    shown = [b for b in relaxed.bodies if b in a or b in rates]
    for b in shown:
        terms: list[Node] = []
        if b in a:
            terms.append(scale(HALF, mul(b.m, page.dot(a[b].name, a[b].name))))
        if b in rates:
            terms += tidy([half_square(inertia_of(b), rates[b])])
            terms += tidy([dot(rates[b], gyroscopic(*spins[b]))])
        name = page.name("S", b.word if len(shown) > 1 else "")
        page.equal(name, Side(tuple(x for x in terms if x is not ZERO)))
        parts.append(name)
    if len(parts) == 1:
        return parts[0]
    S = page.name("S")
    page.equal(S, add(*parts) if parts else ZERO)
    return S


CONVERTER: Final = Converter(
    name="gibbs_appell",
    title="Gibbs-Appell equations",
    purpose="energy of accelerations, in quasi-velocities",
    reference="P. Appell, Sur une forme générale des équations de la dynamique, Journal für die "
    "reine und angewandte Mathematik 121, 1900; R. M. M. Orsino, doctoral thesis, USP 2016, "
    "(3.100) to (3.114), (A.34)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
                    Feature.NONLINEAR_VELOCITY_INVARIANT,
                    Feature.DECLARED_SPEEDS,
                    Feature.SPEED_WITHOUT_RATE,
                    Feature.TWIST_NOT_INTEGRABLE,
                    Feature.NO_OWN_SPEED,
                    Feature.QUATERNION_WITH_SPEEDS,
                    Feature.EFFECTIVE_ROWS,
                    Feature.EFFECTIVE_WITHOUT_RATE,
                    Feature.REACTION_IN_LOAD,
                    Feature.GENERALIZED_LOAD,
                    Feature.NON_IDEAL,
                }
            )
        ),
    ),
    derive=derive,
    write_page=write_page,
)
