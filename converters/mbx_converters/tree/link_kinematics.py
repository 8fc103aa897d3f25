"""Kinematics and inertia of the tree, link by link: what every form of a tree starts from.

    v_i = C_i v_k + vj_i,    vj_i = A_i z'_i + vr_i
    v'_i = C_i v'_k + A_i z''_i + c_i,    c_i = A'_i z'_i + vr'_i - Om_i^T vj_i
    Om_i = [w~, 0; v~, w~]

Equation numbers are those of Ivanov and Shimanovskiy. Twists are (linear; angular), v' are the
rates of their components.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import add
from mbx.expr.matrix import cross, dot, plus
from mbx.mechanics.tree.links import carrying, spatial_inertia

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.matrix import Vector
    from mbx.expr.nodes import Node
    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Links

__all__ = [
    "accelerations",
    "gyroscopic",
    "hinges",
    "inertias",
    "turned",
    "twists",
    "twists_over",
    "two",
]


def hinges(p: NamedProgram, tree: Links) -> None:
    """Add A and A^T of each hinge, and C and C^T of each link that hangs on another."""
    p.begin("hinges")
    for k, link in enumerate(tree.links, start=1):
        p.define(f"A_{k}", link.A, f"hinge of {link.path}", columns=link.names)
        p.transpose(f"At_{k}", f"A_{k}")
        if link.parent is not None:
            p.define(f"C_{k}", carrying(link), f"twist of {link.path} by that of its parent")
            p.transpose(f"Ct_{k}", f"C_{k}")


def twists(p: NamedProgram, tree: Links, mark: str = "") -> None:
    """Add the twist vj over each hinge, and v, (10), by the rates of the state.

    The mark tells these from twists that a form finds itself: vjs and vs.
    """
    p.begin("forward sweep, root to leaves: twists")
    for k, link in enumerate(tree.links, start=1):
        over = _over(tree.moves(k - 1), link.A, link.vr)
        if link.parent is None:
            p.column(f"v{mark}_{k}", over, f"twist of {link.path}")
            continue
        p.column(f"vj{mark}_{k}", over, f"twist of {link.path} against its parent")
        p.product(f"Cv{mark}_{k}", f"C_{k}", f"v{mark}_{link.parent + 1}")
        meaning = f"twist of {link.path}, (10)"
        p.sum(f"v{mark}_{k}", f"Cv{mark}_{k}", f"vj{mark}_{k}", meaning=meaning)


def _over(zd: Sequence[Node], A: Sequence[Sequence[Node]], free: Sequence[Node]) -> list[Node]:
    return [add(dot(row, zd), x) for row, x in zip(A, free, strict=True)]


def twists_over(p: NamedProgram, tree: Links, rates: str) -> None:
    """Add the twist vj over each hinge that hangs on a link, by rates that a form found."""
    p.begin("forward sweep, root to leaves: twists over the hinges")
    for k, link in enumerate(tree.links, start=1):
        if link.parent is not None:
            over = _over(_found(p, tree, k, rates), link.A, link.vr)
            p.derived(f"vj_{k}", [[x] for x in over], f"twist of {link.path} against its parent")


def _found(p: NamedProgram, tree: Links, k: int, rates: str) -> list[Node]:
    """Return the rates of a hinge: those of the state, or entries of what a form found."""
    if not rates or not tree.links[k - 1].freedoms:
        return tree.moves(k - 1)
    return [row[0] for row in p.entries(f"{rates}_{k}")]


def accelerations(p: NamedProgram, tree: Links, rates: str = "") -> None:
    """Add c, the rates of the twists without z'', from v and vj; `rates` are z', if found."""
    p.begin("forward sweep, root to leaves: rates of the twists without z''")
    for k, link in enumerate(tree.links, start=1):
        drift = _over(_found(p, tree, k, rates), link.Ad, link.vrd)
        meaning = f"rates of the twist of {link.path} without z''"
        if link.parent is None:  # Om^T v = 0
            p.derived(f"c_{k}", [[x] for x in drift], meaning)
            continue
        (v, w), (vj, wj) = two(p, f"v_{k}"), two(p, f"vj_{k}")
        minus_Om = (*plus(cross(w, vj), cross(v, wj)), *cross(w, wj))
        both = [[add(x, y)] for x, y in zip(minus_Om, drift, strict=True)]
        p.derived(f"c_{k}", both, meaning)


def inertias(p: NamedProgram, tree: Links) -> None:
    """Add M of each link, about its origin."""
    p.begin("inertias of the links")
    for k, link in enumerate(tree.links, start=1):
        p.define(f"M_{k}", spatial_inertia(link), f"inertia of {link.path}")


def gyroscopic(p: NamedProgram, tree: Links) -> None:
    """Add the gyroscopic wrenches G = Om M v; -G is F^c of (33) for rates of components."""
    p.begin("momenta and gyroscopic wrenches of the links")
    for k, link in enumerate(tree.links, start=1):
        p.product(f"Mv_{k}", f"M_{k}", f"v_{k}", meaning=f"momentum of {link.path}")
        turned(p, f"G_{k}", f"v_{k}", f"Mv_{k}", "gyroscopic wrench, Om M v")


def turned(p: NamedProgram, name: str, twist: str, momentum: str, meaning: str) -> str:
    """Add Om mu = (w x P; v x P + w x H) of a momentum mu = (P; H)."""
    (v, w), (P, H) = two(p, twist), two(p, momentum)
    both: Sequence[Node] = (*cross(w, P), *plus(cross(v, P), cross(w, H)))
    return p.derived(name, [[x] for x in both], meaning)


def two(p: NamedProgram, name: str) -> tuple[Vector, Vector]:
    """Return the linear and the angular part of a column of six."""
    a, b, c, x, y, z = (row[0] for row in p.entries(name))
    return (a, b, c), (x, y, z)
