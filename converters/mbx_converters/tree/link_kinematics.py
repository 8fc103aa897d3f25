"""Kinematics and inertia of the tree, link by link: what every form of a tree starts from.

    v_i = C_i v_k + vj_i,    vj_i = A_i z'_i + vr_i
    v'_i = C_i v'_k + A_i z''_i + c_i,    c_i = A'_i z'_i + vr'_i - Om_i^T vj_i
    Om_i = [w~, 0; v~, w~]

Equation numbers are those of Ivanov and Shimanovskiy. Twists are (linear; angular), v' are the
rates of their components. Links are numbered from 1; `ByLink` has a matrix for some or all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.build import add, cross, dot, plus
from mbx.formalism.matrix_value import Matrix
from mbx.mechanics.tree.links import carrying, spatial_inertia

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.mechanics.tree.links import Link, Links

__all__ = [
    "ByLink",
    "Hinges",
    "accelerations",
    "gyroscopic",
    "hinges",
    "inertias",
    "split_twist",
    "turn",
    "twists",
    "twists_over",
]

ByLink = Mapping[int, Matrix]


@dataclass(frozen=True, slots=True)
class Hinges:
    """The hinges of a tree.

    Attributes:
        A: Twist over each hinge by its rates.
        C: Twist of each link that hangs on another by that of its parent.
    """

    tree: Links
    A: ByLink
    C: ByLink

    @property
    def links(self) -> list[tuple[int, Link]]:
        """The links with their numbers, parents first."""
        return list(enumerate(self.tree.links, start=1))

    @property
    def free(self) -> list[int]:
        """The numbers of the links whose hinges have rates."""
        return [k for k, link in self.links if link.freedoms]

    def link(self, k: int) -> Link:
        """Return a link by its number."""
        return self.tree.links[k - 1]

    def parent(self, k: int) -> int:
        """Return the number of the link that carries this one; 0 for the ground."""
        parent = self.link(k).parent
        return 0 if parent is None else parent + 1

    def children(self, k: int) -> list[int]:
        """Return the numbers of the links that this one carries."""
        return [j + 1 for j in self.tree.children[k - 1]]


def hinges(p: Program, tree: Links) -> Hinges:
    """Add A of each hinge, and C of each link that hangs on another."""
    p.begin("hinges")
    A, C = {}, {}
    for k, link in enumerate(tree.links, start=1):
        A[k] = p.define(f"A_{k}", link.A, f"hinge of {link.path}", columns=link.names)
        p.place(A[k].T)
        if link.parent is not None:
            meaning = f"twist of {link.path} by that of its parent"
            C[k] = p.define(f"C_{k}", carrying(link), meaning)
            p.place(C[k].T)
    return Hinges(tree, A, C)


def twists(p: Program, on: Hinges, mark: str = "") -> tuple[ByLink, ByLink]:
    """Add v, (10), by the rates of the state; return it, and vj over hinges on other links.

    The mark distinguishes these from twists that a form computes itself: vjs and vs.
    """
    p.begin("forward sweep, root to leaves: twists")
    v, vj = {}, {}
    for k, link in on.links:
        over = _over(on.tree.moves(k - 1), link.A, link.vr)
        if link.parent is None:
            v[k] = p.column(f"v{mark}_{k}", over, f"twist of {link.path}")
            continue
        vj[k] = p.column(f"vj{mark}_{k}", over, f"twist of {link.path} against its parent")
        Cv = on.C[k] @ v[on.parent(k)]
        v[k] = p.let(f"v{mark}_{k}", Cv + vj[k], f"twist of {link.path}, (10)")
    return v, vj


def _over(zd: Sequence[Node], A: Sequence[Sequence[Node]], free: Sequence[Node]) -> list[Node]:
    return [add(dot(row, zd), x) for row, x in zip(A, free, strict=True)]


def twists_over(p: Program, on: Hinges, zd: ByLink) -> ByLink:
    """Add the twist vj over each hinge that hangs on a link, by rates that a form computed."""
    p.begin("forward sweep, root to leaves: twists over the hinges")
    vj = {}
    for k, link in on.links:
        if link.parent is not None:
            over = _over(_rates(p, on, k, zd), link.A, link.vr)
            vj[k] = p.column(f"vj_{k}", over, f"twist of {link.path} against its parent")
    return vj


def _rates(p: Program, on: Hinges, k: int, zd: ByLink) -> list[Node]:
    """Return the rates of a hinge: entries of zd where it has them, or those of the state."""
    return [row[0] for row in p.entries(zd[k])] if k in zd else on.tree.moves(k - 1)


def accelerations(
    p: Program, on: Hinges, v: ByLink, vj: ByLink, zd: ByLink | None = None
) -> ByLink:
    """Add c, the rates of the twists without z''; zd are the rates z' that a form computed."""
    p.begin("forward sweep, root to leaves: rates of the twists without z''")
    c = {}
    for k, link in on.links:
        drift = _over(_rates(p, on, k, zd or {}), link.Ad, link.vrd)
        meaning = f"rates of the twist of {link.path} without z''"
        if link.parent is None:  # Om^T v = 0
            c[k] = p.column(f"c_{k}", drift, meaning)
            continue
        (lin, w), (linj, wj) = split_twist(p, v[k]), split_twist(p, vj[k])
        minus_Om = (*plus(cross(w, linj), cross(lin, wj)), *cross(w, wj))
        both = [add(x, y) for x, y in zip(minus_Om, drift, strict=True)]
        c[k] = p.column(f"c_{k}", both, meaning)
    return c


def inertias(p: Program, tree: Links) -> ByLink:
    """Add M of each link, about its origin."""
    p.begin("inertias of the links")
    return {
        k: p.define(f"M_{k}", spatial_inertia(link), f"inertia of {link.path}")
        for k, link in enumerate(tree.links, start=1)
    }


def gyroscopic(p: Program, on: Hinges, M: ByLink, v: ByLink) -> ByLink:
    """Add the gyroscopic wrenches G = Om M v; -G is F^c of (33) for rates of components."""
    p.begin("momenta and gyroscopic wrenches of the links")
    G = {}
    for k, link in on.links:
        Mv = p.let(f"Mv_{k}", M[k] @ v[k], f"momentum of {link.path}")
        G[k] = turn(p, f"G_{k}", v[k], Mv, "gyroscopic wrench, Om M v")
    return G


def turn(p: Program, name: str, twist: Matrix, momentum: Matrix, meaning: str) -> Matrix:
    """Add Om mu = (w x P; v x P + w x H) of a momentum mu = (P; H)."""
    (v, w), (P, H) = split_twist(p, twist), split_twist(p, momentum)
    both: Sequence[Node] = (*cross(w, P), *plus(cross(v, P), cross(w, H)))
    return p.column(name, both, meaning)


def split_twist(p: Program, twist: Matrix) -> tuple[Vector, Vector]:
    """Return the linear and the angular part of a column of six."""
    a, b, c, x, y, z = (row[0] for row in p.entries(twist))
    return (a, b, c), (x, y, z)
