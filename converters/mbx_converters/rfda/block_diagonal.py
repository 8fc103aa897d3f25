"""What the special coordinates are for: equations left out, and a mass matrix of blocks.

    Lambda xi'' = eta                                       xi' stacks yf' of all nodes but roots
    T_j = [1 0; P_j R_j],  T_j^T M T_j = blkdiag(Mhat_j, Lambda_j)

P_j, R_j and varpi_j take [y'_j; xi'_j] to the rates of all that node j carries, child by child:

    P_j = [Et S; P_k Et S],  R_j = [Dt 0; P_k Dt  R_k],  varpi_j = [Et a; P_k Et a + varpi_k]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.nodes import ZERO
from mbx.formalism.steps.change_of_coordinates import Rates, change_coordinates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Links

__all__ = ["certificate", "free_rates", "left_out"]


def free_rates(p: NamedProgram, tree: Links) -> list[int]:
    """Add xi', and return the nodes that have a part in it: all but the roots, in their order."""
    nodes = [k for k, link in enumerate(tree.links, start=1) if link.parent is not None]
    if nodes:
        p.block("xid", [[f"yfd_{k}"] for k in nodes], "rates xi' of what is left out, (55)")
    return nodes


def left_out(p: NamedProgram, tree: Links) -> dict[str, str]:
    """Add Lambda, xi' and eta."""
    nodes = free_rates(p, tree)
    if not nodes:
        return {}
    _diagonal(p, "Lambda", [f"HMH_{k}" for k in nodes], "inertia of what is left out, (57)")
    p.block("eta", [[f"eta_{k}"] for k in nodes], "Lambda xi'' = eta, (57)")
    return {"Lambda": "Lambda", "xid": "xid", "eta": "eta"}


def _diagonal(p: NamedProgram, name: str, blocks: Sequence[str], meaning: str = "") -> str:
    n = len(blocks)
    grid = [[blocks[i] if i == j else None for j in range(n)] for i in range(n)]
    return p.block(name, grid, meaning)


def certificate(p: NamedProgram, tree: Links) -> dict[str, str]:
    """Add what must be zero at each root that carries something.

    That is [T^T M T - blkdiag(Mhat, Lambda), T^T (f - M rest) - (fhat; eta)], by the change of
    coordinates, and below it the joint rows inside, which the new rates keep by themselves.
    """
    for j in range(len(tree.links), 0, -1):
        kids = [k + 1 for k in tree.children[j - 1]]
        for k in kids:
            _child(p, bool(tree.children[k - 1]), k)
        if kids:
            _node(p, tree, j, kids)
    results = {}
    for j, link in enumerate(tree.links, start=1):
        if link.parent is None and tree.children[j - 1]:
            results[f"certificate:{link.path}"] = _check(p, tree, j)
    return results


def _child(p: NamedProgram, carries: bool, k: int) -> None:  # noqa: FBT001  a node or a leaf
    """Add what a node adds to P, R and varpi of its parent."""
    p.product(f"EtQ_{k}", f"Et_{k}", f"Q_{k}")
    p.sum(f"EtS_{k}", f"EtQ_{k}", signs=(-1,), meaning="Et S")
    p.product(f"Eta_{k}", f"Et_{k}", f"a_{k}", meaning="Et a")
    if carries:
        p.product(f"PES_{k}", f"P_{k}", f"EtS_{k}")
        p.product(f"PD_{k}", f"P_{k}", f"H_{k}")
        p.product(f"PEa_{k}", f"P_{k}", f"Eta_{k}")
        p.sum(f"PEav_{k}", f"PEa_{k}", f"varpi_{k}")


