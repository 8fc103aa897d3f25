"""Whether a run goes through a singular state, which steps seldom hit.

The rows of A, on a basis U of what they span, and a basis Z of their null space make a square
matrix [U^T A; Z]. Both bases turn with the motion, each as near to the one before as it can be. So
the determinant is continuous, and zero only where a rank is lost: if its sign changes, that was
between two steps (the test function of branch points: Allgower and Georg, 1990, section 8.1).
It stays the same where an even number of ranks is lost at once. Then eigenvalues of U^T A V, with U
and V the singular vectors of the step before, that were positive have become negative.
A rank is lost no nearer than its least singular value (Weyl), so a matrix that is nearer to the one
that was looked at last is not looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.state_functions import Rows

if TYPE_CHECKING:
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Passage"]

LOST: Final = 1e-8
"""Part of the largest singular value so far below which a rank is lost."""
CLOSE: Final = 1e-4
"""Likewise below which it is nearly lost."""
LOW: Final = 0.5
"""Part of its largest value below which the least singular value may have been zero before."""
NEAR: Final = 0.5
"""Least cosine of the angle between bases of two steps that are compared."""


class Passage:
    """Hears the constraint matrix of each step.

    Attributes:
        least, peak: The least singular value of independent rows as it was looked at last, and the
            largest that it has been.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._rows = Rows()
        self._rank: int | None = None
        self._largest = 0.0
        self._least = 1.0
        self._vectors: tuple[Array, Array] | None = None
        self.least = 0.0
        self.peak = 0.0
        self._before: tuple[float, Array, Array, float] | None = None
        self._base: Array | None = None
        self._reach = 0.0

    @property
    def close(self) -> bool:
        """Whether a rank is nearly lost."""
        return self._least <= CLOSE

    def restart(self) -> None:
        """Compare what comes with nothing before."""
        self._before = self._base = self._vectors = None

    def values(self, A: Array) -> Array:
        """Return the singular values of a matrix, of as many rows as were independent."""
        A = A / self._rows.of(np.abs(A).max(axis=1))[:, None]
        return np.asarray(np.linalg.svd(A, compute_uv=False)[: self._rank])

    def hear(self, t: float, A: Array) -> None:
        """Take the matrix at a time; raise `NotRunError` if a rank is lost, or was on the way."""
        if not A.size:
            return
        A = A / self._rows.of(np.abs(A).max(axis=1))[:, None]
        if self._base is not None and np.linalg.norm(A - self._base) < self._reach:
            return
        U, s, Vt = np.linalg.svd(A)
        self._largest = max(self._largest, float(s[0]))
        if self._rank is None:
            self._rank = int((s > LOST * self._largest).sum())
        r = self._rank
        self.least = float(s[r - 1]) if r else 1.0
        self.peak = max(self.peak, self.least)
        if r and s[r - 1] <= LOST * self._largest:
            raise NotRunError(f"the invariants are singular at t = {t:.6g} s")
        self._least = float(s[r - 1]) / self._largest if r else 1.0
        U, V, Z = U[:, :r], Vt[:r].T, Vt[r:].T
        left, right = (U, V) if self._vectors is None else self._vectors
        self._vectors = U, V
        if self._before is not None:
            then, old_U, old_Z, sign = self._before
            U, near_U = _turned(U, old_U)
            Z, near_Z = _turned(Z, old_Z)
            now = _sign(A, U, Z)
            turned = self.least < LOW * self.peak and _negative(left.T @ A @ right)
            if min(near_U, near_Z) > NEAR and (now != sign or turned):
                raise NotRunError(
                    f"the invariants are singular between t = {then:.6g} s and {t:.6g} s"
                )
        self._before = (t, U, Z, _sign(A, U, Z))
        self._base, self._reach = A, NEAR * float(s[r - 1]) if r else 0.0


def _negative(B: Array) -> bool:
    """Return whether an eigenvalue has become negative."""
    return bool((np.linalg.eigvals(B).real < 0).any())


def _sign(A: Array, U: Array, Z: Array) -> float:
    return float(np.linalg.slogdet(np.vstack([U.T @ A, Z.T]))[0])


def _turned(basis: Array, before: Array) -> tuple[Array, float]:
    """Return the basis of the same space nearest to one before, and the least cosine of both."""
    u, s, vt = np.linalg.svd(basis.T @ before)
    return basis @ (u @ vt), float(s.min(initial=1.0))
