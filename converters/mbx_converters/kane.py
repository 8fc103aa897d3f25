"""Kane's equations: generalized active and inertia forces on partial velocities, Fr + Fr* = 0.

Equation numbers are those of Orsino's thesis, section 3.4.1; see spec/formalisms/kane.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, neg
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import close, constraint_residual, projected_residual
from mbx.mechanics import balance, invariants, loads, motion, reactions
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return Kane's equations, F + F* = 0 on the independent speeds."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    labels = [s.path for s in moving.speeds]

    # F_r: active forces on the partial velocities, (3.134)
    F = [
        add(a, b, c)
        for a, b, c in zip(
            loads.project(moving, loads.wrenches(moving)),
            loads.generalized(moving),
            loads.non_ideal(moving),
            strict=True,
        )
    ]
    # F*_r: f = -m a, t = -(I wd + w x I w), (3.133)
    inertial = [balance.inertia_wrench(m) for m in moving.elements]
    F_star = [neg(x) for x in loads.project(moving, inertial)]
    total = [
        add(a, b, c) for a, b, c in zip(F, F_star, loads.effective(moving), strict=True)
    ]  # (3.135), before the constraints
    slopes, h = split(total, moving.ud, symmetric=loads.symmetric(moving))
    inertia = [[neg(x) for x in row] for row in slopes]

    p = Program()
    M = p.define("M", inertia, "coefficients of -ud in F*", rows=labels, columns=labels)
    rows = [r.path for r in levels.rows]
    A = p.define("A", levels.A, "constraints on ud", rows=rows, columns=labels)
    b = p.column("b", levels.b, "constraints without ud", rows=rows)
    # u = Cb u_# + db, A Cb = 0, (3.130), (3.131): partial velocities of the independent speeds
    meaning = "speeds in terms of the independent ones"
    Cb = p.null("Cb", A, moving.independent, meaning, r"\bar{C}")
    Mr = p.let("Mr", Cb.T @ M, "F* on the independent partial velocities")
    K = p.stack(Mr, A)
    # auxiliary speeds: one for each constraint, along the columns of A^P
    Cs = p.let("Cs", p.pinv(A), "partial velocities of the auxiliary speeds")
    Cst, bm = Cs.T, -b

    def solve(p: Program, h: Matrix) -> tuple[Matrix, Matrix]:
        hr = p.let("hr", Cb.T @ h, "F on the independent partial velocities")
        ud = p.solve("ud", K, p.stack(hr, bm), unique=len(labels))
        open_ = p.let("open", M @ ud - h, "-(F + F*)")
        return ud, p.let("lam", Cst @ open_, "reactions on the auxiliary speeds")

    named = reactions.named_in(levels, h)
    Y = reactions.reaction_map(levels, named)
    closed = close(p, h, named, Y, solve, labels=labels, meaning="F and F* without ud")
    Fc = p.let("Fc", A.T @ closed.lam, "constraint forces")
    n = len(labels)
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": closed.ud, "Fc": Fc, "lam": closed.lam, "M": M, "h": closed.h, "A": A, "b": b},
        [
            projected_residual(p, "F + F*", n, M, closed.h, Cb),
            constraint_residual(p, n, A, b, rows),
        ],
    )


CONVERTER: Final = Converter(
    name="kane",
    title="Kane's equations",
    purpose="compact equations in independent speeds",
    reference="T. R. Kane, D. A. Levinson, Dynamics: Theory and Applications, McGraw-Hill 1985; "
    "R. M. M. Orsino, doctoral thesis, USP 2016, (3.128) to (3.135)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
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
