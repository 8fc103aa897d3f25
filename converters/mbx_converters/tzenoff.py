"""Tzenoff's equations: a function of the accelerations from the second rate of the energy.

Equation numbers are those of Orsino's thesis, appendix A; see spec/formalisms/tzenoff.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, neg, scale, sub
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import substitute
from mbx.expr.nodes import symbol
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import close, constraint_residual, projected_residual
from mbx.mechanics import energy, invariants, loads, motion, quasi, reactions
from mbx.system.find_features import Feature
from mbx.system.kinematics.solve_rates import moved_by_tied

if TYPE_CHECKING:
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def _tzenoff_function(moving: Motion, T: Node) -> Node:
    """Return K = (T'' - 3 T0'')/2, where T0 is T with its speeds held.

    dK/dud = (dT''/dud - 3 Phi^T dT/dq)/2, (A.11) with r = 2: of T0'', ud is in dT/dq qdd alone.
    """
    held = {u: symbol(f"held.{u.value}") for u in moving.u}
    T0 = substitute([T], held)
    Tdd, T0dd = moving.rate(moving.rate([T, *T0]))
    (released,) = substitute([T0dd], {h: u for u, h in held.items()})
    return scale(Fraction(1, 2), sub(Tdd, scale(3, released)))


def derive(system: System, _variant: str = "") -> Equations:
    """Return dK/dud + Phi^T Gam^T dT/du = Fa on the accelerations that are allowed, and Fc."""
    tied = moved_by_tied(system)
    if tied:
        raise NotApplicableError(
            f"a coordinate without a speed of its own moves inertia ({', '.join(tied)})"
        )
    moving, rates = motion.in_speeds(system), motion.in_rates(system)
    levels = invariants.levels(moving)
    labels = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]
    n = len(labels)

    T = energy.kinetic(moving)
    slopes = gradient(_tzenoff_function(moving, T), moving.ud)
    hamel = quasi.hamel_forces(moving, rates, T)  # zero where the speeds are rates
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
    inertia, rest = split(
        [sub(add(k, g), f) for k, g, f in zip(slopes, hamel, Fa, strict=True)],
        moving.ud,
        symmetric=loads.symmetric(moving),
    )
    h = [neg(x) for x in rest]

    p = Program()
    M = p.define("M", inertia, "second derivatives of K by ud", rows=labels, columns=labels)
    A = p.define("A", levels.A, "invariants by ud", rows=rows, columns=labels)
    b = p.column("b", levels.b, "invariants without ud", rows=rows)
    # accelerations vary, states do not: A dud = 0
    D = p.null("D", A, moving.independent, "variations of ud that the invariants allow")
    Dt = D.T
    K, bm = p.stack(p.let("DM", Dt @ M, "inertia on these variations"), A), -b
    Atp = p.let("Atp", p.pinv(A.T))

    def solve(p: Program, h: Matrix) -> tuple[Matrix, ...]:
        k = p.stack(p.let("Dh", Dt @ h), bm)
        ud = p.solve("ud", K, k, unique=n, meaning="rates of the speeds")
        Fc = p.let("Fc", M @ ud - h, "constraint forces")
        return ud, p.let("lam", Atp @ Fc, "multipliers"), Fc

    named = reactions.named_in(levels, h)
    Y = reactions.reaction_map(levels, named)
    meaning = "Fa - dK/dud - Phi^T Gam^T dT/du, without ud"
    closed = close(p, h, named, Y, solve, labels=labels, meaning=meaning)
    (Fc,) = closed.others
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": closed.ud, "Fc": Fc, "lam": closed.lam, "M": M, "h": closed.h, "A": A, "b": b},
        [
            projected_residual(p, "Tzenoff", n, M, closed.h, D),
            constraint_residual(p, n, A, b, rows),
        ],
    )


CONVERTER: Final = Converter(
    name="tzenoff",
    title="Tzenoff's equations",
    purpose="second rate of the kinetic energy, by accelerations",
    reference="I. Tzenoff, On a new form of the equations of analytical dynamics, Doklady Akademii "
    "Nauk SSSR 89, 1953, in Russian; R. M. M. Orsino, doctoral thesis, USP 2016, (A.8) to (A.11) "
    "with rho = 2",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
                    Feature.NONLINEAR_VELOCITY_INVARIANT,
                    Feature.ORDER_2_INVARIANT,
                    Feature.DECLARED_SPEEDS,
                    Feature.NO_OWN_SPEED,
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
