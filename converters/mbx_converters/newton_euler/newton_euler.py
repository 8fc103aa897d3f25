"""Newton-Euler equations: the balance of each body, with every reaction as an unknown.

Equation numbers are those of Orsino's thesis, section 3.1.2; see spec/formalisms/newton_euler.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, neg, sub
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import close, magnitude
from mbx.mechanics import balance, invariants, loads, motion, reactions
from mbx.system.find_features import Feature
from mbx_converters.newton_euler.balance_page import write_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.program import Residual
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive", "write_page"]

_PARTS: Final = ("fx", "fy", "fz", "tx", "ty", "tz")


def derive(system: System, _variant: str = "") -> Equations:
    """Return Mb twd + gb = Fb + W X for all bodies, with reactions X that do no work."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    u = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]
    by_X, blocks = reactions.joint_wrenches(moving)
    kept = [6 * k + i for k, (_, size) in enumerate(blocks) for i in range(size)]
    names = _balances(moving, blocks)

    p = Program()
    inertias, gb = balance.stacked(moving, kept)
    Mb = p.define("Mb", inertias, "masses and inertias, (3.19)", rows=names, columns=names)
    twists = loads.partial_velocities(moving)
    J = p.define("J", [twists[i] for i in kept], "twists by u", rows=names, columns=u)
    rates = loads.accelerations_without_rates(moving)
    jb = p.column("jb", [rates[i] for i in kept], "rates of the twists without ud", rows=names)
    n, r, m = len(u), len(kept), len(rows)
    holders = [h.path for h in reactions.holders(moving)]
    columns = [
        f"{holders[k]}.{_PARTS[i]}" for k, (_, size) in enumerate(blocks) for i in range(size)
    ]
    W = p.define("W", by_X, "reactions in the balances", rows=names, columns=columns)
    A = p.define("A", levels.A, "invariants by ud", rows=rows, columns=u)
    b = p.column("b", levels.b, "invariants without ud", rows=rows)
    # Fb - gb above, generalized loads on joint coordinates and known models below
    forces = [x for i, x in enumerate(_flat(loads.wrenches(moving))) if i in set(kept)]
    active = [sub(f, g) for f, g in zip(forces, gb, strict=True)]
    extra = [
        add(*terms)
        for terms in zip(
            loads.generalized(moving), loads.non_ideal(moving), loads.effective(moving), strict=True
        )
    ]
    by_ud, h = split([*active, *extra], moving.ud)
    added = [[neg(x) for x in row] for row in by_ud]
    Ma = p.define("Ma", added[:r], "inertia that loads add to bodies", rows=names, columns=u)
    Me = p.define("Me", added[r:], "inertia of known models", rows=u, columns=u)

    MbJ = p.let("MbJ", p.let("MbJ0", Mb @ J) + Ma)
    Mbjb, Wm = Mb @ jb, -W
    # joints that close loops act on their bodies; any other invariant acts on the speeds
    loops = reactions.loop_columns(moving, levels, blocks)
    WL = p.define("WL", loops, "multipliers of loops in the balances", rows=names, columns=rows)
    WLm = -WL
    Ag = p.define("Ag", _without_loops(levels), "invariants on the speeds", rows=rows, columns=u)
    Agm, Jt = p.let("Agm", -Ag.T), J.T
    JtW = p.let("JtW", Jt @ W, "what reactions do to the motions")
    At, bm = A.T, -b
    grid: list[list[Matrix | None]] = [[MbJ, Wm, WLm], [Me, JtW, Agm], [A, None, None]]
    K = p.block(grid if rows else [row[:2] for row in grid[:2]])

    named = reactions.named_in(levels, h)

    def solve(p: Program, h: Matrix) -> tuple[Matrix, ...]:
        F = p.let("F", h.rows(range(r)), "active and gyroscopic wrenches")
        Q = p.let("Q", h.rows(range(r, r + n)), "generalized loads")
        f = p.let("f", F - Mbjb)
        k = p.stack(f, Q, bm) if rows else p.stack(f, Q)
        x = p.solve("x", K, k, unique=n + r + m if named else n)
        ud = p.let("ud", x.rows(range(n)), "rates of the speeds")
        X = p.let("X", x.rows(range(n, n + r)), "reactions of joints and placements")
        lam = p.let("lam", x.rows(range(n + r, n + r + m)), "multipliers")
        return ud, lam, X, F, Q

    Y = reactions.reaction_map(levels, named)
    closed = close(p, h, named, Y, solve, labels=[*names, *u], meaning="loads")
    ud, lam, (X, F, Q) = closed.ud, closed.lam, closed.others
    Fc = p.let("Fc", At @ lam, "constraint forces")
    results = {"ud": ud, "Fc": Fc, "lam": lam, "A": A, "b": b, "X": X}
    Z = p.null("Z", A, meaning="motions that the invariants allow")
    Zt = p.let("Zt", Z.T)
    results |= _report_joints(p, levels, blocks, K, W, X, lam)
    bodies = _Bodies(J=J, jb=jb, Mb=Mb, Ma=Ma, F=F, Jt=Jt, Me=Me, Q=Q)
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        results,
        [_residual(p, bodies, Zt, A, b)],
    )


def _without_loops(levels: Levels) -> list[list[Node]]:
    """Return A without what joints that close loops do to their bodies."""
    rows = []
    for row, line in zip(levels.rows, levels.A, strict=True):
        kept = [
            x if row.kind != "loop" or (s.base is not None and s.base is row.measured) else ZERO
            for x, s in zip(line, levels.motion.speeds, strict=True)
        ]
        rows.append(kept)
    return rows


