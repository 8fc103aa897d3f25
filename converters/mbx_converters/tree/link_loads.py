"""Loads on the links and on the rates of the hinges, from the one column that holds all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Links

__all__ = ["composite", "on_hinges", "on_links"]


def on_links(p: NamedProgram, tree: Links, h: str) -> dict[int, str]:
    """Add the wrench F on each link, from the column h of `mbx.formalism.tree.closure`."""
    p.begin("loads")
    return {
        k: p.rows(f"F_{k}", h, range(6 * k - 6, 6 * k), f"loads on {link.path}")
        for k, link in enumerate(tree.links, start=1)
    }


def on_hinges(p: NamedProgram, tree: Links, h: str) -> dict[int, str]:
    """Add the loads Q on the rates of each hinge that are no wrenches."""
    start = 6 * len(tree.links)
    return {
        k: p.rows(f"Q_{k}", h, [start + j for j in link.own], f"loads on the hinge of {link.path}")
        for k, link in enumerate(tree.links, start=1)
        if link.freedoms
    }


def composite(p: NamedProgram, tree: Links, of: Mapping[int, str], name: str, meaning: str) -> None:
    """Add X_i = x_i + sum C_j^T X_j over what a link carries, as Fst of (20) and mu of (26)."""
    for k in reversed(range(1, len(tree.links) + 1)):
        carried = [
            p.product(f"C{name}_{j + 1}", f"Ct_{j + 1}", f"{name}_{j + 1}")
            for j in tree.children[k - 1]
        ]
        p.sum(f"{name}_{k}", of[k], *carried, meaning=f"{meaning} {tree.links[k - 1].path}")
