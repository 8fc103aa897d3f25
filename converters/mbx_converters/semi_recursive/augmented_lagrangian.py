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

    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix

__all__ = ["ROUNDS", "WEIGHT", "prepare"]

_LEAST: Final = Fraction(1, 10**16)
"""Of the squares of all other rows: a smaller row is none."""
WEIGHT: Final = 10**6
"""Inertia of a violation, in inertias of what the invariant moves."""
ROUNDS: Final = 8
"""How often multipliers are corrected; each round gains about six digits of well scaled rows."""


def prepare(
    p: Program, n: int, M: Matrix, A: Matrix, bm: Matrix, near: Sequence[frozenset[int]]
) -> Callable[[Program, Matrix], tuple[Matrix, ...]]:
    """Add the augmented inertia, and return what adds the iteration.

    Of n speeds, those `near` each invariant are connected with it; bm is -b.
    """
    alpha = _weights(p, n, M, A, near)
    Ata = p.let("Ata", A.T @ alpha)
    Mal = p.let("Mal", M + Ata @ A, "augmented inertia")
    s_0 = p.let("s_0", p.sum([bm]))
    every = p.stack(p.identity(n), A, M)

    def steps(p: Program, Q: Matrix) -> tuple[Matrix, ...]:
        def correct(r: Matrix, s: Matrix, k: int) -> tuple[Matrix, Matrix]:
            du = p.solve(f"du_{k}", Mal, r + Ata @ s, meaning="correction of ud")
            return du, p.let(f"dl_{k}", alpha @ (s - A @ du), "correction of lam")

        ud, lam = correct(Q, s_0, 0)
        for k in range(1, ROUNDS):
            r = p.let(f"r_{k}", Q + A.T @ lam - M @ ud, "forces left")
            s = p.let(f"s_{k}", bm - A @ ud, "violation left")
            du, dl = correct(r, s, k)
            ud = p.let(f"ud_{k + 1}", ud + du)
            lam = p.let(f"lam_{k + 1}", lam + dl)
        lam = p.let("lam", lam, "multipliers")
        # a state where it has not converged is an inconsistent one
        Qlam = p.let("Qlam", Q + A.T @ lam, "forces and reactions")
        ud = p.solve("ud", every, p.stack(ud, bm, Qlam), unique=n, meaning="rates of the speeds")
        r = p.let("r", Qlam - M @ ud, "forces left")
        s = p.let("s", bm - A @ ud, "violation left")
        return ud, lam, p.let("left", p.stack(r, s), "what the iteration leaves open")

    return steps


def _weights(p: Program, n: int, M: Matrix, A: Matrix, near: Sequence[frozenset[int]]) -> Matrix:
    """Add alpha: for each invariant, what makes A^T alpha A large beside M.

    A row that is nothing but rounding has no weight: its violation is rounding, too, and would
    be made large.

    alpha_r = WEIGHT (sum_j M_jj A_rj^2 / a_r + mean M_jj) / a_r,    a_r = sum_j A_rj^2

    The mean is that of the speeds near the row: nothing else counts.
    """
    m = len(near)
    inertia, slopes = p.entries(M), p.entries(A)
    squares = [total([power(x, 2) for x in row]) for row in slopes]
    # a row that vanishes at a state must not divide by zero
    others = [
        total([squares[k] for k in range(m) if k != r and near[k] & near[r]]) for r in range(m)
    ]
    sizes = [
        x if x.op is NUMBER and x is not ZERO else add(x, scale(_LEAST, rest))
        for x, rest in zip(squares, others, strict=True)
    ]
    size = p.elements(p.column("size", sizes, "squares of the rows of A"))
    shares = [
        ONE if whole is x else divide(x, a)
        for x, whole, a in zip(squares, sizes, size, strict=True)
    ]
    share = p.elements(p.column("share", shares, "one, or zero for a row that is rounding"))
    by_row = [total([mul(inertia[j][j], power(row[j], 2)) for j in range(n)]) for row in slopes]
    moved = p.elements(p.column("moved", by_row, "inertia that each row moves"))
    means = [
        scale(Fraction(1, len(own)), total([inertia[j][j] for j in sorted(own)])) if own else ZERO
        for own in near
    ]
    mean = p.elements(p.column("mean", means, "inertia of a speed that a row moves"))
    alpha: list[list[Node]] = [[ZERO] * m for _ in range(m)]
    for r in range(m):
        if size[r] is ZERO:  # a row of zeros pulls nothing
            alpha[r][r] = ONE
            continue
        heavy = add(divide(moved[r], size[r]), mean[r])
        alpha[r][r] = mul(scale(WEIGHT, divide(heavy, size[r])), share[r])
    return p.define("alpha", alpha, "weights of the invariants")
