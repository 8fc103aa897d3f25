"""The two sweeps of the recursive Newton-Euler algorithm: motions forward, wrenches backward.

R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, section 5.3; J. Y. S. Luh, M. W.
Walker, R. P. C. Paul, On-line computational scheme for mechanical manipulators, ASME J. Dynamic
Systems, Measurement and Control 102(2), 1980, 69-76. Names of a link end with its number; `ByLink`
has the matrices of the links by their positions in the tree, from 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import NULL, add, dot, sub
from mbx.formalism.matrix_value import Matrix
from mbx_converters.recursive import link_motion
from mbx_converters.recursive.link_motion import vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.mechanics.tree.links import Links
    from mbx_converters.recursive.regrouped_tree import Grouped

__all__ = ["ByLink", "accelerations", "forces", "velocities"]

ByLink = dict[int, Matrix]


def velocities(p: Program, tree: Links) -> tuple[ByLink, ByLink]:
    """Add w and the accelerations c that the rates of the hinges bring about, forward."""
    p.begin("forward sweep, root to leaves: velocities")
    w: ByLink = {}
    c: ByLink = {}
    for k, link in enumerate(tree.links):
        zd, wk = tree.moves(k), NULL
        if link.parent is not None:
            wk = vector(p.elements(w[link.parent]))
        own = link_motion.angular_velocity(link, zd, wk)
        w[k] = p.column(f"w_{k + 1}", own, f"angular velocity of {link.path}")
        free = link_motion.free_acceleration(link, zd, wk)
        meaning = f"acceleration of {link.path} by the rates of its hinge"
        c[k] = p.column(f"c_{k + 1}", free, meaning)
    return w, c


def accelerations(
    p: Program,
    grouped: Grouped,
    w: ByLink,
    c: ByLink,
    zdd: Mapping[int, Matrix] | None = None,
    mark: str = "",
) -> tuple[ByLink, ByLink]:
    """Add (a; wd) and U of each link, forward, with the z'' of those hinges that have some."""
    p.begin("forward sweep, root to leaves: accelerations")
    a: ByLink = {}
    U: ByLink = {}
    for k, link in enumerate(grouped.tree.links):
        ak, wdk, Uk = grouped.ground, NULL, [list(NULL) for _ in range(3)]
        if link.parent is not None:
            ak, wdk = link_motion.halves(p.elements(a[link.parent]))
            Uk = p.entries(U[link.parent])
        six = link_motion.acceleration(link, ak, wdk, Uk, p.elements(c[k]))
        if zdd and k in zdd:
            z = p.elements(zdd[k])
            six = [add(x, dot(row, z)) for x, row in zip(six, link.A, strict=True)]
        a[k] = p.column(f"{mark}a_{k + 1}", six, f"acceleration of {link.path}")
        _, wd = link_motion.halves(p.elements(a[k]))
        turning = link_motion.turning(vector(p.elements(w[k])), wd)
        U[k] = p.define(f"{mark}U_{k + 1}", turning, "turning of places, wd~ + w~ w~")
    return a, U


def forces(
    p: Program, grouped: Grouped, a: ByLink, U: ByLink, loads: ByLink, mark: str = ""
) -> list[Node]:
    """Add the wrench that moves each link and all it carries, backward; return A^T f."""
    p.begin("backward sweep, leaves to root: wrenches over the hinges")
    tree = grouped.tree
    f: ByLink = {}
    Atf: list[Node] = []
    for k in reversed(range(len(tree.links))):
        link = tree.links[k]
        linear, _ = link_motion.halves(p.elements(a[k]))
        total = link_motion.inertia_wrench(grouped.masses[k], p.entries(U[k]), linear)
        for j in tree.children[k]:
            handed = link_motion.handed_on(tree.links[j], p.elements(f[j]))
            total = [add(x, y) for x, y in zip(total, handed, strict=True)]
        if k in loads:
            total = [sub(x, y) for x, y in zip(total, p.elements(loads[k]), strict=True)]
        meaning = f"wrench that the hinge of {link.path} hands on"
        f[k] = p.column(f"{mark}f_{k + 1}", total, meaning)
        Atf = [*(dot(column, p.elements(f[k])) for column in zip(*link.A, strict=True)), *Atf]
    return Atf
