"""Jourdain's principle: the virtual power of all forces vanishes on admissible velocities.

Equation numbers are those of Orsino's thesis, section 3.2.2; see spec/formalisms/jourdain.md. The
power is one scalar in the virtual speeds; its rows come from differentiating it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, dot, neg, sub
from mbx.expr.derivatives import gradient
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import close, constraint_residual, projected_residual
from mbx.mechanics import invariants, loads, motion, power, reactions
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def _virtual_power(moving: Motion, virtual: list[Node]) -> Node:
    """Return the power of active minus inertia forces on virtual speeds, (3.54) with rho = 1."""
    varied = power.virtual_velocities(moving, virtual)
    generalized = (loads.generalized(moving), loads.non_ideal(moving), loads.effective(moving))
    return add(
        sub(
            power.active_power(loads.wrenches(moving), varied),
            power.inertia_power(moving, varied),
        ),
        *(dot(forces, virtual) for forces in generalized),
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
    by_ud, h = split(slopes, moving.ud, symmetric=loads.symmetric(moving))

    p = Program()
    inertia = [[neg(x) for x in row] for row in by_ud]
    M = p.define("M", inertia, "virtual power against ud", rows=labels, columns=labels)
    A = p.define("A", levels.A, "invariants by ud", rows=rows, columns=labels)
    b = p.column("b", levels.b, "invariants without ud", rows=rows)
    # admissible: A du = 0; positions and time are not varied
    D = p.null("D", A, meaning="admissible virtual speeds")
    PM = p.let("PM", D.T @ M, "virtual power against ud, on admissible speeds")
    K, bm = p.stack(PM, A), -b
    Atp = p.pinv(A.T)

    def solve(p: Program, h: Matrix) -> tuple[Matrix, ...]:
        Ph = p.let("Ph", D.T @ h, "virtual power without ud, on admissible speeds")
        ud = p.solve("ud", K, p.stack(Ph, bm), unique=n, meaning="rates of the speeds")
        # on speeds that are not admissible, constraint forces make up for the power
        Fc = p.let("Fc", M @ ud - h, "constraint forces")
        return ud, p.let("lam", Atp @ Fc, "multipliers"), Fc

    named = reactions.named_in(levels, h)
    Y = reactions.reaction_map(levels, named)
    closed = close(p, h, named, Y, solve, labels=labels, meaning="virtual power without ud")
    (Fc,) = closed.others
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": closed.ud, "Fc": Fc, "lam": closed.lam, "M": M, "h": closed.h, "A": A, "b": b},
        [
            projected_residual(p, "virtual power", n, M, closed.h, D),
            constraint_residual(p, n, A, b, rows),
        ],
    )


CONVERTER: Final = Converter(
    name="jourdain",
    title="Jourdain's principle of virtual power",
    purpose="virtual power; allows nonlinear velocity constraints",
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