def _report_joints(
    p: Program,
    levels: Levels,
    blocks: list[tuple[int, int]],
    K: Matrix,
    W: Matrix,
    X: Matrix,
    lam: Matrix,
) -> dict[str, Matrix]:
    """Add the reactions joint by joint, and what of them is not unique."""
    results: dict[str, Matrix] = {}
    moving = levels.motion
    n, r, m = len(moving.u), sum(size for _, size in blocks), len(levels.rows)
    unsure = reactions.unsure(moving)
    # rows of the null space of K: what the equations leave open
    Kn = p.null("Kn", K, meaning="unknowns that the equations leave open")
    Xn = p.let("Xn", Kn.rows(range(n, n + r)))
    lamn = p.let("lamn", Kn.rows(range(n + r, n + r + m)))
    every = replace(levels, rows=(*levels.rows, *moving.system.idle))
    free = _idle(p, every, blocks, W, Xn)
    for k, holder in enumerate(reactions.holders(moving), start=1):
        start, size = blocks[k - 1]
        rows = range(start, start + size)
        reaction = p.let(f"X{k}", X.rows(rows), f"reaction {holder.path}")
        left = p.let(f"Xn{k}", free.rows(rows))
        if k - 1 in unsure:
            continue
        results |= {f"reaction:{holder.path}": reaction, f"open:{holder.path}": left}
    columns = [row.path for row in every.rows]
    for k, (path, six) in enumerate(reactions.loop_wrenches(every).items(), start=1):
        by_lam = [line[:m] for line in six]
        meaning = f"reaction {path} by the multipliers"
        Y = p.define(f"Y{k}", by_lam, meaning, columns=columns[:m])
        reaction = p.let(f"L{k}", Y @ lam, f"reaction {path}")
        left = p.let(f"Ln{k}", Y @ lamn)
        if len(every.rows) > m:
            YI = p.define(f"YI{k}", [line[m:] for line in six], columns=columns[m:])
            left = p.let(f"Lo{k}", p.block([[left, YI]]))
        results |= {f"reaction:{path}": reaction, f"open:{path}": left}
    return results


def _idle(
    p: Program, every: Levels, blocks: list[tuple[int, int]], W: Matrix, Xn: Matrix
) -> Matrix:
    """Add what multipliers of idle rows, the last ones, do to the reactions X.

    They are in no equation of motion, so that each is open, and the balances hand it on:
    W dX + WI = 0. Return all directions in which X is open.
    """
    m = len(every.rows) - len(every.motion.system.idle)
    idle = [row.path for row in every.rows[m:]]
    if not idle:
        return Xn
    columns = [line[m:] for line in reactions.loop_columns(every.motion, every, blocks)]
    names = _balances(every.motion, blocks)
    WI = p.define("WI", columns, "idle multipliers in the balances", rows=names, columns=idle)
    XI = p.solve("XI", W, -WI, "least_squares", meaning="reactions that they leave open")
    return p.let("Xo", p.block([[Xn, XI]]))


def _flat(wrenches: Sequence[tuple[tuple[Node, ...], tuple[Node, ...]]]) -> list[Node]:
    return [x for force, torque in wrenches for x in (*force, *torque)]


def _balances(moving: Motion, blocks: list[tuple[int, int]]) -> list[str]:
    """Return names for the rows of all balances."""
    return [
        f"{m.path}.{_PARTS[i]}"
        for m, (_, size) in zip(moving.elements, blocks, strict=True)
        for i in range(size)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bodies:
    """The balances of the bodies, Mb (J ud + jb) + Ma ud = F, and what acts on the speeds."""

    J: Matrix
    jb: Matrix
    Mb: Matrix
    Ma: Matrix
    F: Matrix
    Jt: Matrix
    Me: Matrix
    Q: Matrix


def _residual(program: Program, of: _Bodies, Zt: Matrix, A: Matrix, b: Matrix) -> Residual:
    """Return the work of the reactions that given ud need, and the invariants."""
    p = Program(outer=program, apart=True)
    ud = p.given("ud", size=A.shape[1])
    tw = p.let("r_tw", of.J @ ud + of.jb, "rates of the twists")
    X = p.let("r_X", of.Mb @ tw + of.Ma @ ud - of.F, "reactions on each body")
    work = p.let("r_work", of.Jt @ X)
    dynamic = p.let("r_dynamic", Zt @ p.let("r_open", work + of.Me @ ud - of.Q))
    kinematic = p.let("r_kinematic", A @ ud + b)
    value = p.let("r_value", p.stack(dynamic, kinematic))
    leaves = (of.J, ud, of.jb, of.Mb, of.Ma, of.F, of.Jt, of.Me, of.Q, Zt, A, b)
    return p.residual("Newton-Euler", value, magnitude(p, value, leaves))


CONVERTER: Final = Converter(
    name="newton_euler",
    title="Newton-Euler equations",
    purpose="every joint reaction, from balances of bodies",
    reference="R. M. M. Orsino, doctoral thesis, USP 2016, (3.11), (3.12), (3.19)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
                    Feature.NONLINEAR_VELOCITY_INVARIANT,
                    Feature.DECLARED_SPEEDS,
                    Feature.SPEED_WITHOUT_RATE,
                    Feature.TWIST_NOT_INTEGRABLE,
                    Feature.NO_OWN_SPEED,
                    Feature.LEFT_OVER_DEFINITIONS,
                    Feature.QUATERNION_WITH_SPEEDS,
                    Feature.EFFECTIVE_ROWS,
                    Feature.EFFECTIVE_WITHOUT_RATE,
                    Feature.REACTION_IN_LOAD,
                    Feature.NON_IDEAL,
                }
            )
        ),
    ),
    derive=derive,
    write_page=write_page,
)
