"""The tree of subsystems, with what belongs to each node: the view of modular methods.

A mass element, a load or an invariant belongs to the lowest node whose variables, with those
of the nodes below it, are all that it depends on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.evaluate import ordered
from mbx.expr.nodes import ZERO, Node
from mbx.mechanics import loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mbx.expr.build import Vector
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion, Moving
    from mbx.mechanics.programme import Lifted

__all__ = ["Part", "subsystems"]


@dataclass(frozen=True, slots=True)
class Part:
    """A node of the tree.

    Attributes:
        path: Its name, "" for the root.
        children: The nodes below it.
        own: Positions in u of its own variables.
        below: Positions in u of its variables and of those below it, its own first, then
            child by child.
        elements: The mass elements that belong to it.
        wrenches: Active wrenches that belong to it, each with its mass element.
        terms: Generalized forces that belong to it, per speed of the system.
        rows: Positions of the invariants that belong to it.
        hints: Positions in u of the speeds it proposes as independent.
    """

    path: str
    children: tuple[Part, ...]
    own: tuple[int, ...]
    below: tuple[int, ...]
    elements: tuple[Moving, ...]
    wrenches: tuple[tuple[Moving, tuple[Vector, Vector]], ...]
    terms: tuple[list[Node], ...]
    rows: tuple[int, ...]
    hints: tuple[int, ...]


def _common(parts: Iterable[str]) -> str:
    """Return the lowest node above or equal to all of some nodes."""
    common: list[str] | None = None
    for part in parts:
        steps = part.split(".")[:-1]
        if common is None:
            common = steps
        else:
            equal = 0
            while equal < min(len(common), len(steps)) and common[equal] == steps[equal]:
                equal += 1
            common = common[:equal]
    return "".join(f"{step}." for step in common or [])


def _parts_of(nodes: Iterable[Node], home: dict[Node, str]) -> set[str]:
    return {home[n] for n in ordered(nodes) if n in home}


def subsystems(motion: Motion, levels: Levels | Lifted) -> Part:
    """Return the tree of a system, from its root."""
    system = motion.system
    home = dict(zip(motion.u, (s.part for s in motion.speeds), strict=True))
    home |= dict(zip(motion.ud, (s.part for s in motion.speeds), strict=True))
    elements: dict[str, list[Moving]] = {}
    node_of: dict[str, str] = {}
    for moving in motion.elements:
        parts = _parts_of([*moving.v, *moving.w], home) | {moving.element.part}
        node_of[moving.path] = _common(parts)
        elements.setdefault(node_of[moving.path], []).append(moving)
    wrenches: dict[str, list[tuple[Moving, tuple[Vector, Vector]]]] = {}
    for group in loads.wrench_groups(motion):
        nodes = [x for _, wrench in group for part in wrench for x in part]
        acting = {node_of[moving.path] for moving, _ in group}
        node = _common(acting | _accelerations(nodes, motion, home))
        wrenches.setdefault(node, []).extend(group)
    terms: dict[str, list[list[Node]]] = {}
    for term in (
        *loads.generalized_terms(motion),
        *loads.non_ideal_terms(motion),
        *loads.effective_terms(motion),
    ):
        acted = {s.part for s, x in zip(motion.speeds, term, strict=True) if x is not ZERO}
        terms.setdefault(_common(acted | _accelerations(term, motion, home)), []).append(term)
    rows: dict[str, list[int]] = {}
    for k, row in enumerate(levels.A):
        parts = {s.part for s, x in zip(motion.speeds, row, strict=True) if x is not ZERO}
        rows.setdefault(_common(parts | {levels.rows[k].part}), []).append(k)
    position = {s: k for k, s in enumerate(motion.u)}

    def build(path: str) -> Part:
        below = [p for p in system.parts if p.startswith(path) and p != path]
        direct = [p for p in below if p.count(".") == path.count(".") + 1]
        children = tuple(build(p) for p in direct)
        variables = tuple(k for k, s in enumerate(motion.speeds) if s.part == path)
        hints = system.independent.get(path, ())
        return Part(
            path,
            children,
            variables,
            (*variables, *(k for child in children for k in child.below)),
            tuple(elements.get(path, ())),
            tuple(wrenches.get(path, ())),
            tuple(terms.get(path, ())),
            tuple(rows.get(path, ())),
            tuple(position[h] for h in hints if h in position),
        )

    return build("")


def _rates(motion: Motion, home: dict[Node, str]) -> dict[Node, str]:
    return {n: home[n] for n in motion.ud}


def _accelerations(term: Sequence[Node], motion: Motion, home: dict[Node, str]) -> set[str]:
    return _parts_of([x for x in term if x is not ZERO], _rates(motion, home))
