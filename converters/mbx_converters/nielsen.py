"""Nielsen's equations with multipliers, by the rate of the kinetic energy.

Equation numbers are those of Orsino's thesis, appendix A; see spec/formalisms/nielsen.md. The
multipliers have the sign of this project, Fc = A^T lam.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.build import neg, scale, sub
from mbx.expr.derivatives import gradient
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import InRates, close, rates_residual, to_speeds
from mbx.mechanics import energy, invariants, loads, motion, reactions
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def _nielsen_operator(moving: Motion) -> list[Node]:
    """Return dT'/dqd - 2 dT/dq, (A.11) with r = 1 and q1 = qd.

    T' = dT/dt is a function of t, q, qd and qdd: dT'/dqd = d/dt dT/dqd + dT/dq, (A.9).
    """
    T = energy.kinetic(moving)
    (Td,) = moving.rate([T])
    by_rates = gradient(Td, moving.u)
    slopes = gradient(T, [v.symbol for v in moving.system.q])
    return [sub(r, scale(2, s)) for r, s in zip(by_rates, slopes, strict=True)]


def derive(system: System, _variant: str = "") -> Equations:
    """Return dT'/dqd - 2 dT/dq = Fa + A^T lam with the invariants."""
    reasons = motion.uses_left_over(system)
    if reasons:
        raise NotApplicableError(*reasons)
    moving = motion.in_rates(system)
    levels = invariants.levels(moving, rates=True)
    labels = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]

    Fa = energy.active_forces(moving)
    inertia, rest = split(
        [sub(x, f) for x, f in zip(_nielsen_operator(moving), Fa, strict=True)],
        moving.ud,
        symmetric=loads.symmetric(moving),
    )
    h = [neg(x) for x in rest]

    p = Program()
    M = p.define("M", inertia, "dT'/dqd by qdd", rows=labels, columns=labels)
    A = p.define("A", levels.A, "invariants by qdd", rows=rows, columns=labels)
    b = p.column("b", levels.b, "invariants without qdd", rows=rows)
    # the multipliers leave by allowed motions, qdd = Z zd + e, and come back from Fc = A^T lam
    Z = p.null("Z", A, moving.independent, "motions that the invariants allow")
    Zt = p.let("Zt", Z.T)
    Ap = p.let("Ap", p.pinv(A))
    Apt = Ap.T
    e = p.let("e", Ap @ p.let("e0", -b), "accelerations that keep the invariants")
    Mz = p.let("Mz", Zt @ M @ Z, "inertia on allowed motions")

    def solve(p: Program, h: Matrix) -> tuple[Matrix, Matrix]:
        hz = p.let("hz", Zt @ p.let("ho", h - M @ e))
        zd = p.solve("zd", Mz, hz, meaning="accelerations of allowed motions")
        qdd = p.let("qdd", p.let("Zzd", Z @ zd) + e, "accelerations of the coordinates")
        open_ = p.let("open", M @ qdd - h, "constraint forces on the coordinates")
        return qdd, p.let("lam", Apt @ open_, "multipliers")

    named = reactions.named_in(levels, h)
    Y = reactions.reaction_map(levels, named)
    meaning = "Fa - dT'/dqd + 2 dT/dq, without qdd"
    form = InRates(M, A, b, close(p, h, named, Y, solve, labels=labels, meaning=meaning))
    speeds = to_speeds(p, form, motion.change(system), labels, [s.path for s in system.u])
    notes = ["declared speeds are replaced by their definitions"] if system.defined else []
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        speeds.results,
        [rates_residual(p, "Nielsen", form, speeds, Zt)],
        notes=notes,
    )


CONVERTER: Final = Converter(
    name="nielsen",
    title="Nielsen's equations",
    purpose="the rate of the kinetic energy, with multipliers",
    reference="J. Nielsen, Vorlesungen über elementare Mechanik, Springer, 1935; R. M. M. Orsino, "
    "doctoral thesis, USP 2016, (A.8) to (A.11) with rho = 1",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
                    Feature.NONLINEAR_VELOCITY_INVARIANT,
                    Feature.ORDER_2_INVARIANT,
                    Feature.DECLARED_SPEEDS,
                    Feature.LEFT_OVER_DEFINITIONS,
                    Feature.QUATERNION_WITH_SPEEDS,
                    Feature.EFFECTIVE_ROWS,
                    Feature.REACTION_IN_LOAD,
                    Feature.GENERALIZED_LOAD,
                    Feature.NON_IDEAL,
                }
            )
        ),
    ),
    derive=derive,
)
