"""Maggi's equations: Lagrange's operator on the kinetic energy, projected on a complement.

Equation numbers are those of Orsino's thesis, section 3.3.2; see spec/formalisms/maggi.md. The
multipliers have the sign of this project, Fc = A^T lam.
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
    """Return C*^T (d/dt dT/dqd - dT/dq - Fa) = 0 with the invariants."""
    reasons = motion.uses_left_over(system)
    if reasons:
        raise NotApplicableError(*reasons)
    moving = motion.in_rates(system)
    levels = invariants.levels(moving, rates=True)
    labels = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]
    n = len(labels)

    operator = energy.lagrange_operator(moving, energy.kinetic(moving))
    Fa = energy.active_forces(moving)
    inertia, rest = split(
        [sub(x, f) for x, f in zip(operator, Fa, strict=True)],
        moving.ud,
        symmetric=loads.symmetric(moving),
    )
    h = [neg(x) for x in rest]

    p = Program()
    M = p.define("M", inertia, "inertia", rows=labels, columns=labels)
    A = p.define("A", levels.A, "A_*: invariants by qdd", rows=rows, columns=labels)
    b = p.column("b", levels.b, "invariants without qdd", rows=rows)
    # A^-1 = [C_* C_#] with A_* C_* = 0 and A_* C_# = 1, (3.117), (3.118)
    C = p.null("C", A, moving.independent, "C_*: motions that are allowed", "C_*")
    Cs = p.let("Cs", p.pinv(A), "C_#")
    Ct, Cst = C.T, Cs.T
    K = p.stack(p.let("CM", Ct @ M), A)  # (3.124)
    bm = -b

    def solve(p: Program, h: Matrix) -> tuple[Matrix, Matrix]:
        k = p.stack(p.let("Ch", Ct @ h), bm)
        qdd = p.solve("qdd", K, k, unique=n, meaning="accelerations")
        open_ = p.let("open", M @ qdd - h)
        return qdd, p.let("lam", Cst @ open_, "multipliers, (3.125)")

    named = reactions.named_in(levels, h)
    Y = reactions.reaction_map(levels, named)
    form = InRates(M, A, b, close(p, h, named, Y, solve, labels=labels, meaning="Fa and Fg"))
    speeds = to_speeds(p, form, motion.change(system), labels, [s.path for s in system.u])
    notes = ["declared speeds are replaced by their definitions"] if system.defined else []
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        speeds.results,
        [rates_residual(p, "Maggi", form, speeds, Ct)],
        notes=notes,
    )


CONVERTER: Final = Converter(
    name="maggi",
    title="Maggi's equations",
    purpose="Lagrange without multipliers, projected",
    reference="G. A. Maggi, Di alcune nuove forme delle equazioni della dinamica, Rendiconti "
    "della Reale Accademia dei Lincei 10, 1901; R. M. M. Orsino, doctoral thesis, USP 2016, "
    "(3.116) to (3.125)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
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
