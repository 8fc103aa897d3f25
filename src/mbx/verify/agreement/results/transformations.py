"""Checks of velocity transformations: what the rates of a tree do to its bodies.

V and its rate are at the origins of the bodies, W, T and R_d at that of the ground; inertia and
forces in the rates of the tree are sums over the bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.verify.agreement.reference.sized import Moving, Sized, block_diagonal, cross, stack
from mbx.verify.agreement.results.examined_form import Difference
from mbx.verify.agreement.results.wrench_checks import loads_on_links, loads_on_rates

if TYPE_CHECKING:
    from mbx.verify.agreement.reference.tree_sums import Tree
    from mbx.verify.agreement.results.examined_form import Differences, Subject

__all__ = ["check_accelerations", "check_at_bodies", "check_at_origin", "check_forces"]


def _at_body(tree: Tree, k: int) -> Moving:
    """Return what takes twists at the origin of the ground to that of a link."""
    _, p = tree.pose(k)
    N = p.now.shape[0]
    eye = Sized.of(np.broadcast_to(np.eye(3), (N, 3, 3)))
    zero = Sized(np.zeros((N, 3, 3)), np.zeros((N, 3, 3)))
    return Moving(
        stack([[eye, -cross(p.now)], [zero, eye]]),
        stack([[zero, -cross(p.rate)], [zero, zero]]),
    )


def check_at_bodies(subject: Subject) -> Differences:
    """Compare V, V' and the inertia in the rates of the tree."""
    tree = subject.tree
    every = range(len(tree.links.links))
    V = [_at_body(tree, k) @ tree.paths[k] for k in every]
    yield Difference("V", subject.result("V") - stack([[x.now] for x in V]))
    yield Difference("V'", subject.result("Vdot") - stack([[x.rate] for x in V]))
    yield Difference("inertia of the tree", subject.result("Mbar") - tree.M.now)


def check_at_origin(subject: Subject) -> Differences:
    """Compare W = T R_d, the paths T, the hinges R_d, and the inertia of the tree."""
    tree = subject.tree
    every = range(len(tree.links.links))
    W = stack([[tree.paths[k].now] for k in every])
    yield Difference("W", subject.result("W") - W)
    T = np.array([[float(j in tree.links.path(i)) for j in every] for i in every])
    yield Difference("T", subject.result("T") - Sized.of(np.kron(T, np.eye(6))[None]))
    yield Difference("R_d", subject.result("R_d") - block_diagonal([hinge.now for hinge in tree.A]))
    yield Difference("inertia of the tree", subject.result("Mbb") - tree.M.now)


def check_accelerations(subject: Subject) -> Differences:
    """Compare what is left of accelerations without z'': over the hinges, and on the bodies."""
    tree = subject.tree
    left, turned = [], []
    bias = [_material(V) for V in tree.V]
    for k, link in enumerate(tree.links.links):
        left.append(bias[k] if link.parent is None else bias[k] - bias[link.parent])
        turn = cross(tree.V[k].now[3:])
        _, p = tree.pose(k)
        turned += [[turn @ (turn @ p.now)], [subject.reference.zeros(3)]]
    yield Difference("d", subject.result("d") - stack([[x] for x in left]))
    yield Difference("e", subject.result("e") - stack(turned))


def _material(V: Moving) -> Sized:
    """Return the acceleration of the point of a link that is at the origin of the ground."""
    return stack([[V.rate[:3] + cross(V.now[3:]) @ V.now[:3]], [V.rate[3:]]])


def check_forces(subject: Subject) -> Differences:
    """Compare quadratic and applied forces in the rates of the tree with sums over links."""
    tree = subject.tree
    if not tree.zd.shape[1]:
        return
    loads = loads_on_links(subject)
    applied = loads_on_rates(subject)
    for W, load in zip(tree.paths, loads, strict=True):
        applied = applied + W.now.T @ load
    yield Difference("Qv", subject.result("Qv") + tree.quadratic)
    yield Difference("Qe", subject.result("Qe") - applied)
