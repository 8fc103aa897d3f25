"""The tree of links: each mass element with the hinge that carries it, seen from the one before.

    v_i = C_i v_k + A_i z'_i + vr_i,    C_i = [G_i, -G_i r~_i; 0, G_i],  G_i = R_i^T

Twists are (linear; angular), in the link's local components, at its origin. The rates z' of a
hinge are speeds of the system where each of these moves this hinge alone and the columns of A
are independent. Otherwise they are rates of the hinge's own, tied to the speeds:

    z'' = P ud + pd
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.small_systems import generic_rank
from mbx.expr.build import (
    NULL,
    UNIT,
    add,
    cross,
    dot,
    matmul,
    matvec,
    mul,
    neg,
    plus,
    settled,
    skew,
    transposed,
)
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import NUMBER, ONE, ZERO, Node
from mbx.mechanics.tree.hinges import hinges_of, with_inertia

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Matrix, Vector
    from mbx.mechanics.motion import Motion, Moving
    from mbx.mechanics.tree.hinges import Hinge
    from mbx.system.kinematics.frames import Frame

__all__ = ["Link", "Links", "carrying", "complement", "links", "spatial_inertia", "wrench_at"]

_SIX: Final = 6


@dataclass(frozen=True, eq=False, kw_only=True)
class Link:
    """A rigid link of the tree, with the hinge that carries it.

    Attributes:
        path: Its mass element; of one that is known by its twist alone, two links stand for
            translation and rotation.
        moving: The mass element.
        parent: Position of the link before it; None for the ground.
        R: Its axes in those of the parent, R_PB.
        r: Its origin from that of the parent, in the components of the parent.
        A: Twist against the parent by the hinge's rates, six rows.
        Ad: Rates of the entries of A.
        vr: Twist against the parent where the hinge's rates are zero.
        vrd: Rates of the components of vr.
        m: Mass.
        c: Mass centre from the origin.
        J: Inertia about the mass centre.
        first: Position of its first rate among those of the tree.
        names: What its rates are called.
        frame: Its frame; None where only a twist is known.
    """

    path: str
    moving: Moving
    parent: int | None
    R: Matrix
    r: Vector
    A: tuple[tuple[Node, ...], ...]
    Ad: tuple[tuple[Node, ...], ...]
    vr: tuple[Node, ...]
    vrd: tuple[Node, ...]
    m: Node
    c: Vector
    J: Matrix
    first: int
    names: tuple[str, ...]
    frame: Frame | None

    @property
    def freedoms(self) -> int:
        """How many rates its hinge has."""
        return len(self.names)

    @property
    def own(self) -> range:
        """Positions of its rates among those of the tree."""
        return range(self.first, self.first + self.freedoms)

    @property
    def R_W(self) -> Matrix:  # noqa: N802  a rotation matrix
        """Its axes in those of the ground; the unit matrix where they are not known."""
        return UNIT if self.frame is None else self.frame.R

    @property
    def p(self) -> Vector:
        """Its origin, ground components; zero where it is not known."""
        return NULL if self.frame is None else self.frame.origin.p


@dataclass(frozen=True, eq=False)
class Links:
    """The links of a motion, parents first.

    Attributes:
        motion: The motion, in the speeds of the system.
        links: One or two a mass element.
        direct: For each rate of the tree, the position of the speed that it is; None where it
            is tied to the speeds.
        P: Tied accelerations by ud, a row for each rate of the tree; rows of direct ones are
            rows of the unit matrix.
        pd: Tied accelerations without ud.
        zd: The rates of the tree, z', in the speeds.
        bare: Mass elements without inertia that carry none: they are no links.
        light: Columns of hinges that move no inertia, as the spin of a thin rod: the link, the
            speed, and the column. Their speeds are beside the tree.
    """

    motion: Motion
    links: tuple[Link, ...]
    direct: tuple[int | None, ...]
    P: tuple[tuple[Node, ...], ...]
    pd: tuple[Node, ...]
    zd: tuple[Node, ...]
    bare: frozenset[str]
    light: tuple[tuple[int, int, tuple[Node, ...]], ...]

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The links that each one carries."""
        children: list[list[int]] = [[] for _ in self.links]
        for k, link in enumerate(self.links):
            if link.parent is not None:
                children[link.parent].append(k)
        return tuple(tuple(each) for each in children)

    @cached_property
    def extra(self) -> tuple[int, ...]:
        """Positions of the speeds that no rate of the tree is."""
        known = set(self.direct)
        return tuple(k for k in range(len(self.motion.u)) if k not in known)

    def moves(self, k: int) -> list[Node]:
        """Return the rates of a link's hinge, in the speeds."""
        return [self.zd[j] for j in self.links[k].own]

    def path(self, k: int) -> tuple[int, ...]:
        """Return the links from the ground to a link, itself included."""
        path = [k]
        while (parent := self.links[path[-1]].parent) is not None:
            path.append(parent)
        return tuple(reversed(path))


