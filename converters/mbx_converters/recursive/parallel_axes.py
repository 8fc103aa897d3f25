"""Links behind parallel axes, seen in axes that do not turn with them.

A hinge that turns about the axis of the hinge before it needs no rotation: its link is described
in axes that are parallel to those of its parent, and so on along the whole run of such hinges.
Then what is handed on there costs no rotation, and only a link's own mass and the places on it
are turned, by (c, s) of the angle against the first link of the run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mbx.expr.build import NULL, UNIT, add, matmul, matvec, mul, neg, settled, sub
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.mechanics.tree.base_parameters import carried, unit_entries

if TYPE_CHECKING:
    from mbx.expr.build import Matrix
    from mbx.formalism.builder import Program
    from mbx.mechanics.tree.base_parameters import Mass
    from mbx.mechanics.tree.links import Link
    from mbx_converters.recursive.regrouped_tree import Grouped

__all__ = ["turning_axis", "unturn"]

_TURNS: Final = 3  # rows from here on are angular


def unturn(p: Program, grouped: Grouped) -> tuple[list[Link], list[Mass]]:
    """Add T = (c; s) of the links behind parallel axes; return all links and masses anew."""
    links: list[Link] = []
    masses: list[Mass] = []
    turns: list[tuple[Node, Node] | None] = []
    for k, link in enumerate(grouped.tree.links):
        above = None if link.parent is None else turns[link.parent]
        axis = turning_axis(link)
        along = None if link.parent is None else turning_axis(grouped.tree.links[link.parent])
        base = UNIT if above is None or along is None else _about(along, *above)
        turn, R, mass = None, matmul(base, link.R), grouped.masses[k]
        if axis is not None and axis == along:
            x, y = (axis + 1) % 3, (axis + 2) % 3
            own = (link.R[x][x], link.R[y][x])
            c, s = own if above is None else _sum(above, own)
            T = p.column(f"T_{k + 1}", [c, s], f"cosine and sine that turn {link.path}")
            c, s = p.elements(T)
            turn, R = (c, s), UNIT
            mass = carried(_about(axis, c, s), NULL, mass)
        links.append(replace(link, R=R, r=settled(matvec(base, link.r))))
        masses.append(mass)
        turns.append(turn)
    return links, masses


def turning_axis(link: Link) -> int | None:
    """Return the axis of its own that a link turns about, with its pose showing no other."""
    units = unit_entries(link)
    if units is None or len(units) != 1 or units[0][0] < _TURNS:
        return None
    k = units[0][0] - _TURNS
    x, y = (k + 1) % 3, (k + 2) % 3
    R = link.R
    plain = R[k][k] is ONE and all(R[k][i] is ZERO and R[i][k] is ZERO for i in (x, y))
    return k if plain and R[x][x] is R[y][y] and R[x][y] is neg(R[y][x]) else None


def _about(axis: int, c: Node, s: Node) -> Matrix:
    """Return the rotation about an axis by an angle with this cosine and sine."""
    x, y = (axis + 1) % 3, (axis + 2) % 3
    rows = [[ZERO] * 3 for _ in range(3)]
    rows[axis][axis] = ONE
    rows[x][x] = rows[y][y] = c
    rows[y][x], rows[x][y] = s, neg(s)
    a, b, d = (tuple(row) for row in rows)
    return (a, b, d)  # type: ignore[return-value]


def _sum(first: tuple[Node, Node], second: tuple[Node, Node]) -> tuple[Node, Node]:
    """Return cosine and sine of the sum of two angles."""
    c, s = first
    d, t = second
    return sub(mul(c, d), mul(s, t)), add(mul(s, d), mul(c, t))
