"""What in the structure of a model deserves a second look, with the element and its line."""

from __future__ import annotations

from dataclasses import replace
from math import isinf
from typing import TYPE_CHECKING, Final

from mbx.analyses.structure.structure_report import Warned
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.analyses.structure.structure_matrices import Skeleton
    from mbx.analyses.structure.structure_report import Structure
    from mbx.system.system import System

__all__ = ["warnings_of"]

WORSE: Final = 100.0
"""How many times worse than the suggestion a declared set must be to be reported."""


def warnings_of(system: System, skeleton: Skeleton, structure: Structure) -> Structure:
    """Return a structure with its warnings."""
    every = [
        *_states(structure),
        *_disguised(structure),
        *_declared(structure),
        *_accelerations(structure),
        *_named_reactions(system, skeleton, structure),
    ]
    return replace(structure, warnings=tuple(every))


def _states(structure: Structure) -> Iterator[Warned]:
    if structure.rank is None:
        text = "no consistent state was found, so that ranks and freedoms are not known"
        yield Warned(structure.model, "", text)
        return
    for entry in structure.refused:
        name, _, reason = entry.partition(": ")
        yield Warned(name, "", reason)


def _disguised(structure: Structure) -> Iterator[Warned]:
    for exact in structure.integrability.exact:
        if exact.expression:
            text = f"is the rate of {exact.expression}: say that this is constant, at order 0"
        else:
            text = "is the rate of an expression of the coordinates"
        yield Warned(exact.row, exact.line, text)


def _declared(structure: Structure) -> Iterator[Warned]:
    declared, best = structure.declared, structure.independent
    if declared is None or best is None:
        return
    if len(declared.speeds) != len(best.speeds):
        text = f"names {', '.join(declared.speeds)}, but the freedoms are {len(best.speeds)}"
        yield Warned("independent", "", text)
    elif declared.worst > WORSE * best.worst:
        bad = "are singular" if isinf(declared.worst) else f"have condition {declared.worst:.0e}"
        text = (
            f"{', '.join(declared.speeds)} {bad} at some state, "
            f"{', '.join(best.speeds)} at worst {best.worst:.0e}"
        )
        yield Warned("independent", "", text)


def _accelerations(structure: Structure) -> Iterator[Warned]:
    if structure.accelerations is not None and not structure.accelerations.unique:
        text = "neither inertia nor invariants determine its rate"
        for path in structure.accelerations.open:
            yield Warned(path, "", text)


def _named_reactions(system: System, skeleton: Skeleton, structure: Structure) -> Iterator[Warned]:
    """Yield reactions that loads may name although they are not unique."""
    loads = system.features.get(Feature.REACTION_IN_LOAD, ())
    if not loads:
        return
    open_joints = {reaction.path for reaction in structure.reactions if reaction.open}
    open_rows = set(structure.multipliers)
    named = [path for path in system.joint_reactions if path in open_joints]
    named += [r.path for r in skeleton.rows if r.reaction is not None and r.path in open_rows]
    for path in named:
        text = f"its reaction is not unique, and loads name reactions: {', '.join(loads)}"
        yield Warned(path, system.lines.get(path, ""), text)
