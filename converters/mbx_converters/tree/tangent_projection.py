"""The tangent projection of M_Sigma: D_Sigma = A^T (T^T M T) A, (34), in blocks of two links.

    Mc_i = M_i + sum C_j^T Mc_j C_j                       link and all it carries
    W_ii = A_i^T Mc_i,  W_ij = W_il C_l                   l the link behind j on the way to i
    D_ij = W_ij A_j                                       j on the way from the ground to i

Composite bodies come first, as in the brackets of (34); then the blocks of links of which one
carries the other. All others are zero, and stay so: see `mbx_converters.tree.block_cholesky`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx_converters.tree import block_cholesky
from mbx_converters.tree.right_hand_sides import Unknowns, stack_hinges

if TYPE_CHECKING:
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.mechanics.tree.links import Links
    from mbx_converters.tree.block_cholesky import Neighbours
    from mbx_converters.tree.link_kinematics import ByLink, Hinges
    from mbx_converters.tree.right_hand_sides import Request

__all__ = ["Tangent", "ancestors", "factorize"]

_D: Final = "D"


def ancestors(tree: Links) -> Neighbours:
    """Return, for each link whose hinge has rates, those on its way to the ground that have."""
    moving = [k for k, link in enumerate(tree.links, start=1) if link.freedoms]
    return {k: tuple(j + 1 for j in tree.path(k - 1)[:-1] if j + 1 in moving) for k in moving}


@dataclass(frozen=True, slots=True)
class Tangent:
    """D_Sigma of a tree, factorized, and the inertias M of its links."""

    on: Hinges
    M: ByLink
    D: block_cholesky.Factors

    def sweep(self, p: Program, request: Request) -> Unknowns:
        """Add z with D_Sigma z = e - A^T T^T (a + M T b), and x = T (A z + b) and y if wanted."""
        on, t = self.on, request.mark
        of_z = request.meanings[2]
        f = self._transmitted(p, request, self._moving(p, request))
        right = {}
        for k in on.free:
            right[k] = request.e[k]
            if k in f:
                right[k] = p.let(f"{t}ef_{k}", request.e[k] - on.A[k].T @ f[k])
        meanings = {k: f"{of_z} {on.link(k).path}" for k in right}
        z = self.D.solve(p, right, request.z, meanings if of_z else None)
        x = self._twists(p, request, z) if request.x else {}
        return Unknowns(x, self._wrenches(p, request, x) if request.y else {}, z)

    def _moving(self, p: Program, request: Request) -> ByLink:
        """Add Tb: the twists that b alone makes, root first."""
        p.begin("forward sweep, root to leaves: what moves while the rates are zero")
        Tb: dict[int, Matrix] = {}
        for k, link in self.on.links:
            terms = [request.b[k]] if k in request.b else []
            if self.on.parent(k) in Tb:
                terms.append(self.on.C[k] @ Tb[self.on.parent(k)])
            if terms:
                meaning = f"of {link.path}, where the rates are zero"
                Tb[k] = p.let(f"{request.mark}Tb_{k}", p.sum(terms), meaning)
        return Tb

    def _transmitted(self, p: Program, request: Request, Tb: ByLink) -> ByLink:
        """Add f = T^T (a + M T b), leaves first, where it is not zero."""
        p.begin("backward sweep, leaves to root: what the hinges must transmit")
        f: dict[int, Matrix] = {}
        Cf: dict[int, Matrix] = {}
        for k, link in reversed(self.on.links):
            terms = [request.a[k]] if k in request.a else []
            terms += [self.M[k] @ Tb[k]] if k in Tb else []
            terms += [Cf[j] for j in self.on.children(k) if j in Cf]
            if terms:
                f[k] = p.let(f"{request.mark}f_{k}", p.sum(terms))
                if link.parent is not None:
                    Cf[k] = self.on.C[k].T @ f[k]
        return f

    def _twists(self, p: Program, request: Request, z: ByLink) -> dict[int, Matrix]:
        on, of_x = self.on, request.meanings[0]
        p.begin(f"forward sweep, root to leaves: {of_x} each link")
        x: dict[int, Matrix] = {}
        for k, link in on.links:
            terms = [request.b[k]] if k in request.b else []
            terms += [on.C[k] @ x[on.parent(k)]] if on.parent(k) else []
            terms += [on.A[k] @ z[k]] if link.freedoms else []
            x[k] = p.let(f"{request.x}_{k}", p.sum(terms), f"{of_x} {link.path}")
        return x

    def _wrenches(self, p: Program, request: Request, x: ByLink) -> dict[int, Matrix]:
        """Add y = T^T (M x + a), leaves first."""
        of_y = request.meanings[1]
        p.begin(f"backward sweep, leaves to root: {of_y} each link")
        y: dict[int, Matrix] = {}
        Cy: dict[int, Matrix] = {}
        for k, link in reversed(self.on.links):
            terms = [self.M[k] @ x[k]]
            terms += [request.a[k]] if k in request.a else []
            terms += [Cy[j] for j in self.on.children(k)]
            y[k] = p.let(f"{request.y}_{k}", p.sum(terms), f"{of_y} {link.path}")
            if link.parent is not None:
                Cy[k] = self.on.C[k].T @ y[k]
        return y

    def response(self, p: Program, F: Matrix, name: str) -> Matrix:
        """Add `name` = D_Sigma^-1 F, a column for each of F."""
        e = {k: p.let(f"{name}e_{k}", F.rows(self.on.link(k).own)) for k in self.on.free}
        return stack_hinges(p, self.on, self.D.solve(p, e, f"{name}z"), name)


def factorize(p: Program, on: Hinges, M: ByLink) -> Tangent:
    """Add the blocks of D_Sigma, and its factors."""
    p.begin("backward sweep, leaves to root: composite bodies")
    Mc: dict[int, Matrix] = {}
    CMC: dict[int, Matrix] = {}
    for k, link in reversed(on.links):
        carried = [CMC[j] for j in on.children(k)]
        meaning = f"inertia of {link.path} with all it carries"
        Mc[k] = p.let(f"Mc_{k}", p.sum([M[k], *carried]), meaning)
        if link.parent is not None:
            CMC[k] = on.C[k].T @ Mc[k] @ on.C[k]
    p.begin("blocks of D_Sigma, from each link to the ground")
    near = ancestors(on.tree)
    D: dict[tuple[int, int], Matrix] = {}
    for i in near:
        path = on.link(i).path
        W = p.let(f"W_{i}_{i}", on.A[i].T @ Mc[i], f"row of {path} of A^T (T^T M T)")
        D[i, i] = p.let(f"{_D}_{i}_{i}", W @ on.A[i], f"block of {path}, (34)")
        at = i
        while at > min(near[i], default=i):
            up = on.parent(at)
            W = p.let(f"W_{i}_{up}", W @ on.C[at])
            if up in near:
                both = f"block of {path} and {on.link(up).path}"
                D[i, up] = p.let(f"{_D}_{i}_{up}", W @ on.A[up], both)
            at = up
    return Tangent(on, M, block_cholesky.factorize(p, _D, near, D))
