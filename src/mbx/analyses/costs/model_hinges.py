"""The tree of a model: parents and freedoms of its hinges, where it is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.analyses.costs.topologies import Tree
from mbx.mechanics import motion
from mbx.mechanics.tree.links import links

if TYPE_CHECKING:
    from mbx.system.system import System

__all__ = ["tree_of"]


def tree_of(system: System) -> Tree | str:
    """Return the tree of rigid bodies and hinges that a system is, or why it is none."""
    for row in (*system.rows, *system.closed):
        if row.kind != "norm":
            return f"'{row.path}' constrains the hinges"
    for element in system.elements:
        if element.frame is None:
            return f"'{element.path}' is no rigid body in a known place"
    if not system.elements:
        return "there is no body"
    if system.effective:
        return f"'{system.effective[0].path}' is a known model"
    tree = links(motion.in_speeds(system))
    if tree.extra or None in tree.direct:
        return "hinges share coordinates"
    parents = tuple(0 if link.parent is None else link.parent + 1 for link in tree.links)
    return Tree(parents, tuple(link.freedoms for link in tree.links))
