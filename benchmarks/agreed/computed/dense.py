"""Newton's and Euler's laws under constraints as one dense linear system, and a table of results.

Accelerations are functions of the second rates of the coordinates, affine in them: their columns
are found by putting unit vectors in, so no derivative is written twice.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Rates = Callable[[np.ndarray], np.ndarray]

__all__ = ["affine", "compare", "plane", "solve"]


def affine(function: Rates, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrix and the constant part of an affine function."""
    constant = function(np.zeros(size))
    columns = [function(unit) - constant for unit in np.eye(size)]
    return np.array(columns).T, constant


def solve(
    size: int,
    accelerations: Rates,
    inertia: np.ndarray,
    loads: np.ndarray,
    constraints: Rates | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the second rates, and the multipliers: M q'' = Q + A^T lam under A q'' + d = 0.

    `accelerations` are those of all bodies, linear and angular, in the order of `inertia` and
    `loads`; the loads include what gyroscopic terms there are.
    """
    V, c = affine(accelerations, size)
    A, d = (np.zeros((0, size)), np.zeros(0)) if not constraints else affine(constraints, size)
    matrix = np.block([[V.T @ inertia @ V, -A.T], [A, np.zeros((len(d), len(d)))]])
    solution = np.linalg.solve(matrix, np.concatenate([V.T @ (loads - inertia @ c), -d]))
    return solution[:size], solution[size:]


def plane(*entries: complex) -> np.ndarray:
    """Return vectors of the plane, which are complex numbers, and angles in one array of reals."""
    parts = [[z.real, z.imag] if isinstance(z, complex) else [z] for z in entries]
    return np.concatenate(parts)


def compare(values: Mapping[str, tuple[float, float, float]]) -> None:
    """Print each value, the one of the library and their difference; fail beyond the tolerance."""
    wrong = 0
    for name, (value, stated, within) in values.items():
        difference = abs(value - stated)
        wrong += difference > within
        print(f"{name:40} {value:22.15g} {stated:22.15g} {difference:9.1e} of {within:g}")
    sys.exit(bool(wrong))
