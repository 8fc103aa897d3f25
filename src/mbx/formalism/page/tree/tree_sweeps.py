"""Sweeps over the links of a page: accelerations forward, wrenches and inertias backward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import add, dot, neg, sub
from mbx.expr.nodes import ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.page.tree.tree_page import TreePage

__all__ = [
    "accelerations",
    "columns",
    "composites",
    "forces_of_motion",
    "handed",
    "handed_inertia",
    "inertia_of_rates",
    "named_rates",
    "named_symmetric",
    "rate_word",
    "wrenches",
]

Vector = list[Node]
Rows = list[list[Node]]


def columns(rows: Sequence[Sequence[Node]]) -> Rows:
    """Return the columns of a matrix."""
    return [list(column) for column in zip(*rows, strict=True)]


def accelerations(
    tree: TreePage,
    zdd: Sequence[Node] | None,
    letters: Sequence[str] = (),
    *,
    is_biased: bool = True,
) -> list[Vector]:
    """Return a_k = C_k a_p + A_k z''_k + c_k of each link, with names if letters are given.

    Args:
        tree: The tree.
        zdd: Accelerations of the hinges; None: none.
        letters: What linear and angular components are called.
        is_biased: Whether c is part of it.
    """
    made: list[Vector] = []
    for k, (link, row) in enumerate(zip(tree.tree.links, tree.rows, strict=True)):
        above = [] if link.parent is None else made[link.parent]
        own = [] if zdd is None else [zdd[j] for j in link.own]
        total = [
            add(
                dot(C, above) if above else ZERO,
                dot(A, own) if own else ZERO,
                c if is_biased else ZERO,
            )
            for C, A, c in zip(row.C, row.A, row.c, strict=True)
        ]
        if letters:
            total = [
                tree.define(_letter(tree, k, i, letters), tree.words[k], x)
                for i, x in enumerate(total)
            ]
            tree.flush()
        made.append(total)
    return made


def _letter(tree: TreePage, k: int, i: int, letters: Sequence[str]) -> str:
    """Return the letter of a component of motion: a with x, y, z, or e of what turns."""
    row = tree.rows[k].rows[i]
    if row >= 3:  # noqa: PLR2004  rows from here on are angular
        turning = [r for r in tree.rows[k].rows if r >= 3]  # noqa: PLR2004  likewise
        return letters[1] + ("" if len(turning) == 1 else "xyz"[row - 3])
    return letters[0] + "xyz"[row]


def wrenches(
    tree: TreePage, a: Sequence[Vector], letter: str = "", *, is_own: bool = False
) -> tuple[list[Vector], Vector]:
    """Return f_k = M_k a_k + G_k - F_k + sum C_j^T f_j of each link, and A^T f of each hinge."""
    n = len(tree.tree.links)
    f: list[Vector] = [[] for _ in range(n)]
    tau: Vector = [ZERO] * len(tree.tree.direct)
    for k in reversed(range(n)):
        row, link = tree.rows[k], tree.tree.links[k]
        total = [
            add(dot(m, a[k]) if a[k] else ZERO, g, neg(x))
            for m, g, x in zip(row.M, row.G, row.F, strict=True)
        ]
        for j in tree.tree.children[k]:
            total = [add(x, y) for x, y in zip(total, handed(tree, j, f[j]), strict=True)]
        if letter:
            total = [
                tree.define(letter + tree.label(k, i), tree.words[k], x, is_own=is_own)
                for i, x in enumerate(total)
            ]
            tree.flush()
        f[k] = total
        for j, A in zip(link.own, columns(row.A), strict=True):
            tau[j] = dot(A, total)
    return f, tau


def handed(tree: TreePage, j: int, f: Sequence[Node]) -> Vector:
    """Return C_j^T f: a wrench on a link as one on its parent."""
    return [dot(column, f) for column in columns(tree.rows[j].C)]


def handed_inertia(tree: TreePage, j: int, M: Sequence[Sequence[Node]]) -> Rows:
    """Return C_j^T M C_j."""
    C = columns(tree.rows[j].C)
    MC = [[dot(row, c) for row in M] for c in C]
    return [[dot(c, other) for other in MC] for c in C]


def composites(tree: TreePage, letter: str = "") -> list[Rows]:
    """Return Mc_k = M_k + sum C_j^T Mc_j C_j of each link."""
    n = len(tree.tree.links)
    made: list[Rows] = [[] for _ in range(n)]
    for k in reversed(range(n)):
        total = [list(row) for row in tree.rows[k].M]
        for j in tree.tree.children[k]:
            extra = handed_inertia(tree, j, made[j])
            total = [
                [add(x, y) for x, y in zip(*pair, strict=True)]
                for pair in zip(total, extra, strict=True)
            ]
        if letter:
            total = named_symmetric(tree, letter, k, k, total)
        made[k] = total
    return made


def named_symmetric(
    tree: TreePage, letter: str, k: int, rows_of: int, total: Sequence[Sequence[Node]]
) -> Rows:
    """Return names of the entries of a symmetric matrix in the rows of a link."""
    size = len(total)
    named: Rows = [[ZERO] * size for _ in range(size)]
    for i in range(size):
        for j in range(i, size):
            mark = f"{tree.label(rows_of, i)}{tree.label(rows_of, j)}"
            named[i][j] = named[j][i] = tree.define(letter + mark, tree.words[k], total[i][j])
    tree.flush()
    return named


def inertia_of_rates(tree: TreePage, Mc: Sequence[Rows], letter: str) -> Rows:
    """Return A_i^T Mc_k A_k for links of which one carries the other: the inertia of the rates."""
    n = len(tree.tree.direct)
    found: Rows = [[ZERO] * n for _ in range(n)]
    for k, link in enumerate(tree.tree.links):
        wrench = [[dot(row, a) for row in Mc[k]] for a in columns(tree.rows[k].A)]
        for j in reversed(tree.tree.path(k)):
            at = tree.tree.links[j]
            for i, a in zip(at.own, columns(tree.rows[j].A), strict=True):
                for m, six in zip(link.own, wrench, strict=True):
                    if j == k and i > m:
                        continue
                    value = dot(a, six)
                    index = rate_pair(tree, j, i, k, m)
                    found[i][m] = found[m][i] = tree.define(letter, index, value, is_own=True)
            wrench = [handed(tree, j, six) for six in wrench]
    tree.flush()
    return found


def rate_pair(tree: TreePage, j: int, i: int, k: int, m: int) -> str:
    """Return what stands behind a letter for two rates of hinges."""
    first, second = rate_word(tree, j, i), rate_word(tree, k, m)
    return f"{first}_{second}"


def rate_word(tree: TreePage, k: int, j: int) -> str:
    """Return the word of a rate of a hinge: the link, and which rate it is."""
    link = tree.tree.links[k]
    return tree.words[k] + tree.rate_label(k, j - link.first)


def named_rates(tree: TreePage, letter: str, values: Sequence[Node]) -> Vector:
    """Return names of forces or momenta of all rates of the tree."""
    named: Vector = []
    for k, link in enumerate(tree.tree.links):
        for j in link.own:
            named.append(tree.define(letter, rate_word(tree, k, j), values[j], is_own=True))
    tree.flush()
    return named


def forces_of_motion(tree: TreePage) -> Vector:
    """Return what the motion needs at each speed, less loads: zero without constraints."""
    zdd = [tree.acceleration(j) for j in range(len(tree.tree.direct))]
    _, tau = wrenches(tree, accelerations(tree, zdd))
    by_speeds = tree.by_speeds(tau)
    return [sub(x, tree.load_on_speed(u)) for u, x in enumerate(by_speeds)]
