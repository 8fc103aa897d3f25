"""Linear equations in many digits: elimination with full pivoting, and ranks by a tolerance.

Rows and columns are scaled by powers of two beforehand, so units do not matter. The data of a
state are rounded numbers: what is below `RANK` of the largest entry counts as zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import frexp
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.verify.oracle.numbers.number_fields import Number

__all__ = ["RANK", "Reduced", "reduced", "solved"]

RANK: Final = 1e-12
EMPTY: Final = 1e-13
"""Part of the largest row or column below which it is nothing but rounding of the numbers."""
REGULAR: Final = 1e-14
"""Least pivot of a square system that counts as regular, after scaling."""


@dataclass(eq=False)
class Reduced:
    """A x + b = 0 solved for these columns: x_p = offset_p + sum of Z_pf x_f."""

    pivots: list[tuple[int, int]]
    """Rows and columns that belong to each other."""
    free: list[int]
    Z: dict[int, dict[int, Number]]
    offset: dict[int, Number]
    null: list[dict[int, Number]] = field(default_factory=list)
    """Combinations of rows that vanish, by row."""
    gaps: list[tuple[Number, Number]] = field(default_factory=list)
    """What is left of b in each of these combinations, and the sum of the magnitudes."""

    @property
    def rank(self) -> int:
        """How many rows are independent."""
        return len(self.pivots)


def _power(x: float) -> float:
    """Return a power of two near a magnitude."""
    return 2.0 ** -frexp(x)[1] if x else 1.0


def _factors(sizes: list[float], parts: Sequence[int]) -> list[float]:
    """Return factors that bring sizes near 1; what is nothing but rounding is not made large.

    That is judged by the largest size in the same part: equations that share no unknown, directly
    or through others, have no bearing on each other.
    """
    most: dict[int, float] = {}
    for size, part in zip(sizes, parts, strict=True):
        most[part] = max(size, most.get(part, 0.0))
    return [
        _power(size if size > EMPTY * most[part] else most[part])
        for size, part in zip(sizes, parts, strict=True)
    ]


def _parts(sizes: Sequence[Mapping[int, float]]) -> tuple[list[int], dict[int, int]]:
    """Return which rows, and which columns, belong to the same separate part of the equations."""
    above: dict[int, int] = {}

    def root(j: int) -> int:
        while above.setdefault(j, j) != j:
            j = above[j] = above[above[j]]
        return j

    rows = []
    for row in sizes:
        used = [j for j, v in row.items() if v]
        for j in used[1:]:
            above[root(j)] = root(used[0])
        rows.append(used[0] if used else -1)
    columns = {j: root(j) for row in sizes for j in row}
    return [columns.get(j, -1) for j in rows], columns


def _scales(
    A: Sequence[Mapping[int, Number]], columns: Sequence[int]
) -> tuple[list[float], dict[int, float]]:
    """Return factors of rows and columns that bring the largest entries near 1."""
    wanted = set(columns)
    sizes = [{j: abs(float(v)) for j, v in row.items() if j in wanted} for row in A]
    rows, cols = [1.0] * len(A), dict.fromkeys(columns, 1.0)
    of_row, of_column = _parts(sizes)
    for _ in range(2):
        most = [max((v * cols[j] for j, v in row.items()), default=0.0) for row in sizes]
        rows = _factors(most, of_row)
        largest = dict.fromkeys(columns, 0.0)
        for i, row in enumerate(sizes):
            for j, v in row.items():
                largest[j] = max(largest[j], v * rows[i])
        parts = [of_column.get(j, -1) for j in largest]
        cols = dict(zip(largest, _factors(list(largest.values()), parts), strict=True))
    return rows, cols


def reduced(
    A: Sequence[Mapping[int, Number]],
    b: Sequence[Number],
    columns: Sequence[int],
    *,
    last: Sequence[int] = (),
    tolerance: float = RANK,
) -> Reduced:
    """Solve A x + b = 0 for as many columns as it has ranks; `last` are taken only if need be."""
    rows, cols = _scales(A, columns)
    work = [
        {j: v * rows[i] * cols[j] for j, v in row.items() if j in cols} for i, row in enumerate(A)
    ]
    right = [x * rows[i] for i, x in enumerate(b)]
    track: list[dict[int, Number]] = [{i: rows[i]} for i in range(len(A))]
    left, pivots = list(range(len(A))), []
    late = set(last)
    for group in ([j for j in columns if j not in late], list(late)):
        allowed = set(group)
        while left and allowed:
            size, i, j = max(
                ((abs(float(v)), i, j) for i in left for j, v in work[i].items() if j in allowed),
                default=(0.0, -1, -1),
            )
            if size <= tolerance:
                break
            allowed.discard(j)
            left.remove(i)
            pivots.append((i, j))
            _eliminate(work, right, track, i, j)
    taken = {j for _, j in pivots}
    free = [j for j in columns if j not in taken]
    Z: dict[int, dict[int, Number]] = {}
    offset: dict[int, Number] = {}
    for i, p in pivots:
        Z[p] = {f: -v * cols[p] / cols[f] for f, v in work[i].items() if f != p and f not in taken}
        offset[p] = -right[i] * cols[p]
    null = [track[i] for i in left]
    gaps = [
        (right[i], sum((abs(x * b[k]) for k, x in track[i].items()), 0 * right[i])) for i in left
    ]
    return Reduced(pivots, free, Z, offset, null, gaps)


def _eliminate(
    work: list[dict[int, Number]],
    right: list[Number],
    track: list[dict[int, Number]],
    i: int,
    j: int,
) -> None:
    """Scale row i so that column j is 1 in it, and remove the column from all other rows."""
    inverse = 1 / work[i][j]
    pivot = work[i] = {k: v * inverse for k, v in work[i].items()}
    right[i] *= inverse
    track[i] = {k: v * inverse for k, v in track[i].items()}
    for other, row in enumerate(work):
        if other == i or j not in row:
            continue
        f = row.pop(j)
        if f == 0:
            continue
        for k, v in pivot.items():
            if k != j:
                row[k] = row[k] - f * v if k in row else -f * v
        right[other] -= f * right[i]
        mine = track[other]
        for k, v in track[i].items():
            mine[k] = mine[k] - f * v if k in mine else -f * v
    pivot[j] = 1 / inverse * inverse


def solved(
    A: Sequence[Mapping[int, Number]],
    b: Sequence[Number],
    columns: Sequence[int],
    tolerance: float = REGULAR,
) -> dict[int, Number] | None:
    """Return x with A x = b, or None if it is not unique."""
    reduction = reduced(A, [-x for x in b], columns, tolerance=tolerance)
    return reduction.offset if not reduction.free else None
