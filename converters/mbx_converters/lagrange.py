"""Lagrange's equations with multipliers, by differentiation of the energies.

Equation numbers are those of Orsino's thesis, sections 3.2.5 to 3.2.7; see
spec/formalisms/lagrange.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.build import neg, sub
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import InRates, close, rates_residual, to_speeds
from mbx.mechanics import energy, invariants, loads, motion, reactions
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return d/dt dL/dqd - dL/dq = Q' + A^T lam with the invariants."""
    reasons = motion.uses_left_over(system)
    if reasons:
        raise NotApplicableError(*reasons)
    moving = motion.in_rates(system)
    levels = invariants.levels(moving, rates=True)
    labels = [s.path for s in moving.speeds]

    inertia = energy.lagrange_operator(moving, energy.kinetic(moving))  # (3.75)
    Q = energy.active_forces(moving)
    second, rest = split(
        [sub(x, f) for x, f in zip(inertia, Q, strict=True)],
        moving.ud,
        symmetric=loads.symmetric(moving),
    )
    h = [neg(x) for x in rest]

    p = Program()
    M = p.define("M", second, "second derivatives of T", rows=labels, columns=labels)
    rows = [r.path for r in levels.rows]
    A = p.define("A", levels.A, "invariants by qdd", rows=rows, columns=labels)
    b = p.column("b", levels.b, "invariants without qdd", rows=rows)
    At = A.T
    Am, bm = p.let("Am", -At), -b
    # [M -A^T; A 0] [qdd; lam] = [h; -b], (3.95) with Fc = A^T lam
    K = p.block([[M, Am], [A, None]] if rows else [[M]])
    n, m = len(labels), len(rows)
    named = reactions.named_in(levels, h)

    def solve(p: Program, h: Matrix) -> tuple[Matrix, Matrix]:
        k = p.stack(h, bm) if rows else p.stack(h)
        x = p.solve("x", K, k, unique=n + (m if named else 0))
        qdd = p.let("qdd", x.rows(range(n)), "accelerations of the coordinates")
        return qdd, p.let("lam", x.rows(range(n, n + m)), "multipliers")

    Y = reactions.reaction_map(levels, named)
    closed = close(p, h, named, Y, solve, labels=labels, meaning="Q' and gyroscopic terms")
    form = InRates(M, A, b, closed)
    speeds = to_speeds(p, form, motion.change(system), labels, [s.path for s in system.u])
    Z = p.null("Z", A, meaning="motions that the invariants allow")
    Zt = p.let("Zt", Z.T)
    notes = ["declared speeds are replaced by their definitions"] if system.defined else []
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        speeds.results,
        [rates_residual(p, "Lagrange", form, speeds, Zt)],
        notes=notes,
    )


CONVERTER: Final = Converter(
    name="lagrange",
    title="Lagrange's equations with multipliers",
    purpose="energies and multipliers: the textbook form",
    reference="J.-L. Lagrange, Mécanique analytique, 1788; R. M. M. Orsino, doctoral thesis, "
    "USP 2016, (3.76), (3.79), (3.95)",
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
