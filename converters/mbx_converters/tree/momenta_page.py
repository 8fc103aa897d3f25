"""Pages of Hamilton's equations of a tree of links: momenta of what hangs on each hinge.

Equation numbers are those of Ivanov and Shimanovskiy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import dot, sub
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.page.tree.tree_sweeps import composites, inertia_of_rates, named_rates
from mbx_converters.tree.links_page import begin, momenta_of_links, write_rates_of_momenta
from mbx_converters.tree.projection_page import write_held

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.formalism.page.tree.tree_page import TreePage
    from mbx.system.system import System

__all__ = ["write_extended_page", "write_multipliers_page", "write_reduced_page"]

Vector = list[Node]


def write_reduced_page(
    system: System, equations: Equations, options: PageOptions, title: str
) -> Page:
    """Return p, D_Sigma z' = p, and p', (30) and (23)."""
    tree = begin(system, equations, options, title)
    mu, p = _momenta(tree)
    page = tree.page
    page.step("Composite bodies, leaves to ground", "Mc_i = M_i + sum C_j^T Mc_j C_j.")
    bodies = composites(tree, "Mc")
    page.drop_empty()
    page.step("Rates of the hinges", "D_Sigma z' = p, with D_Sigma = A^T T^T M T A, (30).")
    D = inertia_of_rates(tree, bodies, "D")
    if not _drifts(tree):
        for row, momentum in zip(D, p, strict=True):
            if momentum in tree.values:
                tree.put((momentum, dot(row, tree.tree.zd)))
    page.drop_empty()
    write_rates_of_momenta(tree, mu, p)
    return page.page()


def write_extended_page(
    system: System, equations: Equations, options: PageOptions, title: str
) -> Page:
    """Return M v - S^T mu = 0, S v = A z' + vr and A^T mu = p, (22), and p', (23)."""
    tree = begin(system, equations, options, title)
    mu, p = _momenta(tree)
    write_rates_of_momenta(tree, mu, p)
    return tree.page.page()


def write_multipliers_page(
    system: System, equations: Equations, options: PageOptions, title: str
) -> Page:
    """Return H_Sigma and the multipliers of what the hinges hold, (37), and p', (23)."""
    tree = begin(system, equations, options, title, is_centred=True)
    mu, p = _momenta(tree, is_whole=False)
    right = [[sub(ZERO, x) for x in row.rest] for row in tree.rows]
    write_held(tree, mu, [[ZERO] * len(row.rows) for row in tree.rows], right, "(37)")
    write_rates_of_momenta(tree, mu, p)
    return tree.page.page()


def _momenta(tree: TreePage, *, is_whole: bool = True) -> tuple[list[Vector], Vector]:
    """Write twists and momenta."""
    page = tree.page
    page.step("Twists, ground to leaves", "S v = A z' + vr: v of links, w of what turns. (22)")
    tree.take("rates", ("v", "w"), is_whole=is_whole)
    page.drop_empty()
    page.step(
        "Momenta, leaves to ground",
        "mu = M v with those of what hangs on a link: S^T mu = M v; p = A^T mu. (22)",
    )
    mu, p = momenta_of_links(tree, "mu")
    p = named_rates(tree, "p", p)
    page.drop_empty()
    return mu, p


def _drifts(tree: TreePage) -> bool:
    return any(x is not ZERO for row in tree.rows for x in row.rest)
