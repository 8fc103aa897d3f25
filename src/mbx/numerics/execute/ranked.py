"""Steps that depend on a rank, written out for the rank that they have at one state.

Rows that are independent there are taken, and those that depend on them are dropped. So it is
at every state but the singular ones, as code for one mechanism would have it. Of rows and
columns that could be taken, those are that are independent at the other states as well.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.algebra.elimination import is_symmetric, solve_general, solve_symmetric
from mbx.expr.build import add, function, less, mul, neg, scale, total
from mbx.expr.nodes import ZERO, number, symbol
from mbx.formalism.shapes import Matrix, chain, product, transposed, unit
from mbx.numerics.execute import stacked_algebra
from mbx.numerics.ranks import cleaned, equilibrate, factors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from mbx.expr.nodes import Node
    from mbx.formalism.program import Step
    from mbx.numerics.bounds import Point
    from mbx.numerics.execute.stacked_algebra import Array


__all__ = [
    "common_block",
    "common_pivots",
    "inverse_at",
    "least_squares_at",
    "null_space_at",
    "pivots",
    "ranks",
    "solved_at",
]

_PIVOT_NOISE: Final = 1e-9
"""Part of the largest one below which a singular value, or a row, has no pivot."""
_LEAST: Final = 1e-3
"""Part of the largest entry of its row that a pivot is at least."""
_COMMON: Final = 0.1
"""The same, at every one of several states."""
_WHOLE: Final = 0.5
"""Part of the best entry that is left, both at their worst states, that a pivot is at least."""
_AS_GOOD: Final = 0.5
"""Part of the largest one of all blocks from which on a least singular value is as good."""


def pivots(A: Array, noise: Array, together: int = 0) -> list[tuple[int, int]]:
    """Return rows and columns of a largest regular block, in an order to eliminate in.

    `noise` bounds the errors of the entries. The first rows, as many as are `together`, have one
    scale, for some may be rounding only.
    """
    count = int(ranks(A[None], noise[None], together)[0])
    if not count:
        return []
    W = equilibrate(cleaned(A, noise)[None], together)[0][0]
    filled = W != 0
    found: list[tuple[int, int]] = []
    while len(found) < count:
        size = np.abs(W)
        largest = size.max(axis=1, keepdims=True)
        able = (size >= _LEAST * largest) & (largest > _PIVOT_NOISE * size.max())
        others = (filled.sum(axis=1)[:, None] - 1) * (filled.sum(axis=0)[None, :] - 1)
        fill = np.where(able, others, np.iinfo(np.int64).max)
        # of equal ones the last, as in all eliminations of the graph
        at = fill.size - 1 - int(np.argmin(fill.ravel()[::-1]))
        i, j = divmod(at, W.shape[1])
        found.append((i, j))
        W = W - np.outer(W[:, j] / W[i, j], W[i])
        filled = filled | np.outer(filled[:, j], filled[i])
        for whole in (W, filled):
            whole[i], whole[:, j] = 0, 0
    return found


def ranks(A: Array, noise: Array, together: int = 0) -> NDArray[np.int64]:
    """Return how many pivots matrices, (K, m, n), have at each state."""
    parts = factors(A, noise, together)
    sizes = np.where(np.arange(parts.s.shape[1]) < parts.ranks[:, None], parts.s, 0.0)
    # in general position a value as small as that is left by a state that is not quite consistent
    least = _PIVOT_NOISE * sizes.max(axis=1, keepdims=True, initial=0.0)
    return np.asarray((sizes > least).sum(axis=1), dtype=np.int64)


def common_block(
    A: Array, noise: Array, together: int = 0, *, symmetric: bool = False
) -> list[tuple[int, int]]:
    """Return rows and columns of a largest regular block, about the best one at all K states.

    The first state, in general position, says the rank; states where it is another one do not
    count. Its own pivots are taken, for they fill fewest entries, unless at some state another
    block is better: its least singular value is larger, by whose inverse errors are magnified.
    A block of a symmetric matrix has the same rows as columns: where rows of it are independent,
    so are these columns.
    """
    first = pivots(A[0], noise[0], together)
    count, blocks = len(first), [first]
    same = ranks(A, noise, together) == count
    W = equilibrate(cleaned(A[same], noise[same]), together)[0]
    if 0 < count < max(W.shape[1:]) and len(W) > 1:
        # good at all states, and at each of them
        some = (W, *(W[k : k + 1] for k in range(len(W))))
        found = (_eliminated(each, count, whole=True) for each in some)
        blocks += list({tuple(sorted(block)): block for block in found if block}.values())
    if symmetric:
        sides = [[pair[k] for pair in block] for block in blocks for k in (0, 1)]
        blocks = [list(zip(side, side, strict=True)) for side in sides]
    return blocks[0] if len(blocks) == 1 else _best(W, blocks)


def _best(W: Array, blocks: Sequence[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """Return the first block that is as good as any at all states, or the one that nearly is."""
    least = np.stack([_least(W, block) for block in blocks])
    largest = least.max(axis=0)
    part = np.divide(least, largest, out=np.ones_like(least), where=largest > 0).min(axis=1)
    return blocks[int(np.argmax(part >= min(_AS_GOOD, part.max())))]


def _least(W: Array, block: list[tuple[int, int]]) -> Array:
    """Return the least singular value of a block at each state."""
    if not block:
        return np.ones(len(W))
    rows, columns = zip(*block, strict=True)
    part = W[:, rows][:, :, columns]
    return np.asarray(np.linalg.svd(part, compute_uv=False)[:, -1])


def common_pivots(A: Array) -> list[tuple[int, int]]:
    """Return pivots of square matrices, (K, n, n), that are good at all K states at once.

    Where no entry is large enough at all of them, the one that is least small at its worst.
    """
    return _eliminated(equilibrate(A)[0], A.shape[-1], whole=False)


def _eliminated(W: Array, count: int, *, whole: bool) -> list[tuple[int, int]]:
    """Return so many pivots of scaled matrices, or none where a state has none left.

    At each state an entry is measured by the largest one of its row, or of the whole matrix.
    """
    filled = (W != 0).any(axis=0)
    found: list[tuple[int, int]] = []
    while len(found) < count:
        size = np.abs(W)
        largest = size.max(axis=(1, 2) if whole else 2, keepdims=True)
        worst = np.where(largest > 0, size / np.where(largest > 0, largest, 1.0), 0.0).min(axis=0)
        best = float(worst.max())
        if best <= (_PIVOT_NOISE if whole else 0.0):
            return []
        least = _WHOLE * best if whole else min(_COMMON, best)
        others = (filled.sum(axis=1)[:, None] - 1) * (filled.sum(axis=0)[None, :] - 1)
        fill = np.where(worst >= least, others, np.iinfo(np.int64).max)
        at = fill.size - 1 - int(np.argmin(fill.ravel()[::-1]))
        i, j = divmod(at, W.shape[2])
        found.append((i, j))
        W = W - W[:, :, j, None] / W[:, i, None, j, None] * W[:, i, None, :]
        filled = filled | np.outer(filled[:, j], filled[i])
        W[:, i], W[:, :, j] = 0, 0
        filled[i], filled[:, j] = False, False
    return found


_FAR: Final = 1e-6
"""Likewise, where the matrix is nearly singular."""
_BLURRED: Final = 1e-2
"""Part of a solution that its bounds reach only by dividing by rounding."""
_WORSE: Final = 100.0
"""Times more that is lost by pivots than by the matrix itself."""

_HOLDS: Final = Fraction(1, 10**7)
"""Part of the terms of a row by which it may be off at a state that keeps the invariants."""
_NOISE: Final = 1e6
"""How many times as large as at the known states the rounding of an entry may be."""

Rows = list[list["Node"]]


def null_space_at(step: Step, B: Matrix, at: Point) -> Matrix:
    """Return [-B_*^-1 B_#; 1], with the columns # of the step where the rank allows it."""
    V, noise = _states(B, at)
    every = range(B.columns)
    found = common_block(V, noise)
    if step.indices is not None:
        star = [k for k in every if k not in step.indices]
        hinted = common_block(V[:, :, star], noise[:, :, star])
        if len(hinted) == len(found) == len(star):
            found = [(i, star[j]) for i, j in hinted]
    taken = sorted(i for i, _ in found)
    star = sorted(j for _, j in found)
    sharp = [k for k in every if k not in star]
    right = Matrix([[neg(B.rows[i][j]) for j in sharp] for i in taken], len(sharp))
    X = solved_at(B.part(taken, star), right, at)
    rows: dict[int, list[Node]] = dict(zip(star, X.rows, strict=True))
    rows |= dict(zip(sharp, unit(len(sharp)).rows, strict=True))
    N = Matrix([rows[k] for k in every], len(sharp))
    if len(taken) < len(B.rows):
        _doubt(B, N, None, at)
    return N


def inverse_at(A: Matrix, at: Point) -> Matrix:
    """Return the Moore-Penrose inverse from factors of full rank, A = L R."""
    X = _inverse_by_factors(A, at)
    if len(common_block(*_states(A, at))) < len(A.rows):
        _doubt(A, product(X, A), A, at)
    return X


def _inverse_by_factors(A: Matrix, at: Point) -> Matrix:
    found = common_block(*_states(A, at))
    taken, n, r = sorted(i for i, _ in found), A.columns, len(found)
    every = list(range(n))
    if r == n < len(A.rows):
        return transposed(_inverse_by_factors(transposed(A), at))
    R = A.part(taken, every)
    if r == n:
        right = solved_at(R, unit(n), at)
    else:
        Rt = transposed(R)
        right = product(Rt, solved_at(product(R, Rt), unit(r), at))  # R^T (R R^T)^-1
    left = _factor(A, taken, right, at)
    if left is None:
        return _placed(right, taken, len(A.rows))
    Lt = transposed(left)
    return chain([right, solved_at(product(Lt, left), unit(r), at), Lt])  # R^+ (L^T L)^-1 L^T


def _factor(A: Matrix, taken: Sequence[int], right: Matrix, at: Point) -> Matrix | None:
    """Return L = A R^+, or None where rows that were not taken are zero."""
    others = [i for i in range(len(A.rows)) if i not in taken]
    rest = A.part(others, range(A.columns))
    if not np.any(cleaned(*_numbers(rest, at))):
        return None
    rows = dict(zip(others, product(rest, right).rows, strict=True))
    rows |= dict(zip(taken, unit(len(taken)).rows, strict=True))
    return Matrix([rows[i] for i in range(len(A.rows))], len(taken))


def _placed(a: Matrix, columns: Sequence[int], width: int) -> Matrix:
    """Return a matrix whose columns stand in these places, and zeros in the others."""
    rows = [[ZERO] * width for _ in a.rows]
    for new, old in zip(rows, a.rows, strict=True):
        for j, x in zip(columns, old, strict=True):
            new[j] = x
    return Matrix(rows, width)


def least_squares_at(step: Step, A: Matrix, B: Matrix, at: Point) -> Matrix:
    """Return a solution of consistent equations from independent rows of them.

    Unknowns that need not be unique are zero where others suffice; where nothing is said of
    what must be unique, the solution is the smallest.
    """
    V, noise = _states(A, at)
    symmetric = len(A.rows) == A.columns and is_symmetric(A.rows)
    found = common_block(V, noise, step.together, symmetric=symmetric)
    r, n = len(found), A.columns
    if r < n and step.unique is None:
        return product(inverse_at(A, at), B)
    others = pivots(V[0, :, step.unique :], noise[0, :, step.unique :], step.together)
    if r < n and r < (step.unique or 0) + len(others):
        raise ValueError("an unknown that must be unique is not")
    rows, columns = sorted(i for i, _ in found), sorted(j for _, j in found)
    X = solved_at(A.part(rows, columns), B.part(rows, range(B.columns)), at)
    filled = [[ZERO] * B.columns for _ in range(n)]
    for j, row in zip(columns, X.rows, strict=True):
        filled[j] = row
    solution = Matrix(filled, B.columns)
    if r < max(len(A.rows), n):
        _doubt(A, solution, B, at)
    return solution


def _doubt(A: Matrix, X: Matrix, B: Matrix | None, at: Point) -> None:
    """Take in that rows of A X = B, or zero, do not hold at a state by what their terms explain.

    Columns count by their sizes at the known states. Entries that are rounding at all of these
    say nothing: they have the bounds that they have there.
    """
    if at.doubts is None:
        return
    noise = _NOISE * _states(A, at)[1].max(axis=0)
    off, size = Matrix([], X.columns), Matrix([], X.columns)
    for row, blur in zip(A.rows, noise.tolist(), strict=True):
        parts = [[mul(a, x[k]) for a, x in zip(row, X.rows, strict=True)] for k in range(X.columns)]
        if B is not None:
            parts = [[*some, neg(b)] for some, b in zip(parts, B.rows[len(off.rows)], strict=True)]
        off.rows.append([function("abs", total(some)) for some in parts])
        least = [
            total(
                [mul(number(e), function("abs", x[k])) for e, x in zip(blur, X.rows, strict=True)]
            )
            for k in range(X.columns)
        ]
        own = [scale(_HOLDS, total([function("abs", one) for one in some])) for some in parts]
        size.rows.append([add(*both) for both in zip(own, least, strict=True)])
    columns = _states(size, at)[0].max(axis=(0, 1))
    weights = [number(1.0 / x) if x > 0 else ZERO for x in columns.tolist()]
    for one, most in zip(off.rows, size.rows, strict=True):
        by, limit = (
            total([mul(w, x) for w, x in zip(weights, some, strict=True)]) for some in (one, most)
        )
        # a row that is rounding throughout is off its own terms also where all is well
        here = at.of([[by, limit]], 2)[0]
        if by is not ZERO and here[0] <= here[1]:
            at.doubts.append(less(limit, by))


def solved_at(A: Matrix, B: Matrix, at: Point, *, symmetric: bool = False) -> Matrix:
    """Return the solution of regular equations.

    Pivots are chosen by where zeros stand. One that is zero at all states, though not by its
    expression, spoils the solution at this one: then pivots are chosen by their values. So they
    are if it is zero at one of the other states at which the matrix is regular.
    """
    if not A.rows:
        return Matrix([], B.columns)
    V, noise = _numbers(A, at)
    V = cleaned(V, noise)
    natural = solve_symmetric if symmetric or is_symmetric(A.rows) else solve_general
    off = _off(natural, A, V, at)
    elsewhere, regular = _elsewhere(A, at)
    if off <= at.close and _worst(natural, A, elsewhere, regular, at) <= at.close:
        return Matrix(natural(A.rows, B.rows), B.columns)
    found = pivots(V, noise)
    if len(found) < len(A.rows):
        raise ValueError("the matrix is singular")
    ways = [natural, _guided(found[::-1], A.columns)]
    if regular.any():
        common = common_pivots(np.concatenate([V[None], elsewhere[regular]]))
        ways += [_guided(common[::-1], A.columns)] if common else []
    errors = [_off(way, A, V, at) for way in ways]
    least = min(errors)
    if least > _FAR:
        raise ValueError("the matrix is singular")
    # where all lose digits, it is the matrix and no pivot
    sound = zip(ways, errors, strict=True)
    able = [way for way, error in sound if error <= max(_WORSE * least, at.close)]
    best = min(able, key=lambda way: _worst(way, A, elsewhere, regular, at))
    return Matrix(best(A.rows, B.rows), B.columns)


def _guided(order: Sequence[tuple[int, int]], n: int) -> Callable[[Rows, Rows], Rows]:
    """Return a way to solve with pivots in this order."""
    columns = [j for _, j in order]

    def solve(rows: Rows, right: Rows) -> Rows:
        found = solve_general(
            [[rows[i][j] for j in columns] for i, _ in order], [right[i] for i, _ in order]
        )
        return [found[columns.index(k)] for k in range(n)]

    return solve


def _elsewhere(A: Matrix, at: Point) -> tuple[Array, NDArray[np.bool_]]:
    """Return the values of a matrix at the other states, and at which of them it is regular.

    Where it is not, they are zero.
    """
    V, noise = at.others.of(A.rows, A.columns)
    regular = np.asarray(np.isfinite(V).all(axis=(1, 2)))
    regular[regular] = ranks(V[regular], noise[regular]) == len(A.rows)
    return np.where(regular[:, None, None], cleaned(V, noise), 0.0), regular


def _worst(
    way: Callable[[Rows, Rows], Rows],
    A: Matrix,
    V: Array,
    regular: NDArray[np.bool_],
    at: Point,
) -> float:
    """Return how far a way to solve is off at the worst of the other states."""
    if not regular.any():
        return 0.0
    true = np.swapaxes(stacked_algebra.equilibrate(V)[2], 1, 2)
    right = [symbol(f"right side {k}") for k in range(len(A.rows))]
    try:
        X = way(A.rows, [[b] for b in right])
    except (ArithmeticError, ValueError):  # a pivot is zero
        return np.inf
    found, noise = at.others.of(X, 1, dict(zip(right, (V @ true)[:, :, 0].T, strict=True)))
    off = np.abs(found / true - 1.0)
    known = np.isfinite(off) & (noise < _BLURRED * true)
    return float(np.where(known, off, np.inf)[regular].max())


def _off(solve: Callable[[Rows, Rows], Rows], A: Matrix, V: Array, at: Point) -> float:
    """Return how far a way to solve is off at the state, where the solution is known.

    A pivot that is nothing but rounding may give it by chance: then its bounds are as large as
    the solution, and the way is no good.
    """
    true = stacked_algebra.equilibrate(V[None])[2][0].T
    try:
        X = solve(A.rows, [[number(float(x))] for (x,) in V @ true])
        off = float(np.abs(at.of(X, 1) / true - 1.0).max())
    except (ArithmeticError, ValueError):  # a pivot is zero
        return np.inf
    known = bool((at.noise(X, 1) < _BLURRED * true).all())
    return off if known and np.isfinite(off) else np.inf


def _states(A: Matrix, at: Point) -> tuple[Array, Array]:
    """Return the values of a matrix and their bounds at a state, and at the others behind it."""
    V, noise = _numbers(A, at)
    W, more = at.others.of(A.rows, A.columns)
    known = np.isfinite(W).all(axis=(1, 2))
    return np.concatenate([V[None], W[known]]), np.concatenate([noise[None], more[known]])


def _numbers(A: Matrix, at: Point) -> tuple[Array, Array]:
    return at.of(A.rows, A.columns), at.noise(A.rows, A.columns)
