"""The global formulation with sparse matrices: SuperLU, by SciPy, on all constraints at once.

Redundant rows make it J^T J dx = -J^T Phi, as (21) does for a group; velocities and accelerations
are improved once by what they leave of their own rows, so that they have the digits of J.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from mbx.compiled.scalars import Scalars
from mbx.expr.nodes import ZERO
from mbx.groups.group import rate
from mbx.groups.solve import LEAST, ROUGH, ROUNDS, STEP, Solver, StuckError
from mbx.system.names import TIME

if TYPE_CHECKING:
    from mbx.expr.nodes import Node
    from mbx.formalism.numerics import Array
    from mbx.groups.group import Group

__all__ = ["SparseSolver"]


class SparseSolver(Solver):
    """Solves one large group by sparse factors; Algorithm 1 of the paper, GLOB_SP."""

    def __init__(self, group: Group) -> None:
        """Find where the Jacobian has entries, and compile them."""
        super().__init__(group)
        entries: list[Node] = []
        self._rows: list[int] = []
        begins = [0]
        columns = list(zip(*group.Phi_phi, strict=True))
        for column in columns:
            for i, entry in enumerate(column):
                if entry is not ZERO:
                    entries.append(entry)
                    self._rows.append(i)
            begins.append(len(entries))
        self._begins = np.array(begins)
        self._indices = np.array(self._rows)
        self._shape = (len(group.rows), len(group.phi))
        place = [*group.phi, *group.h, TIME]
        self._positions = Scalars(place, {"J": [entries], "Phi": [list(group.rows)]})
        self._velocities = Scalars(
            [*place, *map(rate, group.h)], {"J": [entries], "v": [group.velocity]}
        )

    def _matrix(self, data: Array) -> Any:
        return csc_array((data.ravel(), self._indices, self._begins), shape=self._shape)

    def position(self, phi: Array, h: Array, t: float) -> tuple[Array, int]:
        """Return the unknowns near a start, and the rounds."""
        phi = np.array(phi, dtype=float)
        before = np.inf
        for k in range(ROUNDS):
            found = self._positions.flat(np.concatenate([phi, h, [t]]))
            J = self._matrix(self._positions.part(found, "J"))
            step = -self._solve(J, self._positions.part(found, "Phi")[0])
            if not np.isfinite(step).all():
                break
            phi += step
            size = max(float(np.abs(phi).max(initial=0.0)), LEAST)
            far = float(np.abs(step).max(initial=0.0)) / size
            if far <= STEP or (far <= ROUGH and far >= before):
                return phi, k + 1
            before = far
        raise StuckError(self.group, "no position near its start", np.inf)

    def _solve(self, J: Any, b: Array) -> Array:
        factors = self._factors(J)
        return np.asarray(factors.solve(b if self.group.square else J.T @ b))

    def _factors(self, J: Any) -> Any:
        try:
            return splu(J if self.group.square else (J.T @ J).tocsc())
        except RuntimeError:
            raise StuckError(self.group, "its Jacobian is singular", np.inf) from None

    def by_time(self, phi: Array, h: Array, t: float, hd: Array, hdd: Array) -> tuple[Array, Array]:
        """Return velocity and acceleration, (7c) and (10b)."""
        found = self._velocities.flat(np.concatenate([phi, h, [t], hd]))
        J = self._matrix(self._velocities.part(found, "J").copy())
        factors = self._factors(J)
        phid = -self._improved(factors, J, self._velocities.part(found, "v")[0].copy())
        a = self.kernels.acceleration(phi, h, t, phid, hd, hdd)
        return phid, -self._improved(factors, J, a)

    def _improved(self, factors: Any, J: Any, b: Array) -> Array:
        if self.group.square:
            return np.asarray(factors.solve(b))
        x = factors.solve(J.T @ b)
        return np.asarray(x + factors.solve(J.T @ (b - J @ x)))
