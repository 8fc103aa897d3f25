"""Linearisation by Orsino's modular recursion: no equation of the whole system is formed.

Equation numbers are those of Orsino's thesis, section 4.5. Every matrix of a node is its value
at the reference and its slopes along small motions, X = X0 + sum_j Xj x_j, and products keep
the first order. Orthogonal complements are differentiated by Proposition 4.4 in closed form,

    Cj = -B0*^+ Bj C0  in the dependent rows,  0 in the independent ones,

which is what the central difference (4.21) tends to, with the factor 1/2 that is missing there;
the generalized inverse admits rows that depend on each other, or contradict each other next to
the reference, and then violates them least. Speeds and their rates that follow from others are
computed in the same way, node by node (`mbx.analyses.linearize.complements`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.linearize.complements import joined, tied
from mbx.analyses.linearize.residual_slopes import without_rounding
from mbx.analyses.linearize.tangent_motions import LEFT, solved
from mbx.expr.build import add, neg
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import evaluate_arrays, substitute
from mbx.mechanics import balance, loads, reactions, subsystem_tree
from mbx.numerics.tolerances import EMPTY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.linearize.complements import Tie
    from mbx.analyses.linearize.residual_slopes import Residual
    from mbx.analyses.linearize.tangent_motions import Directions
    from mbx.expr.nodes import Node
    from mbx.mechanics.motion import Motion
    from mbx.mechanics.subsystem_tree import Part
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Tree"]


@dataclass(frozen=True, slots=True, eq=False)
class _First:
    """A matrix to the first order: its value, and a slope for each direction."""

    value: Array
    slopes: Array

    def __matmul__(self, other: _First) -> _First:
        slopes = self.slopes @ other.value + self.value @ other.slopes
        return _First(self.value @ other.value, slopes)

    @property
    def T(self) -> _First:  # noqa: N802  as of arrays
        return _First(self.value.T, np.swapaxes(self.slopes, 1, 2))


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """What a node hands to the one above: S, fbar without rates of speeds, and fbar by them."""

    S: _First
    f: _First
    M: Array


class _Recursion:
    """The recursion of Table 4.1 at one state, in numbers of the first order."""

    def __init__(self, residual: Residual, values: dict[Node, Any], near: Directions) -> None:
        self.moving: Motion = residual.moving
        self.levels = residual.levels
        self.values = values
        self.fed_back = residual.fed_back
        self.symbols = [
            *residual.q,
            *residual.moving.u,
            *(parameter.symbol for parameter in residual.inputs),
        ]
        self.steps = near.steps(len(residual.inputs))
        self.left: dict[int, float] = {}

    def first(self, table: Sequence[Sequence[Node]], width: int) -> _First:
        """Return a matrix of expressions to the first order."""
        nodes = substitute([x for row in table for x in row], self.fed_back)
        value = np.array(evaluate_arrays(nodes, self.values), dtype=float)
        slopes = jacobian(nodes, self.symbols)
        flat = np.array(evaluate_arrays([x for row in slopes for x in row], self.values), float)
        along = flat.reshape(len(nodes), len(self.symbols)) @ self.steps
        shape = (len(table), width)
        return _First(value.reshape(shape), along.T.reshape(self.steps.shape[1], *shape))

    def visit(self, tie: Tie) -> _Node:
        """Return a node after its children."""
        children = [self.visit(child) for child in tie.children]
        part = tie.part
        forces = _forces(self.moving, part)
        node_forces = self.first([[x] for x in forces], 1)
        rates = jacobian(forces, self.moving.ud)
        M = np.array(evaluate_arrays([neg(x) for row in rates for x in row], self.values), float)
        M = M.reshape(len(forces), len(self.moving.ud))
        R = self._joined(tie, children)  # (2.34)
        A = self.first(
            [[self.levels.A[k][j] for j in part.below] for k in tie.rows], len(part.below)
        )
        self._require_gradients(tie.rows, A)
        C = self._complement(tie, A @ R)  # B = A R, (4.17), (4.18)
        # f = (0, fbar of the children) + R^T f of the node itself, (4.16)
        f, M = R.T @ node_forces, R.value.T @ M
        start = len(part.own)
        for child in children:
            rows = slice(start, start + len(child.f.value))
            f.value[rows] += child.f.value
            f.slopes[:, rows] += child.f.slopes
            M[rows] += child.M
            start = rows.stop
        return _Node(R @ C, C.T @ f, C.value.T @ M)  # (4.22), (4.23)

    def _joined(self, tie: Tie, children: Sequence[_Node]) -> _First:
        count = len(tie.part.own)
        slopes = np.zeros((self.steps.shape[1], *tie.R.shape))
        for k, each in enumerate(slopes):
            each[:] = joined(count, [child.S.slopes[k] for child in children])
        slopes[:, :count, :count] = 0.0
        return _First(tie.R, slopes)

    def _require_gradients(self, rows: Sequence[int], A: _First) -> None:
        """Refuse a row that is nonlinear in the speeds, and gives nothing at the state itself.

        Of rows that are affine, least squares use their values next to the state.
        """
        value = np.abs(A.value).max(axis=1, initial=0.0)
        slope = np.abs(A.slopes).max(axis=(0, 2), initial=0.0)
        for k, row in enumerate(rows):
            invariant = self.levels.rows[row]
            if not invariant.affine and value[k] <= EMPTY * slope[k] and slope[k] > 0:
                raise NotRunError(f"the invariant '{invariant.path}' has no gradient at the state")

    def _complement(self, tie: Tie, B: _First) -> _First:
        """Return the orthogonal complement of B to the first order, Proposition 4.4."""
        known = tie.complement
        right = -B.slopes @ known.C
        slopes = known.least_squares(right)
        self.met(tie.rows, B.value @ slopes - right, np.abs(B.value) @ np.abs(slopes), right)
        return _First(known.C, slopes)

    def met(self, rows: Sequence[int], left: Array, terms: Array, right: Array) -> None:
        """Note what is left of some rows, as part of their terms."""
        size = max(float((terms + np.abs(right)).max(initial=0.0)), 1.0)
        for k, row in enumerate(rows):
            rest = float(np.abs(left[..., k, :]).max(initial=0.0)) / size
            self.left[row] = max(self.left.get(row, 0.0), rest)


def _forces(moving: Motion, part: Part) -> list[Node]:
    """Return f = V^T f': active minus inertia forces on the variables of a node, (4.7)."""
    u = [moving.u[k] for k in part.below]
    active = loads.project(moving, [w for _, w in part.wrenches], [m for m, _ in part.wrenches], u)
    inertia = [balance.inertia_wrench(m) for m in part.elements]
    passive = loads.project(moving, inertia, part.elements, u)
    return [
        add(a, neg(i), *(term[k] for term in part.terms))
        for a, i, k in zip(active, passive, part.below, strict=True)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The tree of subsystems with its complements at one state."""

    residual: Residual
    values: Mapping[Node, Any]
    root: Part
    top: Tie
    weights: Array

    @classmethod
    def at(
        cls, residual: Residual, values: Mapping[Node, Any], weights: Array | None = None
    ) -> Tree:
        """Return the tree; refuse loads that depend on reactions: the recursion has none.

        `weights` says how much each invariant counts where they contradict each other.
        """
        root = subsystem_tree.subsystems(residual.moving, residual.levels)
        if reactions.named_in(residual.levels, _all_forces(residual.moving, root)):
            raise NotRunError("a load depends on a reaction, and the modular recursion has none")
        A = _numbers(residual, values)
        weights = np.ones(len(A)) if weights is None else weights
        return cls(residual, values, root, tied(root, A, range(len(A)), weights), weights)

    def following(self, right: Array) -> Array:
        """Return speeds with Vu u = right; where that cannot be, by least squares."""
        rows = [k for k, row in enumerate(self.residual.levels.rows) if row.order <= 1]
        A = _numbers(self.residual, self.values)
        every = np.zeros((len(A), right.shape[1]))
        every[rows] = right
        return self._in_order(tied(self.root, A, rows, self.weights).particular(every))

    def rates(self, near: Directions) -> tuple[Array, Array, tuple[str, ...]]:
        """Return ud, its slopes along directions and by inputs, and the rows that are not met."""
        ud = self.residual.moving.ud
        still = _Recursion(self.residual, {**self.values, **dict.fromkeys(ud, 0.0)}, near)
        now = self._solve(still)[0][:, 0]
        values = {**self.values, **dict(zip(ud, now.tolist(), strict=True))}
        moving = _Recursion(self.residual, values, near)
        slopes = self._solve(moving)[1]
        rows = self.residual.levels.rows
        unmet = dict.fromkeys(rows[k].path for k, rest in moving.left.items() if rest > LEFT)
        return now, slopes, tuple(unmet)

    def _in_order(self, below: Array) -> Array:
        """Return rows in the order of the model."""
        ordered = np.zeros_like(below)
        ordered[list(self.root.below)] = below
        return ordered

    def _solve(self, recursion: _Recursion) -> tuple[Array, Array]:
        """Return what L fbar = 0 and L inv = 0 add to the rates of the speeds, and their slopes.

        They are S z + e with A e = -inv by least squares, and fbar = 0 for z.
        """
        top = recursion.visit(self.top)
        invariants = recursion.first([[x] for x in self.residual.levels.acceleration], 1)
        A = _numbers(self.residual, recursion.values)
        S = self._in_order(top.S.value)
        parts = []
        for f, a in (
            (top.f.value, invariants.value),
            (top.f.slopes[:, :, 0].T, invariants.slopes[:, :, 0].T),
        ):
            e = self._in_order(self.top.particular(-a))
            recursion.met(range(len(A)), A @ e + a, np.abs(A) @ np.abs(e), a)
            z, N, _ = solved(top.M @ S, f - top.M @ e)
            if N.shape[1]:
                raise NotRunError("the accelerations are not unique at the state: it is singular")
            parts.append(S @ z + e)
        return parts[0], parts[1]


def _all_forces(moving: Motion, part: Part) -> list[Node]:
    below = [x for child in part.children for x in _all_forces(moving, child)]
    return [*_forces(moving, part), *below]


def _numbers(residual: Residual, values: Mapping[Node, Any]) -> Array:
    """Return the invariants by rates of speeds, in the order of the model, without rounding."""
    flat = [x for row in residual.levels.A for x in row]
    A = np.array(evaluate_arrays(flat, values), float)
    A = without_rounding(A, residual.noise(flat, values))
    return A.reshape(len(residual.levels.A), len(residual.moving.u))
