"""The coordinates in which the equations of a node are rows of the equations of motion.

    y'_k = Et_k yc'_k + Dt_k yf'_k,    yc'_k = S_k y'_j + a_k        (31), (22)
    G Dt = 0,  Dt^T Mhat Et = 0                                      conditions 1 and 2
    Lambda_k yf''_k = eta_k                                          what is left out, (57)

Et = E + D At by method 2, (42) to (44), so that G Et = 1. Rates of Et need the rate of Mhat,
which comes up the tree with Mhat itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.matrix import NULL, cross, matmul, matvec, minus, skew
from mbx.expr.nodes import ZERO
from mbx.mechanics.tree.absolute_hinges import across, hinge
from mbx_converters.rfda import absolute_rates
from mbx_converters.rfda.absolute_rates import grid, matrix, vector
from mbx_converters.rfda.joint_rows import driving_rows, held, joint_rows, over_hinge
from mbx_converters.rfda.step_one import method_2

if TYPE_CHECKING:
    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Links

__all__ = ["split", "sweep"]


def split(p: NamedProgram, tree: Links) -> None:
    """Add, leaves to roots, Mhat, Et and Dt of all nodes, and their rates."""
    for k in range(1, len(tree.links) + 1):
        joint_rows(p, tree, k)
        driving_rows(p, tree, k)
        held(p, tree, k, after_rows=True)
        p.product(f"H_{k}", f"T_{k}", f"A_{k}", meaning="D, free rates, (60)")
        p.transpose(f"HT_{k}", f"H_{k}")
        _rates_of_rows(p, tree, k)
    for k in range(len(tree.links), 0, -1):
        carried = [f"{j + 1}" for j in tree.children[k - 1]]
        p.sum(
            f"Mhat_{k}",
            f"M_{k}",
            *(f"Mup_{j}" for j in carried),
            meaning="inertia of the node with what it carries, (57)",
            symbol=rf"\hat{{M}}_{{{k}}}",
        )
        p.sum(f"Mhatd_{k}", f"Md_{k}", *(f"Mupd_{j}" for j in carried), meaning="rate of Mhat")
        if tree.links[k - 1].parent is None:
            p.product(f"HMH_{k}", f"HT_{k}", f"Mhat_{k}", f"H_{k}", meaning="of the hinge")
        else:
            method_2(p, f"_{k}", f"Mhat_{k}", f"E_{k}", f"H_{k}")
            _for_parent(p, k)
            _rates_of_method_2(p, k)
            _velocities(p, tree, k)


def _rates_of_rows(p: NamedProgram, tree: Links, k: int) -> None:
    """Add the rates of M, E, D, G and Q."""
    link, at = tree.links[k - 1], hinge(tree, k - 1)
    w = vector([row[0] for row in p.entries(f"w_{k}")])
    turn, Jw = skew(w), matrix(p, f"Jw_{k}")
    pairs = zip(matmul(turn, Jw), matmul(Jw, turn), strict=True)
    spun = [[*NULL, *minus(one, two)] for one, two in pairs]
    p.derived(f"Md_{k}", [[ZERO] * 6 for _ in range(3)] + spun, "rate of M")
    p.derived(f"Om_{k}", grid([[turn, None], [None, turn]]), "turning of the node")
    p.product(f"OmH_{k}", f"Om_{k}", f"H_{k}")
    D, E = [f"OmH_{k}"], [_turned(p, tree, k)]
    signs = [1]
    if any(x is not ZERO for row in at.Ad for x in row):
        p.define(f"Ad_{k}", at.Ad, "rates of A", columns=link.names)
        D.append(p.product(f"TAd_{k}", f"T_{k}", f"Ad_{k}"))
        # a rate of Z in the columns of A keeps A^T Z = 0
        p.transpose(f"AdT_{k}", f"Ad_{k}")
        p.product(f"AdY_{k}", f"AdT_{k}", f"Ti_{k}", f"E_{k}")
        p.solve(f"HfAdY_{k}", f"Hf_{k}", f"AdY_{k}", "positive")
        E.append(p.product(f"HAdY_{k}", f"H_{k}", f"HfAdY_{k}"))
        signs.append(-1)
    p.sum(f"Hd_{k}", *D, meaning="rate of D")
    p.sum(f"Ed_{k}", *E, signs=tuple(signs), meaning="rate of E")
    p.product(f"EdG_{k}", f"Ed_{k}", f"G_{k}")
    p.product(f"HdG_{k}", f"Hd_{k}", f"Gd_{k}")
    p.sum(f"EDd_{k}", f"EdG_{k}", f"HdG_{k}")
    p.product(f"GEDd_{k}", f"G_{k}", f"EDd_{k}")
    p.sum(f"Gr_{k}", f"GEDd_{k}", signs=(-1,), meaning="rate of G, from (60)")
    if link.parent is None:
        return
    v, vj = (vector([r[0] for r in p.entries(f"yd_{i}")[:3]]) for i in (k, link.parent + 1))
    p.derived(f"Bd_{k}", grid([[None, skew(minus(vj, v))], [None, None]]), "rate of B")
    p.product(f"GrB_{k}", f"Gr_{k}", f"B_{k}")
    p.product(f"GBd_{k}", f"G_{k}", f"Bd_{k}")
    p.sum(f"Qr_{k}", f"GrB_{k}", f"GBd_{k}", signs=(-1, -1), meaning="rate of Q")
    p.transpose(f"QrT_{k}", f"Qr_{k}")


def _turned(p: NamedProgram, tree: Links, k: int) -> str:
    """Add the rate of E where A is constant: columns in ground components do not turn."""
    at = hinge(tree, k - 1)
    found = across(at.A)
    name = f"OmE_{k}"
    if found.own is None or not (found.linear or found.angular):
        return p.product(name, f"Om_{k}", f"E_{k}")
    w = vector([row[0] for row in p.entries(f"w_{k}")])
    E = [list(c) for c in zip(*p.entries(f"E_{k}"), strict=True)]
    first = 3 if found.linear else 0
    columns = [[ZERO] * 6 for _ in range(first)]
    columns += [
        [*cross(w, vector(c[:3])), *cross(w, vector(c[3:]))]
        for c in E[first : first + len(found.own)]
    ]
    if found.angular:
        # columns of [-sigma~; 1]: rows of [sigma~, 1]
        sigma = matvec(matrix(p, f"Rw_{k}"), at.e)
        columns += grid([[skew(cross(w, sigma)), None]])
    return p.derived(
        name, [list(row) for row in zip(*columns, strict=True)], "rate of E, by turning"
    )


def _for_parent(p: NamedProgram, k: int) -> None:
    """Add Mtc, and what the parent gets, (57)."""
    p.transpose(f"EtT_{k}", f"Et_{k}")
    p.product(f"MEt_{k}", f"Mhat_{k}", f"Et_{k}")
    p.product(f"Mtc_{k}", f"EtT_{k}", f"MEt_{k}", meaning="inertia of yc, (33)")
    p.product(f"McQ_{k}", f"Mtc_{k}", f"Q_{k}")
    p.product(f"Mup_{k}", f"QT_{k}", f"McQ_{k}", meaning="for the parent: S^T Mtc S, S = -Q, (57)")


def _rates_of_method_2(p: NamedProgram, k: int) -> None:
    """Add the rates of At, Et and of what the parent gets."""
    p.transpose(f"HdT_{k}", f"Hd_{k}")
    p.product(f"HdMH_{k}", f"HdT_{k}", f"MH_{k}")
    p.transpose(f"HdMHT_{k}", f"HdMH_{k}")
    p.product(f"HMdH_{k}", f"HT_{k}", f"Mhatd_{k}", f"H_{k}")
    p.sum(f"Lr_{k}", f"HdMH_{k}", f"HdMHT_{k}", f"HMdH_{k}", meaning="rate of Lambda")
    p.product(f"HdME_{k}", f"HdT_{k}", f"Mhat_{k}", f"E_{k}")
    p.product(f"HMdE_{k}", f"HT_{k}", f"Mhatd_{k}", f"E_{k}")
    p.product(f"HMEd_{k}", f"HM_{k}", f"Ed_{k}")
    p.product(f"LrAt_{k}", f"Lr_{k}", f"At_{k}")
    p.sum(f"Ar_{k}", f"LrAt_{k}", f"HdME_{k}", f"HMdE_{k}", f"HMEd_{k}")
    p.solve(f"Atm_{k}", f"HMH_{k}", f"Ar_{k}", "symmetric", meaning="minus the rate of At")
    p.product(f"HdAt_{k}", f"Hd_{k}", f"At_{k}")
    p.product(f"HAtm_{k}", f"H_{k}", f"Atm_{k}")
    p.sum(f"Etd_{k}", f"Ed_{k}", f"HdAt_{k}", f"HAtm_{k}", signs=(1, 1, -1), meaning="rate of Et")
    p.transpose(f"EtdT_{k}", f"Etd_{k}")
    p.product(f"EtdME_{k}", f"EtdT_{k}", f"MEt_{k}")
    p.transpose(f"EtdMET_{k}", f"EtdME_{k}")
    p.product(f"EtMdEt_{k}", f"EtT_{k}", f"Mhatd_{k}", f"Et_{k}")
    p.sum(f"Mtcd_{k}", f"EtdME_{k}", f"EtdMET_{k}", f"EtMdEt_{k}", meaning="rate of Mtc")
    p.product(f"QrMQ_{k}", f"QrT_{k}", f"McQ_{k}")
    p.transpose(f"QrMQT_{k}", f"QrMQ_{k}")
    p.product(f"QMdQ_{k}", f"QT_{k}", f"Mtcd_{k}", f"Q_{k}")
    p.sum(f"Mupd_{k}", f"QrMQ_{k}", f"QrMQT_{k}", f"QMdQ_{k}", meaning="rate of Mup")


def _velocities(p: NamedProgram, tree: Links, k: int) -> None:
    """Add yc', yf' and the accelerations that these leave."""
    p.column(f"ur0_{k}", hinge(tree, k - 1).free, "twist of the hinge without z'")
    p.product(f"c_{k}", f"T_{k}", f"ur0_{k}", meaning="rates without those of the hinge, (4)")
    p.product(f"a_{k}", f"G_{k}", f"c_{k}", meaning="nu: S = -Q and a = nu, for G Et = 1, (22)")
    p.product(f"Qyd_{k}", f"Q_{k}", f"yd_{(tree.links[k - 1].parent or 0) + 1}")
    p.sum(f"ycd_{k}", f"a_{k}", f"Qyd_{k}", signs=(1, -1), meaning="constrained rates yc', (22)")
    p.product(f"HMy_{k}", f"HM_{k}", f"yd_{k}")
    p.solve(f"yfd_{k}", f"HMH_{k}", f"HMy_{k}", "symmetric", meaning="free rates yf'")
    p.product(f"Etdy_{k}", f"Etd_{k}", f"ycd_{k}")
    p.product(f"Hdy_{k}", f"Hd_{k}", f"yfd_{k}")
    p.sum(f"e_{k}", f"Etdy_{k}", f"Hdy_{k}", meaning="Et' yc' + Dt' yf'")
    p.product(f"Gryd_{k}", f"Gr_{k}", f"yd_{k}")
    p.sum(f"s_{k}", f"gamma_{k}", f"Gryd_{k}", meaning="a' + S' y'_j, from (3)")
    p.product(f"Me_{k}", f"Mhat_{k}", f"e_{k}")
    p.product(f"Mcs_{k}", f"Mtc_{k}", f"s_{k}")


def sweep(p: NamedProgram, tree: Links, given: str, name: str, n: str = "") -> str:
    """Add fhat and eta, leaves to roots, (57), then yf'', y'' and z'', roots to leaves.

    With `n` in front of all names: for forces on the rates alone, from rest, a column each.
    """
    N = len(tree.links)
    p.begin("backward sweep, leaves to root: loads, (57)")
    first = 0 if n else 6 * N
    for k in range(N, 0, -1):
        link = tree.links[k - 1]
        p.rows(f"{n}tau_{k}", given, [first + j for j in link.own], "loads on the rates")
        own = [p.product(f"{n}Gtau_{k}", f"GdT_{k}", f"{n}tau_{k}", meaning="a motor, on the node")]
        own += [] if n else [absolute_rates.loads(p, tree, given, k)]
        kids = [f"{n}{part}_{j + 1}" for j in tree.children[k - 1] for part in ("fup", "Qtau")]
        symbol = "" if n else rf"\hat{{f}}_{{{k}}}"
        p.sum(f"{n}fhat_{k}", *own, *kids, meaning="loads on the node and more", symbol=symbol)
        if link.parent is None:
            continue
        moved = f"{n}fhat_{k}"
        if not n:
            moved = p.sum(f"fe_{k}", f"fhat_{k}", f"Me_{k}", signs=(1, -1))
        p.product(f"{n}eta_{k}", f"HT_{k}", moved, meaning="right side of what is left out, (57)")
        p.product(f"{n}ftc_{k}", f"EtT_{k}", moved, meaning="on the constrained rates")
        terms = [f"{n}ftc_{k}"] if n else [f"ftc_{k}", f"Mcs_{k}"]
        p.sum(f"{n}fc_{k}", *terms, signs=(-1, 1)[: len(terms)])
        p.product(f"{n}fup_{k}", f"QT_{k}", f"{n}fc_{k}", meaning="for the parent, (57)")
        p.product(f"{n}Qtau_{k}", f"QdT_{k}", f"{n}tau_{k}", meaning="a motor, on the parent")
    p.begin("forward sweep, root to leaves: accelerations, (31)")
    for k, link in enumerate(tree.links, start=1):
        if link.parent is None:
            _root(p, n, k)
            continue
        p.solve(f"{n}yfdd_{k}", f"HMH_{k}", f"{n}eta_{k}", "symmetric", meaning="what is left out")
        p.product(f"{n}Qy_{k}", f"Q_{k}", f"{n}ydd_{link.parent + 1}")
        known = [] if n else [f"s_{k}"]
        p.sum(f"{n}ycdd_{k}", f"{n}Qy_{k}", *known, signs=(-1, *(1 for _ in known)))
        p.product(f"{n}Ety_{k}", f"Et_{k}", f"{n}ycdd_{k}")
        p.product(f"{n}Hy_{k}", f"H_{k}", f"{n}yfdd_{k}")
        left = [] if n else [f"e_{k}"]
        p.sum(f"{n}ydd_{k}", f"{n}Ety_{k}", f"{n}Hy_{k}", *left, meaning="of the node, (31)")
        over_hinge(p, tree, n, k)
    return p.block(name, [[f"{n}z_{k}"] for k in range(1, N + 1)])


def _root(p: NamedProgram, n: str, k: int) -> None:
    """Add z'' and y'' of a root, (8)."""
    moved = f"{n}fhat_{k}"
    if not n:
        p.product(f"Md0_{k}", f"Mhat_{k}", f"d_{k}")
        moved = p.sum(f"fd_{k}", f"fhat_{k}", f"Md0_{k}", signs=(1, -1))
    p.product(f"{n}HTf_{k}", f"HT_{k}", moved)
    p.solve(f"{n}z_{k}", f"HMH_{k}", f"{n}HTf_{k}", "symmetric", meaning="rates of the hinge's")
    p.product(f"{n}Hz_{k}", f"H_{k}", f"{n}z_{k}")
    left = [] if n else [f"d_{k}"]
    p.sum(f"{n}ydd_{k}", f"{n}Hz_{k}", *left, meaning="of the node, (8)")
