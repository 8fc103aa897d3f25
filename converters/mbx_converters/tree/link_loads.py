"""Loads on the links and on the rates of the hinges, from the one column that holds all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx_converters.tree.link_kinematics import ByLink, Hinges

__all__ = ["composite", "on_hinges", "on_links"]


def on_links(p: Program, on: Hinges, h: Matrix) -> ByLink:
    """Add the wrench F on each link, from the column h of `mbx.formalism.tree.closure`."""
    p.begin("loads")
    return {
        k: p.let(f"F_{k}", h.rows(range(6 * k - 6, 6 * k)), f"loads on {link.path}")
        for k, link in on.links
    }


def on_hinges(p: Program, on: Hinges, h: Matrix) -> ByLink:
    """Add the loads Q on the rates of each hinge that are no wrenches."""
    start = 6 * len(on.tree.links)
    return {
        k: p.let(
            f"Q_{k}", h.rows(start + j for j in link.own), f"loads on the hinge of {link.path}"
        )
        for k, link in on.links
        if link.freedoms
    }


def composite(p: Program, on: Hinges, x: ByLink, name: str, meaning: str) -> ByLink:
    """Add X_i = x_i + sum C_j^T X_j over what a link carries, as Fst of (20) and mu of (26)."""
    X: dict[int, Matrix] = {}
    for k, link in reversed(on.links):
        carried = [on.C[j].T @ X[j] for j in on.children(k)]
        X[k] = p.let(f"{name}_{k}", p.sum([x[k], *carried]), f"{meaning} {link.path}")
    return X
