"""Absolute rates of the nodes of a tree: mass centres and angular velocities, ground components.

    y'_k = B_k y'_j + H_k z'_k + c_k,    y''_k = B_k y''_j + H_k z''_k + d_k        (4), (5)
    M_k y''_k = f_k        of a node that nothing holds, (6)

y' = (velocity of the mass centre; angular velocity), j is the parent of k. Equation numbers are
those of Deepak and Ghosal; see spec/formalisms/rfda.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mbx.expr.build import NULL, UNIT, cross, matmul, matvec, minus, neg, plus, settled, skew
from mbx.expr.nodes import ZERO
from mbx.formalism.matrix_value import Matrix
from mbx.mechanics.tree.absolute_hinges import hinge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Matrix as Block
    from mbx.expr.build import Vector
    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.mechanics.tree.absolute_hinges import Hinge
    from mbx.mechanics.tree.links import Link, Links

    Rows = list[list[Node]]

__all__ = [
    "ByNode",
    "Nodes",
    "Sweep",
    "block",
    "column",
    "grid",
    "linear_angular",
    "nodes",
    "three",
    "vector",
]

ByNode = Mapping[int, Matrix]


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes of a tree, numbered from 1, and their matrices by these numbers.

    Attributes:
        Rw: Axes in ground components.
        B: Rates by those of the parent, (4), of all nodes but roots.
        T: A twist at the point of the joint, own components, to the rates.
        A: That twist by the rates of the hinge.
        g: Rates over the hinge.
        yd: Rates y'.
        d: What is left of y'' without the accelerations before it and of the hinge, (5).
        M: Mass matrices, (6).
        Jw: Inertias about the mass centres, ground components.
        w: Angular velocities.
        fg: The gyroscopic part of f, (6).
        V: A wrench at the origin of the link, own components, on the rates.
    """

    tree: Links
    Rw: dict[int, Matrix] = field(default_factory=dict)
    B: dict[int, Matrix] = field(default_factory=dict)
    T: dict[int, Matrix] = field(default_factory=dict)
    A: dict[int, Matrix] = field(default_factory=dict)
    g: dict[int, Matrix] = field(default_factory=dict)
    yd: dict[int, Matrix] = field(default_factory=dict)
    d: dict[int, Matrix] = field(default_factory=dict)
    M: dict[int, Matrix] = field(default_factory=dict)
    Jw: dict[int, Matrix] = field(default_factory=dict)
    w: dict[int, Matrix] = field(default_factory=dict)
    fg: dict[int, Matrix] = field(default_factory=dict)
    V: dict[int, Matrix] = field(default_factory=dict)

    @property
    def links(self) -> list[tuple[int, Link]]:
        """The links with the numbers of their nodes, parents first."""
        return list(enumerate(self.tree.links, start=1))

    def link(self, k: int) -> Link:
        """Return the link of a node."""
        return self.tree.links[k - 1]

    def hinge(self, k: int) -> Hinge:
        """Return the hinge of a node."""
        return hinge(self.tree, k - 1)

    def parent(self, k: int) -> int:
        """Return the node that carries this one; 0 for the ground."""
        parent = self.link(k).parent
        return 0 if parent is None else parent + 1

    def children(self, k: int) -> list[int]:
        """Return the nodes that this one carries."""
        return [j + 1 for j in self.tree.children[k - 1]]

    def joint_rows(self, k: int) -> int:
        """Return how many joint rows a node has."""
        return 6 - self.link(k).freedoms

    def loads(self, p: Program, h: Matrix, k: int) -> Matrix:
        """Add f, all loads and gyroscopic terms of a node, (6)."""
        F = p.let(f"F_{k}", h.rows(range(6 * k - 6, 6 * k)), f"loads on {self.link(k).path}")
        return p.let(f"f_{k}", self.fg[k] + self.V[k] @ F, "loads and gyroscopic terms, (6)")

    def motor(self, p: Program, given: Matrix, k: int, n: str) -> Matrix:
        """Add the loads on the rates of a hinge: behind all wrenches, or, with `n`, alone."""
        first = 0 if n else 6 * len(self.tree.links)
        own = given.rows(first + j for j in self.link(k).own)
        return p.let(f"{n}tau_{k}", own, "loads on the rates")


