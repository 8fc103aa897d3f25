"""What holds each link of a tree: the rows of its twist that have inertia, and Z across its hinge.

    A_i^T Z_i = 0,    [A_i, Z_i] regular, both in the kept rows

H_Sigma needs the inverse of the inertia of every link. About the mass centre a row of the twist
without inertia is a row of zeros, and may be left out where this is exact: where it never moves,
or where no kept row of what the link carries moves with it. What remains must be regular.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.small_systems import generic_rank
from mbx.expr.build import NULL, cross, matvec, minus, plus, settled, transposed
from mbx.expr.derivatives import jacobian
from mbx.expr.nodes import NUMBER, ZERO, Node
from mbx.mechanics.tree.links import Links, carrying, complement
from mbx.system.kinematics.frames import Frame
from mbx.system.kinematics.relative import components

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.mechanics.tree.links import Link

__all__ = ["Subspace", "across", "centred", "subspaces"]

_SIX: Final = 6
_SMALL: Final = 0.1
Rows = list[list[Node]]


@dataclass(frozen=True, eq=False, slots=True)
class Subspace:
    """The rows of a link's twist that have inertia, and Z there.

    Attributes:
        kept: These rows.
        passing: Rows left out from which something reaches a kept row of this link's hinge, or
            of what carries it.
        constrained: How many directions the hinge holds: columns of Z.
        Z: A row for each kept one; None where only numbers decide.
    """

    kept: tuple[int, ...]
    passing: frozenset[int]
    constrained: int
    Z: Rows | None


def centred(tree: Links) -> Links:
    """Return the tree with the origins of its links at their mass centres."""
    made = []
    for link in tree.links:
        up = NULL if link.parent is None else tree.links[link.parent].c
        made.append(
            replace(
                link,
                r=settled(minus(plus(link.r, matvec(link.R, link.c)), up)),
                A=_moved(link.A, link.c),
                Ad=_moved(link.Ad, link.c),
                vr=tuple(row[0] for row in _moved([[x] for x in link.vr], link.c)),
                vrd=tuple(row[0] for row in _moved([[x] for x in link.vrd], link.c)),
                c=NULL,
                frame=_at_centre(link),
            )
        )
    return replace(tree, links=tuple(made))


def _at_centre(link: Link) -> Frame | None:
    """Return the frame of a link, moved to its mass centre."""
    if link.frame is None or link.c is NULL:
        return link.frame
    return Frame(link.frame, link.moving.element.com)


def _moved(rows: Sequence[Sequence[Node]], c: Vector) -> tuple[tuple[Node, ...], ...]:
    """Return columns of twists at a point c from where they were: v + w x c."""
    if c is NULL:
        return tuple(tuple(row) for row in rows)
    columns = []
    for a, b, d, x, y, z in zip(*rows, strict=True):
        columns.append((*settled(plus((a, b, d), cross((x, y, z), c))), x, y, z))
    return tuple(zip(*columns, strict=True)) or ((),) * _SIX


def subspaces(tree: Links) -> list[Subspace]:
    """Return what is kept of each link of a tree; it is refused where an inertia is singular."""
    middle = centred(tree)
    C = [carrying(link) for link in middle.links]
    kept = [_with_inertia(link) for link in middle.links]
    still = _still(middle, C)
    passing = _passing(middle, C, kept)
    spaces = []
    for k, (link, rows) in enumerate(zip(middle.links, kept, strict=True)):
        for row in range(_SIX):
            if row in rows or (row in still[k] and row not in passing[k]):
                continue
            for j in middle.children[k]:
                if any(C[j][i][row] is not ZERO for i in kept[j]):
                    raise NotApplicableError(
                        f"the inertia of {link.path} is singular, and it carries "
                        f"{middle.links[j].path}: H_Sigma needs its inverse"
                    )
        if generic_rank([link.A[i] for i in rows]) < link.freedoms:
            behind = ", ".join(link.names)
            raise NotApplicableError(f"the inertia of {link.path} is singular behind {behind}")
        Z = _across(tree.links[k], link, rows)
        spaces.append(Subspace(rows, frozenset(passing[k]), len(rows) - link.freedoms, Z))
    return spaces


def _with_inertia(link: Link) -> tuple[int, ...]:
    """Return the rows of the twist of a link, at its mass centre, that have inertia."""
    linear = () if link.m is ZERO else (0, 1, 2)
    turned = [k for k in range(3) if any(x is not ZERO for x in link.J[k])]
    if generic_rank([[link.J[i][j] for j in turned] for i in turned]) < len(turned):
        raise NotApplicableError(
            f"the inertia of {link.path} is singular: H_Sigma needs its inverse"
        )
    return (*linear, *(3 + k for k in turned))


def _still(tree: Links, C: Sequence[Rows]) -> list[set[int]]:
    """Return, for each link, the rows of its twist that are zero whatever moves."""
    still: list[set[int]] = []
    for k, link in enumerate(tree.links):
        carried: set[int] = set() if link.parent is None else set(range(_SIX)) - still[link.parent]
        still.append(
            {
                i
                for i in range(_SIX)
                if link.vr[i] is ZERO
                and all(x is ZERO for x in link.A[i])
                and all(C[k][i][j] is ZERO for j in carried)
            }
        )
    return still


def _passing(tree: Links, C: Sequence[Rows], kept: Sequence[tuple[int, ...]]) -> list[set[int]]:
    """Return, for each link, the rows left out that pass a wrench on, to hinge or parent."""
    passing: list[set[int]] = []
    for k, link in enumerate(tree.links):
        up = link.parent
        felt: set[int] = set() if up is None else {*kept[up], *passing[up]}
        passing.append(
            {
                i
                for i in range(_SIX)
                if i not in kept[k]
                and (
                    any(x is not ZERO for x in link.A[i])
                    or any(C[k][i][j] is not ZERO for j in felt)
                )
            }
        )
    return passing


def _across(link: Link, middle: Link, kept: tuple[int, ...]) -> Rows | None:
    """Return Z of a link in its kept rows, at its mass centre."""
    if len(kept) == _SIX:
        Z = across(link)
        return None if Z is None else _wrench_moved(Z, link.c)
    none: tuple[Node, ...] = (ZERO,) * link.freedoms
    part = replace(middle, A=tuple(a if i in kept else none for i, a in enumerate(middle.A)))
    Z = _complement(part)
    if Z is None:
        return None
    # rows that are left out gave unit columns
    columns = [j for j, column in enumerate(zip(*Z, strict=True)) if _within(column, kept)]
    return [[Z[i][j] for j in columns] for i in kept]


def _within(column: Sequence[Node], kept: tuple[int, ...]) -> bool:
    return all(x is ZERO for i, x in enumerate(column) if i not in kept)


def _wrench_moved(Z: Rows, c: Vector) -> Rows:
    """Return columns of wrenches at a point c from where they were: n - c x f."""
    if c is NULL:
        return Z
    columns = []
    for a, b, d, x, y, z in zip(*Z, strict=True):
        columns.append((a, b, d, *settled(minus((x, y, z), cross(c, (a, b, d))))))
    return [list(row) for row in zip(*columns, strict=True)] or [[] for _ in range(_SIX)]


def across(link: Link) -> Rows | None:
    """Return Z of six rows, the gradients of what the hinge holds, where symbols determine it.

    Where a hinge moves and turns by different rates, force and torque are determined apart; a
    hinge is also looked at from the origin of its joint.
    """
    Z = _complement(link)
    if Z is None:
        Z = _apart(link)
    if Z is not None:
        return Z
    b = _joint(link)
    there = replace(link, A=_moved(link.A, b))
    Z = _complement(there)
    if Z is None:
        Z = _apart(there)
    return None if Z is None else _wrench_moved(Z, settled(minus(NULL, b)))


def _joint(link: Link) -> Vector:
    """Return the origin of the joint's side on a link, in its components; zero without a joint."""
    joint = link.moving.element.joint
    if joint is None or link.frame is None:
        return NULL
    between = [link.frame]
    while between[-1] is not joint.M:
        if between[-1].parent is None:
            return NULL
        between.append(between[-1].parent)
    b: Vector = NULL
    for frame, base in zip(between[-2::-1], between[:0:-1], strict=True):
        b = matvec(transposed(frame.rotation.R), minus(b, components(frame.origin, base)))
    return settled(b)