def links(motion: Motion) -> Links:
    """Return the tree of links of a motion in speeds."""
    hinges, bare = with_inertia(hinges_of(motion))
    inner = {hinge.parent for hinge in hinges}
    moved = [_columns(motion, hinge.twist) for hinge in hinges]
    used = Counter(k for columns in moved for k in columns)
    made: list[Link] = []
    direct: list[int | None] = []
    P: list[tuple[Node, ...]] = []
    pd: list[Node] = []
    zd: list[Node] = []
    light: list[tuple[int, int, tuple[Node, ...]]] = []
    for index, (hinge, columns) in enumerate(zip(hinges, moved, strict=True)):
        leaf, every = index not in inner, dict(columns)
        if leaf:
            light += [(index, k, columns.pop(k)) for k in _without_inertia(hinge, columns)]
        speeds = list(columns)
        A = [[columns[k][i] for k in speeds] for i in range(_SIX)]
        first = len(direct)
        kept = [i for i in range(_SIX) if any(x is not ZERO for x in A[i])]
        idle = _rows_without_inertia(hinge, kept) if leaf else []
        kept = [i for i in kept if i not in idle]
        alone = all(used[k] == 1 for k in speeds)
        if generic_rank(A) == len(speeds) and (alone or not _regular(hinge, kept)):
            names = [
                motion.speeds[k].path if used[k] == 1 else f"{hinge.path}:{motion.speeds[k].path}"
                for k in speeds
            ]
            direct += [k if used[k] == 1 else None for k in speeds]
            P += [_unit(k, len(motion.u)) for k in speeds]
            pd += [ZERO for _ in speeds]
            zd += [motion.u[k] for k in speeds]
            free = substitute(hinge.twist, {motion.u[k]: ZERO for k in speeds})
        else:
            # speeds that move other hinges, too, or more than there are freedoms: the twist
            # itself is the rates, so that they are good wherever the hinge has inertia
            light += [
                (index, k, tuple(x if j == i else ZERO for j, x in enumerate(columns[k])))
                for i in idle
                for k in speeds
                if columns[k][i] is not ZERO
            ]
            P += [_over(every, i, len(motion.u)) for i in kept]
            zd += [hinge.twist[i] for i in kept]
            rates = motion.rate([hinge.twist[i] for i in kept])
            pd += substitute(rates, dict.fromkeys(motion.ud, ZERO))
            direct += [None for _ in kept]
            names = [f"{hinge.path}:{_NAMES[i]}" for i in kept]
            A = [[ONE if i == j else ZERO for j in kept] for i in range(_SIX)]
            free = [ZERO if i in kept else hinge.twist[i] for i in range(_SIX)]
        made.append(_link(motion, hinge, A, free, first, names))
    return Links(
        motion, tuple(made), tuple(direct), tuple(P), tuple(pd), tuple(zd), bare, tuple(light)
    )


def _without_inertia(hinge: Hinge, columns: dict[int, tuple[Node, ...]]) -> list[int]:
    """Return the speeds that move no inertia of a leaf: M a = 0 in symbols, a constant."""
    M = spatial_inertia(hinge)
    return [
        k
        for k, column in columns.items()
        if all(x.op is NUMBER for x in column) and all(dot(row, column) is ZERO for row in M)
    ]


def _rows_without_inertia(hinge: Hinge, rows: Sequence[int]) -> list[int]:
    """Return the components of the twist that move no inertia of a leaf."""
    M = spatial_inertia(hinge)
    return [i for i in rows if all(row[i] is ZERO for row in M)]


def _regular(hinge: Hinge, rows: Sequence[int]) -> bool:
    """Return whether the link alone has inertia in all of some components of its twist."""
    M = spatial_inertia(hinge)
    return generic_rank([[M[i][j] for j in rows] for i in rows]) == len(rows)


_NAMES: Final = ("vx", "vy", "vz", "wx", "wy", "wz")


def _link(
    motion: Motion,
    hinge: Hinge,
    A: list[list[Node]],
    free: Sequence[Node],
    first: int,
    names: Sequence[str],
) -> Link:
    n = len(names)
    # a rate without inertia may be in `free`; its own rate then moves none
    rates = motion.rate([*(x for row in A for x in row), *free])
    rates = substitute(rates, dict.fromkeys(motion.ud, ZERO))
    return Link(
        path=hinge.path,
        moving=hinge.moving,
        parent=hinge.parent,
        R=hinge.R,
        r=hinge.r,
        A=tuple(tuple(row) for row in A),
        Ad=tuple(tuple(rates[n * k : n * k + n]) for k in range(_SIX)),
        vr=tuple(free),
        vrd=tuple(rates[_SIX * n :]),
        m=hinge.m,
        c=hinge.c,
        J=hinge.J,
        first=first,
        names=tuple(names),
        frame=hinge.frame,
    )


