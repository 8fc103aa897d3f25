"""Modes of a linear system x' = A x: eigenvalues, frequencies, damping, shapes, stability.

Variables that drive others without being driven by them make A block triangular. Its blocks
are taken one by one: a coordinate that nothing depends on has the eigenvalue 0 exactly, and no
rounding splits the chains that such coordinates hang on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from mbx.analyses.linearize.tangent_motions import freedoms, independent_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Mode", "Stability", "eigenvalues", "growth", "modes_of", "stability"]

NOISE: Final = 1e-12
"""Part of the largest entry of its row below which an entry is rounding."""
BALANCED: Final = 5
"""How often units are chosen anew."""
CHAINED: Final = 1e-3
"""Part of the largest eigenvalue of a block below which one may be 0 in a chain."""
SMALL: Final = 1e-7
"""Part of the largest eigenvalue below which a real part, or an imaginary one, is zero.

A pair that meets on an axis is double there: rounding moves it by the root of the last digit.
"""
SAME: Final = 1e-9
"""Part by which eigenvalues differ that are the same."""
FLOOR: Final = 3e-8
"""Eigenvalue below which it is zero, times the root of the largest entry, in SI units.

A coordinate that nothing should depend on has an entry of rounding, about 1e-15, and its root.
"""

Stability = Literal["asymptotically stable", "neutral", "marginal", "unstable", "no freedom"]


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """An eigenvalue, one of each conjugate pair, with its shape in the state."""

    value: complex
    shape: NDArray[np.complex128]

    @property
    def frequency(self) -> float:
        """The natural frequency in rad/s: the absolute value of the eigenvalue."""
        return abs(self.value)

    @property
    def damping(self) -> float | None:
        """The part of critical damping; None of an eigenvalue 0."""
        return (0.0 - self.value.real) / abs(self.value) if self.value else None

    @property
    def period(self) -> float | None:
        """The time of one oscillation; None where it does not oscillate."""
        return 2 * np.pi / abs(self.value.imag) if self.value.imag else None


def growth(A: Array) -> float:
    """Return the largest real part of eigenvalues that no block makes 0, as it is computed."""
    values = _of_blocks(A)
    return float(values[values != 0].real.max(initial=-np.inf))


def _of_blocks(A: Array) -> NDArray[np.complex128]:
    A = _without_noise(A)
    each = [_of_block(A[np.ix_(block, block)]) for block in _blocks(A)]
    return np.concatenate([np.zeros(0, dtype=complex), *each])


def _of_block(A: Array) -> NDArray[np.complex128]:
    """Return the eigenvalues of a block; those that are 0 in chains by ranks, one by one.

    Rounding would move each of three in a chain by the third root of the last digit.
    """
    values = np.linalg.eigvals(A).astype(complex)
    if not np.abs(values).min() < CHAINED * np.abs(values).max():
        return values
    A, zeros = _balanced(A), 0
    while len(A):
        _, s, Vt = np.linalg.svd(A)
        still = int((s <= NOISE * s.max()).sum())
        if not still:
            break
        W = Vt[: len(A) - still].T
        A, zeros = W.T @ A @ W, zeros + still  # what maps on the null space leaves zeros behind
    rest = np.linalg.eigvals(A).astype(complex) if len(A) else np.zeros(0, dtype=complex)
    return np.concatenate([np.zeros(zeros, dtype=complex), rest])


def _balanced(A: Array) -> Array:
    """Return a block in units of variables that make rows as long as columns, about."""
    A = A.copy()
    for _ in range(BALANCED):
        for k in range(len(A)):
            row, column = (np.abs(np.delete(line, k)).max(initial=0.0) for line in (A[k], A[:, k]))
            if row and column:
                unit = 2.0 ** round(np.log2(row / column) / 2)
                A[:, k] *= unit
                A[k] /= unit
    return A


def eigenvalues(A: Array) -> NDArray[np.complex128]:
    """Return all eigenvalues: by the real part, then by the imaginary part, from below."""
    values = _on_axes(_of_blocks(A), FLOOR * float(np.sqrt(np.abs(A).max(initial=0.0))))
    return np.asarray(values[np.lexsort((values.imag, values.real))])


def modes_of(A: Array, coordinates: int) -> tuple[Mode, ...]:
    """Return the modes, of each pair the one that turns forwards, the slowest first.

    The largest of the first entries of a shape, the `coordinates`, is 1. Of an eigenvalue 0
    that is there more often than shapes are, the last shape is repeated.
    """
    clean = _without_noise(A)
    still = freedoms(clean).T.T.astype(complex)
    modes: list[Mode] = []
    for value in eigenvalues(A):
        if value == 0:
            zeros = sum(mode.value == 0 for mode in modes)
            # where scales are far apart, an eigenvalue of rounding has no direction that is still
            shapes = still if len(still) else _shapes(clean, value)
            modes.append(Mode(0j, shapes[min(zeros, len(shapes) - 1)]))
        elif value.imag >= 0:
            before = sum(abs(mode.value - value) <= SAME * abs(value) for mode in modes)
            shapes = _shapes(clean, value)
            shape = shapes[min(before, len(shapes) - 1)]
            modes.append(Mode(complex(value), _scaled(shape, coordinates)))
    # rounding must not decide which of two equally fast ones comes first
    return tuple(sorted(modes, key=lambda mode: (float(f"{mode.frequency:.6g}"), mode.value.real)))


def stability(A: Array) -> Stability:
    """Return the stability of small motions by the eigenvalues.

    Neutral: all die out but those of eigenvalues 0, as where the system may stand anywhere.
    Marginal: some oscillate without damping, and the linear system does not decide.
    No freedom: nothing can move, and there are no small motions.
    """
    if not A.size:
        return "no freedom"
    values = eigenvalues(A)
    if (values.real > 0).any():
        return "unstable"
    if (values[values.real == 0].imag != 0).any():
        return "marginal"
    return "neutral" if (values == 0).any() else "asymptotically stable"


def _without_noise(A: Array) -> Array:
    size = np.abs(A).max(axis=1, keepdims=True, initial=0.0)
    return np.where(np.abs(A) > NOISE * size, A, 0.0)


def _blocks(A: Array) -> list[list[int]]:
    """Return sets of variables that drive each other, each variable in one of them."""
    n = len(A)
    reach = (A != 0) | np.eye(n, dtype=bool)
    for k in range(n):  # Warshall's closure
        reach |= np.outer(reach[:, k], reach[k])
    both = reach & reach.T
    left = list(range(n))
    blocks = []
    while left:
        block = [k for k in left if both[left[0], k]]
        blocks.append(block)
        left = [k for k in left if k not in block]
    return blocks


def _on_axes(values: NDArray[np.complex128], floor: float) -> NDArray[np.complex128]:
    least = max(SMALL * np.abs(values).max(initial=0.0), floor)
    real = np.where(np.abs(values.real) > least, values.real, 0.0)
    imaginary = np.where(np.abs(values.imag) > least, values.imag, 0.0)
    return np.asarray(real + 1j * imaginary)


def _shapes(A: Array, value: complex) -> NDArray[np.complex128]:
    """Return the eigenvectors of an eigenvalue, in rows; of several, each has a variable alone."""
    _, s, Vh = np.linalg.svd(A - value * np.eye(len(A)))
    count = max(1, int((s <= SAME * s.max()).sum()))
    N = Vh[-count:].conj().T
    chosen = independent_rows(N, range(len(N)))
    return np.asarray(np.linalg.solve(N[chosen].T, N.T))


def _scaled(v: NDArray[np.complex128], coordinates: int) -> NDArray[np.complex128]:
    """Return a shape whose largest coordinate is 1, without rounding."""
    size = np.abs(v)
    first = size[:coordinates]
    if first.max(initial=0.0) > SMALL * size.max():
        size = first
    v = v / v[int(np.argmax(size > (1 - SMALL) * size.max()))]
    least = SMALL * np.abs(v).max()
    real = np.where(np.abs(v.real) > least, v.real, 0.0)
    return np.asarray(real + 1j * np.where(np.abs(v.imag) > least, v.imag, 0.0))
