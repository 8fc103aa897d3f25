"""Residuals of common shape: M ud - h - A^T lam on what the constraints let move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.formalism.builder import Program
from mbx.formalism.program import Residual

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["constraint_residual", "projected_residual"]


def projected_residual(
    name: str, n: int, matrix: str, right: str, complement: str | None, labels: Sequence[str] = ()
) -> Residual:
    """Return C^T (M a - h), with the magnitudes |C^T| (|M| |a| + |h|) (faithfulness)."""
    p = Program()
    p.given("ud", size=n)
    p.product("r_left", matrix, "ud")
    p.sum("r_all", "r_left", right, signs=(1, -1))
    p.absolute("r_M", matrix)
    p.absolute("r_a", "ud")
    p.absolute("r_h", right)
    p.product("r_Ma", "r_M", "r_a")
    p.sum("r_size", "r_Ma", "r_h")
    if complement is None:
        return Residual(
            name=name,
            steps=tuple(p.steps),
            value="r_all",
            magnitude="r_size",
            labels=tuple(labels),
        )
    p.transpose("r_Ct", complement)
    p.absolute("r_C", "r_Ct")
    p.product("r_value", "r_Ct", "r_all")
    p.product("r_magnitude", "r_C", "r_size")
    return Residual(name=name, steps=tuple(p.steps), value="r_value", magnitude="r_magnitude")


def constraint_residual(n: int, A: str, b: str, labels: Sequence[str] = ()) -> Residual:
    """Return A a + b, with |A| |a| + |b|."""
    p = Program()
    p.given("ud", size=n)
    p.product("c_left", A, "ud")
    p.sum("c_value", "c_left", b)
    p.absolute("c_A", A)
    p.absolute("c_a", "ud")
    p.absolute("c_b", b)
    p.product("c_Aa", "c_A", "c_a")
    p.sum("c_magnitude", "c_Aa", "c_b")
    return Residual(
        name="invariants",
        steps=tuple(p.steps),
        value="c_value",
        magnitude="c_magnitude",
        labels=tuple(labels),
    )
