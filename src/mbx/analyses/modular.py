"""Linearisation by Orsino's modular recursion: no equation of the whole system is formed.

Equation numbers are those of Orsino's thesis, section 4.5. Every matrix of a node is its value
at the reference and its slopes along small motions, X = X0 + sum_j Xj x_j, and products keep
the first order. Orthogonal complements are differentiated by Proposition 4.4 in closed form,

    Cj = -B0*^+ Bj C0  in the dependent rows,  0 in the independent ones,

which is what the central difference (4.21) tends to, with the factor 1/2 that is missing there;
the generalized inverse admits rows that depend on each other, or contradict each other next to
the reference, and then violates them least.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mbx.analyses.tangent import ZERO, freedoms, solved
from mbx.experiments.plan import NotRunError
from mbx.expr.build import add, neg
from mbx.expr.diff import jacobian
from mbx.expr.evaluate import evaluate_arrays
from mbx.mechanics import balance, partials, reactions, tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.residual import Residual
    from mbx.analyses.tangent import Directions
    from mbx.expr.nodes import Node
    from mbx.formalism.numerics import Array
    from mbx.mechanics.motion import Motion
    from mbx.mechanics.tree import Part

__all__ = ["modular_rates"]


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

    def __init__(self, found: Residual, values: dict[Node, Any], near: Directions) -> None:
        self.moving: Motion = found.moving
        self.levels = found.levels
        self.values = values
        self.symbols = [*found.q, *found.moving.u, *(one.symbol for one in found.inputs)]
        self.steps = near.steps(len(found.inputs))

    def first(self, table: Sequence[Sequence[Node]], width: int) -> _First:
        """Return a matrix of expressions to the first order."""
        nodes = [x for row in table for x in row]
        value = np.array(evaluate_arrays(nodes, self.values), dtype=float)
        slopes = jacobian(nodes, self.symbols)
        flat = np.array(evaluate_arrays([x for row in slopes for x in row], self.values), float)
        along = flat.reshape(len(nodes), len(self.symbols)) @ self.steps
        shape = (len(table), width)
        return _First(value.reshape(shape), along.T.reshape(self.steps.shape[1], *shape))

    def visit(self, part: Part) -> _Node:
        """Return a node after its children."""
        children = [self.visit(child) for child in part.children]
        forces = _forces(self.moving, part)
        own = self.first([[x] for x in forces], 1)
        rates = jacobian(forces, self.moving.ud)
        M = np.array(evaluate_arrays([neg(x) for row in rates for x in row], self.values), float)
        M = M.reshape(len(forces), len(self.moving.ud))
        R = self._joined(part, children)  # (2.34)
        A = self.first(
            [[self.levels.A[k][j] for j in part.below] for k in part.rows], len(part.below)
        )
        C = _complement(A @ R)  # B = A R, (4.17), (4.18)
        # f = (0, fbar of the children) + R^T f of the node itself, (4.16)
        f, M = R.T @ own, R.value.T @ M
        start = len(part.own)
        for child in children:
            rows = slice(start, start + len(child.f.value))
            f.value[rows] += child.f.value
            f.slopes[:, rows] += child.f.slopes
            M[rows] += child.M
            start = rows.stop
        return _Node(R @ C, C.T @ f, C.value.T @ M)  # (4.22), (4.23)

    def _joined(self, part: Part, children: Sequence[_Node]) -> _First:
        """Return R = (1 on the own variables, S of the children)."""
        count = self.steps.shape[1]
        own = len(part.own)
        blocks = [_First(np.eye(own), np.zeros((count, own, own))), *(c.S for c in children)]
        height, width = (sum(b.value.shape[k] for b in blocks) for k in (0, 1))
        value, slopes = np.zeros((height, width)), np.zeros((count, height, width))
        row = column = 0
        for block in blocks:
            rows, columns = (
                slice(a, a + n) for a, n in zip((row, column), block.value.shape, strict=True)
            )
            value[rows, columns] = block.value
            slopes[:, rows, columns] = block.slopes
            row, column = rows.stop, columns.stop
        return _First(value, slopes)


def _complement(B: _First) -> _First:
    """Return the orthogonal complement of B to the first order, Proposition 4.4."""
    known = freedoms(B.value)
    chosen = list(known.chosen)
    others = [k for k in range(B.value.shape[1]) if k not in chosen]
    slopes = np.zeros((len(B.slopes), *known.T.shape))
    inverse = np.linalg.pinv(B.value[:, others], rcond=ZERO)  # rows weigh as they are written
    slopes[:, others] = -inverse @ B.slopes @ known.T
    return _First(known.T, slopes)


def _forces(moving: Motion, part: Part) -> list[Node]:
    """Return f = V^T f': active minus inertia forces on the variables of a node, (4.7)."""
    u = [moving.u[k] for k in part.below]
    active = partials.project(
        moving, [w for _, w in part.wrenches], [m for m, _ in part.wrenches], u
    )
    inertia = [balance.inertia_wrench(m) for m in part.elements]
    passive = partials.project(moving, inertia, part.elements, u)
    return [
        add(a, neg(i), *(term[k] for term in part.terms))
        for a, i, k in zip(active, passive, part.below, strict=True)
    ]


def modular_rates(
    found: Residual, values: Mapping[Node, Any], near: Directions
) -> tuple[Array, Array]:
    """Return ud, and its slopes along directions and by inputs.

    Loads that depend on reactions have no place in the recursion, which never has any.
    """
    levels, ud = found.levels, found.moving.ud
    root = tree.subsystems(found.moving, levels)
    if reactions.named_in(levels, _all_forces(found.moving, root)):
        raise NotRunError("a load depends on a reaction, and the modular recursion has none")
    still = _Recursion(found, {**values, **dict.fromkeys(ud, 0.0)}, near)
    now = _solve(found, still, root)[0][:, 0]
    moving = _Recursion(found, {**values, **dict(zip(ud, now.tolist(), strict=True))}, near)
    return now, _solve(found, moving, root)[1]


def _all_forces(moving: Motion, part: Part) -> list[Node]:
    below = [x for child in part.children for x in _all_forces(moving, child)]
    return [*_forces(moving, part), *below]


def _solve(found: Residual, recursion: _Recursion, root: Part) -> tuple[Array, Array]:
    """Return what L fbar = 0 and L inv = 0 add to the rates of the speeds, and their slopes.

    They are S z + e with A e = -inv by least squares, and fbar = 0 for z.
    """
    top = recursion.visit(root)
    invariants = recursion.first([[x] for x in found.levels.acceleration], 1)
    flat = [x for row in found.levels.A for x in row]
    A = np.array(evaluate_arrays(flat, recursion.values), float)
    A = A.reshape(len(found.levels.A), len(root.below))
    S = np.zeros_like(top.S.value)
    S[list(root.below)] = top.S.value  # in the order of the model
    parts = []
    for f, a in (
        (top.f.value, invariants.value),
        (top.f.slopes[:, :, 0].T, invariants.slopes[:, :, 0].T),
    ):
        e, _, _ = solved(A, -a)
        z, N, _ = solved(top.M @ S, f - top.M @ e)
        if N.shape[1]:
            raise NotRunError("the accelerations are not unique at the state: it is singular")
        parts.append(S @ z + e)
    return parts[0], parts[1]
