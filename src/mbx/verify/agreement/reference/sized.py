"""Matrices at many states, each entry with the sum of the magnitudes of its terms.

A difference of two matrices is measured against these magnitudes, entry by entry: rounding is a
part of them, and nothing else in the model counts. `Moving` matrices also have a rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Moving", "Sized", "block_diagonal", "cross", "stack", "tensor"]


@dataclass(frozen=True, slots=True, eq=False)
class Sized:
    """Matrices (N, rows, columns), and the magnitudes of the terms of their entries."""

    value: Array
    size: Array

    @classmethod
    def of(cls, value: Array) -> Sized:
        """Return matrices whose entries are single terms."""
        return cls(value, np.abs(value).astype(np.float64))

    @classmethod
    def vectors(cls, value: Array) -> Sized:
        """Return stacked vectors; a component is as large as the largest of its three.

        What is zero in some axes is rounding in others.
        """
        sized = cls.of(value)
        N, rows, columns = sized.size.shape
        largest = sized.size.reshape(N, rows // 3, 3, columns).max(axis=2, keepdims=True)
        return cls(value, np.repeat(largest, 3, axis=2).reshape(N, rows, columns))

    @property
    def T(self) -> Sized:  # noqa: N802  as in NumPy
        """The transpose."""
        return Sized(np.swapaxes(self.value, 1, 2), np.swapaxes(self.size, 1, 2))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.value.shape

    def __add__(self, other: Sized) -> Sized:
        """Return a sum."""
        first, second = _alike([self.value, other.value])
        return Sized(first + second, self.size + other.size)

    def __sub__(self, other: Sized) -> Sized:
        """Return a difference."""
        first, second = _alike([self.value, other.value])
        return Sized(first - second, self.size + other.size)

    def __neg__(self) -> Sized:
        """Return the negative."""
        return Sized(-self.value, self.size)

    def __matmul__(self, other: Sized) -> Sized:
        """Return a product."""
        return Sized(_product(self.value, other.value), self.size @ other.size)

    def __getitem__(self, key: Any) -> Sized:
        """Return some rows, or rows and columns, of all states."""
        key = key if isinstance(key, tuple) else (key,)
        return Sized(self.value[(slice(None), *key)], self.size[(slice(None), *key)])

    def scaled(self, factor: Sized) -> Sized:
        """Return the matrices times a number each, (N, 1, 1)."""
        first, second = _alike([self.value, factor.value])
        return Sized(first * second, self.size * factor.size)

    def at_least(self, size: Array) -> Sized:
        """Return the same values with larger magnitudes."""
        return Sized(self.value, np.maximum(self.size, size))


def _product(A: Array, B: Array) -> Array:
    """Return a product; a product without terms is zero also where entries are objects."""
    if not A.shape[-1]:
        return np.zeros((max(len(A), len(B)), A.shape[1], B.shape[2]))
    A, B = _alike([A, B])
    return np.asarray(A @ B)


def _alike(arrays: Sequence[Array]) -> list[Array]:
    """Return arrays that can be put together: with numbers of many digits, all have such."""
    kinds = {type(x) for a in arrays if a.dtype == object for x in a.flat} - {int, float}
    kind = next(iter(kinds), None)
    return list(arrays) if kind is None else [_exactly(a, kind) for a in arrays]


def _number(x: Any, kind: Callable[[float], Any]) -> Any:
    return kind(x) if isinstance(x, float) else x


def _exactly(A: Array, kind: Callable[[float], Any]) -> Array:
    """Return numbers that doubles are, in the kind that the others have."""
    exact: Any = np.empty(A.shape, dtype=object)
    exact.ravel()[:] = [_number(x, kind) for x in A.ravel().tolist()]
    return np.asarray(exact)


def stack(rows: Sequence[Sequence[Sized]]) -> Sized:
    """Return a matrix of blocks."""
    value = [np.concatenate([x.value for x in row], axis=2) for row in rows]
    size = [np.concatenate([x.size for x in row], axis=2) for row in rows]
    return Sized(np.concatenate(_alike(value), axis=1), np.concatenate(size, axis=1))


def tensor(value: Array) -> Sized:
    """Return matrices whose entries are as large as the largest."""
    size = np.abs(value).astype(np.float64)
    largest = size.max(axis=(1, 2), keepdims=True, initial=0.0)
    return Sized(value, np.broadcast_to(largest, size.shape))


def block_diagonal(blocks: Sequence[Sized]) -> Sized:
    """Return a matrix with these blocks on its diagonal."""
    rows, columns = (sum(b.shape[k] for b in blocks) for k in (1, 2))
    N = blocks[0].shape[0]
    value = np.zeros((N, rows, columns), dtype=blocks[0].value.dtype)
    size = np.zeros((N, rows, columns))
    r = c = 0
    for b in blocks:
        where = (slice(None), slice(r, r + b.shape[1]), slice(c, c + b.shape[2]))
        value[where], size[where] = b.value, b.size
        r, c = r + b.shape[1], c + b.shape[2]
    return Sized(value, size)


def cross(x: Sized) -> Sized:
    """Return x~ with x~ y = x x y, of a column of three."""
    value = np.zeros((x.shape[0], 3, 3), dtype=x.value.dtype)
    size = np.zeros((x.shape[0], 3, 3))
    for i, j, k, sign in ((0, 1, 2, -1), (0, 2, 1, 1), (1, 2, 0, -1)):
        value[:, i, j], value[:, j, i] = sign * x.value[:, k, 0], -sign * x.value[:, k, 0]
        size[:, i, j] = size[:, j, i] = x.size[:, k, 0]
    return Sized(value, size)


@dataclass(frozen=True, slots=True, eq=False)
class Moving:
    """Matrices and their rates along a motion."""

    now: Sized
    rate: Sized

    @property
    def T(self) -> Moving:  # noqa: N802  as in NumPy
        """The transpose."""
        return Moving(self.now.T, self.rate.T)

    def __add__(self, other: Moving) -> Moving:
        """Return a sum."""
        return Moving(self.now + other.now, self.rate + other.rate)

    def __sub__(self, other: Moving) -> Moving:
        """Return a difference."""
        return Moving(self.now - other.now, self.rate - other.rate)

    def __matmul__(self, other: Moving) -> Moving:
        """Return a product."""
        return Moving(self.now @ other.now, self.rate @ other.now + self.now @ other.rate)

    def scaled(self, factor: Sized) -> Moving:
        """Return the matrices times a constant number each, (N, 1, 1)."""
        return Moving(self.now.scaled(factor), self.rate.scaled(factor))
