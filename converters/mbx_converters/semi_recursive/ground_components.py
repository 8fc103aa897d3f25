"""Positions root to leaves, and the columns of the hinges, in ground components.

    A_i = A_p R_i,    R_i = R_p + A_p r_i        of link i, carried by link p
    rho_j = R_j + A_j b_j                        where joint j is, on the link that it moves
    h_j, w_j                                     what its rates do to the link there

The point rho_j of the link moves against the parent by h_j z'_j, and the link turns by
w_j z'_j. Of a revolute joint h is zero, of a prismatic one w is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mbx.expr.build import (
    NULL,
    add,
    cross,
    matmul,
    matvec,
    minus,
    mul,
    neg,
    plus,
    settled,
    skew,
    transposed,
)
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.matrix_value import Matrix
from mbx.system.kinematics.relative import components

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Matrix as Tensor
    from mbx.expr.build import Vector
    from mbx.formalism.builder import Program
    from mbx.mechanics.tree.links import Link, Links
    from mbx.mechanics.tree.ties import Ties

__all__ = [
    "Axes",
    "ByLink",
    "Places",
    "applied",
    "axes",
    "beside",
    "bodies",
    "columns_of",
    "matrix_of",
    "places",
    "stacked",
    "three",
    "turning",
    "turns",
]


ByLink = dict[int, Matrix]
"""Matrices of links by their positions in the tree, from 0; names end with numbers from 1."""


@dataclass(frozen=True, slots=True)
class Axes:
    """The columns of a hinge at its joint, own components of the link, and their rates.

    The last column is the motion without rates, where the hinge is rheonomic.
    """

    b: Vector
    bd: Vector
    h: tuple[Vector, ...]
    w: tuple[Vector, ...]
    hd: tuple[Vector, ...]
    wd: tuple[Vector, ...]


def axes(link: Link) -> Axes:
    """Return the columns of a hinge, moved from the link's origin to its joint."""
    motion = link.moving.motion
    b = _joint(link)
    bd: Vector = NULL if b is NULL else settled(_vector(motion.rate(b)))
    columns = list(zip(*link.A, strict=True))
    rates = list(zip(*link.Ad, strict=True))
    if any(x is not ZERO for x in link.vr):
        columns.append(link.vr)
        rates.append(link.vrd)
    h, w, hd, wd = [], [], [], []
    for column, rate in zip(columns, rates, strict=True):
        v, turn = _vector(column[:3]), _vector(column[3:])
        vd, turned = _vector(rate[:3]), _vector(rate[3:])
        h.append(settled(plus(v, cross(turn, b))))
        hd.append(settled(plus(vd, cross(turned, b), cross(turn, bd))))
        w.append(settled(turn))
        wd.append(settled(turned))
    return Axes(b, bd, tuple(h), tuple(w), tuple(hd), tuple(wd))


def _joint(link: Link) -> Vector:
    """Return the origin of the joint's second side, which is fixed to the link, from its own."""
    joint = link.moving.element.joint
    if joint is None or link.frame is None:
        return NULL
    chain = []
    walked = link.frame
    while walked is not joint.M:
        chain.append(walked)
        if walked.parent is None:
            return components(joint.M.origin, link.frame)
        walked = walked.parent
    b: Vector = NULL
    for each in reversed(chain):
        seen = components(each.origin, each.parent or each)
        b = settled(matvec(transposed(each.rotation.R), minus(b, seen)))
    return b


@dataclass(frozen=True, slots=True)
class Places:
    """Where links and joints are.

    Attributes:
        axes: The columns of the hinges in own components, as entries of the program.
        A: Axes of the links.
        R: Origins of the links.
        rho: Joints, each on the link that it moves.
        h: Velocities of the joints by the rates of their hinges.
        w: Turning of the links by the rates of their hinges.
    """

    axes: list[Axes] = field(default_factory=list)
    A: ByLink = field(default_factory=dict)
    R: ByLink = field(default_factory=dict)
    rho: ByLink = field(default_factory=dict)
    h: ByLink = field(default_factory=dict)
    w: ByLink = field(default_factory=dict)


def places(p: Program, tree: Links) -> Places:
    """Add A, R, rho, h and w of each link, from the ground outwards, (15) and (19)."""
    p.begin("forward sweep, root to leaves: places of bodies and joints")
    at = Places()
    for k, link in enumerate(tree.links):
        i, own = k + 1, _define_axes(p, k + 1, link)
        at.axes.append(own)
        A, R = link.R, link.r
        if link.parent is not None:
            up = matrix_of(p, at.A[link.parent])
            A = matmul(up, link.R)
            R = plus(three(p, at.R[link.parent]), matvec(up, link.r))
        at.A[k] = p.define(f"A_{i}", A, f"axes of {link.path}")
        at.R[k] = p.column(f"R_{i}", R, f"origin of {link.path}")
        A = matrix_of(p, at.A[k])
        rho = plus(three(p, at.R[k]), matvec(A, own.b))
        at.rho[k] = p.column(f"rho_{i}", rho, f"joint of {link.path}")
        h = beside([matvec(A, each) for each in own.h])
        meaning = f"velocity of the joint of {link.path} by the rates of its hinge"
        at.h[k] = p.define(f"h_{i}", h, meaning, columns=_labels(link, own))
        w = beside([matvec(A, each) for each in own.w])
        meaning = f"turning of {link.path} by the rates of its hinge"
        at.w[k] = p.define(f"w_{i}", w, meaning, columns=_labels(link, own))
    return at


