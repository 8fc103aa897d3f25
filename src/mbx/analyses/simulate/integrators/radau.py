"""The coefficients of Radau's methods IIA: collocation at the zeros of a Jacobi polynomial and 1.

Hairer and Wanner, Solving ordinary differential equations II, sections IV.5 (the methods), IV.8
(the transformed equations and the error) and V.8 (more than three stages). Equation numbers are
theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Radau", "radau"]


@dataclass(frozen=True, slots=True, eq=False)
class Radau:
    """A method of s stages, of order 2 s - 1.

    Attributes:
        c: Where stages are, as parts of a step; the last is 1.
        A_inv: The inverse of the table A.
        lam: Eigenvalues of the inverse of A, the real one first, and one of each complex pair.
        T: The real parts of what Z = T W has of these, twice of the pairs, as Re(T W).
        T_inv: W = T_inv Z.
        gamma: The inverse of the real eigenvalue: weight of the rate at the beginning in the error.
        e: Weights of Z in the error (8.19).
        P: Coefficients of Z as a polynomial: Z(x) = x (P Z)_0 + x^2 (P Z)_1 + ...
        Q: Its last two coefficients in Chebyshev's polynomials on the step.
    """

    c: Array
    A_inv: Array
    lam: NDArray[np.complex128]
    T: NDArray[np.complex128]
    T_inv: NDArray[np.complex128]
    gamma: float
    e: Array
    P: Array
    Q: Array

    @property
    def stages(self) -> int:
        """How many there are."""
        return len(self.c)

    def between(self, x: Array) -> Array:
        """Return the weights of Z at some parts of a step: a row for each."""
        return np.asarray(np.vander(x, self.stages + 1, increasing=True)[:, 1:] @ self.P)


@cache
def radau(stages: int) -> Radau:
    """Return the method with an odd number of stages."""
    from scipy.special import roots_jacobi

    inner = roots_jacobi(stages - 1, 1, 0)[0]
    c = np.append((1 + inner) / 2, 1.0)
    x = 2 * c - 1
    legendre = np.polynomial.legendre.legvander(x, stages)
    k = np.arange(1, stages)
    integrals = np.empty((stages, stages))
    integrals[:, 0] = c
    integrals[:, 1:] = (legendre[:, 2:] - legendre[:, :-2]) / (2 * (2 * k + 1))
    A = integrals @ np.linalg.inv(legendre[:, :stages])
    A_inv = np.asarray(np.linalg.inv(A), dtype=np.float64)
    lam, T = np.linalg.eig(A_inv)
    T_inv = np.linalg.inv(T)
    real = int(np.abs(lam.imag).argmin())
    chosen = [real, *(i for i in range(stages) if lam[i].imag > 0 and i != real)]
    twice = np.where(np.arange(len(chosen)) > 0, 2.0, 1.0)
    gamma = float(1 / lam[real].real)
    powers = np.vander(c, stages, increasing=True).T
    moments = 1 / np.arange(1.0, stages + 1)
    moments[0] -= gamma  # the rate at the beginning has this weight
    e = (np.linalg.solve(powers, moments) - A[-1]) @ A_inv
    P = np.linalg.inv(np.vander(c, stages + 1, increasing=True)[:, 1:])
    at = np.append(-1.0, x)
    Q = np.linalg.inv(np.polynomial.chebyshev.chebvander(at, stages))[-2:, 1:]
    return Radau(c, A_inv, lam[chosen], T[:, chosen] * twice, T_inv[chosen], gamma, e, P, Q)
