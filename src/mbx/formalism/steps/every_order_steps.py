"""Declared variables of order 2 and more in a program: from all unknowns to those of the speeds.

A form solves for the unknowns x of all variables. With x = E x_u + e, which the definitions
give, its results are those of the speeds: A E, A e + b, E^T Fc, and the multipliers of what is
no definition of such a variable. The variables themselves are the result `quasi`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.system.kinematics.extension import Extension
    from mbx.system.system import System

__all__ = ["Extended", "Extending", "Solution", "residual_on_speeds"]


@dataclass(frozen=True, slots=True)
class Solution:
    """The unknowns, the constraint forces and the multipliers."""

    x: Matrix
    Fc: Matrix
    lam: Matrix


@dataclass(frozen=True, slots=True)
class Extending:
    """x = E x_u + e, and the invariants by the unknowns of the speeds."""

    E: Matrix
    Et: Matrix
    e: Matrix
    A: Matrix
    b: Matrix


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

    def begin(self, p: Program, A: Matrix, b: Matrix, labels: list[str]) -> Extending | None:
        """Add E and e, and the invariants by the unknowns of the speeds."""
        if self.extension is None:
            return None
        n, kept = len(self.system.u), range(len(self.system.rows))
        E = p.define(
            "E",
            self.extension.E,
            "all unknowns by those of the speeds",
            rows=labels,
            columns=labels[:n],
        )
        e = p.column("e", self.extension.e, "what is left of them without these", rows=labels)
        Et = p.let("Et", E.T)
        AE, be = p.let("AE", A @ E), p.let("be", A @ e + b)
        Au = p.let("Au", AE.rows(kept), "invariants by the unknowns of the speeds")
        bu = p.let("bu", be.rows(kept), "invariants without them")
        return Extending(E, Et, e, Au, bu)

    def reduce(self, p: Program, all_: Solution, extending: Extending | None) -> Solution:
        """Add what all unknowns, constraint forces and multipliers are for the speeds."""
        if extending is None:
            return all_
        n, kept = len(self.system.u), len(self.system.rows)
        ud = p.let("ud", all_.x.rows(range(n)), "rates of the speeds")
        Fcu = p.let("Fcu", extending.Et @ all_.Fc, "constraint forces on the speeds")
        lamu = p.let("lamu", all_.lam.rows(range(kept)), "multipliers of the invariants")
        return Solution(ud, Fcu, lamu)

    def declared(self, p: Program, x: Matrix) -> dict[str, Matrix]:
        """Add the declared variables by all unknowns; return them as a result."""
        if self.extension is None:
            return {}
        n, extension = len(self.system.u), self.extension
        blocks = [p.let("quasix", x.rows(range(n, n + len(extension.unknown))))]
        if extension.known:
            labels = [str(each.value) for each in extension.known]
            known = list(extension.known.values())
            meaning = "declared variables that belong to the state"
            blocks.insert(0, p.column("quasi0", known, meaning, rows=labels))
        meaning = "declared variables of order 2 and more"
        return {"quasi": p.let("quasi", p.stack(*blocks), meaning, rows=extension.labels)}


def residual_on_speeds(
    p: Program, extending: Extending | None, matrix: Matrix, right: Matrix
) -> tuple[Matrix, Matrix]:
    """Add a matrix of all unknowns, and what it is equal to, for those of the speeds."""
    if extending is None:
        return matrix, right
    rE = p.let("rE", matrix @ extending.E)
    return rE, p.let("rr", right - p.let("re", matrix @ extending.e))
