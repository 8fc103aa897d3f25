"""Declared variables of order 2 and more in a program: from all unknowns to those of the speeds.

A form solves for the unknowns x of all variables. With x = E x_u + e, which the definitions
say, its results are those of the speeds: A E, A e + b, E^T Fc, and the multipliers of what is
no definition of such a variable. The variables themselves are the result `quasi`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.formalism.program import Step

if TYPE_CHECKING:
    from mbx.formalism.builder import Program
    from mbx.system.kinematics.extension import Extension
    from mbx.system.system import System

__all__ = ["Extended"]


@dataclass(frozen=True, slots=True)
class Extended:
    """The unknowns of a form; without declared variables of a higher order, those of the speeds.

    `x` is the name of the column of all unknowns.
    """

    system: System
    extension: Extension | None

    @property
    def x(self) -> str:
        """The name of all unknowns in the program."""
        return "ud" if self.extension is None else "xd"

    def begin(self, p: Program, labels: list[str]) -> None:
        """Add E and e, and the invariants by the unknowns of the speeds; A and b are there."""
        if self.extension is None:
            return
        n, kept = len(self.system.u), range(len(self.system.rows))
        p.define(
            "E",
            self.extension.E,
            "all unknowns by those of the speeds",
            rows=labels,
            columns=labels[:n],
        )
        p.column("e", self.extension.e, "what is left of them without these", rows=labels)
        p.transpose("Et", "E")
        p.product("AE", "A", "E")
        p.product("Ae", "A", "e")
        p.sum("be", "Ae", "b")
        p.rows("Au", "AE", kept, "invariants by the unknowns of the speeds")
        p.rows("bu", "be", kept, "invariants without them")

    def reduce(self, p: Program) -> tuple[str, str]:
        """Add what all unknowns and multipliers are for the speeds; return both names."""
        if self.extension is None:
            return "ud", "lam"
        n, kept = len(self.system.u), len(self.system.rows)
        p.rows("ud", "xd", range(n), "rates of the speeds")
        p.product("Fcu", "Et", "Fc", meaning="constraint forces on the speeds")
        p.rows("lamu", "lam", range(kept), "multipliers of the invariants")
        return "ud", "lam"

    def finish(self, p: Program) -> dict[str, str]:
        """Add the declared variables; return the results of the speeds by meaning."""
        if self.extension is None:
            return {name: name for name in ("ud", "Fc", "lam", "A", "b")}
        n, extension = len(self.system.u), self.extension
        top = p.rows("quasix", "xd", range(n, n + len(extension.unknown)))
        grid = [[top]]
        if extension.known:
            labels = [str(one.value) for one in extension.known]
            known = list(extension.known.values())
            meaning = "declared variables that belong to the state"
            grid.insert(0, [p.column("quasi0", known, meaning, rows=labels)])
        p.add(
            Step(
                name="quasi",
                op="block",
                grid=tuple(tuple(row) for row in grid),
                meaning="declared variables of order 2 and more",
                row_labels=extension.labels,
            )
        )
        names = {"Fc": "Fcu", "lam": "lamu", "A": "Au", "b": "bu", "quasi": "quasi"}
        return {"ud": "ud", **names}

    def residual(self, p: Program, matrix: str, right: str) -> tuple[str, str]:
        """Add a matrix of all unknowns, and what it is equal to, for those of the speeds."""
        if self.extension is None:
            return matrix, right
        p.product("rE", matrix, "E")
        p.product("re", matrix, "e")
        p.sum("rr", right, "re", signs=(1, -1))
        return "rE", "rr"