def _complement(link: Link) -> Rows | None:
    """Return Z by symbols, unless it would have columns that are almost the same.

    Of one column of A with several entries, the first number is what all columns of Z share.
    """
    numbers = [abs(row[0].value) for row in link.A if link.freedoms == 1 and row[0].op is NUMBER]
    shared = [x for x in numbers if x]
    if shared and shared[0] < _SMALL * max(shared):
        return None
    return complement(link)


def _apart(link: Link) -> Rows | None:
    """Return Z where each rate either moves the origin or turns the link."""
    moves = [k for k in range(link.freedoms) if any(link.A[i][k] is not ZERO for i in range(3))]
    turns = [k for k in range(link.freedoms) if any(link.A[i][k] is not ZERO for i in range(3, 6))]
    if set(moves) & set(turns):
        return None
    Zn = _complement(_half(link, turns, 3))
    Zf = _complement(_half(link, moves, 0))
    if Zf is None:
        Zf = _in_parent(link, moves)
    if Zf is None or Zn is None:
        return None
    # the other half of each is all unit columns
    force = [column for column in zip(*Zf, strict=True) if _within(column, (0, 1, 2))]
    torque = [column for column in zip(*Zn, strict=True) if _within(column, (3, 4, 5))]
    return [list(row) for row in zip(*force, *torque, strict=True)] or [[] for _ in range(_SIX)]


def _half(link: Link, chosen: Sequence[int], first: int) -> Link:
    """Return a link with some rates, in three rows of the twist alone."""
    half = range(first, first + 3)
    rows = [[row[k] if i in half else ZERO for k in chosen] for i, row in enumerate(link.A)]
    return replace(
        link,
        A=tuple(tuple(row) for row in rows),
        names=tuple(link.names[k] for k in chosen),
    )


def _in_parent(link: Link, moves: Sequence[int]) -> Rows | None:
    """Return Z of a hinge that moves its link along axes of the parent, which turn in its own."""
    motion = link.moving.motion
    speeds = {s.path: s.symbol for s in motion.speeds}
    if any(link.names[k] not in speeds for k in moves):
        return None
    rates = motion.express(motion.rate(link.r))
    by = jacobian(rates, [speeds[link.names[k]] for k in moves])
    none: tuple[Node, ...] = (ZERO,) * len(moves)
    seen = replace(
        link,
        A=(*(tuple(row) for row in by), none, none, none),
        names=tuple(link.names[k] for k in moves),
    )
    Z = _complement(seen)
    if Z is None:
        return None
    G = transposed(link.R)
    columns = []
    for a, b, c, *rest in zip(*Z, strict=True):
        columns.append((*settled(matvec(G, (a, b, c))), *rest))
    return [list(row) for row in zip(*columns, strict=True)]
