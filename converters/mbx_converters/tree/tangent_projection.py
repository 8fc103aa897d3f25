"""The tangent projection of M_Sigma: D_Sigma = A^T (T^T M T) A, (34), in blocks of two links.

    Mc_i = M_i + sum C_j^T Mc_j C_j                       link and all it carries
    W_ii = A_i^T Mc_i,  W_ij = W_il C_l                   l the link behind j on the way to i
    D_ij = W_ij A_j                                       j on the way from the ground to i

Composite bodies come first, as the brackets of (34) say; then the blocks of links of which one
carries the other. All others are zero, and stay so: see `mbx_converters.tree.block_cholesky`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx_converters.tree import block_cholesky
from mbx_converters.tree.right_hand_sides import Ask, hinged, stacked

if TYPE_CHECKING:
    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Links
    from mbx_converters.tree.block_cholesky import Neighbours

__all__ = ["ancestors", "factors", "response", "sweep"]

_D: Final = "D"


def ancestors(tree: Links) -> Neighbours:
    """Return, for each link whose hinge has rates, those on its way to the ground that have."""
    own = set(hinged(tree))
    return {k: tuple(j + 1 for j in tree.path(k - 1)[:-1] if j + 1 in own) for k in sorted(own)}


def factors(p: NamedProgram, tree: Links) -> None:
    """Add the blocks of D_Sigma, and its factors."""
    p.begin("backward sweep, leaves to root: composite bodies")
    for k in reversed(range(1, len(tree.links) + 1)):
        link = tree.links[k - 1]
        terms = [f"M_{k}", *(f"CMC_{j + 1}" for j in tree.children[k - 1])]
        p.sum(f"Mc_{k}", *terms, meaning=f"inertia of {link.path} with all it carries")
        if link.parent is not None:
            p.product(f"CMC_{k}", f"Ct_{k}", f"Mc_{k}", f"C_{k}")
    p.begin("blocks of D_Sigma, from each link to the ground")
    near = ancestors(tree)
    for i in near:
        path = tree.links[i - 1].path
        p.product(f"W_{i}_{i}", f"At_{i}", f"Mc_{i}", meaning=f"row of {path} of A^T (T^T M T)")
        p.product(f"D_{i}_{i}", f"W_{i}_{i}", f"A_{i}", meaning=f"block of {path}, (34)")
        at = i
        while at > min(near[i], default=i):
            up = (tree.links[at - 1].parent or 0) + 1
            p.product(f"W_{i}_{up}", f"W_{i}_{at}", f"C_{at}")
            if up in near:
                both = f"block of {path} and {tree.links[up - 1].path}"
                p.product(f"D_{i}_{up}", f"W_{i}_{up}", f"A_{up}", meaning=both)
            at = up
    block_cholesky.factor(p, _D, near)


def sweep(p: NamedProgram, tree: Links, ask: Ask) -> None:
    """Add z with D_Sigma z = e - A^T T^T (a + M T b), and x = T (A z + b) and y where wanted."""
    t = ask.mark
    _carried(p, tree, ask)
    held = _held(p, tree, ask)
    right = {}
    _, of_y, of_z = ask.meanings
    for k in hinged(tree):
        right[k] = ask.e[k]
        if k in held:
            p.product(f"{t}Af_{k}", f"At_{k}", held[k])
            right[k] = p.sum(f"{t}ef_{k}", ask.e[k], f"{t}Af_{k}", signs=(1, -1))
    meanings = {k: f"{of_z} {tree.links[k - 1].path}" for k in right}
    block_cholesky.solve(p, _D, ancestors(tree), right, ask.z, meanings if of_z else None)
    if ask.x:
        _twists(p, tree, ask)
    if ask.y:
        p.begin(f"backward sweep, leaves to root: {of_y} each link")
        for k in reversed(range(1, len(tree.links) + 1)):
            link = tree.links[k - 1]
            terms = [p.product(f"{t}Mx_{k}", f"M_{k}", f"{ask.x}_{k}")]
            terms += [ask.a[k]] if k in ask.a else []
            terms += [f"{t}C{ask.y}_{j + 1}" for j in tree.children[k - 1]]
            p.sum(f"{ask.y}_{k}", *terms, meaning=f"{of_y} {link.path}")
            if link.parent is not None:
                p.product(f"{t}C{ask.y}_{k}", f"Ct_{k}", f"{ask.y}_{k}")


def _carried(p: NamedProgram, tree: Links, ask: Ask) -> None:
    """Add Tb: the twists that b alone makes, root first."""
    p.begin("forward sweep, root to leaves: what moves while the rates are zero")
    for k, link in enumerate(tree.links, start=1):
        terms = [ask.b[k]] if k in ask.b else []
        if _moved(tree, ask, link.parent):
            up = (link.parent or 0) + 1
            terms.append(p.product(f"{ask.mark}CTb_{k}", f"C_{k}", f"{ask.mark}Tb_{up}"))
        if terms:
            p.sum(f"{ask.mark}Tb_{k}", *terms, meaning=f"of {link.path}, where the rates are zero")


def _moved(tree: Links, ask: Ask, k: int | None) -> bool:
    """Return whether b moves a link."""
    return k is not None and any(j + 1 in ask.b for j in tree.path(k))


def _held(p: NamedProgram, tree: Links, ask: Ask) -> dict[int, str]:
    """Add f = T^T (a + M T b), leaves first; return the names of what is not zero."""
    p.begin("backward sweep, leaves to root: what the hinges must transmit")
    t = ask.mark
    found: dict[int, str] = {}
    for k in reversed(range(1, len(tree.links) + 1)):
        link = tree.links[k - 1]
        terms = [ask.a[k]] if k in ask.a else []
        if _moved(tree, ask, k - 1):
            terms.append(p.product(f"{t}MTb_{k}", f"M_{k}", f"{t}Tb_{k}"))
        terms += [f"{t}Cf_{j + 1}" for j in tree.children[k - 1] if j + 1 in found]
        if terms:
            found[k] = p.sum(f"{t}f_{k}", *terms)
            if link.parent is not None:
                p.product(f"{t}Cf_{k}", f"Ct_{k}", found[k])
    return found


def _twists(p: NamedProgram, tree: Links, ask: Ask) -> None:
    t, of_x = ask.mark, ask.meanings[0]
    p.begin(f"forward sweep, root to leaves: {of_x} each link")
    for k, link in enumerate(tree.links, start=1):
        terms = [ask.b[k]] if k in ask.b else []
        if link.parent is not None:
            terms.append(p.product(f"{t}C{ask.x}_{k}", f"C_{k}", f"{ask.x}_{link.parent + 1}"))
        if link.freedoms:
            terms.append(p.product(f"{t}A{ask.z}_{k}", f"A_{k}", f"{ask.z}_{k}"))
        p.sum(f"{ask.x}_{k}", *terms, meaning=f"{of_x} {link.path}")


def response(p: NamedProgram, tree: Links, F: str, name: str) -> str:
    """Add `name` = D_Sigma^-1 F, a column for each of F."""
    e = {k: p.rows(f"{name}e_{k}", F, tree.links[k - 1].own) for k in hinged(tree)}
    block_cholesky.solve(p, _D, ancestors(tree), e, f"{name}z")
    return stacked(p, tree, f"{name}z", name)
