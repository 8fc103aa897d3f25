"""Boltzmann-Hamel equations: the kinetic energy in quasi-velocities, with Hamel's terms.

Equation numbers are those of Orsino's thesis, section 3.3.3 and appendix A; see
spec/formalisms/boltzmann_hamel.md, also for what is not as printed in (3.127).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, neg, sub
from mbx.expr.derivatives import gradient, jacobian
from mbx.expr.evaluate import substitute
from mbx.expr.nodes import ZERO
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import constraint_residual, projected_residual
from mbx.mechanics import energy, invariants, loads, motion, quasi
from mbx.system.find_features import Feature
from mbx.system.kinematics.solve_rates import moved_by_tied

if TYPE_CHECKING:
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return d/dt dT*/dq1 + Phi^T Gam^T dT*/dq1 - Phi^T dT*/dq = Fa on #, and Fc from *."""
    tied = moved_by_tied(system)
    if tied:
        raise NotApplicableError(
            f"a coordinate without a speed of its own moves inertia ({', '.join(tied)})"
        )
    moving, rates = motion.in_speeds(system), motion.in_rates(system)
    levels = invariants.levels(moving)
    labels = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]
    q, names = [v.symbol for v in system.q], [v.path for v in system.q]

    T = energy.kinetic(moving)  # of all speeds: none is zero before it is differentiated
    momenta = gradient(T, moving.u)
    Fa = [
        add(*terms)
        for terms in zip(
            loads.project(moving, loads.wrenches(moving)),
            loads.generalized(moving),
            loads.non_ideal(moving),
            strict=True,
        )
    ]
    inertia, rest = split(
        [sub(r, f) for r, f in zip(moving.rate(momenta), Fa, strict=True)],
        moving.ud,
        symmetric=loads.symmetric(moving),
    )
    # the quasi-velocities, (3.100): # are Psi u with Psi fixed at the state, * the constraint
    # functions h. Of all, (A.7); in the second term of (3.127) as printed, those of * are missing
    functions = [*rates.express(moving.u), *_functions(invariants.levels(rates))]
    # ud is in both where h is not affine, and cancels: N^T (d2h/dqd2) N = d2h/du2
    n = len(labels)
    hamel = _without_ud(moving, quasi.hamel_matrix(moving, rates, functions), len(q))
    rates_of_A = moving.rate([x for row in levels.A for x in row])
    turned = _without_ud(moving, [rates_of_A], n)

    p = Program()
    M = p.define("M", inertia, "second derivatives of T by u", rows=labels, columns=labels)
    f = p.column("f", [neg(x) for x in rest], "Fa - d/dt dT/du, without ud", rows=labels)
    A = p.define("A", levels.A, "constraint functions by u", rows=rows, columns=labels)
    b = p.column("b", levels.b, "rates of constraint functions, without ud", rows=rows)
    Phi = p.null("Phi", A, moving.independent, "u by q1_#", r"\Phi_{\#}")
    Phis = p.let("Phis", p.pinv(A), "u by q1_*")
    Psi = p.let("Psi", p.pinv(Phi), "q1_# by u")
    Phit, Phist, Psit = Phi.T, Phis.T, Psi.T
    pu = p.column("pu", momenta, "momenta dT/du", rows=labels)
    po = p.let("po", Psit @ Phit @ pu, "momenta of q1_#, on the speeds")
    ps = p.let("ps", Phist @ pu, "momenta of q1_*")
    # u(t, q, q1) moves in time: d/dt dT*/dq1 = (du/dq1)^T (d/dt dT/du - Ad^T ps),
    Ad = p.define("Ad", turned, "rates of A, without ud", r"\dot{A}", rows, labels)
    Ap = p.let("Ap", Ad.T @ ps)
    # and with q where q1 is held: dT*/dq = dT/dq - hq^T ps
    by_q = jacobian(levels.velocity, q)
    hq = p.define("hq", by_q, "constraint functions by q", "h_q", rows, names)
    hp = p.let("hp", hq.T @ ps)
    Tq = p.let("Tq", p.column("Tu", gradient(T, q), "dT/dq", rows=names) - hp, "dT*/dq")
    Gam = p.define("Gam", hamel, "Hamel matrix, without ud", r"\Gamma", [*labels, *rows], names)
    Gamt = Gam.T
    dual = p.let("p", p.stack(po, ps), "momenta dT*/dq1")
    Tg = p.let("Tg", Tq - p.let("Gp", Gamt @ dual))
    by_u, _ = split([moving.qd[x] for x in q], moving.u)
    N = p.define("N", by_u, "qd by u", rows=names, columns=labels)
    NT = p.let("NT", N.T @ Tg, "Phi^T (dT*/dq - Gam^T p)")
    h = p.let("h", f + Ap + NT, "all without ud")

    # the equations of #, which give ud: the rates of * are zero, A ud + b = 0, so
    # that ud = Phi_# q1d + e
    e = p.let("e", Phis @ p.let("e0", -b), "accelerations that keep the constraints")
    Mr = p.let("Mr", Phit @ M @ Phi, "second derivatives of T* by q1_#")
    hr = p.let("hr", Phit @ p.let("ho", h - M @ e))
    q1d = p.solve("q1d", Mr, hr, meaning="rates of q1_#")
    ud = p.let("ud", p.let("Phid", Phi @ q1d) + e, "rates of the speeds")
    # those of *, which give the constraint forces
    lam = p.let("lam", Phist @ p.let("open", M @ ud - h), "constraint forces on q1_*")
    Fc = p.let("Fc", A.T @ lam, "constraint forces")
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": ud, "Fc": Fc, "lam": lam, "M": M, "h": h, "A": A, "b": b},
        [
            projected_residual(p, "Boltzmann-Hamel", n, M, h, Phi),
            constraint_residual(p, n, A, b, rows),
        ],
    )


def _functions(levels: Levels) -> list[Node]:
    """Return the constraint functions, zero for those with no Gam: rates of functions of q."""
    return [
        ZERO if row.order == 0 else value
        for row, value in zip(levels.rows, levels.velocity, strict=True)
    ]


def _without_ud(moving: Motion, entries: list[list[Node]], n: int) -> list[list[Node]]:
    """Return a matrix of n columns where all ud are zero."""
    flat = substitute([x for row in entries for x in row], dict.fromkeys(moving.ud, ZERO))
    return [flat[k : k + n] for k in range(0, len(flat), max(n, 1))]


CONVERTER: Final = Converter(
    name="boltzmann_hamel",
    title="Boltzmann-Hamel equations",
    purpose="Lagrange's equations in quasi-velocities",
    reference="G. Hamel, Die Lagrange-Eulerschen Gleichungen der Mechanik, Zeitschrift für "
    "Mathematik und Physik 50, 1904; R. M. M. Orsino, doctoral thesis, USP 2016, (3.100), "
    "(3.126), (A.3) to (A.7)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
                    Feature.NONLINEAR_VELOCITY_INVARIANT,
                    Feature.DECLARED_SPEEDS,
                    Feature.NO_OWN_SPEED,
                    Feature.QUATERNION_WITH_SPEEDS,
                    Feature.GENERALIZED_LOAD,
                    Feature.NON_IDEAL,
                }
            )
        ),
    ),
    derive=derive,
)