def _define_axes(p: Program, i: int, link: Link) -> Axes:
    """Add the columns of a hinge in own components, and their rates."""
    own = axes(link)

    def entries(name: str, columns: Sequence[Vector], meaning: str) -> tuple[Vector, ...]:
        matrix = p.define(f"{name}_{i}", beside(columns), meaning, columns=_labels(link, own))
        return columns_of(p, matrix)

    return Axes(
        own.b,
        own.bd,
        entries("hb", own.h, f"h of {link.path}, own components"),
        entries("wb", own.w, f"w of {link.path}, own components"),
        entries("hbd", own.hd, f"rates of hb_{i}"),
        entries("wbd", own.wd, f"rates of wb_{i}"),
    )


def _labels(link: Link, own: Axes) -> tuple[str, ...]:
    """Return what the columns of a hinge belong to; one more is that of time."""
    return (*link.names, "t")[: len(own.h)]


def bodies(p: Program, tree: Links, A: ByLink, twists: ByLink) -> tuple[ByLink, ByLink]:
    """Add M and Qv of each link about its origin, (43); the angular part of its twist is known.

    Qv = -int rho L^T L' q' dV: the sign that (43) needs, not that of its definition as printed.
    """
    p.begin("inertias of the bodies about their origins")
    M: ByLink = {}
    Qv: ByLink = {}
    for k, link in enumerate(tree.links):
        Ak, m = matrix_of(p, A[k]), link.m
        u = three(p, p.column(f"u_{k + 1}", matvec(Ak, link.c), f"mass centre of {link.path}"))
        S = skew(u)
        J = matmul(matmul(Ak, link.J), transposed(Ak))
        mS = [[mul(m, x) for x in row] for row in S]
        mSS = [[mul(m, x) for x in row] for row in matmul(S, S)]
        rows = [
            [*(m if i == j else ZERO for j in range(3)), *(neg(x) for x in mS[i])] for i in range(3)
        ]
        rows += [
            [*mS[i], *(add(a, neg(b)) for a, b in zip(J[i], mSS[i], strict=True))] for i in range(3)
        ]
        M[k] = p.define(f"M_{k + 1}", rows, f"inertia of {link.path} about its origin")
        w = turning(p, twists[k])
        I = matrix_of(p, M[k], 3)  # noqa: E741  the inertia about the origin
        force = cross(cross(w, u), w)
        rest = (*(mul(m, x) for x in force), *cross(matvec(I, w), w))
        Qv[k] = p.column(f"Qv_{k + 1}", rest, f"quadratic terms of {link.path}")
    return M, Qv


def turns(p: Program, A: ByLink) -> ByLink:
    """Add the rotation AA of a wrench from own to ground components, for each link."""
    p.begin("loads and equations of motion")
    meaning = "a wrench, own to ground axes"
    return {
        k: p.let(f"AA_{k + 1}", p.block([[each, None], [None, each]]), meaning)
        for k, each in A.items()
    }


def applied(p: Program, tree: Links, closing: Ties, AA: ByLink, h: Matrix) -> ByLink:
    """Add Qe of each link that is loaded, ground components; h has six rows a link."""
    Qe: ByLink = {}
    for k, (link, six) in enumerate(zip(tree.links, closing.wrenches, strict=True)):
        if any(x is not ZERO for x in six):
            rows = h.rows(range(6 * k, 6 * k + 6))
            F = p.let(f"F_{k + 1}", rows, f"loads on {link.path}")
            Qe[k] = p.let(f"Qe_{k + 1}", AA[k] @ F, "the same in ground axes")
    return Qe


def beside(columns: Sequence[Sequence[Node]], rows: int = 3) -> list[list[Node]]:
    """Return the rows of a matrix from its columns; there may be none."""
    return [list(row) for row in zip(*columns, strict=True)] or [[] for _ in range(rows)]


def stacked(p: Program, name: str, parts: ByLink, meaning: str) -> Matrix:
    """Add matrices below each other; where one is zero, by entries, for a zero has no size."""
    rows = [p.entries(part) for part in parts.values()]
    if all(any(x is not ZERO for row in part for x in row) for part in rows):
        return p.let(name, p.stack(*parts.values()), meaning)
    return p.define(name, [row for part in rows for row in part], meaning)


def three(p: Program, column: Matrix) -> Vector:
    """Return the first three rows of a column of a program."""
    return _vector(p.elements(column)[:3])


def turning(p: Program, twist: Matrix) -> Vector:
    """Return the angular part of a twist of a program."""
    return _vector(p.elements(twist)[3:])


def columns_of(p: Program, matrix: Matrix) -> tuple[Vector, ...]:
    """Return the columns of a matrix of three rows of a program."""
    return tuple(map(_vector, zip(*p.entries(matrix), strict=True)))


def matrix_of(p: Program, matrix: Matrix, first: int = 0) -> Tensor:
    """Return three rows and columns of a square matrix of a program."""
    a, b, c = (_vector(row[first:][:3]) for row in p.entries(matrix)[first:][:3])
    return (a, b, c)


def _vector(entries: Sequence[Node]) -> Vector:
    x, y, z = entries
    return (x, y, z)
