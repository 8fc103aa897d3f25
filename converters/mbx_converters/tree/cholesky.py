"""Algorithm 2 of Ivanov and Shimanovskiy: two sweeps with factors L^T L of the hinges' inertia.

L_i^T L_i = A_i^T Mst_i A_i,    L_i^T V_i = A_i^T Mst_i C_i
Mst_i = M_i + sum (C_j^T Mst_j C_j - V_j^T V_j)
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, divide, mul, neg, power
from mbx.expr.nodes import ZERO, Node
from mbx_converters.tree.right_hand_sides import Terms, added, gathered, moved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Links
    from mbx_converters.tree.right_hand_sides import Ask

__all__ = ["factors", "sweep", "upper"]

_SIX: Final = 6


def upper(D: Sequence[Sequence[Node]]) -> list[list[Node]]:
    """Return L, zero below the diagonal, with L^T L = D."""
    n = len(D)
    L: list[list[Node]] = [[ZERO] * n for _ in range(n)]
    for i in range(n):
        for j in range(i, n):
            left = add(D[i][j], *(neg(mul(L[m][i], L[m][j])) for m in range(i)))
            L[i][j] = power(left, Fraction(1, 2)) if i == j else divide(left, L[i][i])
    return L


def factors(p: NamedProgram, tree: Links) -> None:
    """Add Mst, L and V of each link, leaves first."""
    p.begin("backward sweep, leaves to root: inertias with what links carry")
    for k in reversed(range(1, len(tree.links) + 1)):
        link = tree.links[k - 1]
        terms: Terms = [(f"M_{k}",)]
        signs = [1]
        for j in tree.children[k - 1]:
            if tree.links[j].freedoms < _SIX:  # of six freedoms, nothing is left
                terms.append((f"Ct_{j + 1}", f"MC_{j + 1}"))
                signs.append(1)
            if 0 < tree.links[j].freedoms < _SIX:
                terms.append((f"Vt_{j + 1}", f"V_{j + 1}"))
                signs.append(-1)
        meaning = f"inertia of {link.path} with what it carries"
        added(p, f"Mst_{k}", *terms, signs=tuple(signs), meaning=meaning)
        if link.parent is not None:
            p.product(f"MC_{k}", f"Mst_{k}", f"C_{k}")
        if not link.freedoms:
            continue
        meaning = f"inertia of the hinge of {link.path}"
        p.product(f"D_{k}", f"At_{k}", f"Mst_{k}", f"A_{k}", meaning=meaning)
        p.derived(f"L_{k}", upper(p.entries(f"D_{k}")), "L^T L = D")
        p.transpose(f"Lt_{k}", f"L_{k}")
        if link.parent is not None:
            p.product(f"AMC_{k}", f"At_{k}", f"MC_{k}")
            p.solve(f"V_{k}", f"Lt_{k}", f"AMC_{k}")
            p.transpose(f"Vt_{k}", f"V_{k}")


def sweep(p: NamedProgram, tree: Links, ask: Ask) -> None:
    """Add f and eta, leaves first, and z, x and y, root first."""
    t = ask.mark
    f = _back(p, tree, ask)
    found: dict[int, str] = {}
    of_z = ask.meanings[2]
    p.begin(f"forward sweep, root to leaves: {of_z} each link")
    for k, link in enumerate(tree.links, start=1):
        before = None if link.parent is None else found.get(link.parent + 1)
        terms: Terms = [] if before is None else [(f"C_{k}", before)]
        if link.freedoms:
            right = f"{t}eta_{k}"
            if before is not None:
                right = added(p, f"{t}er_{k}", (right,), (f"V_{k}", before), signs=(1, -1))
            p.solve(f"{ask.z}_{k}", f"L_{k}", right, meaning=f"{of_z} {link.path}")
            terms.append((f"A_{k}", f"{ask.z}_{k}"))
        moved(p, ask, k, link.path, terms, f, found)


def _back(p: NamedProgram, tree: Links, ask: Ask) -> dict[int, str]:
    """Add f and eta of each link; return f where it is not zero."""
    t = ask.mark
    found: dict[int, str] = {}
    p.begin("backward sweep, leaves to root: right-hand sides")
    handed: dict[int, Terms] = {}
    for k in reversed(range(1, len(tree.links) + 1)):
        link = tree.links[k - 1]
        terms: Terms = [(ask.a[k],)] if k in ask.a else []
        terms += [term for j in tree.children[k - 1] for term in handed[j + 1]]
        both = gathered(p, ask, k, terms, found)
        handed[k] = [(f"Ct_{k}", both)] if both else []
        if link.freedoms:
            right = ask.e[k]
            if both:
                right = added(p, f"{t}ef_{k}", (right,), (f"At_{k}", both), signs=(1, -1))
            p.solve(f"{t}eta_{k}", f"Lt_{k}", right)
            handed[k].append((f"Vt_{k}", f"{t}eta_{k}"))
    return found
