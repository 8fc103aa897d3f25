"""Recursive forward dynamics on absolute rates of the nodes of a tree.

Equation numbers are those of Deepak and Ghosal; see spec/formalisms/rfda.md.

    Mhat_k y''_k + G_k^T lambda_k = fhat_k,    G_k y''_k = gamma_k - Q_k y''_j        (8)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.expr.nodes import ZERO
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.tree.closure import close_tree, constraint_forces
from mbx.formalism.tree.regular_tree import refuse_empty, refuse_singular
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx_converters.rfda import absolute_rates, special_coordinates
from mbx_converters.rfda.absolute_rates import Sweep
from mbx_converters.rfda.block_diagonal import certificate, free_rates, left_out
from mbx_converters.rfda.joint_rows import (
    RATES,
    JointRows,
    driving_rows,
    gather,
    hold,
    joint_rows,
    over_hinge,
    release,
)
from mbx_converters.rfda.node_reactions import report_reactions
from mbx_converters.rfda.nodes_page import write_page
from mbx_converters.rfda.special_coordinates import Coordinates

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System
    from mbx_converters.rfda.absolute_rates import ByNode, Nodes

__all__ = ["CONVERTER", "derive"]


def derive(system: System, variant: str = "projection") -> Equations:
    """Return the equations of all nodes, (8), solved leaves to roots and back."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    refuse_singular(tree)
    closing = ties(tree, levels)

    p = Program()
    on = absolute_rates.nodes(p, tree)
    factors = _WAYS[variant](p, on)
    swept = Sweep()

    def loaded(p: Program, h: Matrix) -> Matrix:
        nonlocal swept
        swept = factors.sweep(p, h)
        return p.let("z0", p.stack(*swept.z.values()))

    def response(p: Program, F: Matrix, name: str) -> Matrix:
        return p.let(name, p.stack(*factors.sweep(p, F, f"{name}_").z.values()))

    closed = close_tree(p, closing, levels, loaded, response)
    constrained = constraint_forces(p, levels, closed.lam)
    alone, H = closing.open, factors.joints.H
    reactions, W = report_reactions(p, on, levels, closed, constrained["A"], swept, H, alone=alone)
    results = {"ud": closed.ud, **constrained, **reactions}
    results |= _multipliers(p, on, factors, swept, W, alone=alone)
    if isinstance(factors, Coordinates) and alone:
        results |= left_out(p, factors, swept) | certificate(p, factors, swept)
    return p.equations(
        system, CONVERTER.name, CONVERTER.title, CONVERTER.reference, results, variant=variant
    )


def _multipliers(
    p: Program, on: Nodes, factors: _Factors, swept: Sweep, W: ByNode, *, alone: bool
) -> dict[str, Matrix]:
    """Add the reactions lambda in the joint rows: those of (8), or -E^T W where loops hold."""
    joints, lam = factors.joints, swept.lam if alone else {}
    held = [k for k in W if on.joint_rows(k)]
    for k in held:
        if k not in joints.ET:
            hold(p, on, joints, k)
        if not alone:
            lam[k] = p.let(f"lamc_{k}", -(joints.ET[k] @ W[k]), _LAMBDA)
        elif k not in lam:
            open_ = swept.fhat[k] - factors.Mhat[k] @ swept.ydd[k]
            lam[k] = p.let(f"lambda_{k}", joints.ET[k] @ open_, _LAMBDA)
    return {f"lambda:{on.link(k).path}": lam[k] for k in held}


_LAMBDA: Final = "reaction in the joint rows, (8)"


