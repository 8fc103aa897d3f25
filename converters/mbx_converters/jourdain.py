"""Jourdain's principle: the virtual power of all forces vanishes on admissible velocities.

Equation numbers are those of Orsino's thesis, section 3.2.2; see spec/formalisms/jourdain.md. The
power is one scalar in the virtual speeds; its rows come from differentiating it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.affine import split
from mbx.expr.build import add, neg, sub
from mbx.expr.derivatives import gradient
from mbx.expr.matrix import dot
from mbx.formalism.builder import Program
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.steps.reactive_loads import close
from mbx.formalism.steps.residuals import constraint_residual, projected_residual
from mbx.mechanics import invariants, loads, motion, power, reactions
from mbx.system.features import Feature

if TYPE_CHECKING:
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def _virtual_power(moving: Motion, virtual: list[Node]) -> Node:
    """Return the power of active minus inertia forces on virtual speeds, (3.54) with rho = 1."""
    varied = power.virtual_velocities(moving, virtual)
    others = (loads.generalized(moving), loads.non_ideal(moving), loads.effective(moving))
    return add(
        sub(
            power.active_power(loads.wrenches(moving), varied),
            power.inertia_power(moving, varied),
        ),
        *(dot(forces, virtual) for forces in others),
    )


def derive(system: System, _variant: str = "") -> Equations:
    """Return P = 0 on a basis of the admissible virtual speeds, with the invariants."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    labels = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]
    n = len(labels)

    # P is linear in the virtual speeds and affine in ud: P = du^T (h - M ud)
    virtual = power.virtual_speeds(moving)
    slopes = gradient(_virtual_power(moving, virtual), virtual)
    K, h = split(slopes, moving.ud, symmetric=loads.symmetric(moving))

    program = Program()
    M = [[neg(x) for x in row] for row in K]
    program.define("M", M, "virtual power against ud", rows=labels, columns=labels)
    program.define("A", levels.A, "invariants by ud", rows=rows, columns=labels)
    program.column("b", levels.b, "invariants without ud", rows=rows)
    # admissible: A du = 0; places and time are not varied
    program.nullspace("D", "A", meaning="admissible virtual speeds")
    program.transpose("Dt", "D")
    program.product("PM", "Dt", "M", meaning="virtual power against ud, on admissible speeds")
    program.block("K", [["PM"], ["A"]])
    program.sum("bm", "b", signs=(-1,))
    program.transpose("At", "A")
    program.pinv("Atp", "At")

    def solve(p: Program, h: str) -> tuple[str, str]:
        p.product("Ph", "Dt", h, meaning="virtual power without ud, on admissible speeds")
        p.block("k", [["Ph"], ["bm"]])
        p.solve("ud", "K", "k", "least_squares", unique=n, meaning="rates of the speeds")
        # on speeds that are not admissible, constraint forces make up for the power
        p.product("Mud", "M", "ud")
        p.sum("Fc", "Mud", h, signs=(1, -1), meaning="constraint forces")
        p.product("lam", "Atp", "Fc", meaning="multipliers")
        return "ud", "lam"

    named = reactions.named_in(levels, h)
    Y = reactions.reaction_map(levels, named)
    closed = close(program, h, named, Y, solve, labels=labels, meaning="virtual power without ud")
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": closed.ud, "Fc": "Fc", "lam": closed.lam, "M": "M", "h": "h", "A": "A", "b": "b"},
        [
            projected_residual("virtual power", n, "M", "h", "D"),
            constraint_residual(n, "A", "b", rows),
        ],
    )


CONVERTER: Final = Converter(
    name="jourdain",
    title="Jourdain's principle of virtual power",
    reference="P. E. B. Jourdain, Note on an analogue of Gauss' principle of least constraint, "
    "Quarterly Journal of Pure and Applied Mathematics 40, 1909; R. M. M. Orsino, doctoral "
    "thesis, USP 2016, (3.51) to (3.54)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
                    Feature.NONLINEAR_VELOCITY_INVARIANT,
                    Feature.ORDER_2_INVARIANT,
                    Feature.DECLARED_SPEEDS,
                    Feature.SPEED_WITHOUT_RATE,
                    Feature.TWIST_NOT_INTEGRABLE,
                    Feature.NO_OWN_SPEED,
                    Feature.LEFT_OVER_DEFINITIONS,
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
