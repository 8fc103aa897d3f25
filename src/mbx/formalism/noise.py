"""How far rounding may have moved the entries of each matrix, to first order.

A product of matrices that is zero leaves noise, and scaling would blow it up to a row or a
column like any other. Where a rank is found, entries below their noise are therefore zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.formalism.numerics import EPS, gain
from mbx.formalism.rounding import ENTRY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.numerics import Array
    from mbx.formalism.program import Step

__all__ = ["cleaned", "noise_of"]

IMPLICIT: Final = 1e-12
MARGIN: Final = 10.0
MOST: Final = 2e-14
"""Of the norm of a solution, an inverse or a root: bounds of bounds grow beyond all use, and
what is taken for noise is lost."""


def cleaned(A: Array, noise: Array) -> Array:
    """Return a matrix whose entries below their noise are zero."""
    return np.where(np.abs(A) > MARGIN * noise, A, 0.0)


def noise_of(step: Step, args: Sequence[Array], noise: Sequence[Array], value: Array) -> Array:
    """Return the noise of the value of a step from its arguments and theirs."""
    match step.op:
        case "identity":
            return np.zeros(value.shape)
        case "product":
            return _product(args, noise)
        case "sum":
            return np.asarray(sum(noise) + EPS * sum(np.abs(a) for a in args))
        case "transpose":
            return np.swapaxes(noise[0], 1, 2)
        case "absolute":
            return noise[0]
        case "rows":
            return noise[0][:, list(step.indices or ())]
        case "solve":
            return _bounded(_solved(args[0], noise[0], value, noise[1]), value)
        case "nullspace":
            # a unit vector; columns are not scaled, for they may themselves be noise
            found = _solved(args[0], noise[0], value, np.zeros((1, 1, 1)), columns=False)
            return _bounded(found, value)
        case "pinv":
            size = _norm(value) ** 2 * (_norm(noise[0]) + EPS * _norm(args[0]))
            return _bounded(np.broadcast_to(size, value.shape), value)
        case "sqrtm" if value.size:
            least = np.abs(np.linalg.eigvalsh(value)[:, :1, None])
            size = (_norm(noise[0]) + EPS * _norm(args[0])) / (2 * least)
            return _bounded(np.broadcast_to(size, value.shape), value)
        case "implicit":
            return np.broadcast_to(IMPLICIT * _norm(value), value.shape)
    return ENTRY * np.abs(value)


def _bounded(noise: Array, value: Array) -> Array:
    return np.minimum(noise, MOST * _norm(value))


def _norm(A: Array) -> Array:
    return np.asarray(np.sqrt((A * A).sum(axis=(1, 2), keepdims=True)))


def _product(args: Sequence[Array], noise: Sequence[Array]) -> Array:
    value, own = args[0], noise[0]
    for right, other in zip(args[1:], noise[1:], strict=True):
        rounding = EPS * value.shape[-1]
        size = np.abs(value)
        own = own @ np.abs(right) + size @ other + rounding * (size @ np.abs(right))
        value = value @ right
    return own


def _solved(A: Array, noise: Array, x: Array, right: Array, *, columns: bool = True) -> Array:
    """Return the noise of x in A x = b: |A^-1| (|dA| |x| + |db|), by norms after scaling."""
    factor, r, c = gain(A, columns=columns)
    moved = (noise + EPS * np.abs(A)) @ np.abs(x) + right
    largest = (r * moved).max(axis=1, keepdims=True, initial=0.0)
    return np.asarray(np.swapaxes(c, 1, 2) * factor[:, None, None] * largest)
