"""Linear algebra in many digits.

What depends on a rank goes by A = F G, with the columns F of A that have pivots and the rows
G = A_RC^-1 A_R that take them to all columns,

    A^+ = G^T (G G^T)^-1 (F^T F)^-1 F^T;

so many digits bear that conditions are squared. Pivots are chosen in doubles: those that are
clearly there are taken out at once, and what remains is scaled up and looked at again. What
is below half of the digits is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.numerics.execute import stacked_algebra
from mbx.numerics.multiprecision.digit_numbers import (
    Exact,
    Numbers,
    eye,
    floats,
    largest,
    middle,
    power_of_ten,
    zeros,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Factors", "factors", "least_squares", "nullspace", "pinv", "rounding", "sqrtm"]

_CLEAR: Final = 1e-4
"""Part of the largest one that a pivot in doubles must have."""
_DATA: Final = 1e-11
"""Part of a matrix that data with sixteen digits may leave where nothing is meant."""
_ITERATIONS: Final = 60


def rounding(numbers: Numbers) -> Any:
    """Return what is small: half of the digits."""
    return power_of_ten(numbers, -numbers.digits / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """Rows and columns of a matrix with independent entries, and G of A = A_C G."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    G: Exact

    @property
    def rank(self) -> int:
        """How many there are."""
        return len(self.rows)


def factors(numbers: Numbers, A: Exact, most: int | None = None) -> Factors:
    """Return the independent rows and columns of a matrix.

    With `most`, the rank that rounding bounds of doubles give, nothing is taken beyond it if the
    rest is small: data with sixteen digits make rows independent that are not meant to be.
    """
    m, n = A.shape
    rows: list[int] = []
    columns: list[int] = []
    bound = rounding(numbers) * largest(numbers, A)
    G = zeros(numbers, 0, n)
    while len(rows) < min(m, n):
        other = [i for i in range(m) if i not in rows], [j for j in range(n) if j not in columns]
        left = A[np.ix_(*other)]
        if rows:
            left = left - numbers.product(A[np.ix_(other[0], columns)], G[:, other[1]])
        size = largest(numbers, left)
        if not size > bound:
            break
        if most is not None and len(rows) >= most and size < _DATA * largest(numbers, A):
            break
        found = _pivots(floats(left / numbers.middle(size)))
        if not found:  # nothing but what is not known
            raise ZeroDivisionError("a rank cannot be told")
        if most is not None and len(rows) < most:
            found = found[: most - len(rows)]
        rows += [other[0][i] for i, _ in found]
        columns += [other[1][j] for _, j in found]
        G = numbers.solve(A[np.ix_(rows, columns)], A[rows])
    return Factors(tuple(rows), tuple(columns), G)


def _pivots(A: Array) -> list[tuple[int, int]]:
    """Return the places of clear pivots of a matrix, by elimination with full pivoting."""
    work = A.copy()
    found: list[tuple[int, int]] = []
    least = _CLEAR * np.abs(work).max(initial=0.0)
    while len(found) < min(A.shape):
        size = np.abs(work)
        i, j = np.unravel_index(int(size.argmax()), size.shape)
        if not size[i, j] > least:
            break
        found.append((int(i), int(j)))
        work = work - np.outer(work[:, j] / work[i, j], work[i])
        work[i], work[:, j] = 0.0, 0.0
    return found


def pinv(numbers: Numbers, A: Exact, found: Factors | None = None) -> Exact:
    """Return the Moore-Penrose inverse."""
    parts = found or factors(numbers, A)
    m, n = A.shape
    if not parts.rank:
        return zeros(numbers, n, m)
    F, G = A[:, list(parts.columns)], parts.G
    if parts.rank == m:
        left = numbers.solve(F, eye(numbers, m))
    else:
        left = numbers.solve(numbers.product(F.T, F), F.T)
    if parts.rank == n:
        back = np.empty(left.shape, dtype=object)
        back[list(parts.columns)] = left
        return back
    return numbers.product(G.T, numbers.solve(numbers.product(G, G.T), left))


def nullspace(
    numbers: Numbers,
    A: Exact,
    independent: Sequence[int] | None,
    like: Array | None,
    most: int | None = None,
) -> tuple[Exact, int]:
    """Return a basis of the null space, and the rank.

    With `independent` columns it is the unit matrix there, where the rank allows it; else it
    is orthonormal, and nearest to the basis `like`, if that is given.
    """
    n = A.shape[1]
    parts = factors(numbers, A, most)
    if independent is not None:
        star = [k for k in range(n) if k not in independent]
        dependent = factors(numbers, A[:, star], most)
        if dependent.rank == parts.rank == len(star):
            basis = zeros(numbers, n, len(independent))
            basis[list(independent)] = eye(numbers, len(independent))
            if star:
                inverse = pinv(numbers, A[:, star], dependent)
                basis[star] = -numbers.product(inverse, A[:, list(independent)])
            return basis, parts.rank
    Z = _null(numbers, parts, n)
    if like is None or like.shape != Z.shape:
        like = np.linalg.qr(floats(Z))[0] if Z.size else floats(Z)
    return _orthonormal(numbers, Z, like), parts.rank


