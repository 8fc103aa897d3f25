"""The rank of rows whose sizes say nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.numerics.tolerances import DEPENDENT, EMPTY

if TYPE_CHECKING:
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["rank", "scaled"]


def scaled(A: Array) -> Array:
    """Return a matrix with each row divided by its largest entry."""
    size = np.abs(A).max(axis=1, keepdims=True, initial=0.0)
    largest = size.max(initial=0.0)
    return np.asarray(A / np.where(size > EMPTY * largest, size, max(largest, 1e-300)))


def rank(A: Array) -> int:
    """Return how many rows are independent."""
    if not A.size:
        return 0
    s = np.linalg.svd(scaled(A), compute_uv=False)
    return int((s > DEPENDENT * s.max(initial=0.0)).sum())
