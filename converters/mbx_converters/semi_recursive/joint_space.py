"""A tree whose equations are written in the rates of its hinges, closed by its invariants.

    Mbar z'' = Qbar,    z'' = P ud + pd           the tree, and its rates by the speeds
    M ud = Q + A^T lam,    A ud + b = 0           M = P^T Mbar P

Multipliers, feedback of what the invariants are off by (Baumgarte), an augmented Lagrangian
and coordinate partitioning are four ways from M, Q, A and b to the accelerations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.named_program import by_name
from mbx.formalism.program import Step
from mbx.formalism.steps.reactive_loads import close
from mbx.formalism.steps.residuals import constraint_residual, projected_residual
from mbx.mechanics import reactions
from mbx_converters.semi_recursive import augmented_lagrangian, baumgarte, partition

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.formalism.equations import Equations, Quantity
    from mbx.formalism.named_program import NamedProgram
    from mbx.formalism.program import Residual, SolveKind
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.tree.links import Links
    from mbx.mechanics.tree.ties import Ties

    Solve = Callable[[NamedProgram, str], tuple[str, str]]

__all__ = ["VARIANTS", "Joined", "close_joints", "with_parameters"]

VARIANTS: Final = {
    "": "Lagrange multipliers",
    "baumgarte": "multipliers, with Baumgarte's feedback of violations",
    "augmented": "augmented Lagrangian, iterated",
    "partitioned": "coordinate partitioning",
}


@dataclass(frozen=True, slots=True)
class Joined:
    """What closing gave: results, residuals, and the parameters that a variant brings along."""

    results: dict[str, str]
    residuals: tuple[Residual, ...]
    parameters: tuple[Quantity, ...]


def close_joints(
    program: NamedProgram,
    tree: Links,
    closing: Ties,
    levels: Levels,
    variant: str,
    Mbar: str,
    loaded: Callable[[NamedProgram, str], str],
) -> Joined:
    """Add the steps from the inertia Mbar to ud and lam; `loaded(p, h)` adds Qbar from loads h."""
    moving = tree.motion
    u, rows = [s.path for s in moving.speeds], [r.path for r in levels.rows]
    n = len(u)
    program.begin("invariants")
    program.define("A", levels.A, "invariants by ud", rows=rows, columns=u)
    program.column("b", levels.b, "invariants without ud", rows=rows)
    program.transpose("At", "A")
    right = _in_speeds(program, tree, closing, Mbar)
    parameters: tuple[Quantity, ...] = ()
    if variant == "baumgarte":
        parameters = baumgarte.feedback(program, levels)
    elif rows:
        program.sum("bm", "b", signs=(-1,))
    named = reactions.named_in(levels, closing.h)
    added = any(x is not ZERO for row in (*closing.Ma, *closing.Me) for x in row)
    steps = _ways(program, tree, levels, variant, named) if rows else _open(symmetric=not added)

    def solve(p: NamedProgram, h: str) -> tuple[str, str]:
        return steps(p, right(p, loaded(p, h), h))

    labels = [f"{part} on {link.path}" for link in tree.links for part in _PARTS]
    labels += [*closing.rates, *closing.beside]
    Y = reactions.reaction_map(levels, named)
    closed = close(
        program.values, closing.h, named, Y, by_name(solve), labels=labels, meaning="loads"
    )
    program.product("Fc", "At", closed.lam.name, meaning="constraint forces")
    program.nullspace("Z", "A", meaning="motions that the invariants allow")
    residuals = (
        projected_residual(
            program.values,
            "virtual power",
            n,
            program.find("M"),
            program.find("Q"),
            program.find("Z"),
        ),
        constraint_residual(program.values, n, program.find("A"), program.find("b"), rows),
    )
    results = {"ud": closed.ud.name, "Fc": "Fc", "lam": closed.lam.name}
    if variant == "augmented" and rows:
        results["left"] = "left"
    return Joined({**results, "M": "M", "h": "Q", "A": "A", "b": "b"}, residuals, parameters)


def with_parameters(equations: Equations, parameters: tuple[Quantity, ...]) -> Equations:
    """Return equations with further parameters, which have values of their own."""
    signature = equations.signature
    every = (*signature.parameters, *parameters)
    return replace(equations, signature=replace(signature, parameters=every))


_PARTS: Final = ("fx", "fy", "fz", "tx", "ty", "tz")


def _in_speeds(
    program: NamedProgram, tree: Links, closing: Ties, Mbar: str
) -> Callable[[NamedProgram, str, str], str]:
    """Add M, and return what adds Q: both in the speeds of the system."""
    u = tuple(s.path for s in tree.motion.speeds)
    some = [x for row in (*closing.Ma, *closing.Me, closing.he) for x in row]
    beside = closing.beside if any(x is not ZERO for x in some) else ()
    e, n = len(beside), len(closing.rates)

    def inertia(op: str, args: tuple[str, ...]) -> None:
        program.add(
            Step(
                name="M",
                op="sum" if op == "sum" else "product",
                args=args,
                meaning="inertia in the speeds",
                row_labels=u,
                column_labels=u,
            )
        )

    if tree.direct == tuple(range(len(u))) and not e:
        inertia("sum", (Mbar,))
        return lambda p, Qbar, _: p.sum("Q", Qbar, meaning="forces in the speeds")
    P = [*tree.P, *([ONE if path == each else ZERO for path in u] for each in beside)]
    labels = (*closing.rates, *beside)
    program.define("P", P, "rates of the hinges by the speeds", rows=labels, columns=u)
    program.transpose("Pt", "P")
    whole = Mbar
    if e:
        program.define("Ma", closing.Ma, "inertia that loads add", columns=beside)
        program.define("Me", closing.Me, "inertia beside the tree", columns=beside)
        whole = program.block("Mall", [[Mbar, "Ma"], [None, "Me"]])
    inertia("product", ("Pt", whole, "P"))
    drifts = any(x is not ZERO for x in tree.pd)
    if drifts:
        program.column("pd", [*tree.pd, *(ZERO for _ in range(e))], "z'' without ud", rows=labels)
        program.product("Mpd", whole, "pd")
    first = 6 * len(tree.links) + n

    def right(p: NamedProgram, Qbar: str, h: str) -> str:
        terms = [Qbar]
        if e:
            p.rows("he", h, range(first, first + e), "loads beside the tree")
            terms = [p.block("Qall", [[Qbar], ["he"]])]
        if drifts:
            terms = [p.sum("Qrel", *terms, "Mpd", signs=(1, -1))]
        return p.product("Q", "Pt", *terms, meaning="forces in the speeds")

    return right


def _ways(
    program: NamedProgram, tree: Links, levels: Levels, variant: str, named: list[Node]
) -> Solve:
    """Return what adds ud and lam, after what does not depend on loads."""
    n, m = len(tree.motion.u), len(levels.rows)
    if variant == "augmented":
        return augmented_lagrangian.prepare(program, n, _near(tree, levels))
    if variant == "partitioned":
        return partition.prepare(program, tree.motion, levels)
    # [M -A^T; A 0] [ud; lam] = [Q; -b], (61) and (63), with lam of the other sign
    program.sum("Am", "At", signs=(-1,))
    program.block("K", [["M", "Am"], ["A", None]])

    def steps(p: NamedProgram, Q: str) -> tuple[str, str]:
        p.block("k", [[Q], ["bm"]])
        p.solve("x", "K", "k", "least_squares", unique=n + (m if named else 0))
        p.rows("ud", "x", range(n), "rates of the speeds")
        p.rows("lam", "x", range(n, n + m), "multipliers")
        return "ud", "lam"

    return steps


def _near(tree: Links, levels: Levels) -> list[frozenset[int]]:
    """Return, for each invariant, the speeds that branches or other invariants connect with it."""
    every = frozenset(range(len(tree.motion.u)))
    roots = [tree.path(k)[0] for k in range(len(tree.links))]
    branches = [
        {
            j
            for k, link in enumerate(tree.links)
            if roots[k] == root
            for i in link.own
            for j in every
            if tree.P[i][j] is not ZERO
        }
        for root in sorted(set(roots))
    ]
    rows = [{j for j in every if x[j] is not ZERO} for x in levels.A]
    # a speed beside the tree may share inertia with any other
    beside = [every] if every - set().union(*branches) else []
    groups = [*branches, *rows, *beside]
    found = []
    for row in rows:
        near, size = set(row), -1
        while size != (size := len(near)):
            near.update(*(group for group in groups if near & group))
        found.append(frozenset(near))
    return found


def _open(*, symmetric: bool) -> Solve:
    """Return what adds ud of a tree without invariants: (48) and (55), no matter which variant."""

    def steps(p: NamedProgram, Q: str) -> tuple[str, str]:
        kind: SolveKind = "symmetric" if symmetric else "general"
        p.solve("ud", "M", Q, kind, meaning="rates of the speeds")
        return "ud", p.define("lam", [], "multipliers", columns=["lam"])

    return steps
