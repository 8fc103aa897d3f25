"""Rates of one node in two parts: constrained by its joint, and free, decoupled in its inertia.

    y'_k = [Et Dt] [yc'; yf'],    G Dt = 0,    Dt^T M Et = 0        (31), conditions 1 and 2

Method 1 takes any Cc and Cf that have inverses; method 2 corrects any [E D] that keeps
condition 1. With E of (60), G Et = 1, and method 1 with Cc = N^-1 gives the same Et.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbx.formalism.named_program import NamedProgram

__all__ = ["conditions", "method_1", "method_2"]


def method_1(
    p: NamedProgram, mark: str, M: str, G: str, D: str, Cc: str = "", Cf: str = ""
) -> tuple[str, str]:
    """Add Et = M^-1 G^T Cc and Dt = D Cf, (37) and (38); without Cc and Cf, these are 1."""
    p.transpose(f"GT{mark}", G)
    Et = p.solve(f"Et{mark}", M, f"GT{mark}", "positive", meaning="M^-1 G^T, (38)")
    if Cc:
        Et = p.product(f"EtC{mark}", Et, Cc, meaning="M^-1 G^T Cc, (38)")
    return Et, p.product(f"Dt{mark}", D, Cf, meaning="D Cf, (37)") if Cf else D


def method_2(p: NamedProgram, mark: str, M: str, E: str, D: str) -> tuple[str, str]:
    """Add At = -(D^T M D)^-1 D^T M E and Et = E + D At, (42) to (44); Dt is D."""
    p.product(f"MH{mark}", M, D)
    p.transpose(f"HM{mark}", f"MH{mark}")
    p.product(f"HMH{mark}", f"HM{mark}", D, meaning="D^T M D, inertia of yf, (33)")
    p.product(f"HME{mark}", f"HM{mark}", E)
    p.solve(f"Am{mark}", f"HMH{mark}", f"HME{mark}", "symmetric")
    p.sum(f"At{mark}", f"Am{mark}", signs=(-1,), meaning="correction of E, (42)")
    p.product(f"HAt{mark}", D, f"At{mark}")
    return p.sum(f"Et{mark}", E, f"HAt{mark}", meaning="constrained rates, (43)"), D


def conditions(
    p: NamedProgram, mark: str, M: str, G: str, Et: str, Dt: str
) -> tuple[str, str, str]:
    """Add G Dt and Dt^T M Et, which are zero, and G Et, which has an inverse."""
    p.product(f"one{mark}", G, Dt, meaning="zero by condition 1")
    p.transpose(f"DtT{mark}", Dt)
    p.product(f"two{mark}", f"DtT{mark}", M, Et, meaning="zero by condition 2")
    p.product(f"GEt{mark}", G, Et, meaning="has an inverse")
    return f"one{mark}", f"two{mark}", f"GEt{mark}"
