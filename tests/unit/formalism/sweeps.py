"""Small programs that name entries of matrices, as sweeps over links do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import add, function, mul, neg
from mbx.expr.nodes import ONE, ZERO
from mbx.formalism.builder import Program
from unit.formalism.programs import X, Y, program

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations

__all__ = ["sweep"]


def sweep() -> Equations:
    """Return v_2 = [x cos(x); y^2; 1] and a = [v_2[1] P[1,2]; v_2[2] + P[2,1]], P = M_1^2.

    Here v_1 = [x, 0, y] and M_1 = [x, 1; 1, y], such that P[1,2] = P[2,1] = x + y.
    """
    p = Program()
    v_1 = p.column("v_1", [X, ZERO, Y], "velocity of link 1")
    M_1 = p.define("M_1", [[X, ONE], [ONE, Y]], "inertia of link 1")
    (v,), M = zip(*p.entries(v_1), strict=True), p.entries(M_1)
    rows = [add(mul(function("cos", X), v[0]), v[1]), mul(v[2], M[1][1]), M[0][1]]
    v_2 = p.column("v_2", rows, "velocity of link 2")
    (w,), P = zip(*p.entries(v_2), strict=True), p.entries(p.let("P", M_1 @ M_1))
    p.column("a", [mul(w[0], P[0][1]), add(w[1], P[1][0])], "acceleration")
    p.column("s", [neg(w[1])])
    return program(*p.steps, results={"ud": "a", "s": "s"})
