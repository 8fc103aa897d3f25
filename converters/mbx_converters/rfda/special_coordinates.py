"""The coordinates in which the equations of a node are rows of the equations of motion.

    y'_k = Et_k yc'_k + Dt_k yf'_k,    yc'_k = S_k y'_j + a_k        (31), (22)
    G Dt = 0,  Dt^T Mhat Et = 0                                      conditions 1 and 2
    Lambda_k yf''_k = eta_k                                          what is left out, (57)

Et = E + D At by method 2, (42) to (44), so that G Et = 1. Rates of Et need the rate of Mhat,
which comes up the tree with Mhat itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mbx.expr.build import NULL, cross, matmul, matvec, minus, skew
from mbx.expr.nodes import ZERO
from mbx.mechanics.tree.absolute_hinges import across
from mbx_converters.rfda.absolute_rates import Sweep, block, grid, linear_angular, three, vector
from mbx_converters.rfda.joint_rows import (
    JointRows,
    driving_rows,
    gather,
    hold,
    joint_rows,
    over_hinge,
)
from mbx_converters.rfda.step_one import method_2

if TYPE_CHECKING:
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx_converters.rfda.absolute_rates import Nodes
    from mbx_converters.rfda.step_one import Corrected

__all__ = ["Coordinates", "split"]


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The special coordinates by node; of roots, only Mhat and Lambda.

    Attributes:
        Mhat: Inertias of the nodes with what they carry, (57).
        Lambda: H^T Mhat H, inertias of what is left out.
        Et: Constrained rates, (43); free ones are H.
        Mtc: Inertias of yc', (33).
        a: nu, for G Et = 1, (22).
        yfd: Free rates yf'.
        e: Et' yc' + Dt' yf'.
        s: a' + S' y'_j.
        Me: Mhat e.
        Mcs: Mtc s.
    """

    on: Nodes
    joints: JointRows = field(default_factory=JointRows)
    Mhat: dict[int, Matrix] = field(default_factory=dict)
    Lambda: dict[int, Matrix] = field(default_factory=dict)
    Et: dict[int, Matrix] = field(default_factory=dict)
    Mtc: dict[int, Matrix] = field(default_factory=dict)
    a: dict[int, Matrix] = field(default_factory=dict)
    yfd: dict[int, Matrix] = field(default_factory=dict)
    e: dict[int, Matrix] = field(default_factory=dict)
    s: dict[int, Matrix] = field(default_factory=dict)
    Me: dict[int, Matrix] = field(default_factory=dict)
    Mcs: dict[int, Matrix] = field(default_factory=dict)

    def sweep(self, p: Program, given: Matrix, n: str = "") -> Sweep:
        """Add fhat and eta, leaves to roots, (57), then yf'', y'' and z'', roots to leaves."""
        on, Et, H = self.on, self.Et, self.joints.H
        swept = Sweep()
        self._back(p, given, n, swept)
        ydd = swept.ydd
        p.begin("forward sweep, root to leaves: accelerations, (31)")
        for k, _ in on.links:
            j = on.parent(k)
            if not j:
                self._root(p, n, swept, k)
                continue
            meaning = "what is left out"
            yfdd = p.solve(
                f"{n}yfdd_{k}", self.Lambda[k], swept.eta[k], "symmetric", meaning=meaning
            )
            ycdd = -(self.joints.Q[k] @ ydd[j])
            ycdd = p.let(f"{n}ycdd_{k}", ycdd if n else ycdd + self.s[k])
            ydd_k = Et[k] @ ycdd + H[k] @ yfdd
            ydd[k] = p.let(f"{n}ydd_{k}", ydd_k if n else ydd_k + self.e[k], "of the node, (31)")
            swept.z[k] = over_hinge(p, on, self.joints, ydd, k, n)
        return swept

    def _back(self, p: Program, given: Matrix, n: str, swept: Sweep) -> None:
        """Add fhat and eta, leaves to roots, (57)."""
        on, joints = self.on, self.joints
        fup: dict[int, Matrix] = {}
        p.begin("backward sweep, leaves to root: loads, (57)")
        for k, _ in reversed(on.links):
            total = gather(p, on, joints, swept, fup, given, k, n)
            symbol = "" if n else rf"\hat{{f}}_{{{k}}}"
            fhat = p.let(f"{n}fhat_{k}", total, "loads on the node and more", symbol)
            swept.fhat[k] = fhat
            if not on.parent(k):
                continue
            moved = fhat if n else p.let(f"fe_{k}", fhat - self.Me[k])
            meaning = "right side of what is left out, (57)"
            swept.eta[k] = p.let(f"{n}eta_{k}", joints.H[k].T @ moved, meaning)
            ftc = p.let(f"{n}ftc_{k}", self.Et[k].T @ moved, "on the constrained rates")
            fc = -ftc if n else -ftc + self.Mcs[k]
            fup[k] = p.let(f"{n}fup_{k}", joints.Q[k].T @ fc, "for the parent, (57)")
            Qtau = joints.Qd[k].T @ swept.tau[k]
            swept.Qtau[k] = p.let(f"{n}Qtau_{k}", Qtau, "a motor, on the parent")

    def _root(self, p: Program, n: str, swept: Sweep, k: int) -> None:
        """Add z'' and y'' of a root, (8)."""
        H, Lambda, d = self.joints.H[k], self.Lambda[k], self.on.d[k]
        moved = swept.fhat[k] if n else swept.fhat[k] - self.Mhat[k] @ d
        meaning = "rates of the hinge's"
        z = p.solve(f"{n}z_{k}", Lambda, H.T @ moved, "symmetric", meaning=meaning)
        ydd = p.sum([H @ z] if n else [H @ z, d])
        swept.z[k], swept.ydd[k] = z, p.let(f"{n}ydd_{k}", ydd, "of the node, (8)")


