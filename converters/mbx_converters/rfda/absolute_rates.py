"""Absolute rates of the nodes of a tree: mass centres and angular velocities, ground components.

    y'_k = B_k y'_j + H_k z'_k + c_k,    y''_k = B_k y''_j + H_k z''_k + d_k        (4), (5)
    M_k y''_k = f_k        of a node that nothing holds, (6)

y' = (velocity of the mass centre; angular velocity), j is the parent of k. Equation numbers are
those of Deepak and Ghosal; see spec/formalisms/rfda.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import neg
from mbx.expr.matrix import NULL, cross, matmul, matvec, minus, plus, settled, skew
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.mechanics.tree.absolute_hinges import hinge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.matrix import Matrix, Vector
    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Links

__all__ = [
    "accelerations",
    "grid",
    "inertias",
    "loads",
    "matrix",
    "places",
    "rates",
    "vector",
]

Rows = list[list[Node]]


def matrix(p: NamedProgram, name: str) -> Matrix:
    """Return the entries of a matrix of three rows and columns."""
    a, b, c = (vector(row) for row in p.entries(name))
    return (a, b, c)


def vector(values: Sequence[Node]) -> Vector:
    """Return three entries as a vector."""
    a, b, c = values
    return settled((a, b, c))


def grid(blocks: Sequence[Sequence[Matrix | None]]) -> Rows:
    """Return a matrix of blocks of three rows and columns; None is zero."""
    return [
        [x for block in row for x in ((ZERO, ZERO, ZERO) if block is None else block[i])]
        for row in blocks
        for i in range(3)
    ]


def places(p: NamedProgram, tree: Links) -> None:
    """Add, from the roots, axes Rw and the way rho from mass centre to mass centre, then B and T.

    T takes a twist at the point of the joint, own components, to y'.
    """
    p.begin("forward sweep, root to leaves: axes, ways between mass centres, hinges")
    for k, link in enumerate(tree.links, start=1):
        own = f"R_{k}"
        p.define(own, link.R, f"axes of {link.path} in those of its parent")
        up = None if link.parent is None else link.parent + 1
        if up is None:
            p.sum(f"Rw_{k}", own, meaning=f"axes of {link.path} in ground components")
        else:
            p.product(
                f"Rw_{k}", f"Rw_{up}", own, meaning=f"axes of {link.path} in ground components"
            )
            before = minus(link.r, tree.links[up - 1].c)
            rho = plus(matvec(matrix(p, f"Rw_{up}"), settled(before)), _turned(p, k, link.c))
            p.derived(f"rho_{k}", [[x] for x in rho], "mass centre from that of the parent")
            way = vector([row[0] for row in p.entries(f"rho_{k}")])
            B = grid([[_UNIT, _negative(skew(way))], [None, _UNIT]])
            p.derived(f"B_{k}", B, "rates of the node by those of its parent, (4)")
            p.transpose(f"BT_{k}", f"B_{k}")
        at = hinge(tree, k - 1)
        R = matrix(p, f"Rw_{k}")
        arm = None if at.e is NULL else _negative(matmul(R, skew(at.e)))
        p.derived(f"T_{k}", grid([[R, arm], [None, R]]), "twist at the joint, to the rates")
        p.define(f"A_{k}", at.A, f"hinge of {link.path}", columns=link.names)


_UNIT: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def _negative(m: Matrix) -> Matrix:
    a, b, c = ((neg(row[0]), neg(row[1]), neg(row[2])) for row in m)
    return (a, b, c)


def _turned(p: NamedProgram, k: int, own: Vector) -> Vector:
    return NULL if own is NULL else matvec(matrix(p, f"Rw_{k}"), own)


def rates(p: NamedProgram, tree: Links) -> None:
    """Add, from the roots, the rates y' of the nodes."""
    p.begin("forward sweep, root to leaves: rates of the nodes")
    for k, link in enumerate(tree.links, start=1):
        p.column(f"u_{k}", hinge(tree, k - 1).over, f"twist of {link.path} against its parent")
        p.product(f"g_{k}", f"T_{k}", f"u_{k}", meaning="the same in the rates of the node")
        if link.parent is None:
            p.sum(f"yd_{k}", f"g_{k}", meaning=f"rates of {link.path}")
        else:
            p.product(f"Byd_{k}", f"B_{k}", f"yd_{link.parent + 1}")
            p.sum(f"yd_{k}", f"Byd_{k}", f"g_{k}", meaning=f"rates of {link.path}, (4)")


