"""Scales of the speeds: roots of their own inertias.

A metric in which a metre per second counts as much as a radian per second loses digits by the
square of the lengths of a mechanism over a metre. In S u, with S^2 the diagonal of the inertia,
all speeds have one unit, and every allowed motion about the same inertia.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, divide, function, power, scale, total
from mbx.expr.nodes import NUMBER, ONE, ZERO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix

__all__ = ["scale_speeds"]

_PART: Final = Fraction(1, 10**3)
"""Of other inertias, where that of the speed may vanish at a state."""
_OTHER: Final = Fraction(1, 10**12)
"""Of inertias of another unit: a millionth of the lengths, squared."""


def scale_speeds(
    program: Program,
    M: Matrix,
    A: Matrix,
    units: Sequence[str],
    *,
    symmetric: bool = True,
    ties: int = 0,
) -> Matrix:
    """Add Si, the inverse of S, from M and A; where an inertia may be negative, by its size.

    The last rows of A are `ties` of variables without inertia to others, which do not follow
    these.
    """
    inertias = _inertias(program, program.entries(M), program.entries(A), units, ties)
    root = [
        power(x if symmetric or x is ONE else function("abs", x), Fraction(1, 2)) for x in inertias
    ]
    n = len(root)
    rows = [[divide(ONE, x) if i == j else ZERO for j in range(n)] for i, x in enumerate(root)]
    return program.derived("Si", rows, "one over roots of the inertias of the speeds")


def _inertias(
    program: Program,
    M: Sequence[Sequence[Node]],
    A: Sequence[Sequence[Node]],
    units: Sequence[str],
    ties: int,
) -> list[Node]:
    """Return M_jj, with a part of others where it may vanish at a state.

    These are what an invariant ties to it and has its unit; else all of its unit, else what
    follows it. A speed without inertia has that of what follows it: then Iu are added, the
    inertias of all others.
    """
    n = len(units)
    kept = A[: len(A) - ties]
    raw = [None if M[k][k] is ZERO else M[k][k] for k in range(n)]
    inertias: list[Node | None] = []
    for j, (inertia, unit) in enumerate(zip(raw, units, strict=True)):
        if inertia is None or inertia.op is NUMBER:
            inertias.append(inertia)
            continue
        tied = {k for row in kept if row[j] is not ZERO for k in range(n) if row[k] is not ZERO}
        alike = {k for k in range(n) if units[k] == unit and raw[k] is not None} - {j}
        same = total([M[k][k] for k in sorted(tied & alike or alike)])
        inertias.append(add(inertia, scale(_PART, same if alike else _follower(kept, j, raw))))
    if None in inertias:
        column = [[ZERO if x is None else x] for x in inertias]
        Iu = program.derived("Iu", column, "inertias of the speeds that have some")
        entries = program.entries(Iu)
        inertias = [None if x is None else entries[j][0] for j, x in enumerate(inertias)]
    return _following(A, inertias)


def _following(A: Sequence[Sequence[Node]], inertias: Sequence[Node | None]) -> list[Node]:
    """Return inertias for the speeds that have none: of what follows them by the invariants."""
    known = list(inertias)
    while True:
        followers = {j: _follower(A, j, known) for j, x in enumerate(known) if x is None}
        new = {j: x for j, x in followers.items() if x is not ZERO}
        if not new:
            return [ONE if x is None else x for x in known]
        for j, x in new.items():
            known[j] = x


def _follower(A: Sequence[Sequence[Node]], j: int, inertias: Sequence[Node | None]) -> Node:
    """Return the inertia of what follows a speed by the invariants, of which some are known.

        I_j = sum_r A_rj^2 / sum_rk A_rk^2 / I_k

    A part of all I_k keeps it from zero, and from growing without end.
    """
    rows = [row for row in A if row[j] is not ZERO]
    followed = [
        (row[k], inertia)
        for row in rows
        for k, inertia in enumerate(inertias)
        if k != j and inertia is not None and row[k] is not ZERO
    ]
    if not followed:
        return ZERO
    mine = total([power(row[j], 2) for row in rows])
    every = total(list(dict.fromkeys(inertia for _, inertia in followed)))
    by = [divide(power(x, 2), inertia) for x, inertia in followed]
    least = scale(_OTHER, divide(mine, every))
    return add(divide(mine, total([*by, least])), scale(_OTHER, every))
