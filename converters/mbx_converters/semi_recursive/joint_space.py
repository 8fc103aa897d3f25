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
from mbx.formalism.steps.shared_steps import close, constraint_residual, projected_residual
from mbx.mechanics import reactions
from mbx_converters.semi_recursive import augmented_lagrangian, baumgarte, partition

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.formalism.builder import Program
    from mbx.formalism.equations import Equations, Quantity
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.program import Residual, SolveKind
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.tree.links import Links
    from mbx.mechanics.tree.ties import Ties

    Solve = Callable[[Program, Matrix], tuple[Matrix, ...]]

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

    results: dict[str, Matrix]
    residuals: tuple[Residual, ...]
    parameters: tuple[Quantity, ...]


def close_joints(
    p: Program,
    tree: Links,
    closing: Ties,
    levels: Levels,
    variant: str,
    Mbar: Matrix,
    forces: Callable[[Program, Matrix], Matrix],
) -> Joined:
    """Add the steps from the inertia Mbar to ud and lam; `forces(p, h)` adds Qbar from loads h."""
    moving = tree.motion
    u, rows = [s.path for s in moving.speeds], [r.path for r in levels.rows]
    n = len(u)
    p.begin("invariants")
    A = p.define("A", levels.A, "invariants by ud", rows=rows, columns=u)
    b = p.column("b", levels.b, "invariants without ud", rows=rows)
    At = A.T
    M, right = _in_speeds(p, tree, closing, Mbar)
    parameters: tuple[Quantity, ...] = ()
    named = reactions.named_in(levels, closing.h)
    if not rows:
        added = any(x is not ZERO for row in (*closing.Ma, *closing.Me) for x in row)
        ways = _open(M, "general" if added else "symmetric")
    else:
        bm = -b
        if variant == "baumgarte":
            bm, parameters = baumgarte.feedback(p, levels, b)
        ways = _ways(p, tree, levels, variant, named, M, A, bm)

    def solve(p: Program, h: Matrix) -> tuple[Matrix, ...]:
        Q = right(p, forces(p, h), h)
        ud, lam, *left = ways(p, Q)
        return ud, lam, Q, *left

    labels = [f"{part} on {link.path}" for link in tree.links for part in _PARTS]
    labels += [*closing.rates, *closing.beside]
    Y = reactions.reaction_map(levels, named)
    closed = close(p, closing.h, named, Y, solve, labels=labels, meaning="loads")
    Fc = p.let("Fc", At @ closed.lam, "constraint forces")
    Z = p.null("Z", A, meaning="motions that the invariants allow")
    Q, *left = closed.others
    residuals = (
        projected_residual(p, "virtual power", n, M, Q, Z),
        constraint_residual(p, n, A, b, rows),
    )
    results = {"ud": closed.ud, "Fc": Fc, "lam": closed.lam}
    if left:  # of the augmented Lagrangian
        (results["left"],) = left
    return Joined({**results, "M": M, "h": Q, "A": A, "b": b}, residuals, parameters)


def with_parameters(equations: Equations, parameters: tuple[Quantity, ...]) -> Equations:
    """Return equations with further parameters, which have values of their own."""
    signature = equations.signature
    every = (*signature.parameters, *parameters)
    return replace(equations, signature=replace(signature, parameters=every))


_PARTS: Final = ("fx", "fy", "fz", "tx", "ty", "tz")


def _in_speeds(
    p: Program, tree: Links, closing: Ties, Mbar: Matrix
) -> tuple[Matrix, Callable[[Program, Matrix, Matrix], Matrix]]:
    """Add M, and return it and what adds Q: both in the speeds of the system."""
    u = tuple(s.path for s in tree.motion.speeds)
    every = [x for row in (*closing.Ma, *closing.Me, closing.he) for x in row]
    beside = closing.beside if any(x is not ZERO for x in every) else ()
    e, n = len(beside), len(closing.rates)
    of_M, of_Q = "inertia in the speeds", "forces in the speeds"
    if tree.direct == tuple(range(len(u))) and not e:
        M = p.let("M", Mbar, of_M, rows=u, columns=u)
        return M, lambda p, Qbar, _: p.let("Q", Qbar, of_Q)
    rows = [*tree.P, *([ONE if path == each else ZERO for path in u] for each in beside)]
    labels = (*closing.rates, *beside)
    P = p.define("P", rows, "rates of the hinges by the speeds", rows=labels, columns=u)
    Pt = P.T
    if e:
        Ma = p.define("Ma", closing.Ma, "inertia that loads add", columns=beside)
        Me = p.define("Me", closing.Me, "inertia beside the tree", columns=beside)
        Mbar = p.let("Mall", p.block([[Mbar, Ma], [None, Me]]))
    M = p.let("M", Pt @ Mbar @ P, of_M, rows=u, columns=u)
    drifts = any(x is not ZERO for x in tree.pd)
    if drifts:
        drift = [*tree.pd, *(ZERO for _ in range(e))]
        Mpd = Mbar @ p.column("pd", drift, "z'' without ud", rows=labels)
    first = 6 * len(tree.links) + n

    def right(p: Program, Qbar: Matrix, h: Matrix) -> Matrix:
        if e:
            he = p.let("he", h.rows(range(first, first + e)), "loads beside the tree")
            Qbar = p.let("Qall", p.stack(Qbar, he))
        if drifts:
            Qbar -= Mpd
        return p.let("Q", Pt @ Qbar, of_Q)

    return M, right


def _ways(
    p: Program,
    tree: Links,
    levels: Levels,
    variant: str,
    named: list[Node],
    M: Matrix,
    A: Matrix,
    bm: Matrix,
) -> Solve:
    """Return what adds ud and lam, after what does not depend on loads."""
    n, m = len(tree.motion.u), len(levels.rows)
    if variant == "augmented":
        return augmented_lagrangian.prepare(p, n, M, A, bm, _near(tree, levels))
    if variant == "partitioned":
        return partition.prepare(p, tree.motion, levels, M, A, bm)
    # [M -A^T; A 0] [ud; lam] = [Q; -b], (61) and (63), with lam of the other sign
    K = p.block([[M, -A.T], [A, None]])

    def steps(p: Program, Q: Matrix) -> tuple[Matrix, ...]:
        x = p.solve("x", K, p.stack(Q, bm), unique=n + (m if named else 0))
        ud = p.let("ud", x.rows(range(n)), "rates of the speeds")
        return ud, p.let("lam", x.rows(range(n, n + m)), "multipliers")

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


def _open(M: Matrix, kind: SolveKind) -> Solve:
    """Return what adds ud of a tree without invariants: (48) and (55), no matter which variant."""

    def steps(p: Program, Q: Matrix) -> tuple[Matrix, ...]:
        ud = p.solve("ud", M, Q, kind, meaning="rates of the speeds")
        return ud, p.define("lam", [], "multipliers", columns=["lam"])

    return steps