def accelerations(p: NamedProgram, tree: Links) -> None:
    """Add d, what is left of y'' without the accelerations before it and of the hinge, (5)."""
    p.begin("forward sweep, root to leaves: accelerations that rates bring about")
    for k, link in enumerate(tree.links, start=1):
        v, w = _two(p, f"yd_{k}")
        gv, gw = _two(p, f"g_{k}")
        if link.parent is None:
            turned = (*cross(w, gv), *NULL)
        else:
            vj, wj = _two(p, f"yd_{link.parent + 1}")
            turned = (*plus(cross(wj, minus(v, vj)), cross(w, gv)), *cross(wj, gw))
        terms = [p.derived(f"dw_{k}", [[x] for x in turned], "turning of what moves")]
        drift = hinge(tree, k - 1).drift
        if any(x is not ZERO for x in drift):
            p.column(f"ur_{k}", drift, "rates of u without z''")
            terms.append(p.product(f"Tur_{k}", f"T_{k}", f"ur_{k}"))
        p.sum(f"d_{k}", *terms, meaning=f"acceleration of {link.path} that is left, (5)")


def inertias(p: NamedProgram, tree: Links) -> None:
    """Add M and the gyroscopic part fg of f, (6)."""
    p.begin("inertias and gyroscopic torques of the nodes")
    for k, link in enumerate(tree.links, start=1):
        mass = [[link.m if i == j else ZERO for j in range(3)] for i in range(3)]
        p.define(f"m_{k}", mass, f"mass of {link.path}")
        p.define(f"J_{k}", link.J, f"inertia of {link.path}, own axes")
        p.transpose(f"RwT_{k}", f"Rw_{k}")
        p.product(f"Jw_{k}", f"Rw_{k}", f"J_{k}", f"RwT_{k}", meaning="the same, ground axes")
        p.block(f"M_{k}", [[f"m_{k}", None], [None, f"Jw_{k}"]], "mass matrix of the node, (6)")
        p.rows(f"w_{k}", f"yd_{k}", range(3, 6))
        p.product(f"Jww_{k}", f"Jw_{k}", f"w_{k}")
        spin = vector([row[0] for row in p.entries(f"Jww_{k}")])
        w = vector([row[0] for row in p.entries(f"w_{k}")])
        gyro = [ZERO, ZERO, ZERO, *(neg(x) for x in cross(w, spin))]
        p.derived(f"fg_{k}", [[x] for x in gyro], "gyroscopic torque")
        # wrenches come at the origin of the link, own components
        R = matrix(p, f"Rw_{k}")
        arm = None if link.c is NULL else _negative(matmul(R, skew(link.c)))
        p.derived(f"V_{k}", grid([[R, None], [arm, R]]), "a wrench at the origin, on the rates")


def loads(p: NamedProgram, tree: Links, h: str, k: int) -> str:
    """Add f, all loads and gyroscopic terms of a node, (6)."""
    p.rows(f"F_{k}", h, range(6 * k - 6, 6 * k), f"loads on {tree.links[k - 1].path}")
    p.product(f"VF_{k}", f"V_{k}", f"F_{k}")
    return p.sum(f"f_{k}", f"fg_{k}", f"VF_{k}", meaning="loads and gyroscopic terms, (6)")


def _two(p: NamedProgram, name: str) -> tuple[Vector, Vector]:
    six = [row[0] for row in p.entries(name)]
    return vector(six[:3]), vector(six[3:])
