"""Gauss's principle: the accelerations of least deviation that the invariants allow.

The deviation sum of |f - m a|^2 / (2 m) is least where G(x) = M x + k has no part along any
motion that A allows: Z^T (M x + k) = 0 and A x + b = 0, with A Z = 0. Then G = A^T lam.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.verify.oracle.numbers.many_digit_solve import reduced, solved
from mbx.verify.oracle.polish import SingularError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.verify.oracle.numbers.many_digit_solve import Reduced
    from mbx.verify.oracle.numbers.number_fields import Number
    from mbx.verify.oracle.oracle_balance import Balance

__all__ = ["Solution", "force_of", "multipliers", "solve", "void_rows"]

CONTRADICTION: Final = 1e-8
"""Part of a dependent row that may remain, with all unknowns as large as the largest."""
NOTHING: Final = 1e-25
ROUNDED: Final = 64 * 2.0**-52
"""Part of the rows in the same unknowns that rounding of the numbers of a model leaves."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The unknowns, the multipliers by row, and the allowed motions by free column."""

    x: dict[int, Number]
    lam: dict[int, Number]
    Z: dict[int, dict[int, Number]]
    reduced: Reduced


def force_of(balance: Balance, x: Mapping[int, Number], column: int) -> Number:
    """Return an entry of G(x) = M x + k."""
    total = balance.k.get(column, 0)
    for j, v in balance.M.get(column, {}).items():
        if j in x:
            total = total + v * x[j]
    return total


def solve(
    A: Sequence[Mapping[int, Number]],
    b: Sequence[Number],
    balance: Balance,
    columns: Sequence[int],
) -> Solution:
    """Return the accelerations that the invariants and Gauss's principle give."""
    reduction = reduced(A, b, columns)
    Z = allowed(reduction)
    x = dict.fromkeys(columns, _zero(balance, b))
    x |= reduction.offset
    # M Z column by column, then Z^T M Z z = -Z^T (M x0 + k)
    left: list[dict[int, Number]] = []
    moved = {f: _times(balance, z) for f, z in Z.items()}
    start = {i: force_of(balance, x, i) for i in columns}
    right = []
    for z in Z.values():
        left.append({f: _dot(z, column) for f, column in moved.items()})
        right.append(-_dot(z, start))
    amount = solved(left, right, reduction.free)
    if amount is None:
        raise SingularError
    for f, size in amount.items():
        for i, v in Z[f].items():
            x[i] = x[i] + v * size
    _agree(A, b, x, reduction)
    return Solution(x, multipliers(A, balance, x, reduction), Z, reduction)


def _zero(balance: Balance, b: Sequence[Number]) -> Number:
    entry = next(iter(balance.k.values()), None)
    if entry is None:
        entry = b[0] if b else 0
    return 0 * entry


def allowed(reduction: Reduced) -> dict[int, dict[int, Number]]:
    """Return the motions that the rows allow, one for each free column."""
    Z: dict[int, dict[int, Number]] = {f: {f: 1} for f in reduction.free}
    for p, row in reduction.Z.items():
        for f, v in row.items():
            Z[f][p] = v
    return Z


def _times(balance: Balance, z: Mapping[int, Number]) -> dict[int, Number]:
    product: dict[int, Number] = {}
    for i, row in balance.M.items():
        common = [v * z[j] for j, v in row.items() if j in z]
        if common:
            product[i] = sum(common[1:], start=common[0])
    return product


def _dot(a: Mapping[int, Number], b: Mapping[int, Number]) -> Number:
    return sum(v * b[i] for i, v in a.items() if i in b)


def _agree(
    A: Sequence[Mapping[int, Number]],
    b: Sequence[Number],
    x: Mapping[int, Number],
    reduction: Reduced,
) -> None:
    """Refuse rows that depend on others and contradict them: the state is singular."""
    pivots = {i for i, _ in reduction.pivots}
    void = void_rows(A, reduction)
    most = max((abs(float(v)) for v in x.values()), default=0.0)
    for i, row in enumerate(A):
        if i in pivots:
            continue
        gap = sum((v * x[j] for j, v in row.items() if j in x), start=b[i])
        size = abs(float(b[i])) + most * sum(abs(float(v)) for j, v in row.items() if j in x)
        rounded = ROUNDED * most * void.get(i, 0.0)
        if abs(float(gap)) > max(NOTHING, CONTRADICTION * size, rounded):
            raise SingularError


def void_rows(A: Sequence[Mapping[int, Number]], reduction: Reduced) -> dict[int, float]:
    """Return rows that depend on others and are nothing but rounding of numbers of the model.

    A row that holds by itself, as across the plane of a loop, has the rounding of rows in the same
    unknowns; the value is how large the largest of these is.
    """
    pivots = {i for i, _ in reduction.pivots}
    unknowns = {*reduction.free, *(p for _, p in reduction.pivots)}
    rows = [{j: abs(float(v)) for j, v in row.items() if j in unknowns} for row in A]
    sums = [sum(row.values()) for row in rows]
    void = {}
    for i, row in enumerate(rows):
        if i not in pivots:
            near = [sums[k] for k, other in enumerate(rows) if not row.keys().isdisjoint(other)]
            largest = max(near, default=0.0)
            if sums[i] <= ROUNDED * largest:
                void[i] = largest
    return void


def multipliers(
    A: Sequence[Mapping[int, Number]],
    balance: Balance,
    x: Mapping[int, Number],
    reduction: Reduced,
) -> dict[int, Number]:
    """Return lam with A^T lam = G(x), zero for rows that depend on others."""
    rows = [i for i, _ in reduction.pivots]
    square = [{i: A[i][p] for i in rows if p in A[i]} for _, p in reduction.pivots]
    forces = [force_of(balance, x, p) for _, p in reduction.pivots]
    lam = solved(square, forces, rows)
    if lam is None:
        raise SingularError
    return lam
