"""What the special coordinates are for: equations left out, and a mass matrix of blocks.

    Lambda xi'' = eta                                       xi' stacks yf' of all nodes but roots
    T_j = [1 0; P_j R_j],  T_j^T M T_j = blkdiag(Mhat_j, Lambda_j)

P_j, R_j and varpi_j take [y'_j; xi'_j] to the rates of all that node j carries, child by child:

    P_j = [Et S; P_k Et S],  R_j = [Dt 0; P_k Dt  R_k],  varpi_j = [Et a; P_k Et a + varpi_k]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mbx.expr.nodes import ZERO
from mbx.formalism.steps.change_of_coordinates import (
    Constraint,
    Rates,
    change_constraint,
    change_coordinates,
)

if TYPE_CHECKING:
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx_converters.rfda.absolute_rates import Nodes, Sweep
    from mbx_converters.rfda.special_coordinates import Coordinates

__all__ = ["certificate", "free_rates", "left_out"]


def free_rates(p: Program, of: Coordinates) -> Matrix:
    """Add xi', the free rates of all nodes but the roots."""
    xid = p.stack(*(of.yfd[k] for k in _left_out(of.on)))
    return p.let("xid", xid, "rates xi' of what is left out, (55)")


def _left_out(on: Nodes) -> list[int]:
    """Return the nodes that have a part in xi', in their order."""
    return [k for k, _ in on.links if on.parent(k)]


def left_out(p: Program, of: Coordinates, swept: Sweep) -> dict[str, Matrix]:
    """Add Lambda, xi' and eta."""
    nodes = _left_out(of.on)
    if not nodes:
        return {}
    xid = free_rates(p, of)
    Lambda = p.diagonal(*(of.Lambda[k] for k in nodes))
    Lambda = p.let("Lambda", Lambda, "inertia of what is left out, (57)")
    eta = p.let("eta", p.stack(*(swept.eta[k] for k in nodes)), "Lambda xi'' = eta, (57)")
    return {"Lambda": Lambda, "xid": xid, "eta": eta}


@dataclass(frozen=True, slots=True)
class _Carried:
    """What nodes carry, by the rates of the node and by xi'.

    Attributes:
        EtS: Et S of each node but roots.
        P: Rates of what the node carries, by its rates.
        R: The same, by xi'.
        varpi: The same, without either.
        M: Masses of what the node carries.
        Lambda: Inertias of what is left out of the node.
    """

    EtS: dict[int, Matrix] = field(default_factory=dict)
    P: dict[int, Matrix] = field(default_factory=dict)
    R: dict[int, Matrix] = field(default_factory=dict)
    varpi: dict[int, Matrix] = field(default_factory=dict)
    M: dict[int, Matrix] = field(default_factory=dict)
    Lambda: dict[int, Matrix] = field(default_factory=dict)


def certificate(p: Program, of: Coordinates, swept: Sweep) -> dict[str, Matrix]:
    """Add what must be zero at each root that carries something.

    That is [T^T M T - blkdiag(Mhat, Lambda), T^T (f - M rest) - (fhat; eta)], by the change of
    coordinates, and below it the joint rows inside, which the new rates keep by themselves.
    """
    on, by = of.on, _Carried()
    for j, _ in reversed(on.links):
        if on.children(j):
            _carry(p, of, by, j)
    return {
        f"certificate:{link.path}": _check(p, of, swept, by, j)
        for j, link in on.links
        if not on.parent(j) and on.children(j)
    }


