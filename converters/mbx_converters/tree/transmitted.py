"""What hinges have to transmit: loads and multipliers on links, and on what hangs on them.

A mass element without inertia that carries none is no link; what acts on it acts, by its
holder, on the link that carries it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mbx.expr.build import add
from mbx.mechanics import loads, reactions
from mbx_converters.tree.wrench_transfer import as_reaction, halves, on_link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.expr.build import Vector
    from mbx.expr.nodes import Node
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Moving
    from mbx.mechanics.tree.links import Links

__all__ = ["Transmitted", "whole"]


def whole(tree: Links) -> bool:
    """Return whether the links of an open tree are all that transmits: nothing else hangs on it."""
    return not tree.bare


@dataclass(frozen=True, eq=False)
class Transmitted:
    """Loads and multipliers of a tree, with the rows of all invariants, idle ones at the end."""

    tree: Links
    every: Levels

    @cached_property
    def elements(self) -> tuple[Moving, ...]:
        """The mass elements."""
        return self.tree.motion.elements

    @cached_property
    def _parents(self) -> list[int | None]:
        return [holder.parent for holder in reactions.holders(self.tree.motion)]

    @cached_property
    def _index(self) -> dict[str, int]:
        return {m.path: k for k, m in enumerate(self.elements)}

    @cached_property
    def _loads(self) -> list[tuple[Vector, Vector]]:
        return loads.wrenches(self.tree.motion)

    @cached_property
    def _loops(self) -> list[list[tuple[Vector, Vector]]]:
        """What each multiplier does to each mass element."""
        sizes = [3 if m.element.w_local is None else 6 for m in self.elements]
        blocks = [(sum(sizes[:k]), size) for k, size in enumerate(sizes)]
        lines = reactions.loop_columns(self.tree.motion, self.every, blocks)
        columns = list(zip(*lines, strict=True))
        return [[halves(each[at : at + size]) for each in columns] for at, size in blocks]

    def _hanging(self, k: int) -> list[int]:
        """Return a mass element, and those without inertia that hang on it, near or far."""
        hanging = [k]
        for j, moving in enumerate(self.elements):
            if moving.path in self.tree.bare and self._parents[j] in hanging:
                hanging.append(j)
        return hanging

    def on_link(self, k: int) -> tuple[list[Node], list[list[Node]]]:
        """Return the loads on a link, and what the multipliers do to it, a column each."""
        link = self.tree.links[k]
        hanging = self._hanging(self._index[link.moving.path])
        acting = [on_link(link, self.elements[j], *self._loads[j]) for j in hanging]
        by = [
            _total(on_link(link, self.elements[j], *self._loops[j][r]) for j in hanging)
            for r in range(len(self.every.rows))
        ]
        return _total(acting), _columns(by, len(acting[0]))

    def on_holder(self, k: int) -> tuple[list[Node], list[list[Node]]]:
        """Return the same for a mass element without inertia, as its holder reports it."""
        element = self.elements[k]
        hanging = self._hanging(k)
        acting = [as_reaction(element, self.elements[j], *self._loads[j]) for j in hanging]
        by = [
            _total(as_reaction(element, self.elements[j], *self._loops[j][r]) for j in hanging)
            for r in range(len(self.every.rows))
        ]
        return _total(acting), _columns(by, len(acting[0]))


def _total(columns: Iterable[list[Node]]) -> list[Node]:
    return [add(*parts) for parts in zip(*columns, strict=True)]


def _columns(columns: list[list[Node]], rows: int) -> list[list[Node]]:
    return [[column[i] for column in columns] for i in range(rows)]
