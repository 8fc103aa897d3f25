"""Newton-Euler equations: the balance of each body, with every reaction as an unknown.

Equation numbers are those of Orsino's thesis, section 3.1.2; see spec/formalisms/newton_euler.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.affine import split
from mbx.expr.build import add, neg, sub
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.builder import Program
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.program import Residual
from mbx.formalism.steps.reactive_loads import close
from mbx.mechanics import balance, invariants, loads, motion, partials, reactions
from mbx.system.features import Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]

_PARTS: Final = ("fx", "fy", "fz", "tx", "ty", "tz")


def derive(system: System, _variant: str = "") -> Equations:
    """Return Mb twd + gb = Fb + W X for all bodies, with reactions X that do no work."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    u = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]
    W, blocks = reactions.joint_wrenches(moving)
    kept = [6 * k + i for k, (_, size) in enumerate(blocks) for i in range(size)]
    names = _balances(moving, blocks)

    program = Program()
    Mb, gb = balance.stacked(moving, kept)
    program.define("Mb", Mb, "masses and inertias, (3.19)", rows=names, columns=names)
    J = partials.partial_velocities(moving)
    program.define("J", [J[i] for i in kept], "twists by u", rows=names, columns=u)
    jb = partials.accelerations_without_rates(moving)
    program.column("jb", [jb[i] for i in kept], "rates of the twists without ud", rows=names)
    n, r, m = len(u), len(kept), len(rows)
    holders = [h.path for h in reactions.holders(moving)]
    held = [f"{holders[k]}.{_PARTS[i]}" for k, (_, size) in enumerate(blocks) for i in range(size)]
    program.define("W", W, "reactions in the balances", rows=names, columns=held)
    program.define("A", levels.A, "invariants by ud", rows=rows, columns=u)
    program.column("b", levels.b, "invariants without ud", rows=rows)
    # Fb - gb above, generalized loads on joint coordinates and known models below
    forces = [x for i, x in enumerate(_flat(loads.wrenches(moving))) if i in set(kept)]
    active = [sub(f, g) for f, g in zip(forces, gb, strict=True)]
    extra = [
        add(*terms)
        for terms in zip(
            loads.generalized(moving), loads.non_ideal(moving), loads.effective(moving), strict=True
        )
    ]
    K, h = split([*active, *extra], moving.ud)
    added = [[neg(x) for x in row] for row in K]
    program.define("Ma", added[:r], "inertia that loads add to bodies", rows=names, columns=u)
    program.define("Me", added[r:], "inertia of known models", rows=u, columns=u)

    program.product("MbJ0", "Mb", "J")
    program.sum("MbJ", "MbJ0", "Ma")
    program.product("Mbjb", "Mb", "jb")
    program.sum("Wm", "W", signs=(-1,))
    # joints that close loops act on their bodies; any other invariant acts on the speeds
    loops = reactions.loop_columns(moving, levels, blocks)
    program.define("WL", loops, "multipliers of loops in the balances", rows=names, columns=rows)
    program.sum("WLm", "WL", signs=(-1,))
    program.define("Ag", _others(levels), "invariants on the speeds", rows=rows, columns=u)
    program.transpose("Agt", "Ag")
    program.sum("Agm", "Agt", signs=(-1,))
    program.transpose("Jt", "J")
    program.product("JtW", "Jt", "W", meaning="what reactions do to the motions")
    program.transpose("At", "A")
    program.sum("bm", "b", signs=(-1,))
    grid: list[list[str | None]] = [
        ["MbJ", "Wm", "WLm"],
        ["Me", "JtW", "Agm"],
        ["A", None, None],
    ]
    program.block("K", grid if rows else [row[:2] for row in grid[:2]])

    named = reactions.named_in(levels, h)

    def solve(p: Program, h: str) -> tuple[str, str]:
        p.rows("F", h, range(r), "active and gyroscopic wrenches")
        p.rows("Q", h, range(r, r + n), "generalized loads")
        p.sum("f", "F", "Mbjb", signs=(1, -1))
        p.block("k", [["f"], ["Q"], ["bm"]] if rows else [["f"], ["Q"]])
        p.solve("x", "K", "k", "least_squares", unique=n + r + m if named else n)
        p.rows("ud", "x", range(n), "rates of the speeds")
        p.rows("X", "x", range(n, n + r), "reactions of joints and placements")
        p.rows("lam", "x", range(n + r, n + r + m), "multipliers")
        return "ud", "lam"

    Y = reactions.reaction_map(levels, named)
    closed = close(program, h, named, Y, solve, labels=[*names, *u], meaning="loads")
    program.product("Fc", "At", closed.lam, meaning="constraint forces")
    results = {"ud": "ud", "Fc": "Fc", "lam": closed.lam, "A": "A", "b": "b", "X": "X"}
    results |= _reported(program, levels, blocks, closed.lam)
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        results,
        [_residual(n)],
    )


def _others(levels: Levels) -> list[list[Node]]:
    """Return A without what joints that close loops do to their bodies."""
    rows = []
    for row, line in zip(levels.rows, levels.A, strict=True):
        kept = [
            x if row.kind != "loop" or (s.base is not None and s.base is row.measured) else ZERO
            for x, s in zip(line, levels.motion.speeds, strict=True)
        ]
        rows.append(kept)
    return rows


