"""A group solved in numbers: position by Newton, velocity, acceleration by TD or 3OT.

Equations are numbered as in the paper of `structural_graph`. Where it is printed otherwise:
(30b) has phidd on its left; (36) needs the term L_t hd where constraints depend on time and
inputs move; (42a) has bdot with a plus. Redundant rows, p > r, are solved by orthogonal factors,
which give the solutions of the normal equations (21), (23), (28), (32), (43) to more digits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.linalg import LinAlgError, lapack, qr, solve_triangular

from mbx.analyses.kinematics.groups.group_shape import shaped
from mbx.analyses.kinematics.groups.kernels import Kernels, Kit
from mbx.analyses.kinematics.jacobian_conditions import condition, steepness
from mbx.base.errors import MbxError
from mbx.numerics.tolerances import LAST_STEP, LEAST_UNKNOWN

if TYPE_CHECKING:
    from mbx.analyses.kinematics.groups.group import Group
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Solver", "StuckError"]

ROUGH: Final = 1e-9
"""Part of the largest unknown below which steps that shrink no more are rounding."""
ROUNDS: Final = 50


class StuckError(MbxError):
    """A group that has no position near its start, or is singular there."""

    def __init__(self, group: Group, reason: str, condition: float) -> None:
        """Keep the group, the reason, and the condition of its Jacobian."""
        super().__init__(f"{group.label}: {reason}")
        self.group = group
        self.reason = reason
        self.condition = condition


class Solver:
    """Solves one group."""

    def __init__(self, group: Group, kits: dict[object, Kit] | None = None) -> None:
        """Take a group, and what is compiled of other groups: one of its shape is shared."""
        self.group = group
        shaped_group = shaped(group)
        kit = ({} if kits is None else kits).setdefault(shaped_group.key, Kit(shaped_group.shape))
        self.kernels = Kernels(group, kit, shaped_group.values)

    # -- position ----------------------------------------------------------------------------

    def position(self, phi: Array, h: Array, t: float) -> tuple[Array, int]:
        """Return the unknowns near a start by Newton's method, (19a) or (21), and the rounds.

        No step is damped, as those of `gauss_newton` are: where one leads to another branch,
        `March` halves the step of time.
        """
        phi = np.array(phi, dtype=float)
        before = np.inf
        for k in range(ROUNDS):
            step = self._step(phi, h, t)
            if not np.isfinite(step).all():
                break
            phi += step
            size = max(float(np.abs(phi).max(initial=0.0)), LEAST_UNKNOWN)
            far = float(np.abs(step).max(initial=0.0)) / size
            if far <= LAST_STEP or (far <= ROUGH and far >= before):
                self._require_kept(phi, h, t)
                return phi, k + 1
            before = far
        raise self._stuck("no position near its start", phi, h, t)

    def _step(self, phi: Array, h: Array, t: float) -> Array:
        """Return the next step of the unknowns."""
        Phi, J = self.kernels.position(phi, h, t)
        try:
            return -_Factors(J).solve(Phi)
        except LinAlgError:
            raise StuckError(self.group, "its Jacobian is singular", np.inf) from None

    def _stuck(self, reason: str, phi: Array, h: Array, t: float) -> StuckError:
        """Return the error of a group that has no position near some unknowns."""
        return StuckError(self.group, reason, self.condition(phi, h, t))

    def _require_kept(self, phi: Array, h: Array, t: float) -> None:
        """Refuse where least squares end at a position that keeps no constraint."""
        Phi, J = self.kernels.position(phi, h, t)
        size = np.abs(J) @ np.maximum(np.abs(phi), LEAST_UNKNOWN)
        if np.abs(Phi).max(initial=0.0) > ROUGH * size.max(initial=0.0):
            raise self._stuck("its constraints cannot all be kept", phi, h, t)

    def condition(self, phi: Array, h: Array, t: float) -> float:
        """Return the condition number of Phi_phi, its rows scaled to their lengths."""
        return condition(self.kernels.position(phi, h, t)[1])

    def steepness(self, phi: Array, h: Array, t: float, sizes: Array) -> float:
        """Return how nearly its inputs leave Phi_phi singular, by `steepness` of conditions."""
        J = self.kernels.position(phi, h, t)[1]
        H, _ = self.kernels.inputs(phi, h, t)
        return steepness(J * sizes[: len(phi)], H * sizes[len(phi) :])

    # -- rates -------------------------------------------------------------------------------

    def by_time(self, phi: Array, h: Array, t: float, hd: Array, hdd: Array) -> tuple[Array, Array]:
        """Return velocity, (22c) or (23), and acceleration by time derivatives, (30b) or (32)."""
        J, v = self.kernels.velocity(phi, h, t, hd)
        try:
            factors = _Factors(J)
        except LinAlgError:
            raise StuckError(self.group, "its Jacobian is singular", np.inf) from None
        phid = -factors.solve(v)
        a = self.kernels.acceleration(phi, h, t, phid, hd, hdd)
        return phid, -factors.solve(a)

    def by_tensor(
        self, phi: Array, h: Array, t: float, hd: Array, hdd: Array
    ) -> tuple[Array, Array]:
        """Return velocity and acceleration by velocity coefficients and their tensor, (36)."""
        kernels, still = self.kernels, np.zeros(len(hd))
        _, J = kernels.position(phi, h, t)
        H, T = kernels.inputs(phi, h, t)
        try:
            factors = _Factors(J)
        except LinAlgError:
            raise StuckError(self.group, "its Jacobian is singular", np.inf) from None
        K = -factors.solve(H)  # (25), (28)
        Sb = -factors.solve(T)
        phid = K @ hd + Sb  # (26)
        phidd = K @ hdd
        left = J @ K + H  # zero where the rows fit for every input by itself
        for i in np.flatnonzero(hd):
            unit = np.zeros(len(hd))
            unit[i] = 1.0
            Ji, Hi, _ = kernels.along(phi, h, t, K[:, i], unit, 0.0)
            L = -factors.solve(Ji @ K + Hi) - factors.normal(Ji.T @ left)  # (39), (43)
            phidd += hd[i] * (L @ hd)
        if self.group.rheonomic:
            Jt, Ht, _ = kernels.along(phi, h, t, Sb, still, 1.0)
            L = -factors.solve(Jt @ K + Ht) - factors.normal(Jt.T @ left)
            phidd += L @ hd  # what (36) leaves out
            Jd, _, Td = kernels.along(phi, h, t, phid, hd, 1.0)
            phidd -= factors.solve(Jd @ Sb + Td) + factors.normal(Jd.T @ (J @ Sb + T))  # (34), (42)
        return phid, phidd


class _Factors:
    """Factors of a Jacobian: LU where it is square, else QR."""

    def __init__(self, J: Array) -> None:
        self._square = J.shape[0] == J.shape[1]
        if self._square:
            self._lu, self._pivots, info = lapack.dgetrf(J)
            if info != 0:
                raise LinAlgError
        else:
            self._Q, self._R = qr(J, mode="economic", check_finite=False)
            if not np.abs(np.diag(self._R)).min(initial=1.0) > 0:
                raise LinAlgError

    def solve(self, b: Array) -> Array:
        """Return the least-squares solution of J x = b."""
        if self._square:
            return np.asarray(lapack.dgetrs(self._lu, self._pivots, b)[0]).reshape(b.shape)
        return np.asarray(solve_triangular(self._R, self._Q.T @ b, check_finite=False))

    def normal(self, b: Array) -> Array:
        """Return (J^T J)^-1 b; zero of a square J, whose rows fit."""
        if self._square:
            return np.zeros_like(b)
        y = solve_triangular(self._R, b, trans="T", check_finite=False)
        return np.asarray(solve_triangular(self._R, y, check_finite=False))
