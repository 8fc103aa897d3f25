"""Algorithm 1 of Ivanov and Shimanovskiy: two sweeps, linear in the number of links.

Mst_i = M_i + sum C_j^T H_j Mst_j C_j,    H_j Mst_j = Mst_j - U_j D_j^-1 U_j^T
U_i = Mst_i A_i,    D_i = A_i^T U_i       (the paper's D_i is the inverse of this one)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx_converters.tree.right_hand_sides import Terms, added, gathered, moved

if TYPE_CHECKING:
    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Links
    from mbx_converters.tree.right_hand_sides import Ask

__all__ = ["factors", "sweep"]

_SIX: Final = 6


def factors(p: NamedProgram, tree: Links) -> None:
    """Add Mst, U and D of each link, leaves first."""
    p.begin("backward sweep, leaves to root: inertias with what links carry")
    for k in reversed(range(1, len(tree.links) + 1)):
        link = tree.links[k - 1]
        # a hinge of six freedoms hands no inertia on
        carried = [j + 1 for j in tree.children[k - 1] if tree.links[j].freedoms < _SIX]
        terms: Terms = [
            (f"Ct_{j}", f"HM_{j}" if tree.links[j - 1].freedoms else f"Mst_{j}", f"C_{j}")
            for j in carried
        ]
        meaning = f"inertia of {link.path} with what it carries"
        added(p, f"Mst_{k}", (f"M_{k}",), *terms, meaning=meaning)
        if not link.freedoms:
            continue
        p.product(f"U_{k}", f"Mst_{k}", f"A_{k}")
        p.product(f"D_{k}", f"At_{k}", f"U_{k}", meaning=f"inertia of the hinge of {link.path}")
        if link.parent is None:
            continue
        p.transpose(f"Ut_{k}", f"U_{k}")
        p.solve(f"DU_{k}", f"D_{k}", f"Ut_{k}", "symmetric", meaning="D^-1 U^T")
        if link.freedoms < _SIX:
            terms = [(f"Mst_{k}",), (f"U_{k}", f"DU_{k}")]
            added(p, f"HM_{k}", *terms, signs=(1, -1), meaning="H Mst: what the hinge hands on")


def sweep(p: NamedProgram, tree: Links, ask: Ask) -> None:
    """Add f, leaves first, and z, x and y, root first."""
    t = ask.mark
    f = _back(p, tree, ask)
    found: dict[int, str] = {}
    of_z = ask.meanings[2]
    p.begin(f"forward sweep, root to leaves: {of_z} each link")
    for k, link in enumerate(tree.links, start=1):
        before = None if link.parent is None else found.get(link.parent + 1)
        terms: Terms = []
        if before is not None:
            terms.append((p.product(f"{t}C{ask.x}_{k}", f"C_{k}", before),))
        if link.freedoms:
            if link.parent is not None:
                parts: Terms = [(f"{t}De_{k}",), *((f"DU_{k}", *term) for term in terms)]
                signs = (1, -1)[: len(parts)]
                added(p, f"{ask.z}_{k}", *parts, signs=signs, meaning=f"{of_z} {link.path}")
            terms.append((f"A_{k}", f"{ask.z}_{k}"))
        moved(p, ask, k, link.path, terms, f, found)


def _back(p: NamedProgram, tree: Links, ask: Ask) -> dict[int, str]:
    """Add f of each link, and D^-1 (e - A^T (f + Mst b)); return f where it is not zero."""
    t = ask.mark
    found: dict[int, str] = {}
    p.begin("backward sweep, leaves to root: right-hand sides")
    handed: dict[int, str] = {}
    for k in reversed(range(1, len(tree.links) + 1)):
        link = tree.links[k - 1]
        terms: Terms = [(ask.a[k],)] if k in ask.a else []
        terms += [(f"Ct_{j + 1}", handed[j + 1]) for j in tree.children[k - 1] if j + 1 in handed]
        both = gathered(p, ask, k, terms, found)
        outward: Terms = [(both,)] if both else []
        if link.freedoms:
            right = ask.e[k]
            if both:
                right = added(p, f"{t}ef_{k}", (right,), (f"At_{k}", both), signs=(1, -1))
            if link.parent is None:
                meaning = f"{ask.meanings[2]} {link.path}"
                p.solve(f"{ask.z}_{k}", f"D_{k}", right, "symmetric", meaning=meaning)
                continue
            p.solve(f"{t}De_{k}", f"D_{k}", right, "symmetric")
            outward.append((f"U_{k}", f"{t}De_{k}"))
        if link.parent is not None and outward:
            handed[k] = both if outward == [(both,)] else added(p, f"{t}fo_{k}", *outward)
    return found
