"""Kane's equations: generalized active and inertia forces on partial velocities, Fr + Fr* = 0.

Equation numbers are those of Orsino's thesis, section 3.4.1; see spec/formalisms/kane.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.affine import split
from mbx.expr.build import add, neg
from mbx.formalism.builder import Program
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.steps.reactive_loads import close
from mbx.formalism.steps.residuals import constraint_residual, projected_residual
from mbx.mechanics import balance, invariants, loads, motion, partials, reactions
from mbx.system.features import Feature

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
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
            partials.project(moving, loads.wrenches(moving)),
            loads.generalized(moving),
            loads.non_ideal(moving),
            strict=True,
        )
    ]
    # F*_r: f = -m a, t = -(I wd + w x I w), (3.133)
    inertia = [balance.inertia_wrench(m) for m in moving.elements]
    F_star = [neg(x) for x in partials.project(moving, inertia)]
    total = [
        add(a, b, c) for a, b, c in zip(F, F_star, loads.effective(moving), strict=True)
    ]  # (3.135), before the constraints
    K, h = split(total, moving.ud, symmetric=loads.symmetric(moving))
    M = [[neg(x) for x in row] for row in K]

    program = Program()
    program.define("M", M, "coefficients of -ud in F*", rows=labels, columns=labels)
    rows = [r.path for r in levels.rows]
    program.define("A", levels.A, "constraints on ud", rows=rows, columns=labels)
    program.column("b", levels.b, "constraints without ud", rows=rows)
    # u = Cb u_# + db, A Cb = 0, (3.130), (3.131): partial velocities of the independent speeds
    program.nullspace(
        "Cb", "A", moving.independent, "speeds in terms of the independent ones", r"\bar{C}"
    )
    program.transpose("Cbt", "Cb")
    program.product("Mr", "Cbt", "M", meaning="F* on the independent partial velocities")
    program.block("K", [["Mr"], ["A"]])
    # auxiliary speeds: one for each constraint, along the columns of A^P
    program.pinv("Cs", "A", "partial velocities of the auxiliary speeds")
    program.transpose("Cst", "Cs")
    program.sum("bm", "b", signs=(-1,))

    def solve(p: Program, h: str) -> tuple[str, str]:
        p.product("hr", "Cbt", h, meaning="F on the independent partial velocities")
        p.block("k", [["hr"], ["bm"]])
        p.solve("ud", "K", "k", "least_squares", unique=len(labels))
        p.product("Mud", "M", "ud")
        p.sum("open", "Mud", h, signs=(1, -1), meaning="-(F + F*)")
        p.product("lam", "Cst", "open", meaning="reactions on the auxiliary speeds")
        return "ud", "lam"

    named = reactions.named_in(levels, h)
    Y = reactions.reaction_map(levels, named)
    closed = close(program, h, named, Y, solve, labels=labels, meaning="F and F* without ud")
    program.transpose("At", "A")
    program.product("Fc", "At", closed.lam, meaning="constraint forces")
    n = len(labels)
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": closed.ud, "Fc": "Fc", "lam": closed.lam, "M": "M", "h": "h", "A": "A", "b": "b"},
        [
            projected_residual("F + F*", n, "M", "h", "Cb"),
            constraint_residual(n, "A", "b", rows),
        ],
    )


CONVERTER: Final = Converter(
    name="kane",
    title="Kane's equations",
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
