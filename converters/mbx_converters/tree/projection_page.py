"""What the hinges of a tree hold, on a page: H_Sigma = Z^T S M^-1 S^T Z and its unknowns.

    H_Sigma lam = Z^T (b - S M^-1 (S^T m - a)),    y = Z lam + m                       (36), (37)

lam are the parts of y, reactions or momenta, across the hinges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import add, divide, dot, neg, sub
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.page.tree.tree_sweeps import accelerations, columns, handed, wrenches
from mbx.mechanics.tree.links import complement
from mbx_converters.tree.links_page import begin, note_constraints, write_twists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.formalism.page.tree.tree_page import TreePage
    from mbx.system.system import System

__all__ = ["write_first_kind_page", "write_held"]

Vector = list[Node]
Rows = list[list[Node]]


def write_first_kind_page(
    system: System, equations: Equations, options: PageOptions, title: str
) -> Page:
    """Return H_Sigma, what the hinges hold, the balances, and what they leave to the hinges."""
    tree = begin(system, equations, options, title, is_centred=True)
    page = tree.page
    write_twists(tree, is_whole=False)
    page.step("Rates of the twists", "S v' = A z'' + c, first the linear rates a, then e.")
    zdd = tree.own_accelerations()
    a = accelerations(tree, zdd, ("a", "e"))
    page.drop_empty()
    page.step(
        "Balances at the mass centres, leaves to ground",
        "S^T R = M v' + G - F: R = Z lam + m, lam across the hinge, m = A (A^T A)^-1 Q along it.",
    )
    R, tau = wrenches(tree, a, "R", is_own=True)
    note_constraints(tree)
    page.drop_empty()
    loads = [[sub(g, f) for g, f in zip(row.G, row.F, strict=True)] for row in tree.rows]
    write_held(tree, R, loads, [[neg(x) for x in row.c] for row in tree.rows], "(36)")
    page.section("Equations of motion", "A^T R = Q along the hinges.")
    rows = [sub(x, tree.load_on_speed(u)) for u, x in enumerate(tree.by_speeds(tau))]
    tree.finish(rows, rows)
    return page.page()


def write_held(
    tree: TreePage, y: Sequence[Vector], a: Sequence[Vector], b: Sequence[Vector], number: str
) -> None:
    """Write the blocks of H_Sigma, and Z^T (S x + b) = 0 with M x = S^T y - a in them."""
    page, n = tree.page, len(tree.rows)
    inverses = [_inverse(row.M) for row in tree.rows]
    Z = [_across(tree, k) for k in range(n)]
    page.step(
        "What the hinges hold",
        "Z^T S x = Z^T (A z + c) has no z, and M x = S^T y - a: H_Sigma = Z^T S M^-1 S^T Z has "
        f"blocks of links that touch, lam are the parts of y across the hinges. {number}",
    )
    if any(x is None for x in (*inverses, *Z)):
        page.note(
            "A link without inertia in a direction hands on what acts on it: no short blocks."
        )
        return
    x = [_moved(tree, k, y, a, inverses) for k in range(n)]
    for k, row in enumerate(tree.rows):
        link = tree.tree.links[k]
        above = [] if link.parent is None else x[link.parent]
        blocks = _block(tree, k, inverses, Z)
        for position, z in enumerate(Z[k] or []):
            mark = "" if len(Z[k] or []) == 1 else str(position + 1)
            tree.define(f"H{mark}", tree.words[k], blocks[position], is_own=True)
            over = [
                add(own, neg(dot(C, above)) if above else ZERO, extra)
                for own, C, extra in zip(x[k], row.C, b[k], strict=True)
            ]
            held = tree.tidied([dot(z, over)])[0]
            tree.flush()
            if held is not ZERO:
                tree.put((held, ZERO))
    page.drop_empty()


def _block(
    tree: TreePage, k: int, inverses: Sequence[Rows | None], Z: Sequence[Rows | None]
) -> Vector:
    """Return the diagonal of H_kk = Z^T (M^-1 + C M_p^-1 C^T) Z."""
    row, link = tree.rows[k], tree.tree.links[k]
    found: Vector = []
    for z in Z[k] or []:
        own = [dot(r, z) for r in inverses[k] or []]
        value = dot(z, own)
        if link.parent is not None:
            up = [dot(c, z) for c in columns(row.C)]
            value = add(value, dot(up, [dot(r, up) for r in inverses[link.parent] or []]))
        found.append(value)
    return found


def _moved(
    tree: TreePage,
    k: int,
    y: Sequence[Vector],
    a: Sequence[Vector],
    inverses: Sequence[Rows | None],
) -> Vector:
    """Return x = M^-1 (S^T y - a) of a link."""
    total = [sub(own, rest) for own, rest in zip(y[k], a[k], strict=True)]
    for j in tree.tree.children[k]:
        total = [sub(t, h) for t, h in zip(total, handed(tree, j, y[j]), strict=True)]
    return [dot(row, total) for row in inverses[k] or []]


def _inverse(M: Sequence[Sequence[Node]]) -> Rows | None:
    """Return the inverse of a diagonal inertia; None of another one."""
    n = range(len(M))
    if any(M[i][j] is not ZERO for i in n for j in n if i != j) or any(M[i][i] is ZERO for i in n):
        return None
    return [[divide(ONE, M[i][i]) if i == j else ZERO for j in n] for i in n]


def _across(tree: TreePage, k: int) -> Rows | None:
    """Return the columns of Z in the rows of a link."""
    found = complement(tree.tree.links[k])
    if found is None:
        return None
    rows = tree.rows[k].rows
    held = [[column[i] for i in rows] for column in columns(found)]
    return [column for column in held if any(x is not ZERO for x in column)]
