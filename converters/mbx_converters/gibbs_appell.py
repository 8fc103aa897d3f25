"""Gibbs-Appell equations: derivatives of the Gibbs function by the quasi-accelerations.

Equation numbers are those of Orsino's thesis, section 3.3.1 and appendix A; see
spec/formalisms/gibbs_appell.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, neg, sub
from mbx.expr.derivatives import gradient
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import close, constraint_residual, projected_residual
from mbx.mechanics import gibbs, invariants, loads, motion, reactions
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return dG/dud_# = Fa_#, and the constraint forces by relaxation."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    labels = [s.path for s in moving.speeds]

    slopes = gradient(gibbs.gibbs_function(moving), moving.ud)  # dG/dud, (3.113), (A.1)
    Fa = [
        add(*terms)
        for terms in zip(
            loads.project(moving, loads.wrenches(moving)),
            loads.generalized(moving),
            loads.non_ideal(moving),
            loads.effective(moving),
            strict=True,
        )
    ]
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
)