@dataclass(frozen=True, slots=True)
class Sweep:
    """What the sweeps under loads give, by node.

    Attributes:
        f: Loads and gyroscopic terms, (6).
        fhat: Loads on the node and what it carries.
        tau: Loads on the rates of the hinge.
        Gtau: A motor, on the node.
        Qtau: A motor, on the parent.
        eta: Right sides of the equations that are left out, (57).
        ydd: Accelerations y''.
        z: Rates z'' of the rates of the hinge.
        lam: Reactions in the joint rows, where the sweeps compute these.
    """

    f: dict[int, Matrix] = field(default_factory=dict)
    fhat: dict[int, Matrix] = field(default_factory=dict)
    tau: dict[int, Matrix] = field(default_factory=dict)
    Gtau: dict[int, Matrix] = field(default_factory=dict)
    Qtau: dict[int, Matrix] = field(default_factory=dict)
    eta: dict[int, Matrix] = field(default_factory=dict)
    ydd: dict[int, Matrix] = field(default_factory=dict)
    z: dict[int, Matrix] = field(default_factory=dict)
    lam: dict[int, Matrix] = field(default_factory=dict)


def nodes(p: Program, tree: Links) -> Nodes:
    """Add the kinematics and the inertias of the nodes."""
    on = Nodes(tree)
    _poses(p, on)
    _rates(p, on)
    _accelerations(p, on)
    _inertias(p, on)
    return on


def _poses(p: Program, on: Nodes) -> None:
    """Add, from the roots, axes Rw and the way rho from mass centre to mass centre, then B and T.

    T takes a twist at the point of the joint, own components, to y'.
    """
    p.begin("forward sweep, root to leaves: axes, ways between mass centres, hinges")
    for k, link in on.links:
        j = on.parent(k)
        R = p.define(f"R_{k}", link.R, f"axes of {link.path} in those of its parent")
        meaning = f"axes of {link.path} in ground components"
        Rw = on.Rw[k] = p.let(f"Rw_{k}", on.Rw[j] @ R if j else R, meaning)
        if j:
            before = settled(minus(link.r, on.link(j).c))
            way = plus(matvec(block(p, on.Rw[j]), before), matvec(block(p, Rw), link.c))
            rho = p.column(f"rho_{k}", way, "mass centre from that of the parent")
            B = grid([[UNIT, _negative(skew(vector(p, rho)))], [None, UNIT]])
            on.B[k] = p.define(f"B_{k}", B, "rates of the node by those of its parent, (4)")
        at = on.hinge(k)
        axes = block(p, Rw)
        arm = None if at.e is NULL else _negative(matmul(axes, skew(at.e)))
        T = grid([[axes, arm], [None, axes]])
        on.T[k] = p.define(f"T_{k}", T, "twist at the joint, to the rates")
        on.A[k] = p.define(f"A_{k}", at.A, f"hinge of {link.path}", columns=link.names)


def _rates(p: Program, on: Nodes) -> None:
    """Add, from the roots, the rates y' of the nodes, (4)."""
    p.begin("forward sweep, root to leaves: rates of the nodes")
    for k, link in on.links:
        u = p.column(f"u_{k}", on.hinge(k).over, f"twist of {link.path} against its parent")
        g = on.g[k] = p.let(f"g_{k}", on.T[k] @ u, "the same in the rates of the node")
        if j := on.parent(k):
            yd = on.B[k] @ on.yd[j] + g
            on.yd[k] = p.let(f"yd_{k}", yd, f"rates of {link.path}, (4)")
        else:
            on.yd[k] = p.let(f"yd_{k}", g, f"rates of {link.path}")


