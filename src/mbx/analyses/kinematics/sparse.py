"""The global formulation with sparse matrices: SuperLU, by SciPy, on all constraints at once.

Redundant rows make it J^T J dx = -J^T Phi, as (21) does for a group, and this matrix, too, comes
from machine code. Its unknowns are put in an order of little fill once, at the first position.
Velocities and accelerations are improved once by what they leave of their own rows, so that they
have the digits of J.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from mbx.analyses.kinematics.groups.group import rate
from mbx.analyses.kinematics.groups.solve_group import ROUGH, Solver, StuckError
from mbx.codegen.native.scalar_function import Scalars
from mbx.expr.build import add, mul
from mbx.expr.nodes import ZERO
from mbx.numerics.tolerances import LEAST_UNKNOWN
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.kinematics.groups.group import Group
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["SparseSolver"]

_SYMMETRIC: Final[dict[str, Any]] = {"diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}


class _Pattern:
    """Where a matrix has entries, by columns, and one matrix whose numbers are replaced."""

    def __init__(self, columns: Sequence[Mapping[int, Node]], rows: int) -> None:
        self.entries = [entry for column in columns for entry in column.values()]
        indices = np.array([i for column in columns for i in column], dtype=np.int32)
        begins = np.cumsum([0, *map(len, columns)], dtype=np.int32)
        data = np.zeros(len(self.entries))
        self.matrix = csc_array((data, indices, begins), shape=(rows, len(columns)))

    def filled(self, data: Array) -> Any:
        """Return the matrix with other numbers."""
        self.matrix.data[:] = data
        return self.matrix


class SparseSolver(Solver):
    """Solves one large group by sparse factors; Algorithm 1 of the paper, GLOB_SP."""

    def __init__(self, group: Group) -> None:
        """Find where the matrices have entries, and compile them."""
        super().__init__(group)
        columns: list[dict[int, Node]] = [{} for _ in group.phi]
        for i, row in enumerate(group.Phi_phi):
            for j, entry in enumerate(row):
                if entry is not ZERO:
                    columns[j][i] = entry
        self._J = _Pattern(columns, len(group.rows))
        self._columns = columns
        self._N = self._J if group.square else _Pattern(_normal(columns), len(columns))
        self._arguments = [*group.phi, *group.h, TIME]

    @cached_property
    def _positions(self) -> Scalars:
        right = self._right(self.group.rows)
        return Scalars(self._arguments, {"N": [self._N.entries], "b": [right]})

    @cached_property
    def _velocities(self) -> Scalars:
        symbols = [*self._arguments, *map(rate, self.group.h)]
        results = {"N": [self._N.entries], "J": [self._J.entries], "v": [self.group.velocity]}
        return Scalars(symbols, results)

    def _right(self, rows: Sequence[Node]) -> list[Node]:
        if self.group.square:
            return list(rows)
        return [add(*(mul(a, rows[i]) for i, a in c.items()), ZERO) for c in self._columns]

    def _step(self, phi: Array, h: Array, t: float) -> Array:
        flat = self._positions.flat(np.concatenate([phi, h, [t]]))
        factors = self._factors(self._positions.part(flat, "N")[0])
        return -np.asarray(factors(self._positions.part(flat, "b")[0]))

    def _stuck(self, reason: str, phi: Array, h: Array, t: float) -> StuckError:  # noqa: ARG002  a condition number is dense work
        return StuckError(self.group, reason, np.inf)

    def _require_kept(self, phi: Array, h: Array, t: float) -> None:
        if not self.group.square:
            flat = self._velocities.flat(np.concatenate([phi, h, [t], np.zeros(len(h))]))
            J = self._J.filled(self._velocities.part(flat, "J")[0])
            size = float(np.abs(J).sum(axis=1).max()) * max(float(np.abs(phi).max()), LEAST_UNKNOWN)
            left = self._rows.flat(np.concatenate([phi, h, [t]]))[:-1]
            if np.abs(left).max() > ROUGH * size:
                raise self._stuck("its constraints cannot all be kept", phi, h, t)

    @cached_property
    def _rows(self) -> Scalars:
        return Scalars(self._arguments, {"Phi": [self.group.rows]})

    @cached_property
    def _order(self) -> tuple[Any, Any, Any]:
        """An order of the unknowns with little fill, and the matrix in that order."""
        matrix = self._N.matrix
        n = matrix.shape[0]
        if self.group.square:
            return np.arange(n), np.arange(matrix.nnz), matrix
        numbered = matrix.copy()
        factors = splu(matrix, permc_spec="MMD_AT_PLUS_A", **_SYMMETRIC)
        order = np.argsort(factors.perm_c)
        numbered.data[:] = np.arange(1, matrix.nnz + 1)
        put = csc_array(numbered[order][:, order])
        put.sort_indices()
        taken = put.data.astype(int) - 1
        return order, taken, csc_array(put)

    def _factors(self, data: Array) -> Any:
        try:
            if self.group.square:
                return splu(self._N.filled(data)).solve
            self._N.filled(data)
            order, taken, matrix = self._order
            matrix.data[:] = data[taken]
            solve = splu(matrix, permc_spec="NATURAL", **_SYMMETRIC).solve
        except RuntimeError:
            raise StuckError(self.group, "its Jacobian is singular", np.inf) from None

        def solved(b: Array) -> Array:
            x = np.empty(len(b))
            x[order] = solve(b[order])
            return x

        return solved

    def by_time(self, phi: Array, h: Array, t: float, hd: Array, hdd: Array) -> tuple[Array, Array]:
        """Return velocity and acceleration, (7c) and (10b)."""
        flat = self._velocities.flat(np.concatenate([phi, h, [t], hd]))
        J = self._J.filled(self._velocities.part(flat, "J")[0])
        factors = self._factors(self._velocities.part(flat, "N")[0])
        phid = -self._improved(factors, J, self._velocities.part(flat, "v")[0])
        a = self.kernels.acceleration(phi, h, t, phid, hd, hdd)
        return phid, -self._improved(factors, J, a)

    def _improved(self, factors: Any, J: Any, b: Array) -> Array:
        if self.group.square:
            return np.asarray(factors(b))
        x = factors(J.T @ b)
        return np.asarray(x + factors(J.T @ (b - J @ x)))


def _normal(columns: Sequence[Mapping[int, Node]]) -> list[dict[int, Node]]:
    """Return J^T J by columns."""
    at: dict[int, list[int]] = {}
    for j, column in enumerate(columns):
        for i in column:
            at.setdefault(i, []).append(j)
    normal: list[dict[int, Node]] = [{} for _ in columns]
    for j, column in enumerate(columns):
        neighbours = sorted({k for i in column for k in at[i]})
        for k in neighbours:
            other = columns[k]
            normal[j][k] = add(*(mul(a, other[i]) for i, a in column.items() if i in other), ZERO)
    return normal
