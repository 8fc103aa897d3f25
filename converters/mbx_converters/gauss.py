"""Gauss's principle of least constraint, as a quadratic programme in the accelerations.

Equation numbers are those of Orsino's thesis, section 3.2.2; see spec/formalisms/gauss.md. The
programme is made of the deviations of single bodies, each from the motion that its loads alone
would give it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, neg, sub
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import close, constraint_residual
from mbx.mechanics import balance, invariants, loads, motion, reactions
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.program import Residual
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

    p = Program()
    weights, gb = balance.stacked(moving, kept)
    Mb = p.define("Mb", weights, "weights of the deviations", rows=names, columns=names)
    twists = loads.partial_velocities(moving)
    J = p.define("J", [twists[k] for k in kept], "twists by u", rows=names, columns=u)
    rates = loads.accelerations_without_rates(moving)
    jb = p.column("jb", [rates[k] for k in kept], "rates of the twists without ud", rows=names)
    A = p.define("A", levels.A, "invariants by ud", rows=rows, columns=u)
    b = p.column("b", levels.b, "invariants without ud", rows=rows)
    # Mb times the rates of the twist of a body that nothing holds, and forces without a body
    wrenches = [x for force, torque in loads.wrenches(moving) for x in (*force, *torque)]
    free = [sub(wrenches[k], g) for k, g in zip(kept, gb, strict=True)]
    generalized = (loads.generalized(moving), loads.non_ideal(moving), loads.effective(moving))
    by_ud, h = split([*free, *(add(*terms) for terms in zip(*generalized, strict=True))], moving.ud)
    added = [[neg(x) for x in row] for row in by_ud]
    Ma = p.define("Ma", added[:r], "inertia that loads add to bodies", rows=names, columns=u)
    Me = p.define("Me", added[r:], "inertia of known models", rows=u, columns=u)

    # Z = 1/2 (twd - Mb^-1 F)^T Mb (twd - Mb^-1 F) of all bodies, (3.55), with twd = J ud + jb
    Jt = J.T
    JtMb = p.let("JtMb", Jt @ Mb)
    H0 = p.let("H0", JtMb @ J, "Hessian of the deviations of all bodies")
    H = p.let("H", H0 + p.let("Ha", Jt @ Ma) + Me, "Hessian of the programme")
    c0 = p.let("c0", JtMb @ jb)
    At = A.T
    Am, bm = p.let("Am", -At), -b
    K = p.block([[H, Am], [A, None]] if rows else [[H]])
    named = reactions.named_in(levels, h)

    def solve(p: Program, h: Matrix) -> tuple[Matrix, ...]:
        F = p.let("F", h.rows(range(r)), "wrenches on bodies that nothing holds")
        Q = p.let("Q", h.rows(range(r, r + n)), "forces without a body")
        c = p.let("c", c0 - Jt @ F - Q, "linear term of the programme")
        # dZ = 0, (3.57), for all changes of ud with A dud = 0: H ud + c = A^T lam
        cm = -c
        k = p.stack(cm, bm) if rows else p.stack(cm)
        x = p.solve("x", K, k, unique=n + (m if named else 0))
        ud = p.let("ud", x.rows(range(n)), "accelerations of least constraint")
        lam = p.let("lam", x.rows(range(n, n + m)), "multipliers of the programme")
        return ud, lam, F, Q, c, cm

    Y = reactions.reaction_map(levels, named)
    closed = close(p, h, named, Y, solve, labels=[*names, *u], meaning="loads")
    Fc = p.let("Fc", At @ closed.lam, "constraint forces")
    E = p.null("E", A, meaning="changes of ud that the invariants allow")
    F, Q, c, cm = closed.others
    results = {"ud": closed.ud, "Fc": Fc, "lam": closed.lam, "H": H, "c": c}
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {**results, "M": H, "h": cm, "A": A, "b": b},
        [_gradient(p, E, H, c, (Jt, Mb, jb, F, Q)), constraint_residual(p, n, A, b, rows)],
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
    sizes = [3 if m.element.w_local is None else 6 for m in moving.elements]
    return [6 * k + i for k, size in enumerate(sizes) for i in range(size)]


def _gradient(
    program: Program, E: Matrix, H: Matrix, c: Matrix, parts: tuple[Matrix, ...]
) -> Residual:
    """Return dZ/dud along the changes that the invariants allow, magnitudes from the bodies.

    `parts` are those of c: Jt, Mb, jb, F and Q.
    """
    p = Program(outer=program, apart=True)
    ud = p.given("ud", size=H.shape[0])
    dZ = p.let("r_all", p.let("r_H", H @ ud) + c, "dZ/dud")
    Et = p.let("r_Et", E.T)
    value = p.let("r_value", Et @ dZ)
    leaves = (H, ud, *parts, Et)
    sizes = [p.place(abs(x)) for x in leaves]
    s_H, s_ud, s_Jt, s_Mb, s_jb, s_F, s_Q, s_Et = sizes
    along = s_H @ s_ud
    body = p.let("s_body", s_Jt @ p.let("s_wrench", s_Mb @ s_jb + s_F))
    most = p.let("s_all", along + body + s_Q)
    return p.residual("dZ = 0", value, p.let("r_magnitude", s_Et @ most))


CONVERTER: Final = Converter(
    name="gauss",
    title="Gauss's principle of least constraint",
    purpose="accelerations as a quadratic programme",
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
