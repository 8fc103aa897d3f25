"""Inertias of articulated bodies, [M, H; H^T, J], handed on from a link to its parent.

f = M a + H wd + pf,    n = H^T a + J wd + pn
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.algebra.congruence import turned, turned_symmetric
from mbx.expr.build import add, cross, dot, mul, neg, sub
from mbx.expr.nodes import ZERO, Node
from mbx.mechanics.tree.base_parameters import unit_entries
from mbx_converters.recursive.link_motion import vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.mechanics.tree.links import Link

__all__ = ["by_hinge", "known_gain", "moved", "reduced", "symmetric_total", "turned_inertia"]

Rows = list[list[Node]]


def symmetric_total(parts: Sequence[Sequence[Sequence[Node]]]) -> Rows:
    """Return the sum of symmetric matrices; the lower half of each is read."""
    n = len(parts[0])
    return [
        [add(*(part[max(i, j)][min(i, j)] for part in parts)) for j in range(n)] for i in range(n)
    ]


def by_hinge(link: Link, rows: Sequence[Sequence[Node]]) -> Rows:
    """Return A^T X of a matrix of six rows."""
    columns = list(zip(*rows, strict=True))
    return [[dot(a, column) for column in columns] for a in zip(*link.A, strict=True)]


def reduced(
    link: Link,
    inertia: Sequence[Sequence[Node]],
    U: Sequence[Sequence[Node]],
    DU: Sequence[Sequence[Node]],
) -> Rows:
    """Return I - U D^-1 U^T: the inertia with the hinge free. It is zero along unit columns."""
    free = {row for row, _, _ in unit_entries(link) or ()}
    found = [[ZERO] * 6 for _ in range(6)]
    for i in range(6):
        for j in range(i + 1):
            if i in free or j in free:
                continue
            lost = [mul(DU[k][i], U[j][k]) for k in range(link.freedoms)]
            found[i][j] = found[j][i] = sub(inertia[i][j], add(*lost)) if lost else inertia[i][j]
    return found


def known_gain(link: Link, U: Sequence[Sequence[Node]], DU: Sequence[Sequence[Node]]) -> Rows:
    """Return D^-1 U^T with what is known of it: where U is zero, and along unit columns of A."""
    known = [
        [ZERO if all(x is ZERO for x in row) else gain for row, gain in zip(U, gains, strict=True)]
        for gains in DU
    ]
    for row, column, sign in unit_entries(link) or ():
        for j in range(link.freedoms):
            known[j][row] = sign if j == column else ZERO
    return known


def turned_inertia(link: Link, inertia: Sequence[Sequence[Node]]) -> Rows:
    """Return an inertia in the axes of the parent, about the same origin."""
    whole = [[inertia[max(i, j)][min(i, j)] for j in range(6)] for i in range(6)]
    M = turned_symmetric(link.R, [row[:3] for row in whole[:3]])
    H = turned(link.R, [row[3:] for row in whole[:3]])
    J = turned_symmetric(link.R, [row[3:] for row in whole[3:]])
    upper = [[*M[i], *H[i]] for i in range(3)]
    return upper + [[*(H[k][i] for k in range(3)), *J[i]] for i in range(3)]


def moved(r: Vector, inertia: Sequence[Sequence[Node]]) -> Rows:
    """Return an inertia about a point that is at -r: a = a_k + wd x r, n_k = n + r x f."""
    whole = [[inertia[max(i, j)][min(i, j)] for j in range(6)] for i in range(6)]
    M = [vector(row[:3]) for row in whole[:3]]
    H = [row[3:] for row in whole[:3]]
    # H - M r~, where a row of -M r~ is r x (row of M)
    Hm = [[add(x, y) for x, y in zip(H[i], cross(r, M[i]), strict=True)] for i in range(3)]
    J = [row[3:] for row in whole[3:]]
    Jm = [[ZERO] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(i + 1):
            Jm[i][j] = Jm[j][i] = add(J[i][j], *_torques(r, H, Hm, i, j))
    upper = [[*M[i], *Hm[i]] for i in range(3)]
    return upper + [[*(Hm[k][i] for k in range(3)), *Jm[i]] for i in range(3)]


def _torques(r: Vector, H: Rows, Hm: Rows, i: int, j: int) -> list[Node]:
    """Return the terms of (r~ H)^T + r~ (H - M r~) at i, j, one product for each part of r."""
    terms = []
    for k in range(3):
        if r[k] is ZERO:
            continue
        parts = []
        for own, other, matrix in ((i, j, Hm), (j, i, H)):
            if own != k:
                m = 3 - own - k
                x = matrix[m][other]
                parts.append(x if (own + 1) % 3 == k else neg(x))
        if parts:
            terms.append(mul(r[k], add(*parts)))
    return terms
