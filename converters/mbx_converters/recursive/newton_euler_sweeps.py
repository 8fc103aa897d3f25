"""The two sweeps of the recursive Newton-Euler algorithm: motions forward, wrenches backward.

R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, section 5.3; J. Y. S. Luh, M. W.
Walker, R. P. C. Paul, On-line computational scheme for mechanical manipulators, ASME J. Dynamic
Systems, Measurement and Control 102(2), 1980, 69-76. Names of a link end with its number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import add, sub
from mbx.expr.matrix import NULL, dot
from mbx_converters.recursive import link_motion
from mbx_converters.recursive.link_motion import vector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.mechanics.tree.links import Links
    from mbx_converters.recursive.regrouped_tree import Grouped
    from mbx_converters.recursive.sweep_writer import Writer

__all__ = ["accelerations", "forces", "velocities"]


def velocities(to: Writer, tree: Links) -> None:
    """Add w and the accelerations c that the rates of the hinges bring about, forward."""
    to.program.begin("forward sweep, root to leaves: velocities")
    for k, link in enumerate(tree.links, start=1):
        zd, w = tree.moves(k - 1), NULL
        if link.parent is not None:
            w = vector(to.vector(f"w_{link.parent + 1}"))
        own = link_motion.angular_velocity(link, zd, w)
        to.column(f"w_{k}", own, f"angular velocity of {link.path}")
        free = link_motion.free_acceleration(link, zd, w)
        to.column(f"c_{k}", free, f"acceleration of {link.path} by the rates of its hinge")


def accelerations(
    to: Writer, one: Grouped, zdd: Mapping[int, Sequence[Node]], mark: str = ""
) -> None:
    """Add (a; wd) and U of each link, forward, with the z'' of those hinges that have some."""
    to.program.begin("forward sweep, root to leaves: accelerations")
    for k, link in enumerate(one.tree.links, start=1):
        a, wd, U = one.ground, NULL, [list(NULL) for _ in range(3)]
        if link.parent is not None:
            six = to.vector(f"{mark}a_{link.parent + 1}")
            a, wd = vector(six[:3]), vector(six[3:])
            U = to.get(f"{mark}U_{link.parent + 1}")
        six = link_motion.acceleration(link, a, wd, U, to.vector(f"c_{k}"))
        if k - 1 in zdd:
            six = [add(x, dot(row, zdd[k - 1])) for x, row in zip(six, link.A, strict=True)]
        six = to.column(f"{mark}a_{k}", six, f"acceleration of {link.path}")
        U = link_motion.turning(vector(to.vector(f"w_{k}")), vector(six[3:]))
        to.put(f"{mark}U_{k}", U, "turning of places, wd~ + w~ w~")


def forces(
    to: Writer, one: Grouped, loads: Mapping[int, Sequence[Node]], mark: str = ""
) -> list[Node]:
    """Add the wrench that moves each link and all it carries, backward; return A^T f."""
    to.program.begin("backward sweep, leaves to root: wrenches over the hinges")
    tree = one.tree
    found: list[Node] = []
    for k in reversed(range(len(tree.links))):
        link = tree.links[k]
        a = vector(to.vector(f"{mark}a_{k + 1}")[:3])
        total = link_motion.inertia_wrench(one.masses[k], to.get(f"{mark}U_{k + 1}"), a)
        for j in tree.children[k]:
            given = link_motion.handed_on(tree.links[j], to.vector(f"{mark}f_{j + 1}"))
            total = [add(x, y) for x, y in zip(total, given, strict=True)]
        if k in loads:
            total = [sub(x, y) for x, y in zip(total, loads[k], strict=True)]
        f = to.column(f"{mark}f_{k + 1}", total, f"wrench that the hinge of {link.path} hands on")
        found = [*(dot(column, f) for column in zip(*link.A, strict=True)), *found]
    return found