def _node(p: NamedProgram, tree: Links, j: int, kids: Sequence[int]) -> None:
    """Add P, R, varpi, the masses and Lambda of what a node carries."""
    P, v, M, L = [], [], [], []
    columns = {k: 2 if tree.children[k - 1] else 1 for k in kids}
    R: list[list[str | None]] = []
    before, width = 0, sum(columns.values())
    for k in kids:
        P.append([f"EtS_{k}"])
        v.append([f"Eta_{k}"])
        M.append(f"M_{k}")
        L.append(f"HMH_{k}")
        R.append([f"H_{k}" if c == before else None for c in range(width)])
        if columns[k] > 1:
            P.append([f"PES_{k}"])
            v.append([f"PEav_{k}"])
            M.append(f"Mbelow_{k}")
            L.append(f"Lambda_{k}")
            below: list[str | None] = [None] * width
            below[before : before + 2] = [f"PD_{k}", f"R0_{k}"]
            R.append(below)
        before += columns[k]
    p.block(f"P_{j}", P, "rates of what the node carries, by its own")
    p.block(f"R0_{j}", R, "the same, by xi'")
    p.block(f"varpi_{j}", v, "the same, without either")
    _diagonal(p, f"Mbelow_{j}", M)
    _diagonal(p, f"Lambda_{j}", L, "inertia of what is left out of the node, (57)")


def _below(tree: Links, j: int) -> list[int]:
    """Return a node and all that it carries, in the order of P and R."""
    found = [j]
    for k in tree.children[j - 1]:
        found += _below(tree, k + 1)
    return found


def _check(p: NamedProgram, tree: Links, j: int) -> str:
    """Add the equations of a root and all it carries in [y; xi], less what (57) says."""
    nodes = _below(tree, j)
    p.identity(f"One_{j}", 6)
    p.block(f"Tj_{j}", [[f"One_{j}", None], [f"P_{j}", f"R0_{j}"]], "T: rates by [y'; xi']")
    p.define(f"e0_{j}", [[ZERO] for _ in range(6)])
    p.block(f"ej_{j}", [[f"e0_{j}"], [f"varpi_{j}"]])
    _diagonal(p, f"Mj_{j}", [f"M_{j}", f"Mbelow_{j}"])
    p.sum(f"rest_{j}", f"e0_{j}")
    for k in nodes[1:]:  # accelerations where those of the new coordinates are zero
        p.product(f"ESr_{k}", f"EtS_{k}", f"rest_{(tree.links[k - 1].parent or 0) + 1}")
        p.product(f"Ets_{k}", f"Et_{k}", f"s_{k}")
        p.sum(f"rest_{k}", f"ESr_{k}", f"Ets_{k}", f"e_{k}", meaning="e' + T' v'")
    p.block(f"restj_{j}", [[f"rest_{k}"] for k in nodes])
    for k in nodes:
        motors = [f"Qtau_{c + 1}" for c in tree.children[k - 1]]
        p.sum(f"fm_{k}", f"f_{k}", f"Gtau_{k}", *motors, meaning="loads, motors included")
    p.block(f"fj_{j}", [[f"fm_{k}"] for k in nodes])
    inside = nodes[1:]
    place = {k: c for c, k in enumerate(nodes)}
    Psi: list[list[str | None]] = []
    for k in inside:
        row: list[str | None] = [None] * len(nodes)
        row[place[(tree.links[k - 1].parent or 0) + 1]], row[place[k]] = f"Q_{k}", f"G_{k}"
        Psi.append(row)
    p.block(f"Psi_{j}", Psi, "joint rows inside")
    p.block(f"nu_{j}", [[f"a_{k}"] for k in inside])
    count = sum(6 - tree.links[k - 1].freedoms for k in inside)
    rates = Rates(T=f"Tj_{j}", e=f"ej_{j}", left=f"restj_{j}")
    new = change_coordinates(
        p, f"Mj_{j}", f"fj_{j}", rates, f"_{j}", (f"Psi_{j}", f"nu_{j}", count, ())
    )
    _diagonal(p, f"MhL_{j}", [f"Mhat_{j}", f"Lambda_{j}"], "as (57) says it")
    p.block(f"fe_{j}", [[f"fhat_{j}"], *([f"eta_{k}"] for k in inside)])
    p.sum(f"Mz_{j}", new.M, f"MhL_{j}", signs=(1, -1))
    p.sum(f"fz_{j}", new.f, f"fe_{j}", signs=(1, -1))
    p.block(f"same_{j}", [[f"Mz_{j}", f"fz_{j}"]])
    return p.block(f"cert_{j}", [[f"same_{j}"], [new.dropped]], "zero")