# -- projection: B and H, (11) and (12) ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Projection:
    """Mhat of (11), H, the inertias H^T Mhat H of the hinges, and K = (H^T Mhat H)^-1 H^T Mhat."""

    on: Nodes
    joints: JointRows = field(default_factory=JointRows)
    Mhat: dict[int, Matrix] = field(default_factory=dict)
    MH: dict[int, Matrix] = field(default_factory=dict)
    HMH: dict[int, Matrix] = field(default_factory=dict)
    K: dict[int, Matrix] = field(default_factory=dict)

    def sweep(self, p: Program, given: Matrix, n: str = "") -> Sweep:
        """Add fhat, leaves to roots, (12), then z'' and y'', roots to leaves, (5)."""
        on, B, H = self.on, self.on.B, self.joints.H
        swept = Sweep()
        t = self._back(p, given, n, swept)
        ydd, z = swept.ydd, swept.z
        p.begin("forward sweep, root to leaves: accelerations, (5)")
        for k, _ in on.links:
            if j := on.parent(k):
                By = p.let(f"{n}By_{k}", B[k] @ ydd[j])
                z[k] = p.let(f"{n}z_{k}", t[k] - self.K[k] @ By, _Z)
                total = By + H[k] @ z[k]
            else:
                z[k] = p.let(f"{n}z_{k}", t[k], _Z)
                total = p.sum([H[k] @ z[k]])
            ydd[k] = p.let(f"{n}ydd_{k}", total if n else total + on.d[k], _YDD)
        return swept

    def _back(self, p: Program, given: Matrix, n: str, swept: Sweep) -> ByNode:
        """Add fhat, (12); return t = (H^T Mhat H)^-1 (tau + H^T (fhat - Mhat d))."""
        on, H, Mhat, fhat = self.on, self.joints.H, self.Mhat, swept.fhat
        t: dict[int, Matrix] = {}
        fup: dict[int, Matrix] = {}
        p.begin("backward sweep, leaves to root: loads, (12)")
        for k, _ in reversed(on.links):
            right = on.motor(p, given, k, n)
            carried = [fup[j] for j in on.children(k)]
            moved = None
            if not n:
                f = swept.f[k] = on.loads(p, given, k)
                fhat[k] = p.let(f"fhat_{k}", p.sum([f, *carried]), _FHAT, _hat("f", k))
                moved = p.let(f"fd_{k}", fhat[k] - Mhat[k] @ on.d[k])
            elif carried:
                moved = fhat[k] = p.let(f"{n}fhat_{k}", p.sum(carried))
            if moved is not None:
                right += H[k].T @ moved
            t[k] = p.solve(f"{n}t_{k}", self.HMH[k], right, "symmetric")
            if on.parent(k):
                MHt = self.MH[k] @ t[k]
                Pif = -MHt if moved is None else moved - MHt
                Pif = p.let(f"{n}Pif_{k}", Pif, "Pi (fhat - Mhat d)")
                fup[k] = p.let(f"{n}fup_{k}", on.B[k].T @ Pif, "for the parent, (12)")
        return t


def _project(p: Program, on: Nodes) -> _Projection:
    """Add, leaves to roots, the inertias Mhat, (11)."""
    made = _Projection(on)
    B, H, Mhat = on.B, made.joints.H, made.Mhat
    Mup: dict[int, Matrix] = {}
    p.begin("backward sweep, leaves to root: inertias, (11)")
    for k, _ in reversed(on.links):
        H[k] = p.let(f"H_{k}", on.T[k] @ on.A[k], "rates by those of the hinge, (4)")
        Mhat[k] = _inertia_with(p, on, Mup, k)
        MH = made.MH[k] = p.let(f"MH_{k}", Mhat[k] @ H[k])
        made.HMH[k] = p.let(f"HMH_{k}", H[k].T @ MH, "inertia of the hinge")
        made.K[k] = p.solve(f"K_{k}", made.HMH[k], MH.T, "symmetric")
        if on.parent(k) and on.joint_rows(k):
            PiM = p.let(f"PiM_{k}", Mhat[k] - MH @ made.K[k], "Pi Mhat, Pi as in (11)")
            Mup[k] = p.let(f"Mup_{k}", B[k].T @ PiM @ B[k], "for the parent, (11)")
    return made


def _inertia_with(p: Program, on: Nodes, Mup: ByNode, k: int) -> Matrix:
    """Add Mhat of a node: of a hinge without joint rows, nothing is handed on."""
    carried = [Mup[j] for j in on.children(k) if on.joint_rows(j)]
    meaning = f"inertia of {on.link(k).path} with what it carries"
    return p.let(f"Mhat_{k}", p.sum([on.M[k], *carried]), meaning, _hat("M", k))


def _hat(symbol: str, k: int) -> str:
    return rf"\hat{{{symbol}}}_{{{k}}}"


_FHAT: Final = "loads on the node and what it carries"
_Z: Final = "rates of the hinge's rates"
_YDD: Final = "accelerations of the node, (5)"


# -- constraints: Q and G, (9) and (10) ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Constraints:
    """Mhat of (9), the equations S of the nodes, (8), Et = Mhat^-1 G^T N^-1 and Q^T N^-1 gamma."""

    on: Nodes
    joints: JointRows = field(default_factory=JointRows)
    Mhat: dict[int, Matrix] = field(default_factory=dict)
    S: dict[int, Matrix] = field(default_factory=dict)
    Et: dict[int, Matrix] = field(default_factory=dict)
    QNig: dict[int, Matrix] = field(default_factory=dict)

    def sweep(self, p: Program, given: Matrix, n: str = "") -> Sweep:
        """Add fhat, leaves to roots, (10), then y'', lambda and z'', roots to leaves, (8)."""
        on, joints = self.on, self.joints
        swept = Sweep()
        self._back(p, given, n, swept)
        ydd = swept.ydd
        p.begin("forward sweep, root to leaves: accelerations and reactions, (8)")
        for k, _ in on.links:
            rows, fhat = on.joint_rows(k), swept.fhat[k]
            if n:  # nothing moves: as many columns as there are forces
                still = p.define(f"{n}O_{k}", [[ZERO] * 6 for _ in range(rows)], columns=RATES)
                right = still @ fhat
            else:
                right = joints.gamma[k]
            if j := on.parent(k):
                right -= joints.Q[k] @ ydd[j]
            right = p.let(f"{n}r_{k}", p.stack(fhat, right))
            x = p.solve(f"{n}x_{k}", self.S[k], right, "symmetric", meaning="of the node, (8)")
            ydd[k] = p.let(f"{n}ydd_{k}", x.rows(range(6)), _YDD)
            if not n:
                swept.lam[k] = p.let(f"lambda_{k}", x.rows(range(6, 6 + rows)), _LAMBDA)
            swept.z[k] = over_hinge(p, on, joints, ydd, k, n)
        return swept

    def _back(self, p: Program, given: Matrix, n: str, swept: Sweep) -> None:
        """Add fhat, leaves to roots, (10)."""
        on, joints, Et, QNig = self.on, self.joints, self.Et, self.QNig
        fup: dict[int, Matrix] = {}
        p.begin("backward sweep, leaves to root: loads, (10)")
        for k, _ in reversed(on.links):
            total = gather(p, on, joints, swept, fup, given, k, n)
            labels = ("", "") if n else (_FHAT, _hat("f", k))
            fhat = swept.fhat[k] = p.let(f"{n}fhat_{k}", total, *labels)
            if on.parent(k):
                Qtau = joints.Qd[k].T @ swept.tau[k]
                swept.Qtau[k] = p.let(f"{n}Qtau_{k}", Qtau, "a motor, on the parent")
                QEf = p.product(joints.Q[k].T, Et[k].T, fhat)
                handed = -QEf if n else QNig[k] - QEf
                fup[k] = p.let(f"{n}fup_{k}", handed, "for the parent, (10)")