def _reported(
    program: Program, levels: Levels, blocks: list[tuple[int, int]], lam: str
) -> dict[str, str]:
    """Add the reactions joint by joint, and what of them is not unique."""
    results: dict[str, str] = {}
    program.nullspace("Z", "A", meaning="motions that the invariants allow")
    program.transpose("Zt", "Z")
    moving = levels.motion
    n, r, m = len(moving.u), sum(size for _, size in blocks), len(levels.rows)
    unsure = reactions.unsure(moving)
    # rows of the null space of K: what the equations leave open
    program.nullspace("Kn", "K", meaning="unknowns that the equations leave open")
    program.rows("Xn", "Kn", range(n, n + r))
    program.rows("lamn", "Kn", range(n + r, n + r + m))
    every = replace(levels, rows=(*levels.rows, *moving.system.idle))
    free = _idle(program, every, blocks, m)
    for k, holder in enumerate(reactions.holders(moving), start=1):
        start, size = blocks[k - 1]
        own = range(start, start + size)
        program.rows(f"X{k}", "X", own, f"reaction {holder.path}")
        program.rows(f"Xn{k}", free, own)
        if k - 1 in unsure:
            continue
        results |= {f"reaction:{holder.path}": f"X{k}", f"open:{holder.path}": f"Xn{k}"}
    columns = [row.path for row in every.rows]
    for k, (path, six) in enumerate(reactions.loop_wrenches(every).items(), start=1):
        by_lam = [line[:m] for line in six]
        program.define(f"Y{k}", by_lam, f"reaction {path} by the multipliers", columns=columns[:m])
        program.product(f"L{k}", f"Y{k}", lam, meaning=f"reaction {path}")
        left = program.product(f"Ln{k}", f"Y{k}", "lamn")
        if len(every.rows) > m:
            program.define(f"YI{k}", [line[m:] for line in six], columns=columns[m:])
            left = program.block(f"Lo{k}", [[left, f"YI{k}"]])
        results |= {f"reaction:{path}": f"L{k}", f"open:{path}": left}
    return results


def _idle(program: Program, every: Levels, blocks: list[tuple[int, int]], m: int) -> str:
    """Add what multipliers of idle rows, behind the first m, do to the reactions X.

    They are in no equation of motion, so that each is open, and the balances hand it on:
    W dX + WI = 0. Return all directions in which X is open.
    """
    idle = [row.path for row in every.rows[m:]]
    if not idle:
        return "Xn"
    columns = [line[m:] for line in reactions.loop_columns(every.motion, every, blocks)]
    names = _balances(every.motion, blocks)
    program.define("WI", columns, "idle multipliers in the balances", rows=names, columns=idle)
    program.sum("WIm", "WI", signs=(-1,))
    program.solve("XI", "W", "WIm", "least_squares", meaning="reactions that they leave open")
    return program.block("Xo", [["Xn", "XI"]])


def _flat(wrenches: Sequence[tuple[tuple[Node, ...], tuple[Node, ...]]]) -> list[Node]:
    return [x for force, torque in wrenches for x in (*force, *torque)]


def _balances(moving: Motion, blocks: list[tuple[int, int]]) -> list[str]:
    """Return names for the rows of all balances."""
    return [
        f"{m.path}.{_PARTS[i]}"
        for m, (_, size) in zip(moving.elements, blocks, strict=True)
        for i in range(size)
    ]


def _residual(n: int) -> Residual:
    """Return the work of the reactions that given ud need, and the invariants."""
    p = Program()
    p.given("ud", size=n)
    p.product("r_J", "J", "ud")
    p.sum("r_tw", "r_J", "jb", meaning="rates of the twists")
    p.product("r_Mb", "Mb", "r_tw")
    p.product("r_Ma", "Ma", "ud")
    p.sum("r_X", "r_Mb", "r_Ma", "F", signs=(1, 1, -1), meaning="reactions on each body")
    p.product("r_work", "Jt", "r_X")
    p.product("r_Me", "Me", "ud")
    p.sum("r_open", "r_work", "r_Me", "Q", signs=(1, 1, -1))
    p.product("r_dynamic", "Zt", "r_open")
    p.product("r_A", "A", "ud")
    p.sum("r_kinematic", "r_A", "b")
    p.block("r_value", [["r_dynamic"], ["r_kinematic"]])
    for name in ("J", "ud", "jb", "Mb", "Ma", "F", "Jt", "Me", "Q", "Zt", "A", "b"):
        p.absolute(f"s_{name}", name)
    p.product("s_Jud", "s_J", "s_ud")
    p.sum("s_tw", "s_Jud", "s_jb")
    p.product("s_Mbtw", "s_Mb", "s_tw")
    p.product("s_Maud", "s_Ma", "s_ud")
    p.sum("s_X", "s_Mbtw", "s_Maud", "s_F")
    p.product("s_work", "s_Jt", "s_X")
    p.product("s_Meud", "s_Me", "s_ud")
    p.sum("s_open", "s_work", "s_Meud", "s_Q")
    p.product("s_dynamic", "s_Zt", "s_open")
    p.product("s_Aud", "s_A", "s_ud")
    p.sum("s_kinematic", "s_Aud", "s_b")
    p.block("r_magnitude", [["s_dynamic"], ["s_kinematic"]])
    return Residual(
        name="Newton-Euler", steps=tuple(p.steps), value="r_value", magnitude="r_magnitude"
    )


CONVERTER: Final = Converter(
    name="newton_euler",
    title="Newton-Euler equations",
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
)
