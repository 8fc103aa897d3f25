"""Names for entries of matrices in the expressions of others: `v[3]` of a column, `M[1,3]`."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from mbx.expr.evaluate import substitute
from mbx.expr.nodes import symbol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.expr.nodes import Node
    from mbx.formalism.program import Step

__all__ = ["named", "owners"]

_ENTRY: Final = re.compile(r"([A-Za-z]\w*)\[(\d+),(\d+)\]", re.ASCII)
"""As `mbx.formalism.program.entries_of` writes them: two indices, so that no model has them."""


def _owner(node: Node) -> str:
    found = _ENTRY.fullmatch(node.value)
    return found[1] if found else ""


def owners(steps: Iterable[Step]) -> set[str]:
    """Return the matrices whose entries are named in the expressions of others."""
    return {name for step in steps for node in step.symbols if (name := _owner(node))}


def named(step: Step, places: dict[str, tuple[str, str]]) -> Step:
    """Return a step that names the entries of its arguments as these are called now.

    `places` takes in the matrix and the place in it of each name.
    """
    groups = [(owner, list(nodes)) for owner, nodes in groupby(step.symbols, _owner)]
    if len(groups) != len(step.args) or not all(owner for owner, _ in groups):
        return step
    new: dict[Node, Node] = {}
    for arg, (_, nodes) in zip(step.args, groups, strict=True):
        spots = [_ENTRY.fullmatch(node.value) for node in nodes]
        column = all(spot is not None and spot[3] == "1" for spot in spots)
        for node, spot in zip(nodes, spots, strict=True):
            if spot is not None:
                place = spot[2] if column else f"{spot[2]},{spot[3]}"
                new[node] = symbol(f"{arg}[{place}]")
                places[f"{arg}[{place}]"] = arg, place
    entries = iter(substitute([node for row in step.entries for node in row], new))
    return replace(
        step,
        entries=tuple(tuple(next(entries) for _ in row) for row in step.entries),
        symbols=tuple(new[node] for node in step.symbols),
    )
