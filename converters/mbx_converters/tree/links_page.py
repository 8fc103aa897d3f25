"""Pages of the forms of a tree of links: blocks of twists, momenta, wrenches and projections.

Equation numbers are those of Ivanov and Shimanovskiy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import add, cross, dot, plus, sub
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.page.tree.tree_page import TreePage
from mbx.formalism.page.tree.tree_sweeps import (
    accelerations,
    columns,
    composites,
    forces_of_motion,
    handed,
    inertia_of_rates,
    named_rates,
    wrenches,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page_options import PageOptions
    from mbx.system.system import System

__all__ = [
    "begin",
    "momenta_of_links",
    "note_constraints",
    "write_newton_euler",
    "write_rates_of_momenta",
    "write_second_kind",
    "write_twists",
]

Vector = list[Node]


def begin(
    system: System,
    equations: Equations,
    options: PageOptions,
    title: str,
    *,
    is_centred: bool = False,
) -> TreePage:
    """Begin a page of the links of a system; twists have the rates of their components."""
    tree = TreePage(system, equations, options, title, is_centred=is_centred)
    where = "at the mass centres, " if is_centred else ""
    tree.begin(
        f"Links: {tree.chain}. Components are {where}along (x, y, z) and about (n, or l, m, n) the "
        "axes of each link; rates are those of components."
    )
    tree.write_constraints()
    return tree


def write_twists(tree: TreePage, *, is_whole: bool) -> None:
    """Write the twist v of each link, (10)."""
    tree.page.step("Twists, ground to leaves", "v_i = C_i v_k + A_i z'_i; w of what turns. (10)")
    tree.take("rates", ("v", "w"), is_whole=is_whole)
    tree.page.drop_empty()


def write_newton_euler(tree: TreePage) -> None:
    """Write S v' = A z'' + c, M v' - S^T R = F - G and A^T R = Q, (33)."""
    page = tree.page
    write_twists(tree, is_whole=True)
    page.step("Rates of the twists", "S v' = A z'' + c, first the linear rates a, then e.")
    a = accelerations(tree, tree.own_accelerations(), ("a", "e"))
    page.drop_empty()
    page.step(
        "Balances, leaves to ground",
        "M v' - S^T R = F - G: what moves a link, and what it hands on, are the reactions R.",
    )
    _, tau = wrenches(tree, a, "R", is_own=True)
    note_constraints(tree)
    page.drop_empty()
    page.section("Equations of motion", "A^T R = Q along the hinges, (33).")
    rows = [sub(x, tree.load_on_speed(u)) for u, x in enumerate(tree.by_speeds(tau))]
    tree.finish(rows, rows)


def note_constraints(tree: TreePage) -> None:
    """State that reactions on the page are without those of constraints."""
    if tree.model.rows:
        tree.page.note("R without what the constraints add: that does no work in free motions.")


def write_second_kind(tree: TreePage) -> None:
    """Write D_Sigma by composite bodies, what the motion needs without z'', and (35)."""
    page = tree.page
    write_twists(tree, is_whole=False)
    page.step("Composite bodies, leaves to ground", "Mc_i = M_i + sum C_j^T Mc_j C_j.")
    bodies = composites(tree, "Mc")
    page.drop_empty()
    page.step(
        "Blocks of D_Sigma", "A^T T^T M T A: not zero where one link carries the other, (34)."
    )
    D = inertia_of_rates(tree, bodies, "D")
    page.drop_empty()
    page.step(
        "Without z''",
        "rates T c of the twists (a, e), the wrenches G + M T c - F with those of all that a link "
        "carries (g), and along the hinges (r).",
    )
    zdd = tree.own_accelerations()
    a = accelerations(tree, None, ("a", "e"))
    _, r = wrenches(tree, a, "g")
    r = named_rates(tree, "r", r)
    page.drop_empty()
    page.section("Equations of motion", "D_Sigma z'' = Q + A^T T^T (F - G - M T c), (35).")
    whole = [add(dot(row, zdd) if row else ZERO, x) for row, x in zip(D, r, strict=True)]
    rows = [sub(x, tree.load_on_speed(u)) for u, x in enumerate(tree.by_speeds(whole))]
    tree.finish(rows, rows)


# -- momenta ---------------------------------------------------------------------------------


def momenta_of_links(tree: TreePage, letter: str) -> tuple[list[Vector], Vector]:
    """Write mu_i = M_i v_i + sum C_j^T mu_j and p_i = A_i^T mu_i, (26), (27)."""
    n = len(tree.rows)
    mu: list[Vector] = [[] for _ in range(n)]
    p: Vector = [ZERO] * len(tree.tree.direct)
    for k in reversed(range(n)):
        row, link = tree.rows[k], tree.tree.links[k]
        total = [dot(m, row.v) for m in row.M]
        for j in tree.tree.children[k]:
            total = [add(x, y) for x, y in zip(total, handed(tree, j, mu[j]), strict=True)]
        mu[k] = [
            tree.define(letter + tree.label(k, i), tree.words[k], x) for i, x in enumerate(total)
        ]
        tree.flush()
        for j, A in zip(link.own, columns(row.A), strict=True):
            p[j] = dot(A, mu[k])
    return mu, p


def write_rates_of_momenta(tree: TreePage, mu: Sequence[Vector], p: Sequence[Node]) -> None:
    """Write p' = (A'^T - A^T Om) mu + A^T Fst + Q, (23), as the equations of motion."""
    page = tree.page
    page.step("Loads, leaves to ground", "Fst: on a link and all that it carries, (20).")
    Fst: list[Vector] = [[] for _ in tree.rows]
    for k in reversed(range(len(tree.rows))):
        total = list(tree.rows[k].F)
        for j in tree.tree.children[k]:
            total = [add(x, y) for x, y in zip(total, handed(tree, j, Fst[j]), strict=True)]
        Fst[k] = [
            tree.define("F" + tree.label(k, i), tree.words[k], x) for i, x in enumerate(total)
        ]
        tree.flush()
    page.drop_empty()
    page.step("Momenta that turn", "g = (A'^T - A^T Om) mu of each hinge.")
    g: Vector = [ZERO] * len(p)
    for k, link in enumerate(tree.tree.links):
        for j, value in zip(link.own, _turning(tree, k, mu[k]), strict=True):
            g[j] = value
    g = named_rates(tree, "g", g)
    page.drop_empty()
    page.section("Equations of motion", "p' = g + A^T Fst + Q, (23).")
    rates: Vector = []
    for k, link in enumerate(tree.tree.links):
        for j, A in zip(link.own, columns(tree.rows[k].A), strict=True):
            rate = page.rate(p[j]) if p[j] in tree.values else ZERO
            rates.append(sub(rate, add(g[j], dot(A, Fst[k]))))
    named = [sub(x, tree.load_on_speed(u)) for u, x in enumerate(tree.by_speeds(rates))]
    unknown = [x for x in p if not tree.is_known([x])]
    rows = forces_of_motion(tree)
    if unknown:
        page.left_out += len(named)
        named = []
    tree.finish(rows, named)


def _turning(tree: TreePage, k: int, mu: Sequence[Node]) -> Vector:
    """Return (A'^T - A^T Om) mu of a hinge."""
    row, link = tree.rows[k], tree.tree.links[k]
    at = {r: i for i, r in enumerate(row.rows)}
    v = [row.v[at[i]] if i in at else ZERO for i in range(6)]
    m = [mu[at[i]] if i in at else ZERO for i in range(6)]
    w, P, L = (v[3], v[4], v[5]), (m[0], m[1], m[2]), (m[3], m[4], m[5])
    Om = [*cross(w, P), *plus(cross((v[0], v[1], v[2]), P), cross(w, L))]
    return [
        sub(
            dot([r[position] for r in link.Ad], m),
            dot([r[position] for r in link.A], Om),
        )
        for position in range(link.freedoms)
    ]