@dataclass(frozen=True, slots=True)
class _Rates:
    """The rates of matrices of the nodes, by node."""

    M: dict[int, Matrix] = field(default_factory=dict)
    Mhat: dict[int, Matrix] = field(default_factory=dict)
    Mup: dict[int, Matrix] = field(default_factory=dict)
    H: dict[int, Matrix] = field(default_factory=dict)
    E: dict[int, Matrix] = field(default_factory=dict)
    G: dict[int, Matrix] = field(default_factory=dict)
    Q: dict[int, Matrix] = field(default_factory=dict)


def split(p: Program, on: Nodes) -> Coordinates:
    """Add, leaves to roots, Mhat, Et and Dt of all nodes, and their rates."""
    made, rates = Coordinates(on), _Rates()
    joints, Mhat = made.joints, made.Mhat
    for k, _ in on.links:
        joint_rows(p, on, joints, k)
        driving_rows(p, on, joints, k)
        hold(p, on, joints, k)
        joints.H[k] = p.let(f"H_{k}", on.T[k] @ on.A[k], "D, free rates, (60)")
        _rates_of_rows(p, on, joints, rates, k)
    Mup: dict[int, Matrix] = {}
    for k, _ in reversed(on.links):
        carried = on.children(k)
        with_carried = p.sum([on.M[k], *(Mup[j] for j in carried)])
        meaning = "inertia of the node with what it carries, (57)"
        Mhat[k] = p.let(f"Mhat_{k}", with_carried, meaning, rf"\hat{{M}}_{{{k}}}")
        rate = p.sum([rates.M[k], *(rates.Mup[j] for j in carried)])
        rates.Mhat[k] = p.let(f"Mhatd_{k}", rate, "rate of Mhat")
        H, Q = joints.H[k], joints.Q.get(k)
        if Q is None:
            made.Lambda[k] = p.let(f"HMH_{k}", H.T @ Mhat[k] @ H, "of the hinge")
            continue
        new = method_2(p, f"_{k}", Mhat[k], joints.E[k], H)
        made.Et[k], made.Lambda[k] = new.Et, new.inertia
        MEt = p.let(f"MEt_{k}", Mhat[k] @ new.Et)
        Mtc = made.Mtc[k] = p.let(f"Mtc_{k}", new.Et.T @ MEt, "inertia of yc, (33)")
        McQ = p.let(f"McQ_{k}", Mtc @ Q)
        Mup[k] = p.let(f"Mup_{k}", Q.T @ McQ, "for the parent: S^T Mtc S, S = -Q, (57)")
        Etd = _rates_of_method_2(p, made, rates, new, MEt, McQ, k)
        _velocities(p, made, rates, new, Etd, k)
    return made


def _rates_of_rows(p: Program, on: Nodes, joints: JointRows, rates: _Rates, k: int) -> None:
    """Add the rates of M, E, D, G and Q."""
    at, T, E, H, G = on.hinge(k), on.T[k], joints.E[k], joints.H[k], joints.G[k]
    turn, Jw = skew(vector(p, on.w[k])), block(p, on.Jw[k])
    pairs = zip(matmul(turn, Jw), matmul(Jw, turn), strict=True)
    spun = [[*NULL, *minus(first, second)] for first, second in pairs]
    rates.M[k] = p.define(f"Md_{k}", [[ZERO] * 6 for _ in range(3)] + spun, "rate of M")
    Om = p.define(f"Om_{k}", grid([[turn, None], [None, turn]]), "turning of the node")
    Hd, Ed = Om @ H, _turned(p, on, E, Om, k)
    if any(x is not ZERO for row in at.Ad for x in row):
        Ad = p.define(f"Ad_{k}", at.Ad, "rates of A", columns=on.link(k).names)
        Hd += T @ Ad
        # a rate of Z in the columns of A keeps A^T Z = 0
        AdY = Ad.T @ joints.Ti[k] @ E
        Ed -= H @ p.solve(f"HfAdY_{k}", joints.Hf[k], AdY, "positive")
    Hd = rates.H[k] = p.let(f"Hd_{k}", Hd, "rate of D")
    Ed = rates.E[k] = p.let(f"Ed_{k}", Ed, "rate of E")
    EDd = Ed @ G + Hd @ joints.Gd[k]
    Gr = rates.G[k] = p.let(f"Gr_{k}", -(G @ EDd), "rate of G, from (60)")
    if j := on.parent(k):
        (v, _), (vj, _) = linear_angular(p, on.yd[k]), linear_angular(p, on.yd[j])
        Bd = p.define(f"Bd_{k}", grid([[None, skew(minus(vj, v))], [None, None]]), "rate of B")
        rates.Q[k] = p.let(f"Qr_{k}", -(Gr @ on.B[k]) - G @ Bd, "rate of Q")


