"""Forms in the rates of the coordinates: from their accelerations to those of the speeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.formalism.builder import Program
from mbx.formalism.program import Residual

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node

__all__ = ["rates_residual", "to_speeds"]


def to_speeds(
    program: Program,
    qdd: str,
    lam: str,
    change: tuple[list[list[Node]], list[Node], list[list[Node]], list[Node]],
    rates: Sequence[str],
    speeds: Sequence[str],
) -> dict[str, str]:
    """Add ud = P qdd + p and Fc = N^T A^T lam; return the results by meaning."""
    N, n, P, p = change
    program.product("Fq", "At", lam, meaning="constraint forces on the coordinates")
    program.define("N", N, "qdd by ud", rows=rates, columns=speeds)
    program.column("n", n, "qdd without ud", rows=rates)
    program.define("P", P, "ud by qdd", rows=speeds, columns=rates)
    program.column("p", p, "ud without qdd", rows=speeds)
    program.product("Pqdd", "P", qdd)
    program.sum("ud", "Pqdd", "p", meaning="rates of the speeds")
    program.transpose("Nt", "N")
    program.product("Fc", "Nt", "Fq", meaning="constraint forces on the speeds")
    return {"ud": "ud", "qdd": qdd, "Fc": "Fc", "lam": lam, "M": "M", "h": "h", "A": "A", "b": "b"}


def rates_residual(name: str, n: int, projection: str) -> Residual:
    """Return Z^T (M qdd - h) and A qdd + b for given ud; `projection` is Z^T."""
    p = Program()
    p.given("ud", size=n)
    p.product("r_Nud", "N", "ud")
    p.sum("r_qdd", "r_Nud", "n")
    p.product("r_Mqdd", "M", "r_qdd")
    p.sum("r_open", "r_Mqdd", "h", signs=(1, -1))
    p.product("r_dynamic", projection, "r_open")
    p.product("r_Aqdd", "A", "r_qdd")
    p.sum("r_kinematic", "r_Aqdd", "b")
    p.block("r_value", [["r_dynamic"], ["r_kinematic"]])
    for name_ in ("N", "ud", "n", "M", "h", "A", "b", projection):
        p.absolute(f"s_{name_}", name_)
    p.product("s_Nud", "s_N", "s_ud")
    p.sum("s_qdd", "s_Nud", "s_n")
    p.product("s_Mqdd", "s_M", "s_qdd")
    p.sum("s_open", "s_Mqdd", "s_h")
    p.product("s_dynamic", f"s_{projection}", "s_open")
    p.product("s_Aqdd", "s_A", "s_qdd")
    p.sum("s_kinematic", "s_Aqdd", "s_b")
    p.block("r_magnitude", [["s_dynamic"], ["s_kinematic"]])
    return Residual(name=name, steps=tuple(p.steps), value="r_value", magnitude="r_magnitude")
