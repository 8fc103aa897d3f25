"""Algorithm 2 of Ivanov and Shimanovskiy: two sweeps with factors L^T L of the hinges' inertia.

L_i^T L_i = A_i^T Mst_i A_i,    L_i^T V_i = A_i^T Mst_i C_i
Mst_i = M_i + sum (C_j^T Mst_j C_j - V_j^T V_j)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, divide, mul, neg, power
from mbx.expr.nodes import ZERO, Node
from mbx_converters.tree.right_hand_sides import Unknowns, gather, move

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx_converters.tree.link_kinematics import ByLink, Hinges
    from mbx_converters.tree.right_hand_sides import Request

__all__ = ["Factors", "factorize", "upper"]

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


@dataclass(frozen=True, slots=True)
class Factors:
    """Mst, L and V of the links."""

    on: Hinges
    Mst: dict[int, Matrix] = field(default_factory=dict)
    L: dict[int, Matrix] = field(default_factory=dict)
    V: dict[int, Matrix] = field(default_factory=dict)

    def sweep(self, p: Program, request: Request) -> Unknowns:
        """Add f and eta, leaves first, and z, x and y, root first."""
        on, t, of_z = self.on, request.mark, request.meanings[2]
        unknowns = Unknowns()
        f, eta = self._back(p, request)
        p.begin(f"forward sweep, root to leaves: {of_z} each link")
        for k, link in on.links:
            before = unknowns.x.get(on.parent(k))
            terms = [] if before is None else [on.C[k] @ before]
            if link.freedoms:
                right = eta[k]
                if before is not None:
                    right = p.let(f"{t}er_{k}", right - self.V[k] @ before)
                z = p.solve(f"{request.z}_{k}", self.L[k], right, meaning=f"{of_z} {link.path}")
                unknowns.z[k] = z
                terms.append(on.A[k] @ z)
            move(p, request, k, link.path, terms, f, self.Mst, unknowns)
        return unknowns

    def _back(self, p: Program, request: Request) -> tuple[ByLink, ByLink]:
        """Add f and eta of each link."""
        on, t = self.on, request.mark
        f: dict[int, Matrix] = {}
        fb: dict[int, Matrix] = {}
        eta: dict[int, Matrix] = {}
        p.begin("backward sweep, leaves to root: right-hand sides")
        for k, link in reversed(on.links):
            carried = []
            for j in on.children(k):
                carried += [on.C[j].T @ fb[j]] if j in fb else []
                carried += [self.V[j].T @ eta[j]] if j in eta else []
            both = gather(p, request, k, carried, f, self.Mst)
            if both is not None:
                fb[k] = both
            if link.freedoms:
                right = request.e[k]
                if k in fb:
                    right = p.let(f"{t}ef_{k}", right - on.A[k].T @ fb[k])
                eta[k] = p.solve(f"{t}eta_{k}", self.L[k].T, right)
        return f, eta


def factorize(p: Program, on: Hinges, M: ByLink) -> Factors:
    """Add Mst, L and V of each link, leaves first."""
    p.begin("backward sweep, leaves to root: inertias with what links carry")
    made = Factors(on)
    Mst, L, V = made.Mst, made.L, made.V
    MC: dict[int, Matrix] = {}
    for k, link in reversed(on.links):
        total = M[k]
        for j in on.children(k):
            if on.link(j).freedoms < _SIX:  # of six freedoms, nothing is left
                total += on.C[j].T @ MC[j]
                if j in V:
                    total -= V[j].T @ V[j]
        Mst[k] = p.let(f"Mst_{k}", total, f"inertia of {link.path} with what it carries")
        if link.parent is not None:
            MC[k] = p.let(f"MC_{k}", Mst[k] @ on.C[k])
        if not link.freedoms:
            continue
        D = p.let(f"D_{k}", on.A[k].T @ Mst[k] @ on.A[k], f"inertia of the hinge of {link.path}")
        L[k] = p.derived(f"L_{k}", upper(p.entries(D)), "L^T L = D")
        p.place(L[k].T)
        if link.parent is not None:
            V[k] = p.solve(f"V_{k}", L[k].T, on.A[k].T @ MC[k])
            p.place(V[k].T)
    return made
