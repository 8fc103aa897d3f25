"""Closing a tree for converters that do not write values yet; see `closure`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.formalism.named_program import NamedProgram
from mbx.formalism.tree import closure

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.expr.nodes import Node
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.tree.ties import Ties

__all__ = ["Swept", "close_tree", "constraint_forces"]


@dataclass(frozen=True, slots=True)
class Swept:
    """Names of what closing gave."""

    h: str
    ud: str
    zdd: str
    lam: str
    ties: str
    named: tuple[Node, ...]


def close_tree(
    program: NamedProgram,
    closing: Ties,
    levels: Levels,
    loaded: Callable[[NamedProgram, str], str],
    response: Callable[[NamedProgram, str, str], str],
) -> Swept:
    """Add the loads and the steps from them to ud and lam."""
    swept = closure.close_tree(
        program.values,
        closing,
        levels,
        lambda p, h: p.find(loaded(NamedProgram(p), h.name)),
        lambda p, F, name: p.find(response(NamedProgram(p), F.name, name)),
    )
    return Swept(
        swept.h.name,
        swept.ud.name,
        swept.zdd.name,
        swept.lam.name,
        swept.ties.name,
        swept.named,
    )


def constraint_forces(program: NamedProgram, levels: Levels, lam: str) -> dict[str, str]:
    """Add the invariants on the speeds, and Fc = A^T lam; return these as results."""
    results = closure.constraint_forces(program.values, levels, program.find(lam))
    return {key: each.name for key, each in results.items()}
