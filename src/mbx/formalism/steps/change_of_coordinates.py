"""A change of coordinates in equations of motion, as steps of the matrix program.

    M u'' = f - Psi^T lam,    Psi u' = nu,    u' = T v' + e
    Mv v'' = fv - Psiv^T lam,    Psiv v' = nuv
    Mv = T^T M T,  fv = T^T (f - M (e' + T' v')),  Psiv = Psi T,  nuv = nu - Psi e

Appendix B of Deepak and Ghosal, whose (64) has a wrong sign before T'. Where v has fewer entries
than u, as many rows of Psi T follow from the others and are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.base.errors import EquationsError
from mbx.expr.algebra.small_systems import generic_rank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix

__all__ = [
    "Changed",
    "ChangedConstraint",
    "Constraint",
    "Rates",
    "change_constraint",
    "change_coordinates",
    "independent_rows",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What the old rates are in the new ones, u' = T v' + e.

    Attributes:
        T: Full column rank.
        e: None: zero.
        left: e' + T' v', the old accelerations without the new ones; None: zero.
    """

    T: Matrix
    e: Matrix | None = None
    left: Matrix | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """The equations of motion in the new coordinates."""

    M: Matrix
    f: Matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A constraint Psi u' = nu: how many rows it has, and which of them to keep."""

    Psi: Matrix
    nu: Matrix
    count: int
    kept: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedConstraint:
    """A constraint in the new coordinates.

    `dropped` is what the dropped rows [Psi T, nu - Psi e] add to those kept: zero where they
    are redundant and consistent.
    """

    Psi: Matrix
    nu: Matrix
    dropped: Matrix


def independent_rows(rows: Sequence[Sequence[Node]]) -> tuple[int, ...]:
    """Return the first rows that are independent of those before them, nearly everywhere."""
    kept: list[int] = []
    for k in range(len(rows)):
        if generic_rank([rows[i] for i in (*kept, k)]) > len(kept):
            kept.append(k)
    return tuple(kept)


def change_coordinates(p: Program, M: Matrix, f: Matrix, rates: Rates, mark: str) -> Changed:
    """Add the equations of motion in new coordinates; their names end with the mark."""
    T = rates.T
    Mv = p.let(f"Mv{mark}", T.T @ M @ T, "T^T M T, (64)")
    if rates.left is not None:
        f = p.let(f"fl{mark}", f - M @ rates.left, "f - M (e' + T' v')")
    return Changed(M=Mv, f=p.let(f"fv{mark}", T.T @ f, "loads in the new rates, (64)"))


def change_constraint(
    p: Program, constraint: Constraint, rates: Rates, mark: str
) -> ChangedConstraint:
    """Add a constraint in new coordinates; its names end with the mark."""
    Psi, nu, kept = constraint.Psi, constraint.nu, constraint.kept
    every = range(constraint.count)
    if not set(kept) <= set(every):
        message = f"rows {tuple(kept)} are not among the {constraint.count} rows of '{Psi}'"
        raise EquationsError(message)
    PT = p.let(f"PT{mark}", Psi @ rates.T)
    if rates.e is not None:
        nu = p.let(f"ne{mark}", nu - Psi @ rates.e)
    both = p.let(f"PTn{mark}", p.block([[PT, nu]]))
    Psiv = p.let(f"Psiv{mark}", PT.rows(kept), "constraint in the new rates, (62)")
    nuv = p.let(f"nuv{mark}", nu.rows(kept), "its right side, (62)")
    rest = [k for k in every if k not in set(kept)]
    dropped = p.let(f"drop{mark}", both.rows(rest), "rows that say nothing new")
    if kept:
        implied = PT.rows(rest) @ p.pinv(Psiv) @ both.rows(kept)
        dropped = p.let(f"new{mark}", dropped - implied, "zero")
    return ChangedConstraint(Psi=Psiv, nu=nuv, dropped=dropped)
