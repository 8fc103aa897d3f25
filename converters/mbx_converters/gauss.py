"""Gauss's principle of least constraint, as a quadratic programme in the accelerations.

Equation numbers are those of Orsino's thesis, section 3.2.2; see spec/formalisms/gauss.md. The
programme is made of the deviations of single bodies, each from the motion that its loads alone
would give it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.affine import split
from mbx.expr.build import add, neg, sub
from mbx.formalism.builder import Program
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.program import Residual
from mbx.formalism.steps.reactive_loads import close
from mbx.formalism.steps.residuals import constraint_residual
from mbx.mechanics import balance, invariants, loads, motion, partials, reactions
from mbx.system.features import Feature

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]

_PARTS: Final = ("vx", "vy", "vz", "wx", "wy", "wz")


def derive(system: System, _variant: str = "") -> Equations:
    """Return the least of 1/2 ud^T H ud + c^T ud among all ud with A ud + b = 0."""
    moving = motion.in_speeds(system)
    odd = loads.unsymmetric(moving)
    if odd:
        raise NotApplicableError(f"no deviation has an unsymmetric Hessian ({', '.join(odd)})")
    levels = invariants.levels(moving)
    u = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]
    kept = _kept(moving)
    names = [f"{moving.elements[k // 6].path}.{_PARTS[k % 6]}" for k in kept]
    n, r, m = len(u), len(kept), len(rows)

    program = Program()
    Mb, gb = balance.stacked(moving, kept)
    program.define("Mb", Mb, "weights of the deviations", rows=names, columns=names)
    J = partials.partial_velocities(moving)
    program.define("J", [J[k] for k in kept], "twists by u", rows=names, columns=u)
    jb = partials.accelerations_without_rates(moving)
    program.column("jb", [jb[k] for k in kept], "rates of the twists without ud", rows=names)
    program.define("A", levels.A, "invariants by ud", rows=rows, columns=u)
    program.column("b", levels.b, "invariants without ud", rows=rows)
    # Mb times the rates of the twist of a body that nothing holds, and forces without a body
    wrenches = [x for force, torque in loads.wrenches(moving) for x in (*force, *torque)]
    free = [sub(wrenches[k], g) for k, g in zip(kept, gb, strict=True)]
    others = (loads.generalized(moving), loads.non_ideal(moving), loads.effective(moving))
    K, h = split([*free, *(add(*terms) for terms in zip(*others, strict=True))], moving.ud)
    added = [[neg(x) for x in row] for row in K]
    program.define("Ma", added[:r], "inertia that loads add to bodies", rows=names, columns=u)
    program.define("Me", added[r:], "inertia of known models", rows=u, columns=u)

    # Z = 1/2 (twd - Mb^-1 F)^T Mb (twd - Mb^-1 F) of all bodies, (3.55), with twd = J ud + jb
    program.transpose("Jt", "J")
    program.product("JtMb", "Jt", "Mb")
    program.product("H0", "JtMb", "J", meaning="Hessian of the deviations of all bodies")
    program.product("Ha", "Jt", "Ma")
    program.sum("H", "H0", "Ha", "Me", meaning="Hessian of the programme")
    program.product("c0", "JtMb", "jb")
    program.transpose("At", "A")
    program.sum("Am", "At", signs=(-1,))
    program.sum("bm", "b", signs=(-1,))
    program.block("K", [["H", "Am"], ["A", None]] if rows else [["H"]])
    named = reactions.named_in(levels, h)

    def solve(p: Program, h: str) -> tuple[str, str]:
        p.rows("F", h, range(r), "wrenches on bodies that nothing holds")
        p.rows("Q", h, range(r, r + n), "forces without a body")
        p.product("JtF", "Jt", "F")
        p.sum("c", "c0", "JtF", "Q", signs=(1, -1, -1), meaning="linear term of the programme")
        # dZ = 0, (3.57), for all changes of ud with A dud = 0: H ud + c = A^T lam
        p.sum("cm", "c", signs=(-1,))
        p.block("k", [["cm"], ["bm"]] if rows else [["cm"]])
        p.solve("x", "K", "k", "least_squares", unique=n + (m if named else 0))
        p.rows("ud", "x", range(n), "accelerations of least constraint")
        p.rows("lam", "x", range(n, n + m), "multipliers of the programme")
        return "ud", "lam"

    Y = reactions.reaction_map(levels, named)
    closed = close(program, h, named, Y, solve, labels=[*names, *u], meaning="loads")
    program.product("Fc", "At", closed.lam, meaning="constraint forces")
    program.nullspace("E", "A", meaning="changes of ud that the invariants allow")
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {
            "ud": closed.ud,
            "Fc": "Fc",
            "lam": closed.lam,
            "H": "H",
            "c": "c",
            "M": "H",
            "h": "cm",
            "A": "A",
            "b": "b",
        },
        [_gradient(n), constraint_residual(n, "A", "b", rows)],
        notes=[_programme(least=loads.symmetric(moving))],
    )


def _programme(*, least: bool) -> str:
    """Return the programme in words; with inertia of loads, perhaps nothing is least."""
    return (
        "of all ud that keep A ud + b = 0, the accelerations make 1/2 ud^T H ud + c^T ud "
        f"{'least' if least else 'stationary'}"
    )


def _kept(moving: Motion) -> list[int]:
    """Return which of six rows an element are there: a particle has the first three only."""
    sizes = [3 if m.element.w_own is None else 6 for m in moving.elements]
    return [6 * k + i for k, size in enumerate(sizes) for i in range(size)]


def _gradient(n: int) -> Residual:
    """Return dZ/dud along the changes that the invariants allow, magnitudes from the bodies."""
    p = Program()
    p.given("ud", size=n)
    p.product("r_H", "H", "ud")
    p.sum("r_all", "r_H", "c", meaning="dZ/dud")
    p.transpose("r_Et", "E")
    p.product("r_value", "r_Et", "r_all")
    for name in ("H", "ud", "Jt", "Mb", "jb", "F", "Q", "r_Et"):
        p.absolute(f"s_{name}", name)
    p.product("s_Hud", "s_H", "s_ud")
    p.product("s_Mbjb", "s_Mb", "s_jb")
    p.sum("s_wrench", "s_Mbjb", "s_F")
    p.product("s_body", "s_Jt", "s_wrench")
    p.sum("s_all", "s_Hud", "s_body", "s_Q")
    p.product("r_magnitude", "s_r_Et", "s_all")
    return Residual(name="dZ = 0", steps=tuple(p.steps), value="r_value", magnitude="r_magnitude")


CONVERTER: Final = Converter(
    name="gauss",
    title="Gauss's principle of least constraint",
    reference="C. F. Gauss, Über ein neues allgemeines Grundgesetz der Mechanik, Journal für die "
    "reine und angewandte Mathematik 4, 1829; R. M. M. Orsino, doctoral thesis, USP 2016, "
    "(3.54) to (3.57)",
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
