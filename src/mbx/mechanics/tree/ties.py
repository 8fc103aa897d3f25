"""What closes a tree of links: invariants, tied rates, speeds beside the tree, and loads on these.

D z'' = Q - Ma e + C^T lam          the tree, D by nobody's matrix but each form's own route
0 = he - Me e + E^T lam             speeds beside the tree
C z'' + E e + b = 0                 invariants, then ties
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.algebra.elimination import split
from mbx.expr.build import NULL, add, dot, neg
from mbx.expr.evaluate import ordered
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.mechanics import loads
from mbx.mechanics.loads import project
from mbx.mechanics.tree.links import wrench_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.tree.links import Links

__all__ = ["Ties", "ties"]

Rows = list[list[Node]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Ties:
    """Everything of a motion that is not the tree itself.

    Attributes:
        rates: Names of the rates z' of the tree.
        beside: Names of the speeds whose rates e are unknowns beside the tree.
        rows: Names of the rows of C; the first `invariants` are those of the model.
        invariants: How many these are.
        wrenches: Loads on each link, at its origin, local components: six a link.
        Q: Loads on the rates of the tree that are no wrenches.
        order: Where the rate of each speed stands in (z''; e).
    """

    rates: tuple[str, ...]
    beside: tuple[str, ...]
    rows: tuple[str, ...]
    invariants: int
    C: Rows
    E: Rows
    b: list[Node]
    wrenches: Rows
    Q: list[Node]
    he: list[Node]
    Ma: Rows
    Me: Rows
    order: tuple[int, ...]

    @property
    def h(self) -> list[Node]:
        """All loads in one column: wrenches link by link, then Q, then he."""
        return [*(x for six in self.wrenches for x in six), *self.Q, *self.he]

    @property
    def open(self) -> bool:
        """Whether the tree is all there is: no invariants, no ties, nothing beside it."""
        return not self.rows and not self.beside


def ties(tree: Links, levels: Levels) -> Ties:
    """Return the invariants, ties and loads of a tree of links."""
    motion = tree.motion
    on_links, on_speeds = _loads(tree)
    for k, u, column in tree.light:
        on_speeds[u] = add(on_speeds[u], dot(column, on_links[k]))
    K, h = split(on_speeds, motion.ud)
    at = {u: z for z, u in enumerate(tree.direct) if u is not None}
    tied = [j for j in range(len(motion.u)) if any(row[j] is not ZERO for row in K)]
    e = sorted({*tree.extra, *tied})
    position = {u: k for k, u in enumerate(e)}
    alone = set(tree.extra)
    n = len(tree.direct)

    C: Rows = []
    E: Rows = []
    for line in levels.A:
        C.append(_spread(line, at, n))
        E.append([line[u] if u in alone else ZERO for u in e])
    b = list(levels.b)
    rows = [row.path for row in levels.rows]
    names = [name for link in tree.links for name in link.names]
    for z, known in enumerate(tree.direct):
        if known is not None:
            continue
        # z'' - P ud - pd = 0
        minus = [neg(x) for x in tree.P[z]]
        row = _spread(minus, at, n)
        row[z] = add(row[z], ONE)
        C.append(row)
        E.append([minus[u] if u in alone else ZERO for u in e])
        b.append(neg(tree.pd[z]))
        rows.append(f"tie of {names[z]}")
    for u in tied:
        if u in at:
            C.append([ONE if z == at[u] else ZERO for z in range(n)])
            E.append([neg(ONE) if k == position[u] else ZERO for k in range(len(e))])
            b.append(ZERO)
            rows.append(f"tie of {motion.speeds[u].path}")

    added = [[neg(row[u]) for u in e] for row in K]
    return Ties(
        rates=tuple(names),
        beside=tuple(motion.speeds[u].path for u in e),
        rows=tuple(rows),
        invariants=len(levels.rows),
        C=C,
        E=E,
        b=b,
        wrenches=on_links,
        Q=[ZERO if u is None else h[u] for u in tree.direct],
        he=[h[u] if u in alone else ZERO for u in e],
        Ma=[[ZERO] * len(e) if u is None else added[u] for u in tree.direct],
        Me=[added[u] if u in alone else [ZERO] * len(e) for u in e],
        order=tuple(at[u] if u in at else n + position[u] for u in range(len(motion.u))),
    )


def _spread(line: Sequence[Node], at: dict[int, int], n: int) -> list[Node]:
    """Return a row over the speeds as one over the rates of the tree."""
    row: list[Node] = [ZERO] * n
    for u, z in at.items():
        row[z] = line[u]
    return row


def _loads(tree: Links) -> tuple[Rows, list[Node]]:
    """Return the wrenches on the links, and all other loads on the speeds.

    A load that depends on accelerations, or acts on what is no link, counts on the speeds; so
    does the half of a wrench for which an element that is known by its twist has no link.
    """
    motion = tree.motion
    ud = set(motion.ud)
    linked = {link.path for link in tree.links}
    kept: dict[str, tuple[Vector, Vector]] = {}
    moved: list[tuple[str, tuple[Vector, Vector]]] = []
    for moving, wrench in zip(motion.elements, loads.wrenches(motion), strict=True):
        if moving.path in tree.bare or not ud.isdisjoint(ordered([*wrench[0], *wrench[1]])):
            moved.append((moving.path, wrench))
            continue
        kept[moving.path] = wrench
        if not moving.element.placed:
            force = NULL if f"{moving.path}.v" in linked else wrench[0]
            torque = NULL if f"{moving.path}.w" in linked else wrench[1]
            moved.append((moving.path, (force, torque)))
    named = dict(moved)
    loaded = [m for m in motion.elements if m.path in named]
    projected = project(motion, [named[m.path] for m in loaded], loaded)
    total = [
        add(*terms)
        for terms in zip(
            projected,
            loads.generalized(motion),
            loads.non_ideal(motion),
            loads.effective(motion),
            strict=True,
        )
    ]
    on_links = [
        [ZERO] * 6 if link.moving.path not in kept else wrench_at(link, *kept[link.moving.path])
        for link in tree.links
    ]
    return on_links, total
