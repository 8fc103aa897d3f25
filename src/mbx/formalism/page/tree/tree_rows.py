"""What sweeps over a tree need of each link, in the components that can move.

    a_k = C_k a_p + A_k z''_k + c_k,    f_k = M_k a_k + G_k - F_k

Rows of six are linear, then angular. Of each link only those are kept in which its hinge or its
parent can move it: what a force does in the others, no hinge ever feels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from mbx.expr.algebra.shorten import written
from mbx.expr.build import (
    NULL,
    UNIT,
    add,
    cross,
    dot,
    matmul,
    matvec,
    minus,
    mul,
    neg,
    plus,
    transposed,
)
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.page.bodies import tidy as shorten
from mbx.mechanics import loads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mbx.expr.build import Matrix, Vector
    from mbx.mechanics.tree.links import Link, Links
    from mbx.mechanics.tree.ties import Ties

    Keep = Callable[[int, Sequence[Node]], list[Node]]
    KeepAxes = Callable[[int, Matrix], Matrix]
    KeepPoint = Callable[[int, Vector], Vector]

__all__ = ["Axes", "LinkRows", "Names", "Shortener", "tree_rows"]

Axes = Literal["link", "rates", "origin", "ground", "centre"]
"""Where the twist of a link is taken, and in which axes it is written.

