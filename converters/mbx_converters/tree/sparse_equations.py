"""The sparse equations (22) and (33) of Ivanov and Shimanovskiy, solved at once.

    M_Sigma = [M, -S^T, 0; -S, 0, A; 0, A^T, 0],    S_ii = 1,  S_ik = -C_i            (32)

The reference for the sweeps: nothing is eliminated by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.expr.nodes import ONE, ZERO
from mbx_converters.tree.right_hand_sides import Unknowns

if TYPE_CHECKING:
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx_converters.tree.link_kinematics import ByLink, Hinges
    from mbx_converters.tree.right_hand_sides import Request

__all__ = ["Sparse", "assemble"]

_SIX: Final = 6


@dataclass(frozen=True, slots=True)
class Sparse:
    """M_Sigma of a tree."""

    on: Hinges
    matrix: Matrix

    def sweep(self, p: Program, request: Request) -> Unknowns:
        """Add x, y and z, all from one solution."""
        p.begin("the solution, all at once")
        N = len(self.on.tree.links)
        right = self._right(p, request)
        every = p.solve(f"{request.mark}all", self.matrix, right, "symmetric")
        of_x, of_y, of_z = request.meanings
        unknowns = Unknowns()
        for k, link in self.on.links:
            x = every.rows(range(6 * k - 6, 6 * k))
            unknowns.x[k] = p.let(f"{request.x}_{k}", x, f"{of_x} {link.path}")
            if request.y:
                y = every.rows(range(6 * (N + k) - 6, 6 * (N + k)))
                unknowns.y[k] = p.let(f"{request.y}_{k}", y, f"{of_y} {link.path}")
            if link.freedoms:
                z = every.rows(12 * N + j for j in link.own)
                unknowns.z[k] = p.let(f"{request.z}_{k}", z, f"{of_z} {link.path}")
        return unknowns

    def _right(self, p: Program, request: Request) -> Matrix:
        """Add the right-hand sides (-a; -b; e)."""
        t, N = request.mark, len(self.on.tree.links)
        e = [request.e[k] for k in self.on.free]
        if request.a or request.b:
            zero = p.column(f"{t}zero", [ZERO] * _SIX)
            a = [-request.a[k] if k in request.a else zero for k, _ in self.on.links]
            b = [-request.b[k] if k in request.b else zero for k, _ in self.on.links]
            return p.let(f"{t}right", p.stack(*a, *b, *e), "right-hand sides")
        n = sum(link.freedoms for link in self.on.tree.links)
        chosen = [[ONE if i == 12 * N + j else ZERO for j in range(n)] for i in range(12 * N + n)]
        P = p.define(f"{t}P", chosen, columns=[str(j) for j in range(n)])
        return p.let(f"{t}right", P @ p.let(f"{t}es", p.stack(*e)))


def assemble(p: Program, on: Hinges, M: ByLink) -> Sparse:
    """Add M_Sigma."""
    p.begin("the matrix of all links and hinges")
    N, free = len(on.tree.links), on.free
    minus = -p.let("E6", p.identity(_SIX))
    x, y, z = 0, N, 2 * N
    size = 2 * N + len(free)
    grid: list[list[Matrix | None]] = [[None] * size for _ in range(size)]
    for i, link in enumerate(on.tree.links):
        k = i + 1
        grid[x + i][x + i] = M[k]
        grid[x + i][y + i] = grid[y + i][x + i] = minus
        if link.parent is not None:
            grid[y + i][x + link.parent] = on.C[k]
            grid[x + link.parent][y + i] = on.C[k].T
    for j, k in enumerate(free):
        grid[y + k - 1][z + j] = on.A[k]
        grid[z + j][y + k - 1] = on.A[k].T
    return Sparse(on, p.let("MSigma", p.block(grid), "M_Sigma, (32)"))
