"""The reactions of a system that have a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.mechanics.reactions import COMPONENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.expr.nodes import Node
    from mbx.system.system import System

__all__ = ["named_reactions"]


def named_reactions(system: System) -> Iterator[tuple[str, Node]]:
    """Yield the reactions that have a name, those of joints by their components."""
    for row in (*system.rows, *system.closed):
        if row.reaction is not None:
            yield str(row.reaction.value), row.reaction
    for path, six in system.joint_reactions.items():
        for component, node in zip(COMPONENTS, six, strict=True):
            yield f"{path}.{component}", node
