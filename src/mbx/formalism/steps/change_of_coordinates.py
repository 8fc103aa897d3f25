"""A change of coordinates in equations of motion, as steps of the matrix program.

    M u'' = f - Psi^T lam,    Psi u' = nu,    u' = T v' + e
    Mv v'' = fv - Psiv^T lam,    Psiv v' = nuv
    Mv = T^T M T,  fv = T^T (f - M (e' + T' v')),  Psiv = Psi T,  nuv = nu - Psi e

Appendix B of Deepak and Ghosal, whose (64) has a wrong sign before T'. Where v has fewer entries
than u, as many rows of Psi T say nothing new and are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.base.errors import EquationsError
from mbx.expr.algebra.small_systems import generic_rank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.named_program import NamedProgram

__all__ = ["Changed", "Rates", "change_coordinates", "independent_rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Names of what the old rates are in the new ones, u' = T v' + e.

    Attributes:
        T: Full column rank.
        e: "": zero.
        left: e' + T' v', the old accelerations without the new ones; "": zero.
    """

    T: str
    e: str = ""
    left: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """Names of the equations in the new coordinates.

    `dropped` is what the dropped rows [Psi T, nu - Psi e] add to those kept: zero where they
    are redundant and consistent.
    """

    M: str
    f: str
    Psi: str
    nu: str
    dropped: str


def independent_rows(rows: Sequence[Sequence[Node]]) -> tuple[int, ...]:
    """Return the first rows that are independent of those before them, nearly everywhere."""
    kept: list[int] = []
    for k in range(len(rows)):
        if generic_rank([rows[i] for i in (*kept, k)]) > len(kept):
            kept.append(k)
    return tuple(kept)


def change_coordinates(
    p: NamedProgram,
    M: str,
    f: str,
    rates: Rates,
    mark: str,
    constraint: tuple[str, str, int, Sequence[int]] | None = None,
) -> Changed:
    """Add the equations in new coordinates; their names end with the mark.

    `constraint` is Psi, nu, how many rows these have, and which of them to keep.
    """
    T = rates.T
    p.transpose(f"TT{mark}", T)
    Mv = p.product(f"Mv{mark}", f"TT{mark}", M, T, meaning="T^T M T, (64)")
    force = f
    if rates.left:
        p.product(f"Ml{mark}", M, rates.left)
        force = p.sum(f"fl{mark}", f, f"Ml{mark}", signs=(1, -1), meaning="f - M (e' + T' v')")
    fv = p.product(f"fv{mark}", f"TT{mark}", force, meaning="loads in the new rates, (64)")
    if constraint is None:
        return Changed(M=Mv, f=fv, Psi="", nu="", dropped="")
    Psi, nu, count, kept = constraint
    if not set(kept) <= set(range(count)):
        raise EquationsError(f"rows {tuple(kept)} are not among the {count} rows of '{Psi}'")
    p.product(f"PT{mark}", Psi, T)
    right = nu
    if rates.e:
        p.product(f"Pe{mark}", Psi, rates.e)
        right = p.sum(f"ne{mark}", nu, f"Pe{mark}", signs=(1, -1))
    p.block(f"PTn{mark}", [[f"PT{mark}", right]])
    Psiv = p.rows(f"Psiv{mark}", f"PT{mark}", kept, "constraint in the new rates, (62)")
    nuv = p.rows(f"nuv{mark}", right, kept, "its right side, (62)")
    rest = [k for k in range(count) if k not in set(kept)]
    dropped = p.rows(f"drop{mark}", f"PTn{mark}", rest, "rows that say nothing new")
    if kept:
        p.rows(f"keep{mark}", f"PTn{mark}", kept)
        p.rows(f"dropT{mark}", f"PT{mark}", rest)
        p.pinv(f"Psip{mark}", Psiv)
        p.product(f"said{mark}", f"dropT{mark}", f"Psip{mark}", f"keep{mark}")
        dropped = p.sum(f"new{mark}", f"drop{mark}", f"said{mark}", signs=(1, -1), meaning="zero")
    return Changed(M=Mv, f=fv, Psi=Psiv, nu=nuv, dropped=dropped)
