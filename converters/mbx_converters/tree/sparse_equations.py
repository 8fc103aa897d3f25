"""The sparse equations (22) and (33) of Ivanov and Shimanovskiy, solved at once.

    M_Sigma = [M, -S^T, 0; -S, 0, A; 0, A^T, 0],    S_ii = 1,  S_ik = -C_i            (32)

The reference for the sweeps: nothing is eliminated by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.nodes import ONE, ZERO
from mbx_converters.tree.right_hand_sides import hinged

if TYPE_CHECKING:
    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Links
    from mbx_converters.tree.right_hand_sides import Ask

__all__ = ["factors", "sweep"]

_SIX: Final = 6


def factors(p: NamedProgram, tree: Links) -> None:
    """Add M_Sigma."""
    p.begin("the matrix of all links and hinges")
    N, own = len(tree.links), hinged(tree)
    p.identity("E6", _SIX)
    p.sum("E6m", "E6", signs=(-1,))
    x, y, z = 0, N, 2 * N
    size = 2 * N + len(own)
    grid: list[list[str | None]] = [[None] * size for _ in range(size)]
    for i, link in enumerate(tree.links):
        grid[x + i][x + i] = f"M_{i + 1}"
        grid[x + i][y + i] = grid[y + i][x + i] = "E6m"
        if link.parent is not None:
            grid[y + i][x + link.parent] = f"C_{i + 1}"
            grid[x + link.parent][y + i] = f"Ct_{i + 1}"
    for j, k in enumerate(own):
        grid[y + k - 1][z + j] = f"A_{k}"
        grid[z + j][y + k - 1] = f"At_{k}"
    p.block("MSigma", grid, "M_Sigma, (32)")


def sweep(p: NamedProgram, tree: Links, ask: Ask) -> None:
    """Add x, y and z, all from one solution."""
    p.begin("the solution, all at once")
    N, t = len(tree.links), ask.mark
    n = sum(link.freedoms for link in tree.links)
    if ask.a or ask.b:
        right = _column(p, tree, ask)
    else:
        chosen = [[ONE if i == 12 * N + j else ZERO for j in range(n)] for i in range(12 * N + n)]
        p.define(f"{t}P", chosen, columns=[str(j) for j in range(n)])
        p.block(f"{t}es", [[ask.e[k]] for k in hinged(tree)])
        right = p.product(f"{t}right", f"{t}P", f"{t}es")
    p.solve(f"{t}all", "MSigma", right, "symmetric")
    of_x, of_y, of_z = ask.meanings
    for i, link in enumerate(tree.links):
        k = i + 1
        p.rows(f"{ask.x}_{k}", f"{t}all", range(6 * i, 6 * k), f"{of_x} {link.path}")
        if ask.y:
            first = 6 * (N + i)
            p.rows(f"{ask.y}_{k}", f"{t}all", range(first, first + 6), f"{of_y} {link.path}")
        if link.freedoms:
            own = [12 * N + j for j in link.own]
            p.rows(f"{ask.z}_{k}", f"{t}all", own, f"{of_z} {link.path}")


def _column(p: NamedProgram, tree: Links, ask: Ask) -> str:
    """Add the right-hand side (-a; -b; e)."""
    t, every = ask.mark, range(1, len(tree.links) + 1)
    p.column(f"{t}zero", [ZERO] * _SIX)
    rows = []
    for k in every:
        known = k in ask.a
        rows.append(p.sum(f"{t}am_{k}", ask.a[k], signs=(-1,)) if known else f"{t}zero")
    for k in every:
        known = k in ask.b
        rows.append(p.sum(f"{t}bm_{k}", ask.b[k], signs=(-1,)) if known else f"{t}zero")
    rows += [ask.e[k] for k in hinged(tree)]
    return p.block(f"{t}right", [[name] for name in rows], "right-hand sides")