def _turned(p: Program, on: Nodes, E: Matrix, Om: Matrix, k: int) -> Matrix:
    """Return the rate of E where A is constant: columns in ground components do not turn."""
    at = on.hinge(k)
    constrained = across(at.A)
    if constrained.own is None or not (constrained.linear or constrained.angular):
        return Om @ E
    w = vector(p, on.w[k])
    columns_of_E = [list(c) for c in zip(*p.entries(E), strict=True)]
    first = 3 if constrained.linear else 0
    columns = [[ZERO] * 6 for _ in range(first)]
    columns += [
        [*cross(w, three(c[:3])), *cross(w, three(c[3:]))]
        for c in columns_of_E[first : first + len(constrained.own)]
    ]
    if constrained.angular:
        # columns of [-sigma~; 1]: rows of [sigma~, 1]
        sigma = matvec(block(p, on.Rw[k]), at.e)
        columns += grid([[skew(cross(w, sigma)), None]])
    rows = [list(row) for row in zip(*columns, strict=True)]
    return p.define(f"OmE_{k}", rows, "rate of E, by turning")


def _rates_of_method_2(
    p: Program,
    made: Coordinates,
    rates: _Rates,
    new: Corrected,
    MEt: Matrix,
    McQ: Matrix,
    k: int,
) -> Matrix:
    """Add the rates of At, Et and of what the parent gets; return that of Et."""
    M, H, E, Q = made.Mhat[k], made.joints.H[k], made.joints.E[k], made.joints.Q[k]
    Md, Hd, Ed, Qr = rates.Mhat[k], rates.H[k], rates.E[k], rates.Q[k]
    Et, At, MH = new.Et, new.At, new.MD
    HdMH = p.let(f"HdMH_{k}", Hd.T @ MH)
    Lr = p.let(f"Lr_{k}", HdMH + HdMH.T + p.product(H.T, Md, H), "rate of Lambda")
    Ar = Lr @ At + Hd.T @ M @ E + p.product(H.T, Md, E) + MH.T @ Ed
    Atm = p.solve(f"Atm_{k}", new.inertia, Ar, "symmetric", meaning="minus the rate of At")
    Etd = p.let(f"Etd_{k}", Ed + Hd @ At - H @ Atm, "rate of Et")
    EtdME = p.let(f"EtdME_{k}", Etd.T @ MEt)
    Mtcd = p.let(f"Mtcd_{k}", EtdME + EtdME.T + Et.T @ Md @ Et, "rate of Mtc")
    QrMQ = p.let(f"QrMQ_{k}", Qr.T @ McQ)
    rates.Mup[k] = p.let(f"Mupd_{k}", QrMQ + QrMQ.T + Q.T @ Mtcd @ Q, "rate of Mup")
    return Etd


def _velocities(
    p: Program, made: Coordinates, rates: _Rates, new: Corrected, Etd: Matrix, k: int
) -> None:
    """Add yc', yf' and the accelerations that these leave."""
    on, joints, yd = made.on, made.joints, made.on.yd[k]
    free = p.column(f"ur0_{k}", on.hinge(k).free, "twist of the hinge without z'")
    c = p.let(f"c_{k}", on.T[k] @ free, "rates without those of the hinge, (4)")
    a = p.let(f"a_{k}", joints.G[k] @ c, "nu: S = -Q and a = nu, for G Et = 1, (22)")
    ycd = a - joints.Q[k] @ on.yd[on.parent(k)]
    ycd = p.let(f"ycd_{k}", ycd, "constrained rates yc', (22)")
    HMy = new.MD.T @ yd
    yfd = p.solve(f"yfd_{k}", new.inertia, HMy, "symmetric", meaning="free rates yf'")
    e = p.let(f"e_{k}", Etd @ ycd + rates.H[k] @ yfd, "Et' yc' + Dt' yf'")
    s = p.let(f"s_{k}", joints.gamma[k] + rates.G[k] @ yd, "a' + S' y'_j, from (3)")
    made.a[k], made.yfd[k], made.e[k], made.s[k] = a, yfd, e, s
    made.Me[k], made.Mcs[k] = made.Mhat[k] @ e, made.Mtc[k] @ s