`link`: at its origin, in its own axes, accelerations of points. `rates`: likewise, but the rates
of the components. `origin`, `ground`, `centre`: in the axes of the ground, at its origin, at the
origin of the ground, at its mass centre.
"""

_SIX: Final = range(6)
_WORTH: Final = 320
"""Operations of an expression that is worth shortening: a longer one is not written."""


@dataclass(slots=True)
class Shortener:
    """Shortens expressions while there is effort left; long ones stay as they are.

    Attributes:
        left: Operations that are still looked at.
    """

    left: int

    def __call__(self, nodes: Iterable[Node]) -> list[Node]:
        """Return expressions in the shortest form that is found."""
        return [self._shorten(x) for x in nodes]

    def _shorten(self, x: Node) -> Node:
        size = written([x])
        if size > min(_WORTH, self.left):
            return x
        self.left -= size
        return shorten([x])[0]


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkRows:
    """A link in the rows of its twist that can move.

    Attributes:
        link: The link.
        rows: Which of the six rows these are.
        A: Twist by the rates of its hinge, a row for each.
        C: Twist by that of the parent, likewise.
        M: Inertia.
        c: Acceleration that needs none of the hinge and none of the parent.
        G: Wrench that the motion needs without acceleration.
        F: Loads.
        v: Twist against the ground.
        rest: Twist over the hinge where its rates are zero.
        Ad: Rates of A, where components are those of the link.
    """

    link: Link
    rows: tuple[int, ...]
    A: list[list[Node]]
    C: list[list[Node]]
    M: list[list[Node]]
    c: list[Node]
    G: list[Node]
    F: list[Node]
    v: list[Node]
    rest: list[Node]
    Ad: list[list[Node]]


@dataclass(frozen=True, eq=False)
class Names:
    """What stands on the page for what a link has, by its position.

    Attributes:
        short: What shortens expressions.
        twist: For its twist.
        axes: For its axes in the ground.
        origin: For its origin in the ground.
    """

    short: Shortener
    twist: Keep
    axes: KeepAxes
    origin: KeepPoint


@dataclass(frozen=True, eq=False)
class _Known:
    """All six rows of a link, which of them move, and its axes and origin in the ground."""

    v: list[Node]
    shift: Vector
    live: tuple[int, ...]
    R: Matrix
    p: Vector


def tree_rows(
    tree: Links,
    closing: Ties,
    axes: Axes,
    keep: Names,
    plane: Sequence[int] = (),
) -> list[LinkRows]:
    """Return what sweeps need of each link.

    Args:
        tree: The links.
        closing: Their loads.
        axes: Where twists are taken.
        keep: What stands for twists, axes and origins of links on the page.
        plane: Rows that are kept of every link, whether they can move or not.
    """
    made: list[LinkRows] = []
    known: list[_Known] = []
    for k, link in enumerate(tree.links):
        up = None if link.parent is None else known[link.parent]
        row, here = _link_rows(tree, closing, axes, keep, plane, k, up)
        made.append(row)
        known.append(here)
    return made


def _link_rows(
    tree: Links,
    closing: Ties,
    axes: Axes,
    keep: Names,
    plane: Sequence[int],
    k: int,
    up: _Known | None,
) -> tuple[LinkRows, _Known]:
    link = tree.links[k]
    is_local = axes in {"link", "rates"}
    R, p = (UNIT, NULL) if is_local else _place(link, keep, k, up)
    G = transposed(link.R) if is_local else UNIT
    arm = link.r if is_local or up is None else matvec(up.R, link.r)
    shift = _shift(link, axes, R, p)
    lever = arm
    if axes == "ground":
        lever = NULL  # one point for all
    elif up is not None and not is_local:
        lever = minus(plus(arm, shift), up.shift)
    A = _at(_turn(link.A, R), shift)
    rest = [row[0] for row in _at(_turn([[x] for x in link.vr], R), shift)]
    C = _carry(G, lever) if up is not None else [[] for _ in _SIX]
    over = [add(dot(a, tree.moves(k)), x) for a, x in zip(A, rest, strict=True)]
    above = list(NULL + NULL) if up is None else up.v
    v = [add(dot(c, above) if c else ZERO, x) for c, x in zip(C, over, strict=True)]
    v = keep.twist(k, keep.short(v))
    here = _Known(v, shift, (), R, p)
    if axes == "rates":
        c = _component_rates(link, v, over, tree.moves(k), is_root=up is None)
    else:
        c = _accelerations(link, tree.moves(k), here, above, arm, up, is_local=is_local)
    c = keep.short(c)
    M = _inertia(link, R, shift, is_local=is_local)
    M, A, C = (_tidied(rows, keep.short) for rows in (M, A, C))
    gyro = _momentum_turning(v, M) if axes == "rates" else _needed(link, R, shift, v, M)
    F = _loads(closing.wrenches[k], R, shift) if is_local else _ground_loads(tree, closing, k, here)
    live = tuple(
        i
        for i in _SIX
        if i in plane
        or any(x is not ZERO for x in A[i])
        or c[i] is not ZERO
        or (up is not None and any(C[i][j] is not ZERO for j in up.live))
    )
    both = keep.short([*gyro, *F])
    columns = up.live if up is not None else ()
    row = LinkRows(
        link=link,
        rows=live,
        A=[A[i] for i in live],
        C=[[C[i][j] for j in columns] for i in live],
        M=[[M[i][j] for j in live] for i in live],
        c=[c[i] for i in live],
        G=[both[i] for i in live],
        F=[both[6 + i] for i in live],
        v=[v[i] for i in live],
        rest=[rest[i] for i in live],
        Ad=[list(link.Ad[i]) for i in live],
    )
    return row, _Known(v, shift, live, R, p)


def _tidied(rows: Sequence[Sequence[Node]], short: Shortener) -> list[list[Node]]:
    """Return rows in short form."""
    width = len(rows[0])
    flat = short([x for row in rows for x in row])
    return [flat[width * i : width * i + width] for i in range(len(rows))]


def _place(link: Link, keep: Names, k: int, up: _Known | None) -> tuple[Matrix, Vector]:
    """Return the axes and the origin of a link in the ground, by those of its parent."""
    if link.frame is None:
        return UNIT, NULL
    if up is None:
        return keep.axes(k, link.R_W), keep.origin(k, link.p)
    R = matmul(up.R, link.R)
    flat = keep.short([x for row in R for x in row])
    rows = tuple((flat[i], flat[i + 1], flat[i + 2]) for i in (0, 3, 6))
    x, y, z = keep.short(plus(up.p, matvec(up.R, link.r)))
    return keep.axes(k, (rows[0], rows[1], rows[2])), keep.origin(k, (x, y, z))


def _shift(link: Link, axes: Axes, R: Matrix, p: Vector) -> Vector:
    """Return where the twist is taken, from the origin of the link, ground components."""
    if axes == "centre":
        return matvec(R, link.c)
    if axes == "ground":
        x, y, z = p
        return neg(x), neg(y), neg(z)
    return NULL


def _turn(rows: Sequence[Sequence[Node]], R: Matrix) -> list[list[Node]]:
    """Return columns of six in turned axes."""
    if R is UNIT:
        return [list(row) for row in rows]
    columns = [
        (*matvec(R, (c[0], c[1], c[2])), *matvec(R, (c[3], c[4], c[5])))
        for c in zip(*rows, strict=True)
    ]
    return [[c[i] for c in columns] for i in _SIX]


def _at(rows: Sequence[Sequence[Node]], shift: Vector) -> list[list[Node]]:
    """Return columns of twists at a point that is shifted."""
    if shift is NULL:
        return [list(row) for row in rows]
    columns = [
        (*plus((c[0], c[1], c[2]), cross((c[3], c[4], c[5]), shift)), *c[3:])
        for c in zip(*rows, strict=True)
    ]
    return [[c[i] for c in columns] for i in _SIX]


def _carry(G: Matrix, lever: Vector) -> list[list[Node]]:
    """Return [G, -G r~; 0, G]."""
    # a column of -G r~ is G (e_j x r)
    turned = [matvec(G, cross(e, lever)) for e in UNIT]
    rows = [[*G[i], *(column[i] for column in turned)] for i in range(3)]
    return rows + [[ZERO, ZERO, ZERO, *G[i]] for i in range(3)]


def _component_rates(
    link: Link, v: Sequence[Node], over: Sequence[Node], zd: Sequence[Node], *, is_root: bool
) -> list[Node]:
    """Return A' z' + vr' - Om^T vj."""
    drift = [add(dot(row, zd), x) for row, x in zip(link.Ad, link.vrd, strict=True)]
    if is_root:
        return drift
    lin, w = _halves(v)
    linj, wj = _halves(over)
    turned = (*plus(cross(w, linj), cross(lin, wj)), *cross(w, wj))
    return [add(x, y) for x, y in zip(turned, drift, strict=True)]


