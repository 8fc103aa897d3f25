"""Rates of one node in two parts: constrained by its joint, and free, decoupled in its inertia.

    y'_k = [Et Dt] [yc'; yf'],    G Dt = 0,    Dt^T M Et = 0        (31), conditions 1 and 2

Method 1 takes any Cc and Cf that have inverses; method 2 corrects any [E D] that keeps
condition 1. With E of (60), G Et = 1, and method 1 with Cc = N^-1 gives the same Et.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix

__all__ = ["Corrected", "conditions", "method_1", "method_2"]


@dataclass(frozen=True, slots=True)
class Corrected:
    """What method 2 gives: Et and Dt, At, M D, and the inertia D^T M D of yf, (33)."""

    Et: Matrix
    Dt: Matrix
    At: Matrix
    MD: Matrix
    inertia: Matrix


def method_1(
    p: Program,
    mark: str,
    M: Matrix,
    G: Matrix,
    D: Matrix,
    Cc: Matrix | None = None,
    Cf: Matrix | None = None,
) -> tuple[Matrix, Matrix]:
    """Add Et = M^-1 G^T Cc and Dt = D Cf, (37) and (38); without Cc and Cf, these are 1."""
    Et = p.solve(f"Et{mark}", M, G.T, "positive", meaning="M^-1 G^T, (38)")
    if Cc is not None:
        Et = p.let(f"EtC{mark}", Et @ Cc, "M^-1 G^T Cc, (38)")
    return Et, D if Cf is None else p.let(f"Dt{mark}", D @ Cf, "D Cf, (37)")


def method_2(p: Program, mark: str, M: Matrix, E: Matrix, D: Matrix) -> Corrected:
    """Add At = -(D^T M D)^-1 D^T M E and Et = E + D At, (42) to (44); Dt is D."""
    MD = p.let(f"MH{mark}", M @ D)
    DtMD = p.let(f"HMH{mark}", MD.T @ D, "D^T M D, inertia of yf, (33)")
    minus_At = p.solve(f"Am{mark}", DtMD, MD.T @ E, "symmetric")
    At = p.let(f"At{mark}", -minus_At, "correction of E, (42)")
    Et = p.let(f"Et{mark}", E + D @ At, "constrained rates, (43)")
    return Corrected(Et, D, At, MD, DtMD)


def conditions(
    p: Program, mark: str, M: Matrix, G: Matrix, Et: Matrix, Dt: Matrix
) -> tuple[Matrix, Matrix, Matrix]:
    """Add G Dt and Dt^T M Et, which are zero, and G Et, which has an inverse."""
    first = p.let(f"one{mark}", G @ Dt, "zero by condition 1")
    second = p.let(f"two{mark}", Dt.T @ M @ Et, "zero by condition 2")
    return first, second, p.let(f"GEt{mark}", G @ Et, "has an inverse")
