"""What a form gives beside accelerations must fit them: its rates, its matrices, its multipliers.

    M ud = h + Fc,   A ud = -b,   Fc = A^T lam,   and q' as the system has it

Matrices are looked at where they are in the speeds of the system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mbx.verify.agree import even_out

if TYPE_CHECKING:
    from mbx.assembly.manifold import Points
    from mbx.formalism.equations import Equations
    from mbx.formalism.execute import Outcome
    from mbx.formalism.numerics import Array
    from mbx.formalism.program import Step

__all__ = ["Fit", "fits"]


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Rows that must be zero (N, rows), the magnitudes of their terms, and their full size."""

    name: str
    gap: Array
    size: Array
    full: Array


def fits(outcome: Outcome, equations: Equations, points: Points, qd: Array) -> list[Fit]:
    """Return what the results of a form must fulfil; `qd` are the rates of the system."""
    known = _Known(outcome, equations)
    ud = known.matrix("ud")
    if ud is None:
        return []
    found = []
    even = even_out(ud[:, :, 0], points)[:, :, None]
    M, h, Fc = known.inertia, known.matrix("h"), known.matrix("Fc")
    if M is not None and h is not None and Fc is not None and Fc.shape == ud.shape:
        size, full = (np.abs(M) @ np.abs(x) + np.abs(h) + np.abs(Fc) for x in (ud, even))
        # a variable without inertia has nothing but the rounding of the others
        found.append(_fit("M ud = h + Fc", M @ ud - h - Fc, size, _largest(full)))
    A, b, lam = known.constraints, known.matrix("b"), known.matrix("lam")
    if A is not None and b is not None and A.shape[1] == b.shape[1]:
        size, full = (np.abs(A) @ np.abs(x) + np.abs(b) for x in (ud, even))
        found.append(_fit("A ud = -b", A @ ud + b, size, full))
    if A is not None and lam is not None and Fc is not None and A.shape[1] == lam.shape[1]:
        At = np.swapaxes(A, 1, 2)
        size = np.abs(At) @ np.abs(lam) + np.abs(Fc)
        found.append(_fit("Fc = A^T lam", Fc - At @ lam, size, _largest(size)))
    rates = known.matrix("qd")
    if rates is not None and rates.shape[1:] == (qd.shape[1], 1):
        size = np.abs(qd)[:, :, None]
        # at rest, rates that come from momenta are rounding of what moves by itself
        largest = size[np.isfinite(size)].max(initial=0.0)
        found.append(_fit("q'", rates - qd[:, :, None], size, np.full(size.shape, largest)))
    return found


def _largest(size: Array) -> Array:
    """Return the largest row in the place of each."""
    return np.broadcast_to(size.max(axis=1, keepdims=True, initial=0.0), size.shape)


def _fit(name: str, gap: Array, size: Array, full: Array) -> Fit:
    return Fit(name, np.abs(gap[:, :, 0]), size[:, :, 0], full[:, :, 0])


@dataclass(frozen=True, slots=True)
class _Known:
    """The results of a form."""

    outcome: Outcome
    equations: Equations

    def matrix(self, meaning: str) -> Array | None:
        """Return a result; None if there is none, or its shape depends on the state."""
        if meaning not in self.equations.results:
            return None
        found = self.outcome.matrix(self.equations.results[meaning])
        return None if isinstance(found, list) else found

    @property
    def inertia(self) -> Array | None:
        """M, if its rows and columns are the speeds."""
        step = self._step("M")
        sides = (step.row_labels, step.column_labels) if step is not None else ()
        return self.matrix("M") if sides == (self._speeds, self._speeds) else None

    @property
    def constraints(self) -> Array | None:
        """A, if its columns are the speeds, and it has rows."""
        step, A = self._step("A"), self.matrix("A")
        fitting = step is not None and step.column_labels == self._speeds
        return A if fitting and A is not None and A.shape[1] else None

    def _step(self, meaning: str) -> Step | None:
        name = self.equations.results.get(meaning)
        return None if name is None else self.equations.step(name)

    @property
    def _speeds(self) -> tuple[str, ...]:
        return tuple(one.path for one in self.equations.signature.u)
