"""Checks of what is left out of equations, and of what must be zero.

The free rates xi' of a node are those in which what hangs on it is decoupled from it. With M of
the tree in blocks of the node's own rates (o) and of those behind it (d),

    Lambda = M_oo - M_od M_dd^-1 M_do
    Lambda xi' = A^T Ic V - M_od M_dd^-1 (A_d^T Ic_d V),    Lambda xi'' = eta

where Ic are the inertias of all behind a hinge as one body, and V is the twist of the node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.verify.agreement.reference.sized import Moving, Sized, block_diagonal, stack
from mbx.verify.agreement.results.examined_form import Difference
from mbx.verify.agreement.results.hinge_checks import forces_on_hinges

if TYPE_CHECKING:
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.reference.tree_sums import Tree
    from mbx.verify.agreement.results.examined_form import Differences, Subject

__all__ = ["check_certificates", "check_left_out", "check_state"]


def check_left_out(subject: Subject) -> Differences:
    """Compare Lambda, xi' and eta with M and the momenta of the tree, and their rates."""
    tree = subject.tree
    links = tree.links.links
    nodes = [k for k, link in enumerate(links) if link.parent is not None and link.freedoms]
    if not nodes:
        return
    parts = [_eliminated(subject, tree, k) for k in nodes]
    Lambda = block_diagonal([inertia.now for inertia, _ in parts])
    rates = block_diagonal([inertia.rate for inertia, _ in parts])
    momenta = stack([[g.now] for _, g in parts])
    turned = stack([[g.rate] for _, g in parts])
    xid = subject.result("xid")
    yield Difference("Lambda", subject.result("Lambda") - Lambda)
    yield Difference("xi'", Lambda @ xid - momenta)
    gap = subject.result("eta") - (turned - rates @ xid)
    columns = [j for k in nodes for j in links[k].own]
    # it is a sum of forces
    gap = Sized(gap.value, gap.size + forces_on_hinges(subject)[:, columns])
    full = subject.coupling.in_rates(_among(gap.size, columns, tree.zd.shape[1]))[:, columns]
    yield Difference("eta", gap, full)


def _among(size: Array, columns: list[int], n: int) -> Array:
    """Return the sizes of these rates, in columns of all rates of the tree."""
    sizes = np.zeros((len(size), n, 1))
    sizes[:, columns] = size
    return sizes


def _composite(tree: Tree, k: int) -> Moving:
    """Return the inertia of all behind a hinge, as one body."""
    first, *rest = (tree.inertia[i] for i in tree.behind(k))
    for inertia in rest:
        first = first + inertia
    return first


def _eliminated(subject: Subject, tree: Tree, k: int) -> tuple[Moving, Moving]:
    """Return Lambda of a node, and Lambda xi'."""
    columns = list(range(*tree.columns(k).indices(tree.zd.shape[1])))
    behind = [i for i in tree.behind(k) if i != k and tree.links.links[i].freedoms]
    V = subject.accelerated.V[k]
    momentum = tree.A[k].T @ (_composite(tree, k) @ V)
    M = _block(tree.M, columns, columns)
    if not behind:
        return M, momentum
    carried = [j for i in behind for j in range(*tree.columns(i).indices(tree.zd.shape[1]))]
    Mdd, Mdo = _block(tree.M, carried, carried), _block(tree.M, carried, columns)
    solve = subject.reference.source.solve
    now = Sized.of(solve(Mdd.now.value, Mdo.now.value))
    rest = Mdo.rate - Mdd.rate @ now
    X = Moving(now, Sized.of(solve(Mdd.now.value, rest.value)))
    below = [tree.A[i].T @ (_composite(tree, i) @ V) for i in behind]
    stacked = Moving(stack([[x.now] for x in below]), stack([[x.rate] for x in below]))
    return M - Mdo.T @ X, momentum - X.T @ stacked


def _block(M: Moving, rows: list[int], columns: list[int]) -> Moving:
    def part(matrix: Sized) -> Sized:
        return matrix[rows][:, columns]

    return Moving(part(M.now), part(M.rate))


def check_certificates(subject: Subject) -> Differences:
    """Compare certificates with zero, in relation to the rounding of their terms."""
    for meaning in subject.equations.results:
        if meaning.startswith("certificate:"):
            yield Difference(meaning, subject.zero(meaning))


def check_state(subject: Subject) -> Differences:
    """Compare what a consistent state makes zero with zero, likewise."""
    yield Difference("state", subject.zero("state"))