def _constrain(p: Program, on: Nodes) -> _Constraints:
    """Add joint and driving rows, (59), then leaves to roots the inertias Mhat, (9)."""
    made = _Constraints(on)
    joints, Mhat, S, Et = made.joints, made.Mhat, made.S, made.Et
    p.begin("joint and driving rows, (59)")
    for k, _ in on.links:
        joint_rows(p, on, joints, k)
        driving_rows(p, on, joints, k)
        release(p, on, joints, k)
    Mup: dict[int, Matrix] = {}
    p.begin("backward sweep, leaves to root: inertias, (9)")
    for k, _ in reversed(on.links):
        G = joints.G[k]
        Mhat[k] = _inertia_with(p, on, Mup, k)
        equations = p.block([[Mhat[k], G.T], [G, None]])
        S[k] = p.let(f"S_{k}", equations, "equations of the node, (8)")
        if not on.parent(k):
            continue
        # of (8), for N^-1 exists where Mhat^-1 does not, as in a plane
        rows, Q = on.joint_rows(k), joints.Q[k]
        zero = p.define(f"O_{k}", [[ZERO] * rows for _ in range(6)])
        one = p.let(f"One_{k}", p.identity(rows))
        right = p.let(f"OI_{k}", p.stack(zero, one))
        meaning = "[Mhat^-1 G^T N^-1; -N^-1]"
        EN = p.solve(f"EN_{k}", S[k], right, "symmetric", meaning=meaning)
        Et[k] = p.let(f"Et_{k}", EN.rows(range(6)), "Mhat^-1 G^T N^-1, (38)")
        minus_Ni = p.let(f"Nm_{k}", EN.rows(range(6, 6 + rows)))
        Ni = p.let(f"Ni_{k}", -minus_Ni, "N^-1, N = G Mhat^-1 G^T, (9)")
        QNi = p.let(f"QNi_{k}", Q.T @ Ni)
        Mup[k] = p.let(f"Mup_{k}", QNi @ Q, "for the parent, (9)")
        made.QNig[k] = p.let(f"QNig_{k}", QNi @ joints.gamma[k])
    return made


_Factors = _Projection | _Constraints | Coordinates
"""What loads do not touch, and the sweeps under loads.

With `n` in front of all names, a sweep is for forces on the rates alone, from rest, a column each.
"""

_WAYS: Final[dict[str, Callable[[Program, Nodes], _Factors]]] = {
    "projection": _project,
    "constraints": _constrain,
    "coordinates": special_coordinates.split,
}


def _free_rates(system: System, tree: Links) -> Equations:
    """Return the free rates of the nodes, xid: what the special coordinates leave over."""
    p = Program()
    on = absolute_rates.nodes(p, tree)
    xid = free_rates(p, special_coordinates.split(p, on))
    return p.equations(system, "", "", "", {"xid": xid})


CONVERTER: Final = Converter(
    name="rfda",
    title="Recursive forward dynamics",
    purpose="accelerations and joint reactions in two sweeps",
    reference="S. R. Deepak, A. Ghosal, J. Applied Mechanics 75(5), 2008",
    variants=(
        Variant(name="projection", accepts=ON_TREES, title="by B and H, (11) and (12)"),
        Variant(name="constraints", accepts=ON_TREES, title="by Q and G, (9) and (10)"),
        Variant(name="coordinates", accepts=ON_TREES, title="in the special coordinates, (57)"),
    ),
    derive=derive,
    write_page=write_page,
    choose=lambda _system: "projection",
    free_rates=_free_rates,
)