def _carry(p: Program, of: Coordinates, by: _Carried, j: int) -> None:
    """Add P, R, varpi, the masses and Lambda of what a node carries."""
    on, H = of.on, of.joints.H
    P, varpi, M, Lambda = [], [], [], []
    R: list[list[Matrix | None]] = []
    for k in on.children(j):
        before: list[None] = [None] * max(map(len, R), default=0)
        EtS = by.EtS[k] = p.let(f"EtS_{k}", -(of.Et[k] @ of.joints.Q[k]), "Et S")
        Eta = p.let(f"Eta_{k}", of.Et[k] @ of.a[k], "Et a")
        P.append(EtS)
        R.append([*before, H[k]])
        varpi.append(Eta)
        M.append(on.M[k])
        Lambda.append(of.Lambda[k])
        if k in by.P:
            P.append(by.P[k] @ EtS)
            R.append([*before, by.P[k] @ H[k], by.R[k]])
            varpi.append(by.P[k] @ Eta + by.varpi[k])
            M.append(by.M[k])
            Lambda.append(by.Lambda[k])
    width = max(map(len, R))
    R = [row + [None] * (width - len(row)) for row in R]
    by.P[j] = p.let(f"P_{j}", p.stack(*P), "rates of what the node carries, by its own")
    by.R[j] = p.let(f"R0_{j}", p.block(R), "the same, by xi'")
    by.varpi[j] = p.let(f"varpi_{j}", p.stack(*varpi), "the same, without either")
    by.M[j] = p.let(f"Mbelow_{j}", p.diagonal(*M))
    meaning = "inertia of what is left out of the node, (57)"
    by.Lambda[j] = p.let(f"Lambda_{j}", p.diagonal(*Lambda), meaning)


def _check(p: Program, of: Coordinates, swept: Sweep, by: _Carried, j: int) -> Matrix:
    """Add the equations of a root and all it carries in [y; xi], less those of (57)."""
    on, Q, G = of.on, of.joints.Q, of.joints.G
    nodes = _with_carried(on, j)
    inside = nodes[1:]
    one = p.let(f"One_{j}", p.identity(6))
    T = p.block([[one, None], [by.P[j], by.R[j]]])
    T = p.let(f"Tj_{j}", T, "T: rates by [y'; xi']")
    zero = p.define(f"e0_{j}", [[ZERO] for _ in range(6)])
    e = p.let(f"ej_{j}", p.stack(zero, by.varpi[j]))
    M = p.let(f"Mj_{j}", p.diagonal(on.M[j], by.M[j]))
    rest = {j: zero}
    for k in inside:  # accelerations where those of the new coordinates are zero
        left = by.EtS[k] @ rest[on.parent(k)] + of.Et[k] @ of.s[k] + of.e[k]
        rest[k] = p.let(f"rest_{k}", left, "e' + T' v'")
    all_rest = p.let(f"restj_{j}", p.stack(*rest.values()))
    f = []
    for k in nodes:
        motors = [swept.Gtau[k], *(swept.Qtau[c] for c in on.children(k))]
        f.append(p.let(f"fm_{k}", p.sum([swept.f[k], *motors]), "loads, motors included"))
    loads = p.let(f"fj_{j}", p.stack(*f))
    rows: list[list[Matrix | None]] = []
    for k in inside:
        place = {on.parent(k): Q[k], k: G[k]}
        rows.append([place.get(i) for i in nodes])
    Psi = p.let(f"Psi_{j}", p.block(rows), "joint rows inside")
    nu = p.let(f"nu_{j}", p.stack(*(of.a[k] for k in inside)))
    count = sum(on.joint_rows(k) for k in inside)
    rates = Rates(T=T, e=e, left=all_rest)
    new = change_coordinates(p, M, loads, rates, f"_{j}")
    joints = change_constraint(p, Constraint(Psi=Psi, nu=nu, count=count), rates, f"_{j}")
    Mhat_Lambda = p.let(f"MhL_{j}", p.diagonal(of.Mhat[j], by.Lambda[j]), "as (57) says it")
    fhat_eta = p.let(f"fe_{j}", p.stack(swept.fhat[j], *(swept.eta[k] for k in inside)))
    same = p.let(f"same_{j}", p.block([[new.M - Mhat_Lambda, new.f - fhat_eta]]))
    return p.let(f"cert_{j}", p.block([[same], [joints.dropped]]), "zero")


def _with_carried(on: Nodes, j: int) -> list[int]:
    """Return a node and all that it carries, in the order of P and R."""
    return [j, *(i for k in on.children(j) for i in _with_carried(on, k))]