def _unit(k: int, n: int) -> tuple[Node, ...]:
    return tuple(ONE if j == k else ZERO for j in range(n))


def _over(columns: dict[int, tuple[Node, ...]], i: int, n: int) -> tuple[Node, ...]:
    return tuple(columns[k][i] if k in columns else ZERO for k in range(n))


def _columns(motion: Motion, twist: Sequence[Node]) -> dict[int, tuple[Node, ...]]:
    """Return the columns of the speeds that move a hinge."""
    named = set(free_symbols(twist))
    indices = [k for k, u in enumerate(motion.u) if u in named]
    by = zip(*jacobian(twist, [motion.u[k] for k in indices]), strict=True)
    return {
        k: column
        for k, column in zip(indices, by, strict=True)
        if any(x is not ZERO for x in column)
    }


def spatial_inertia(link: Link | Hinge) -> list[list[Node]]:
    """Return M = [m 1, -m c~; m c~, J - m c~ c~], about the origin of the link."""
    m, (x, y, z) = link.m, link.c
    mx, my, mz = (mul(m, k) for k in link.c)
    rows = [
        [m, ZERO, ZERO, ZERO, mz, neg(my)],
        [ZERO, m, ZERO, neg(mz), ZERO, mx],
        [ZERO, ZERO, m, my, neg(mx), ZERO],
    ]
    # -c~ c~ = (c.c) 1 - c c^T
    square = (
        (add(mul(my, y), mul(mz, z)), neg(mul(mx, y)), neg(mul(mx, z))),
        (neg(mul(mx, y)), add(mul(mx, x), mul(mz, z)), neg(mul(my, z))),
        (neg(mul(mx, z)), neg(mul(my, z)), add(mul(mx, x), mul(my, y))),
    )
    for k in range(3):
        coupled = [rows[j][3 + k] for j in range(3)]
        rows.append([*coupled, *(add(link.J[k][j], square[k][j]) for j in range(3))])
    return rows


def carrying(link: Link) -> list[list[Node]]:
    """Return C = [G, -G r~; 0, G], G = R^T: the parent's twist as one of the link."""
    G = transposed(link.R)
    turned = matmul(G, skew(link.r)) if link.r is not NULL else (NULL, NULL, NULL)
    rows = [[*G[k], *(neg(x) for x in turned[k])] for k in range(3)]
    return rows + [[ZERO, ZERO, ZERO, *G[k]] for k in range(3)]


def wrench_at(link: Link, force: Vector, torque: Vector) -> list[Node]:
    """Return a wrench on the mass centre as one at the origin, in local components.

    The force comes in ground components, the torque in those of the link.
    """
    local = settled(matvec(transposed(link.R_W), force))
    return [*local, *plus(torque, cross(link.c, local))]


def complement(link: Link) -> list[list[Node]] | None:
    """Return six rows of Z with A^T Z = 0, columns independent, where symbols determine it.

    Rows of A that are zero give unit columns; two columns in three rows, their vector product.
    None: the columns of A are such that only numbers decide.
    """
    rows = [k for k, row in enumerate(link.A) if any(x is not ZERO for x in row)]
    Z = [[ONE if k == j else ZERO for j in range(_SIX) if j not in rows] for k in range(_SIX)]
    left = len(rows) - link.freedoms
    if left == 0:
        return Z
    if link.freedoms == 1:
        return _across_column([row[0] for row in link.A], rows, Z)
    if left == 1 and link.freedoms == 2:  # noqa: PLR2004  two columns in three rows
        a, b = ([link.A[k][j] for k in rows] for j in range(2))
        normal = cross((a[0], a[1], a[2]), (b[0], b[1], b[2]))
        for k, x in zip(rows, normal, strict=True):
            Z[k] = [*Z[k], x]
        return [row if len(row) > _SIX - len(rows) else [*row, ZERO] for row in Z]
    return None


def _across_column(
    a: Sequence[Node], rows: Sequence[int], Z: list[list[Node]]
) -> list[list[Node]] | None:
    """Return what is across one column: the largest constant in it is the pivot."""
    fixed = [k for k in rows if a[k].op is NUMBER]
    if not fixed:
        return None
    pivot = max(fixed, key=lambda k: abs(a[k].value))
    for k in rows:
        if k == pivot:
            continue
        for j in range(_SIX):
            entry = a[pivot] if j == k else neg(a[k]) if j == pivot else ZERO
            Z[j].append(entry)
    return Z
