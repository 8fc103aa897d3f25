"""Boltzmann-Hamel equations: the kinetic energy in quasi-velocities, with Hamel's terms.

Equation numbers are those of Orsino's thesis, section 3.3.3 and appendix A; see
spec/formalisms/boltzmann_hamel.md, also for what is not as printed in (3.127).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.affine import split
from mbx.expr.build import add, neg, sub
from mbx.expr.derivatives import gradient, jacobian
from mbx.expr.nodes import ZERO
from mbx.expr.subs import substitute
from mbx.formalism.builder import Program
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.steps.residuals import constraint_residual, projected_residual
from mbx.mechanics import energy, invariants, loads, motion, partials, quasi
from mbx.system.features import Feature
from mbx.system.kinematics.own_speeds import moved_by_tied

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
            partials.project(moving, loads.wrenches(moving)),
            loads.generalized(moving),
            loads.non_ideal(moving),
            strict=True,
        )
    ]
    M, rest = split(
        [sub(r, f) for r, f in zip(moving.rate(momenta), Fa, strict=True)],
        moving.ud,
        symmetric=loads.symmetric(moving),
    )
    # the quasi-velocities, (3.100): # are Psi u with Psi fixed at the state, * the constraint
    # functions h. Of all, (A.7); in the second term of (3.127) as printed, those of * are missing
    functions = [*rates.said(moving.u), *_functions(invariants.levels(rates))]
    # ud is in both where h is not affine, and cancels: N^T (d2h/dqd2) N = d2h/du2
    n = len(labels)
    Gam = _without_ud(moving, quasi.hamel_matrix(moving, rates, functions), len(q))
    turned = moving.rate([x for row in levels.A for x in row])
    Ad = _without_ud(moving, [turned], n)

    program = Program()
    program.define("M", M, "second derivatives of T by u", rows=labels, columns=labels)
    program.column("f", [neg(x) for x in rest], "Fa - d/dt dT/du, without ud", rows=labels)
    program.define("A", levels.A, "constraint functions by u", rows=rows, columns=labels)
    program.column("b", levels.b, "rates of constraint functions, without ud", rows=rows)
    program.nullspace("Phi", "A", moving.independent, "u by q1_#", r"\Phi_{\#}")
    program.pinv("Phis", "A", "u by q1_*")
    program.pinv("Psi", "Phi", "q1_# by u")
    program.transpose("Phit", "Phi")
    program.transpose("Phist", "Phis")
    program.transpose("Psit", "Psi")
    program.column("pu", momenta, "momenta dT/du", rows=labels)
    program.product("po", "Psit", "Phit", "pu", meaning="momenta of q1_#, on the speeds")
    program.product("ps", "Phist", "pu", meaning="momenta of q1_*")
    # u(t, q, q1) moves in time: d/dt dT*/dq1 = (du/dq1)^T (d/dt dT/du - Ad^T ps),
    program.define("Ad", Ad, "rates of A, without ud", r"\dot{A}", rows, labels)
    program.transpose("Adt", "Ad")
    program.product("Ap", "Adt", "ps")
    # and with q where q1 is held: dT*/dq = dT/dq - hq^T ps
    program.define(
        "hq", jacobian(levels.velocity, q), "constraint functions by q", "h_q", rows, names
    )
    program.transpose("hqt", "hq")
    program.product("hp", "hqt", "ps")
    program.column("Tu", gradient(T, q), "dT/dq", rows=names)
    program.sum("Tq", "Tu", "hp", signs=(1, -1), meaning="dT*/dq")
    program.define("Gam", Gam, "Hamel matrix, without ud", r"\Gamma", [*labels, *rows], names)
    program.transpose("Gamt", "Gam")
    program.block("p", [["po"], ["ps"]], "momenta dT*/dq1")
    program.product("Gp", "Gamt", "p")
    program.sum("Tg", "Tq", "Gp", signs=(1, -1))
    N, _ = split([moving.qd[x] for x in q], moving.u)
    program.define("N", N, "qd by u", rows=names, columns=labels)
    program.transpose("Nt", "N")
    program.product("NT", "Nt", "Tg", meaning="Phi^T (dT*/dq - Gam^T p)")
    program.sum("h", "f", "Ap", "NT", meaning="all without ud")
    _solve(program)
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": "ud", "Fc": "Fc", "lam": "lam", "M": "M", "h": "h", "A": "A", "b": "b"},
        [
            projected_residual("Boltzmann-Hamel", n, "M", "h", "Phi"),
            constraint_residual(n, "A", "b", rows),
        ],
    )


def _solve(program: Program) -> None:
    """Add the equations of #, which give ud, and those of *, which give the constraint forces."""
    # the rates of * are zero, A ud + b = 0, so that ud = Phi_# q1d + e
    program.sum("e0", "b", signs=(-1,))
    program.product("e", "Phis", "e0", meaning="accelerations that keep the constraints")
    program.product("Mr", "Phit", "M", "Phi", meaning="second derivatives of T* by q1_#")
    program.product("Me", "M", "e")
    program.sum("ho", "h", "Me", signs=(1, -1))
    program.product("hr", "Phit", "ho")
    program.solve("q1d", "Mr", "hr", "general", meaning="rates of q1_#")
    program.product("Phid", "Phi", "q1d")
    program.sum("ud", "Phid", "e", meaning="rates of the speeds")
    program.product("Mud", "M", "ud")
    program.sum("open", "Mud", "h", signs=(1, -1))
    program.product("lam", "Phist", "open", meaning="constraint forces on q1_*")
    program.transpose("At", "A")
    program.product("Fc", "At", "lam", meaning="constraint forces")


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
