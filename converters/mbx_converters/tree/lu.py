"""Algorithm 1 of Ivanov and Shimanovskiy: two sweeps, linear in the number of links.

Mst_i = M_i + sum C_j^T H_j Mst_j C_j,    H_j Mst_j = Mst_j - U_j D_j^-1 U_j^T
U_i = Mst_i A_i,    D_i = A_i^T U_i       (the paper's D_i is the inverse of this one)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx_converters.tree.right_hand_sides import Unknowns, add_up, gather, move

if TYPE_CHECKING:
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx_converters.tree.link_kinematics import ByLink, Hinges
    from mbx_converters.tree.right_hand_sides import Request

__all__ = ["Factors", "factorize"]

_SIX: Final = 6


@dataclass(frozen=True, slots=True)
class Factors:
    """Mst, U, D and D^-1 U^T of the links."""

    on: Hinges
    Mst: dict[int, Matrix] = field(default_factory=dict)
    U: dict[int, Matrix] = field(default_factory=dict)
    D: dict[int, Matrix] = field(default_factory=dict)
    DU: dict[int, Matrix] = field(default_factory=dict)

    def sweep(self, p: Program, request: Request) -> Unknowns:
        """Add f, leaves first, and z, x and y, root first."""
        on, t, of_z = self.on, request.mark, request.meanings[2]
        unknowns = Unknowns()
        f, De = self._back(p, request, unknowns)
        p.begin(f"forward sweep, root to leaves: {of_z} each link")
        for k, link in on.links:
            up = on.parent(k)
            terms = []
            if up in unknowns.x:
                terms.append(p.let(f"{t}C{request.x}_{k}", on.C[k] @ unknowns.x[up]))
            if link.freedoms:
                if up:
                    z = De[k] - self.DU[k] @ terms[0] if terms else De[k]
                    unknowns.z[k] = p.let(f"{request.z}_{k}", z, f"{of_z} {link.path}")
                terms.append(on.A[k] @ unknowns.z[k])
            move(p, request, k, link.path, terms, f, self.Mst, unknowns)
        return unknowns

    def _back(self, p: Program, request: Request, unknowns: Unknowns) -> tuple[ByLink, ByLink]:
        """Add f of each link, and D^-1 (e - A^T (f + Mst b)); these are z of the first links."""
        on, t = self.on, request.mark
        f: dict[int, Matrix] = {}
        De: dict[int, Matrix] = {}
        p.begin("backward sweep, leaves to root: right-hand sides")
        handed: dict[int, Matrix] = {}
        for k, link in reversed(on.links):
            carried = [on.C[j].T @ handed[j] for j in on.children(k) if j in handed]
            both = gather(p, request, k, carried, f, self.Mst)
            outward = [] if both is None else [both]
            if link.freedoms:
                right = request.e[k]
                if both is not None:
                    right = p.let(f"{t}ef_{k}", right - on.A[k].T @ both)
                if link.parent is None:
                    meaning = f"{request.meanings[2]} {link.path}"
                    unknowns.z[k] = p.solve(
                        f"{request.z}_{k}", self.D[k], right, "symmetric", meaning=meaning
                    )
                    continue
                De[k] = p.solve(f"{t}De_{k}", self.D[k], right, "symmetric")
                outward.append(self.U[k] @ De[k])
            if outward:
                handed[k] = add_up(outward)
        return f, De


def factorize(p: Program, on: Hinges, M: ByLink) -> Factors:
    """Add Mst, U and D of each link, leaves first."""
    p.begin("backward sweep, leaves to root: inertias with what links carry")
    made = Factors(on)
    Mst, U, D, DU = made.Mst, made.U, made.D, made.DU
    HM: dict[int, Matrix] = {}
    for k, link in reversed(on.links):
        carried = [on.C[j].T @ HM[j] @ on.C[j] for j in on.children(k) if j in HM]
        meaning = f"inertia of {link.path} with what it carries"
        HM[k] = Mst[k] = p.let(f"Mst_{k}", p.sum([M[k], *carried]), meaning)
        if not link.freedoms:
            continue
        U[k] = p.let(f"U_{k}", Mst[k] @ on.A[k])
        D[k] = p.let(f"D_{k}", on.A[k].T @ U[k], f"inertia of the hinge of {link.path}")
        if link.parent is None:
            continue
        DU[k] = p.solve(f"DU_{k}", D[k], U[k].T, "symmetric", meaning="D^-1 U^T")
        if link.freedoms < _SIX:
            HM[k] = p.let(f"HM_{k}", Mst[k] - U[k] @ DU[k], "H Mst: what the hinge hands on")
        else:
            del HM[k]  # a hinge of six freedoms hands no inertia on
    return made
