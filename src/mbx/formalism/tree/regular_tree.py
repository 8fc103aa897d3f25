"""Sweeps over a tree: refusal where it has no links, or a hinge without inertia behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import rank, sample
from mbx.expr.nodes import ZERO
from mbx.formalism.steps.regular_inertia import of_its_size
from mbx.mechanics.tree.links import carrying, spatial_inertia

if TYPE_CHECKING:
    from mbx.expr.nodes import Node
    from mbx.mechanics.tree.links import Link, Links

__all__ = ["refuse_empty", "refuse_singular"]


def refuse_empty(tree: Links) -> None:
    """Refuse a tree without links: all inertia is in effective rows."""
    if not tree.links:
        raise NotApplicableError("no mass element has inertia: the tree has no links")


def refuse_singular(tree: Links) -> None:
    """Refuse a tree with a hinge whose inertia, with all that it carries, is always singular.

    Loops and ties may hold such a hinge, but the sweeps come to it first.
    """
    if all(map(_full, tree.links)):
        return
    singular = _without_inertia(tree, 0) & _without_inertia(tree, 1)
    for k in sorted(singular):
        link = tree.links[k]
        behind = ", ".join(link.names)
        raise NotApplicableError(f"the inertia of {link.path} is singular behind {behind}")


def _full(link: Link) -> bool:
    """Return whether a link has mass, and inertia about each of its axes."""
    return link.m is not ZERO and all(link.J[k][k] is not ZERO for k in range(3))


def _without_inertia(tree: Links, seed: int) -> set[int]:
    """Return the first hinges, from the leaves, with a singular inertia at a random point."""
    rows: list[list[Node]] = []
    for link in tree.links:
        triples = zip(spatial_inertia(link), link.A, carrying(link), strict=True)
        rows += [[*inertia, *by, *up] for inertia, by, up in triples]
    numbers = sample(of_its_size(rows, tree.motion.system), seed)
    values = iter(np.asarray(row, dtype=np.float64) for row in numbers)
    parts = [np.array([next(values) for _ in range(6)]) for _ in tree.links]
    links = set()
    carried = [np.zeros((6, 6)) for _ in tree.links]
    for k in reversed(range(len(tree.links))):
        link = tree.links[k]
        f = link.freedoms
        M, A, C = parts[k][:, :6] + carried[k], parts[k][:, 6 : 6 + f], parts[k][:, 6 + f :]
        D = A.T @ M @ A
        if rank(D.tolist()) < f:
            links.add(k)
        if link.parent is not None:
            diagonal = np.diagonal(D)
            d = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
            inverse = d[:, None] * np.linalg.pinv(d[:, None] * D * d, hermitian=True) * d
            left = M - M @ A @ inverse @ A.T @ M
            carried[link.parent] += C.T @ left @ C
    return links
