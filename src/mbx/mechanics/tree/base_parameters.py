"""Mass, first and second moments of links, and what of them the parents may as well carry.

    S = int r r^T dm,  h = int r dm,  m = int dm,    J = tr(S) 1 - S

all about the origin of the link. What lies on the axis of a hinge moves with the parent: the
base parameters of M. Gautier and W. Khalil, Direct calculation of minimum set of inertial
parameters of serial robots, IEEE Trans. Robotics and Automation 6(3), 1990, 368-373.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.congruence import turned_symmetric
from mbx.expr.build import NULL, add, matvec, mul, neg, plus, scale, settled, sub, times
from mbx.expr.nodes import ONE, ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mbx.expr.build import Matrix, Vector
    from mbx.mechanics.tree.links import Link, Links

__all__ = ["Mass", "carried", "inertia", "masses", "regrouped", "together", "unit_entries"]

_HALF: Final = Fraction(1, 2)
_UNITS: Final = (ONE, neg(ONE))
_TURNS: Final = 3  # rows from here on are angular


@dataclass(frozen=True, slots=True)
class Mass:
    """A distribution of mass: m, first moments h and second moments S about an origin."""

    m: Node
    h: Vector
    S: tuple[tuple[Node, ...], ...]


NOTHING: Final = Mass(ZERO, NULL, (NULL, NULL, NULL))


def masses(tree: Links) -> list[Mass]:
    """Return the mass of each link about its origin."""
    return [_mass(link) for link in tree.links]


def _mass(link: Link) -> Mass:
    J, h = link.J, times(link.m, link.c)
    trace = scale(_HALF, add(J[0][0], J[1][1], J[2][2]))
    S = [
        [
            add(sub(trace, J[i][i]) if i == j else neg(J[i][j]), mul(h[i], link.c[j]))
            for j in range(3)
        ]
        for i in range(3)
    ]
    return Mass(link.m, settled(h), _rows(S))


def inertia(mass: Mass) -> list[list[Node]]:
    """Return J, the inertia about the origin."""
    S = mass.S
    return [
        [neg(S[i][j]) if i != j else add(S[i - 1][i - 1], S[i - 2][i - 2]) for j in range(3)]
        for i in range(3)
    ]


def carried(R: Matrix, r: Vector, mass: Mass) -> Mass:
    """Return a mass about the origin and in the axes of the parent."""
    h = settled(matvec(R, mass.h))
    S = turned_symmetric(R, mass.S)
    # S + h r^T + r h^T + m r r^T
    moved = plus(h, times(mass.m, r))
    for i in range(3):
        S[i][i] = add(S[i][i], mul(r[i], add(h[i], moved[i])))
        for j in range(i):
            S[i][j] = S[j][i] = add(S[i][j], mul(r[i], h[j]), mul(r[j], moved[i]))
    return Mass(mass.m, settled(moved), _rows(S))


def together(parts: Iterable[Mass]) -> Mass:
    """Return several masses about one origin as one."""
    massive = [part for part in parts if part is not NOTHING]
    if len(massive) <= 1:
        return massive[0] if massive else NOTHING
    S = [[add(*(part.S[i][j] for part in massive)) for j in range(3)] for i in range(3)]
    return Mass(add(*(part.m for part in massive)), plus(*(part.h for part in massive)), _rows(S))


def unit_entries(link: Link) -> tuple[tuple[int, int, Node], ...] | None:
    """Return row, column and value of the entries of A, where each column has one: 1 or -1.

    None where A is not so, or two columns are along the same row.
    """
    units: list[tuple[int, int, Node]] = []
    for column, entries in enumerate(zip(*link.A, strict=True)):
        rows = [k for k, x in enumerate(entries) if x is not ZERO]
        if len(rows) != 1 or entries[rows[0]] not in _UNITS:
            return None
        units.append((rows[0], column, entries[rows[0]]))
    return tuple(units) if len({row for row, _, _ in units}) == len(units) else None


def regrouped(tree: Links) -> list[Mass]:
    """Return masses that move the tree as its own do, with as little as possible on each link.

    A link on a fixed axis keeps what is off that axis; one that slides keeps its mass and first
    moments; one that is fixed keeps nothing. The parent carries the rest; the ground needs none.
    """
    result = masses(tree)
    for k in reversed(range(len(result))):
        link = tree.links[k]
        rest, moved = _divided(link, result[k])
        result[k] = rest
        if moved is not NOTHING and link.parent is not None:
            result[link.parent] = together([result[link.parent], carried(link.R, link.r, moved)])
    return result


def _divided(link: Link, mass: Mass) -> tuple[Mass, Mass]:
    """Return what a link keeps, and what its parent may carry."""
    units = unit_entries(link)
    if units is None or len(units) > 1 or any(x is not ZERO for x in link.vr):
        return mass, NOTHING
    if not units:
        return NOTHING, mass
    row = units[0][0]
    if row < _TURNS:  # it slides: its second moments turn with the parent
        empty = Mass(mass.m, mass.h, NOTHING.S)
        return empty, Mass(ZERO, NULL, mass.S)
    k = row - _TURNS
    h = [x if i == k else ZERO for i, x in enumerate(mass.h)]
    S = [[mass.S[i][j] if i == j == k else ZERO for j in range(3)] for i in range(3)]
    left = [ZERO if i == k else x for i, x in enumerate(mass.h)]
    off = [[ZERO if i == j == k else mass.S[i][j] for j in range(3)] for i in range(3)]
    return (
        Mass(ZERO, (left[0], left[1], left[2]), _rows(off)),
        Mass(mass.m, (h[0], h[1], h[2]), _rows(S)),
    )


def _rows(S: Sequence[Sequence[Node]]) -> tuple[tuple[Node, ...], ...]:
    return tuple(tuple(row) for row in S)