def _accelerations(p: Program, on: Nodes) -> None:
    """Add d, what is left of y'' without the accelerations before it and of the hinge, (5)."""
    p.begin("forward sweep, root to leaves: accelerations that rates bring about")
    for k, link in on.links:
        (v, w), (gv, gw) = linear_angular(p, on.yd[k]), linear_angular(p, on.g[k])
        if j := on.parent(k):
            vj, wj = linear_angular(p, on.yd[j])
            turned = (*plus(cross(wj, minus(v, vj)), cross(w, gv)), *cross(wj, gw))
        else:
            turned = (*cross(w, gv), *NULL)
        d = p.column(f"dw_{k}", turned, "turning of what moves")
        drift = on.hinge(k).drift
        if any(x is not ZERO for x in drift):
            d += on.T[k] @ p.column(f"ur_{k}", drift, "rates of u without z''")
        on.d[k] = p.let(f"d_{k}", d, f"acceleration of {link.path} that is left, (5)")


def _inertias(p: Program, on: Nodes) -> None:
    """Add M and the gyroscopic part fg of f, (6)."""
    p.begin("inertias and gyroscopic torques of the nodes")
    for k, link in on.links:
        mass = [[link.m if i == j else ZERO for j in range(3)] for i in range(3)]
        m = p.define(f"m_{k}", mass, f"mass of {link.path}")
        J = p.define(f"J_{k}", link.J, f"inertia of {link.path}, own axes")
        Rw = on.Rw[k]
        Jw = on.Jw[k] = p.let(f"Jw_{k}", Rw @ J @ Rw.T, "the same, ground axes")
        on.M[k] = p.let(f"M_{k}", p.diagonal(m, Jw), "mass matrix of the node, (6)")
        w = on.w[k] = p.let(f"w_{k}", on.yd[k].rows(range(3, 6)))
        gyro = [ZERO, ZERO, ZERO, *(neg(x) for x in cross(vector(p, w), vector(p, Jw @ w)))]
        on.fg[k] = p.column(f"fg_{k}", gyro, "gyroscopic torque")
        # wrenches come at the origin of the link, own components
        axes = block(p, Rw)
        arm = None if link.c is NULL else _negative(matmul(axes, skew(link.c)))
        V = grid([[axes, None], [arm, axes]])
        on.V[k] = p.define(f"V_{k}", V, "a wrench at the origin, on the rates")


# -- entries of matrices, for expressions -------------------------------------------------------


def block(p: Program, matrix: Matrix) -> Block:
    """Return the entries of a matrix of three rows and columns."""
    a, b, c = (three(row) for row in p.entries(matrix))
    return (a, b, c)


def column(p: Program, matrix: Matrix) -> list[Node]:
    """Return the entries of a column."""
    return [row[0] for row in p.entries(matrix)]


def vector(p: Program, matrix: Matrix) -> Vector:
    """Return the entries of a column of three."""
    return three(column(p, matrix))


def linear_angular(p: Program, rates: Matrix) -> tuple[Vector, Vector]:
    """Return the linear and the angular part of a column of six."""
    six = column(p, rates)
    return three(six[:3]), three(six[3:])


def three(values: Sequence[Node]) -> Vector:
    """Return three entries as a vector."""
    a, b, c = values
    return settled((a, b, c))


def grid(blocks: Sequence[Sequence[Block | None]]) -> Rows:
    """Return a matrix of blocks of three rows and columns; None is zero."""
    return [
        [x for each in row for x in ((ZERO, ZERO, ZERO) if each is None else each[i])]
        for row in blocks
        for i in range(3)
    ]


def _negative(m: Block) -> Block:
    a, b, c = ((neg(row[0]), neg(row[1]), neg(row[2])) for row in m)
    return (a, b, c)
