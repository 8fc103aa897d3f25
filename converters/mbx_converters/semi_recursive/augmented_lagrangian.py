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
from mbx.expr.nodes import NUMBER, ONE, ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.formalism.named_program import NamedProgram

__all__ = ["ROUNDS", "WEIGHT", "prepare"]

_LEAST: Final = Fraction(1, 10**16)
"""Of the squares of all other rows: a smaller row is none."""
WEIGHT: Final = 10**6
"""Inertia of a violation, in inertias of what the invariant moves."""
ROUNDS: Final = 8
"""How often multipliers are corrected; each round gains about six digits of well scaled rows."""


def prepare(
    program: NamedProgram, n: int, near: Sequence[frozenset[int]]
) -> Callable[[NamedProgram, str], tuple[str, str]]:
    """Add the augmented inertia, and return what adds the iteration.

    Of n speeds, those `near` each invariant are connected with it.
    """
    _weights(program, n, near)
    program.product("AtaA", "At", "alpha", "A")
    program.sum("Mal", "M", "AtaA", meaning="augmented inertia")
    program.product("Ata", "At", "alpha")
    program.sum("s_0", "bm")
    program.identity("one", n)
    program.block("oneAM", [["one"], ["A"], ["M"]])

    def steps(p: NamedProgram, Q: str) -> tuple[str, str]:
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
            p.product(f"Al_{k}", "At", f"lam_{k + 1}")
            if k == ROUNDS - 1:
                break
            p.product(f"Mu_{k}", "M", f"ud_{k + 1}")
            p.sum(f"r_{k + 1}", Q, f"Al_{k}", f"Mu_{k}", signs=(1, 1, -1), meaning="forces left")
            p.product(f"Au_{k}", "A", f"ud_{k + 1}")
            p.sum(f"s_{k + 1}", "bm", f"Au_{k}", signs=(1, -1), meaning="violation left")
        last = ROUNDS
        p.sum("lam", f"lam_{last}", meaning="multipliers")
        # a state where it has not converged is an inconsistent one
        p.sum("Qlam", Q, f"Al_{last - 1}", meaning="forces and reactions")
        p.block("said", [[f"ud_{last}"], ["bm"], ["Qlam"]])
        p.solve("ud", "oneAM", "said", "least_squares", unique=n, meaning="rates of the speeds")
        p.product("Mud", "M", "ud")
        p.product("Aud", "A", "ud")
        p.sum("r", "Qlam", "Mud", signs=(1, -1), meaning="forces left")
        p.sum("s", "bm", "Aud", signs=(1, -1), meaning="violation left")
        p.block("left", [["r"], ["s"]], "what the iteration leaves open")
        return "ud", "lam"

    return steps


def _add(p: NamedProgram, name: str, k: int, change: str) -> None:
    """Add a corrected column; the first one starts at zero."""
    p.sum(f"{name}_{k + 1}", *([f"{name}_{k}"] if k else []), change)


def _weights(program: NamedProgram, n: int, near: Sequence[frozenset[int]]) -> None:
    """Add alpha: for each invariant, what makes A^T alpha A large beside M.

    A row that is nothing but rounding has no weight: its violation is rounding, too, and would
    be made large.

    alpha_r = WEIGHT (sum_j M_jj A_rj^2 / a_r + mean M_jj) / a_r,    a_r = sum_j A_rj^2

    The mean is that of the speeds near the row: nothing else counts.
    """
    m = len(near)
    M, A = program.entries("M"), program.entries("A")
    squares = [total([power(x, 2) for x in row]) for row in A]
    # a row that vanishes at a state must not divide by zero
    others = [
        total([squares[k] for k in range(m) if k != r and near[k] & near[r]]) for r in range(m)
    ]
    sizes = [
        [x if x.op is NUMBER and x is not ZERO else add(x, scale(_LEAST, rest))]
        for x, rest in zip(squares, others, strict=True)
    ]
    program.derived("size", sizes, "squares of the rows of A")
    shares = [
        [divide(x, size[0])] if size[0] is not x else [ONE]
        for x, size in zip(squares, sizes, strict=True)
    ]
    program.derived("share", shares, "one, or zero for a row that is rounding")
    moved = [total([mul(M[j][j], power(row[j], 2)) for j in range(n)]) for row in A]
    program.derived("moved", [[x] for x in moved], "inertia that each row moves")
    means = [
        [scale(Fraction(1, len(own)), total([M[j][j] for j in sorted(own)])) if own else ZERO]
        for own in near
    ]
    program.derived("mean", means, "inertia of a speed that a row moves")
    sizes, inertias = program.entries("size"), program.entries("moved")
    shares = [list(row) for row in program.entries("share")]
    means = [list(row) for row in program.entries("mean")]
    rows: list[list[Node]] = [[ZERO] * m for _ in range(m)]
    for r in range(m):
        if sizes[r][0] is ZERO:  # a row of zeros pulls nothing
            rows[r][r] = ONE
            continue
        heavy = add(divide(inertias[r][0], sizes[r][0]), means[r][0])
        weight = scale(WEIGHT, divide(heavy, sizes[r][0]))
        rows[r][r] = mul(weight, shares[r][0])
    program.derived("alpha", rows, "weights of the invariants")
