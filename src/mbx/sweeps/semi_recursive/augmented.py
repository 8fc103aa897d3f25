"""The augmented Lagrangian at the level of accelerations, iterated at a state.

    (M + A^T alpha A) du = r + A^T alpha s,    r = Q + A^T lam - M ud,    s = -b - A ud
    ud <- ud + du,    lam <- lam + alpha (s - A du)

In exact numbers this is ud of (M + A^T alpha A) ud = Q + A^T (lam - alpha b), and
lam <- lam - alpha (A ud + b), as everybody writes it. Written in what is left over, rounding of
the large matrix on the left has no part in where it ends: that is where M ud = Q + A^T lam and
A ud + b = 0. Invariants that depend on each other are no trouble to it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, divide, mul, power, scale, total
from mbx.expr.nodes import NUMBER, ONE, ZERO, Node, number
from mbx.formalism.speed_scales import follower, following

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.formalism.builder import Program

__all__ = ["ROUNDS", "WEIGHT", "prepare"]

_LEAST: Final = Fraction(1, 10**16)
"""Of the squares of all other rows: a smaller row is none."""
_PART: Final = Fraction(1, 1000)
"""Of what follows a speed, which may have no inertia at a state."""
WEIGHT: Final = 10**6
"""Inertia of a violation, in inertias of what the invariant moves."""
ROUNDS: Final = 8
"""How often multipliers are corrected; each round gains about six digits of well scaled rows."""


def prepare(
    program: Program,
    units: Sequence[str],
    heavy: Sequence[bool],
    near: Sequence[frozenset[int]],
) -> Callable[[Program, str], tuple[str, str]]:
    """Add the augmented inertia, and return what adds the iteration.

    The `heavy` ones of the speeds move something with inertia. The speeds `near` each invariant
    are connected with it.
    """
    n = len(units)
    _weights(program, units, heavy, near)
    program.product("AtaA", "At", "alpha", "A")
    program.sum("Mal", "M", "AtaA", meaning="augmented inertia")
    program.product("Ata", "At", "alpha")
    program.sum("s_0", "bm")
    m = len(near)
    program.identity("one", n + m)
    program.sum("Atm", "At", signs=(-1,))
    program.block("KA", [["M", "Atm"], ["A", None]])
    program.block("oneK", [["one"], ["KA"]])

    def steps(p: Program, Q: str) -> tuple[str, str]:
        p.sum("r_0", Q)
        for k in range(ROUNDS):
            p.product(f"As_{k}", "Ata", f"s_{k}")
            p.sum(f"rs_{k}", f"r_{k}", f"As_{k}")
            p.solve(f"du_{k}", "Mal", f"rs_{k}", "general", meaning="correction of ud")
            p.product(f"Adu_{k}", "A", f"du_{k}")
            p.sum(f"sd_{k}", f"s_{k}", f"Adu_{k}", signs=(1, -1))
            p.product(f"dl_{k}", "alpha", f"sd_{k}", meaning="correction of lam")
            _add(p, "ud", k, f"du_{k}")
            _add(p, "lam", k, f"dl_{k}")
            p.product(f"Mu_{k}", "M", f"ud_{k + 1}")
            p.product(f"Al_{k}", "At", f"lam_{k + 1}")
            p.sum(f"r_{k + 1}", Q, f"Al_{k}", f"Mu_{k}", signs=(1, 1, -1), meaning="forces left")
            p.product(f"Au_{k}", "A", f"ud_{k + 1}")
            p.sum(f"s_{k + 1}", "bm", f"Au_{k}", signs=(1, -1), meaning="violation left")
        last = ROUNDS
        p.sum("ud", f"ud_{last}", meaning="rates of the speeds")
        p.sum("lam", f"lam_{last}", meaning="multipliers")
        p.block("left", [[f"r_{last}"], [f"s_{last}"]], "what the iteration leaves open")
        # a state where it has not converged is an inconsistent one
        p.block("found", [["ud"], ["lam"], [Q], ["bm"]])
        p.solve("kept", "oneK", "found", "least_squares")
        return "ud", "lam"

    return steps


def _add(p: Program, name: str, k: int, change: str) -> None:
    """Add a corrected column; the first one starts at zero."""
    p.sum(f"{name}_{k + 1}", *([f"{name}_{k}"] if k else []), change)


def _weights(
    program: Program,
    units: Sequence[str],
    heavy: Sequence[bool],
    near: Sequence[frozenset[int]],
) -> None:
    """Add alpha: for each invariant, what makes A^T alpha A large beside M.

    A row that is nothing but rounding has no weight: its violation is rounding, too, and would
    be made large.

    alpha_r = WEIGHT / sum_j A_rj^2 / (M_jj + m_j)

    m_j is the mean of the inertias of speeds near j that have its unit, so that no sum has
    terms of different units. A speed without inertia has that of what follows it.
    """
    m = len(near)
    n = len(units)
    M, A = program.entries("M"), program.entries("A")
    raw = [M[j][j] if heavy[j] else None for j in range(n)]
    own = [_inertia(j, units, near, raw, A) for j in range(n)]
    program.derived("inertias", [[x] for x in following(A, own)], "of the speeds, with a mean")
    inertias = [row[0] for row in program.entries("inertias")]
    squares = [
        total([divide(power(x, 2), y) for x, y in zip(row, inertias, strict=True)]) for row in A
    ]
    # a row that vanishes at a state must not divide by zero; rows on speeds of the same units
    # have about the same unit
    kinds = [{units[j] for j, x in enumerate(row) if x is not ZERO} for row in A]
    others = [
        total(
            [squares[k] for k in range(m) if k != r and near[k] & near[r] and kinds[k] == kinds[r]]
        )
        for r in range(m)
    ]
    sizes = [
        [x if x.op is NUMBER and x is not ZERO else add(x, scale(_LEAST, rest))]
        for x, rest in zip(squares, others, strict=True)
    ]
    program.derived("size", sizes, "squares of the rows of A, by inertias")
    shares = [
        [divide(x, size[0])] if size[0] is not x else [ONE]
        for x, size in zip(squares, sizes, strict=True)
    ]
    program.derived("share", shares, "one, or zero for a row that is rounding")
    sizes = [list(row) for row in program.entries("size")]
    shares = [list(row) for row in program.entries("share")]
    rows: list[list[Node]] = [[ZERO] * m for _ in range(m)]
    for r in range(m):
        if sizes[r][0] is ZERO:  # a row of zeros pulls nothing
            rows[r][r] = ONE
            continue
        rows[r][r] = mul(divide(number(WEIGHT), sizes[r][0]), shares[r][0])
    program.derived("alpha", rows, "weights of the invariants")


def _inertia(
    j: int,
    units: Sequence[str],
    near: Sequence[frozenset[int]],
    inertias: Sequence[Node | None],
    A: Sequence[Sequence[Node]],
) -> Node | None:
    """Return M_jj and the mean of such inertias near it; alone, a part of what follows it."""
    own = inertias[j]
    group = frozenset[int]().union(*(each for each in near if j in each))
    alike = [x for k, x in enumerate(inertias) if k in group and units[k] == units[j]]
    known = [x for x in alike if x is not None]
    if own is None or len(known) == 0:
        return own
    if len(known) == 1:
        return add(own, scale(_PART, follower(A, j, inertias)))
    return add(own, scale(Fraction(1, len(known)), total(known)))
