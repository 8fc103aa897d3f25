"""Positions root to leaves, and the columns of the hinges, in ground components.

    A_i = A_p R_i,    R_i = R_p + A_p r_i        of link i, carried by link p
    rho_j = R_j + A_j b_j                        where joint j is, on the link that it moves
    h_j, w_j                                     what its rates do to the link there

The point rho_j of the link moves against the parent by h_j z'_j, and the link turns by
w_j z'_j. Of a revolute joint h is zero, of a prismatic one w is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.build import add, mul, neg
from mbx.expr.matrix import (
    NULL,
    cross,
    matmul,
    matvec,
    minus,
    plus,
    settled,
    skew,
    transposed,
)
from mbx.expr.nodes import ZERO, Node
from mbx.system.kinematics.relative import components

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.matrix import Matrix, Vector
    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Link, Links

__all__ = [
    "Axes",
    "applied",
    "axes",
    "beside",
    "bodies",
    "column",
    "matrix_of",
    "places",
    "stacked",
    "three",
    "turning",
    "turns",
]


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


def places(p: NamedProgram, tree: Links) -> list[Axes]:
    """Add A, R, rho, h and w of each link, from the ground outwards, (15) and (19).

    What is returned are the columns in own components, as entries of the program.
    """
    p.begin("forward sweep, root to leaves: places of bodies and joints")
    found = []
    for k, link in enumerate(tree.links, start=1):
        own = _written(p, k, link)
        found.append(own)
        A, R = link.R, link.r
        if link.parent is not None:
            up = matrix_of(p, f"A_{link.parent + 1}")
            A = matmul(up, link.R)
            R = plus(three(p, f"R_{link.parent + 1}"), matvec(up, link.r))
        p.derived(f"A_{k}", A, f"axes of {link.path}")
        p.derived(f"R_{k}", column(R), f"origin of {link.path}")
        A = matrix_of(p, f"A_{k}")
        p.derived(
            f"rho_{k}", column(plus(three(p, f"R_{k}"), matvec(A, own.b))), f"joint of {link.path}"
        )
        for name, columns, meaning in (
            ("h", own.h, f"velocity of the joint of {link.path} by the rates of its hinge"),
            ("w", own.w, f"turning of {link.path} by the rates of its hinge"),
        ):
            rows = beside([matvec(A, each) for each in columns])
            p.derived(f"{name}_{k}", rows, meaning, columns=_labels(link, own))
    return found


def _written(p: NamedProgram, k: int, link: Link) -> Axes:
    """Add the columns of a hinge in own components, and their rates."""
    own = axes(link)

    def entries(name: str, columns: Sequence[Vector], meaning: str) -> tuple[Vector, ...]:
        p.define(f"{name}_{k}", beside(columns), meaning, columns=_labels(link, own))
        return tuple(three(p, f"{name}_{k}", j) for j in range(len(columns)))

    return Axes(
        own.b,
        own.bd,
        entries("hb", own.h, f"h of {link.path}, own components"),
        entries("wb", own.w, f"w of {link.path}, own components"),
        entries("hbd", own.hd, f"rates of hb_{k}"),
        entries("wbd", own.wd, f"rates of wb_{k}"),
    )


def _labels(link: Link, own: Axes) -> tuple[str, ...]:
    """Return what the columns of a hinge belong to; one more is that of time."""
    return (*link.names, "t")[: len(own.h)]


def bodies(p: NamedProgram, tree: Links, twists: Sequence[str]) -> None:
    """Add M and Qv of each link about its origin, (43); the angular part of its twist is known.

    Qv = -int rho L^T L' q' dV: the sign that (43) needs, not that of its definition as printed.
    """
    p.begin("inertias of the bodies about their origins")
    for k, (link, name) in enumerate(zip(tree.links, twists, strict=True), start=1):
        A, m = matrix_of(p, f"A_{k}"), link.m
        p.derived(f"u_{k}", column(matvec(A, link.c)), f"mass centre of {link.path}")
        u = three(p, f"u_{k}")
        S = skew(u)
        J = matmul(matmul(A, link.J), transposed(A))
        mS = [[mul(m, x) for x in row] for row in S]
        mSS = [[mul(m, x) for x in row] for row in matmul(S, S)]
        rows = [
            [*(m if i == j else ZERO for j in range(3)), *(neg(x) for x in mS[i])] for i in range(3)
        ]
        rows += [
            [*mS[i], *(add(a, neg(b)) for a, b in zip(J[i], mSS[i], strict=True))] for i in range(3)
        ]
        p.derived(f"M_{k}", rows, f"inertia of {link.path} about its origin")
        w = turning(p, name)
        I = matrix_of(p, f"M_{k}", 3)  # noqa: E741  the inertia about the origin
        force = cross(cross(w, u), w)
        rest = (*(mul(m, x) for x in force), *cross(matvec(I, w), w))
        p.derived(f"Qv_{k}", column(rest), f"quadratic terms of {link.path}")


def turns(p: NamedProgram, tree: Links) -> None:
    """Add the rotation of a wrench from own to ground components, for each link."""
    p.begin("loads and equations of motion")
    for k, _ in enumerate(tree.links, start=1):
        p.block(f"AA_{k}", [[f"A_{k}", None], [None, f"A_{k}"]], "a wrench, own to ground axes")


def applied(p: NamedProgram, tree: Links, h: str, loaded: Sequence[bool]) -> list[str | None]:
    """Add Qe of each link that is loaded, ground components; h has six rows a link."""
    found: list[str | None] = []
    for k, some in enumerate(loaded, start=1):
        if not some:
            found.append(None)
            continue
        p.rows(f"F_{k}", h, range(6 * k - 6, 6 * k), f"loads on {tree.links[k - 1].path}")
        found.append(p.product(f"Qe_{k}", f"AA_{k}", f"F_{k}", meaning="the same in ground axes"))
    return found


def beside(columns: Sequence[Sequence[Node]], rows: int = 3) -> list[list[Node]]:
    """Return the rows of a matrix from its columns; there may be none."""
    return [list(row) for row in zip(*columns, strict=True)] or [[] for _ in range(rows)]


def stacked(p: NamedProgram, name: str, parts: Sequence[str], meaning: str) -> str:
    """Add matrices below each other; where one is zero, by entries, for a zero has no size."""
    rows = [p.entries(part) for part in parts]
    if all(any(x is not ZERO for row in part for x in row) for part in rows):
        return p.block(name, [[part] for part in parts], meaning)
    return p.derived(name, [row for part in rows for row in part], meaning)


def column(entries: Sequence[Node]) -> list[list[Node]]:
    """Return a column as rows."""
    return [[x] for x in entries]


def three(p: NamedProgram, name: str, column: int = 0) -> Vector:
    """Return three rows of a column of a program."""
    return _vector([row[column] for row in p.entries(name)][:3])


def turning(p: NamedProgram, name: str) -> Vector:
    """Return the angular part of a twist of a program."""
    return _vector([row[0] for row in p.entries(name)][3:])


def matrix_of(p: NamedProgram, name: str, first: int = 0) -> Matrix:
    """Return three rows and columns of a square matrix of a program."""
    a, b, c = (_vector(row[first:][:3]) for row in p.entries(name)[first:][:3])
    return (a, b, c)


def _vector(entries: Sequence[Node]) -> Vector:
    x, y, z = entries
    return (x, y, z)