def _null(numbers: Numbers, parts: Factors, n: int) -> Exact:
    """Return null vectors, with the unit matrix in the columns without pivots."""
    free = [j for j in range(n) if j not in parts.columns]
    Z = zeros(numbers, n, len(free))
    Z[free] = eye(numbers, len(free))
    if parts.rank:
        Z[list(parts.columns)] = -parts.G[:, free]
    return Z


def _orthonormal(numbers: Numbers, Z: Exact, like: Array) -> Exact:
    """Return the orthonormal basis with the range of Z that is nearest to a given one."""
    if not Z.size:
        return Z
    near = _exactly(numbers, like)
    inner = numbers.solve(numbers.product(Z.T, Z), numbers.product(Z.T, near))
    C = numbers.product(Z, inner)
    one = eye(numbers, C.shape[1])
    for _ in range(_ITERATIONS):
        gap = numbers.product(C.T, C) - one
        if largest(numbers, middle(numbers, gap)) <= power_of_ten(numbers, -0.9 * numbers.digits):
            return C
        # Newton and Schulz, on middles: only the range of Z must hold what is not known
        inner = middle(numbers, inner - numbers.product(inner, gap) / 2)
        C = numbers.product(Z, inner)
    raise EquationsError("a basis cannot be made orthonormal")


def _exactly(numbers: Numbers, A: Array) -> Exact:
    result = np.empty(A.shape, dtype=object)
    result.ravel()[:] = [numbers.exact(float(x)) for x in A.ravel()]
    return result


def _scales(A: Exact, together: int) -> tuple[Array, Array]:
    _, r, c = stacked_algebra.equilibrate(floats(A)[None], together)
    return r, c


def least_squares(
    numbers: Numbers,
    A: Exact,
    b: Exact,
    unique: int | None,
    together: int,
    decided: tuple[int, Array, Array] | None = None,
) -> tuple[Exact, int]:
    """Return the smallest x of those that solve A x = b best, rows scaled, and the rank.

    The rank in doubles, and scales of rows and columns, may have been `decided`.
    """
    m, n = A.shape
    most, *scales = decided or (None, *(x[0] for x in _scales(A, together)))
    r, c = (_exactly(numbers, x) for x in scales)
    scaled = r * A * c
    parts = factors(numbers, scaled, most)
    if parts.rank == m == n:
        return c.T * numbers.solve(scaled, r * b), parts.rank
    x = c.T * numbers.product(pinv(numbers, scaled, parts), r * b)
    if parts.rank < n:
        whole = factors(numbers, A, most)
        Z = _null(numbers, whole, n)
        small = rounding(numbers) if most is None else _DATA
        if unique and largest(numbers, Z[:unique]) > small:
            raise ZeroDivisionError("unknowns are not unique")
        if whole.rank != parts.rank:
            raise ZeroDivisionError("a rank depends on scales")
        inverse = numbers.solve(numbers.product(Z.T, Z), numbers.product(Z.T, x))
        x = x - numbers.product(Z, inverse)
    return x, parts.rank


def sqrtm(numbers: Numbers, A: Exact) -> Exact:
    """Return the square root of a positive definite matrix.

    This is the product form of Denman's and Beavers' iteration, (3.15) of Cheng, Higham, Kenney
    and Laub, SIAM J. Matrix Anal. Appl. 22 (2001): X -> A^1/2 where M -> I; it is scaled so that
    M and M^-1 are of one size. What remains of the square, over twice the least eigenvalue of
    the root, is what is not known of it.
    """
    if not A.size:
        return A
    one, half = eye(numbers, len(A)), numbers.exact(Fraction(1, 2))
    scale = numbers.middle(largest(numbers, A))
    X = M = middle(numbers, A / scale)
    for _ in range(_ITERATIONS):
        is_near = largest(numbers, M - one) <= rounding(numbers)
        N = numbers.nearly(M, one)
        mu2 = numbers.middle((largest(numbers, N) / largest(numbers, M)) ** half)
        N = middle(numbers, N / mu2)  # a ball would lose digits of its middle, too
        X = middle(numbers, numbers.product(X, one + N) * (mu2**half / 2))
        M = middle(numbers, (one * 2 + M * mu2 + N) / 4)
        if is_near:
            break
    else:
        raise EquationsError("a square root does not converge")
    inverse = numbers.solve(X, one)
    X = middle(numbers, X - numbers.product(inverse, numbers.product(X, X) - A / scale) / 2)
    rest = numbers.product(X, X) - A / scale
    by = len(A) * largest(numbers, rest) * largest(numbers, inverse) * len(A)
    root = scale**half
    wide = [numbers.widened(x, by) * root for x in X.ravel().tolist()]
    result = np.empty(A.shape, dtype=object)
    result.ravel()[:] = wide
    return result