def _accelerations(
    link: Link,
    zd: Sequence[Node],
    here: _Known,
    above: Sequence[Node],
    arm: Vector,
    up: _Known | None,
    *,
    is_local: bool,
) -> list[Node]:
    """Return what accelerates the point of a link but for the hinge and the parent."""
    R, shift = here.R, here.shift
    G = transposed(link.R) if is_local else UNIT
    wp = _halves(above)[1]
    before = matvec(G, wp)
    relative = [add(dot(row, zd), x) for row, x in zip(link.A, link.vr, strict=True)]
    vr, wr = (matvec(R, half) for half in _halves(relative))
    own = [add(dot(row, zd), x) for row, x in zip(link.Ad, link.vrd, strict=True)]
    lin, ang = (matvec(R, half) for half in _halves(own))
    circle = matvec(G, cross(wp, cross(wp, arm)))
    lin = plus(circle, lin, cross(plus(before, before, wr), vr))
    ang = plus(ang, cross(before, wr))
    if shift is not NULL:
        w = _halves(here.v)[1]
        lin = plus(lin, cross(ang, shift), cross(w, cross(w, shift)))
    if up is not None and up.shift is not NULL:
        lin = minus(lin, cross(wp, cross(wp, up.shift)))
    return [*lin, *ang]


def _inertia(link: Link, R: Matrix, shift: Vector, *, is_local: bool) -> list[list[Node]]:
    """Return [m 1, -m d~; m d~, J - m d~ d~], d the mass centre from the point."""
    m, d = link.m, _centre(link, R, shift)
    J = link.J if is_local else _turned_inertia(R, link.J)
    coupled = [cross(e, d) for e in UNIT]  # columns of -d~
    rows = [
        [*(m if i == j else ZERO for j in range(3)), *(mul(m, coupled[j][i]) for j in range(3))]
        for i in range(3)
    ]
    square = [cross(d, cross(e, d)) for e in UNIT]  # columns of -d~ d~
    for i in range(3):
        own = [add(J[i][j], mul(m, square[j][i])) for j in range(3)]
        rows.append([*(rows[j][3 + i] for j in range(3)), *own])
    return rows


def _turned_inertia(R: Matrix, J: Matrix) -> list[list[Node]]:
    columns = [matvec(R, matvec(J, row)) for row in R]
    return [[columns[j][i] for j in range(3)] for i in range(3)]


def _centre(link: Link, R: Matrix, shift: Vector) -> Vector:
    return minus(matvec(R, link.c), shift)


def _needed(
    link: Link, R: Matrix, shift: Vector, v: Sequence[Node], M: Sequence[Sequence[Node]]
) -> list[Node]:
    """Return the wrench that turning alone needs: m w x (w x d), and w x J w about the point."""
    w, d = _halves(v)[1], _centre(link, R, shift)
    force = cross(w, cross(w, d))
    J = [row[3:] for row in M[3:]]
    Jw = tuple(dot(row, w) for row in J)
    return [*(mul(link.m, x) for x in force), *cross(w, (Jw[0], Jw[1], Jw[2]))]


def _momentum_turning(v: Sequence[Node], M: Sequence[Sequence[Node]]) -> list[Node]:
    """Return Om M v = (w x P; v x P + w x L)."""
    P, L = _halves([dot(row, v) for row in M])
    lin, w = _halves(v)
    return [*cross(w, P), *plus(cross(lin, P), cross(w, L))]


def _loads(six: Sequence[Node], R: Matrix, shift: Vector) -> list[Node]:
    """Return loads at the point, from those at the origin in the axes of the link."""
    force, torque = (matvec(R, half) for half in _halves(six))
    return [*force, *minus(torque, cross(shift, force))]


def _ground_loads(tree: Links, closing: Ties, k: int, here: _Known) -> list[Node]:
    """Return loads at the point, forces as the ground sees them."""
    link, six = tree.links[k], closing.wrenches[k]
    if link.frame is None or all(x is ZERO for x in six):
        return _loads(six, here.R, here.shift)
    paths = [m.path for m in tree.motion.elements]
    force, torque = loads.wrenches(tree.motion)[paths.index(link.moving.path)]
    arm = _centre(link, here.R, here.shift)
    return [*force, *plus(matvec(here.R, torque), cross(arm, force))]


def _halves(six: Sequence[Node]) -> tuple[Vector, Vector]:
    a, b, c, x, y, z = six
    return (a, b, c), (x, y, z)
