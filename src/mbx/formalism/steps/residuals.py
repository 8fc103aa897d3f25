"""Residuals of common shape: M ud - h - A^T lam on what the constraints let move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.formalism.builder import Program
from mbx.formalism.matrix_value import operate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.program import Residual

__all__ = ["constraint_residual", "magnitude", "projected_residual"]


def magnitude(p: Program, value: Matrix, leaves: Sequence[Matrix]) -> Matrix:
    """Return the same expression of the magnitudes of its leaves, in which all signs are plus.

    A named part `r_x` has the magnitude `s_x`, the value `r_value` has `r_magnitude`.
    """
    sizes = {leaf: p.place(abs(leaf)) for leaf in leaves}

    def visit(part: Matrix) -> Matrix:
        if part not in sizes:
            args = [visit(arg) for arg in part.args]
            signs = tuple(map(abs, part.template.signs))
            size = operate(part.op, args, signs=signs, grid=part.template.grid)
            name = p.name_of(part)
            other = "r_magnitude" if part is value else f"s_{name.removeprefix('r_')}"
            sizes[part] = p.let(other, size) if name else size
        return sizes[part]

    return visit(value)


def projected_residual(
    program: Program,
    name: str,
    n: int,
    M: Matrix,
    h: Matrix,
    C: Matrix | None,
    labels: Sequence[str] = (),
) -> Residual:
    """Return C^T (M a - h), with the magnitudes |C^T| (|M| |a| + |h|) (faithfulness)."""
    p = Program(outer=program, apart=True)
    ud = p.given("ud", size=n)
    left = p.let("r_left", M @ ud)
    value = p.let("r_all", left - h)
    sizes = [p.let(f"r_{x}", abs(value)) for x, value in (("M", M), ("a", ud), ("h", h))]
    most = p.let("r_size", p.let("r_Ma", sizes[0] @ sizes[1]) + sizes[2])
    if C is None:
        return p.residual(name, value, most, labels)
    Ct = p.let("r_Ct", C.T)
    size = p.let("r_C", abs(Ct))
    value = p.let("r_value", Ct @ value)
    return p.residual(name, value, p.let("r_magnitude", size @ most))


def constraint_residual(
    program: Program, n: int, A: Matrix, b: Matrix, labels: Sequence[str] = ()
) -> Residual:
    """Return A a + b, with |A| |a| + |b|."""
    p = Program(outer=program, apart=True)
    ud = p.given("ud", size=n)
    value = p.let("c_value", p.let("c_left", A @ ud) + b)
    sizes = [p.let(f"c_{x}", abs(value)) for x, value in (("A", A), ("a", ud), ("b", b))]
    most = p.let("c_magnitude", p.let("c_Aa", sizes[0] @ sizes[1]) + sizes[2])
    return p.residual("invariants", value, most, labels)
