"""What in the structure of a model deserves a second look, with the element and its line."""

from __future__ import annotations

from dataclasses import replace
from math import isinf
from typing import TYPE_CHECKING, Final

from mbx.analyses.structure.structure_report import Warned
from mbx.system.features import Feature

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.analyses.structure.structure_matrices import Skeleton
    from mbx.analyses.structure.structure_report import Structure
    from mbx.system.system import System

__all__ = ["warnings_of"]

WORSE: Final = 100.0
"""How many times worse than the suggestion a declared set must be to be told."""


def warnings_of(system: System, skeleton: Skeleton, found: Structure) -> Structure:
    """Return a structure with its warnings."""
    every = [
        *_states(found),
        *_disguised(found),
        *_declared(found),
        *_accelerations(found),
        *_named_reactions(system, skeleton, found),
    ]
    return replace(found, warnings=tuple(every))


def _states(found: Structure) -> Iterator[Warned]:
    if found.rank is None:
        text = "no consistent state was found, so that ranks and freedoms are not known"
        yield Warned(found.model, "", text)
        return
    for one in found.refused:
        name, _, reason = one.partition(": ")
        yield Warned(name, "", reason)


def _disguised(found: Structure) -> Iterator[Warned]:
    for one in found.integrability.exact:
        if one.expression:
            text = f"is the rate of {one.expression}: say that this is constant, at order 0"
        else:
            text = "is the rate of an expression of the coordinates"
        yield Warned(one.row, one.line, text)


def _declared(found: Structure) -> Iterator[Warned]:
    declared, best = found.declared, found.independent
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


def _accelerations(found: Structure) -> Iterator[Warned]:
    if found.accelerations is not None and not found.accelerations.unique:
        text = "neither inertia nor invariants determine its rate"
        for path in found.accelerations.open:
            yield Warned(path, "", text)


def _named_reactions(system: System, skeleton: Skeleton, found: Structure) -> Iterator[Warned]:
    """Yield reactions that loads may name although they are not unique."""
    loads = system.features.get(Feature.REACTION_IN_LOAD, ())
    if not loads:
        return
    open_joints = {one.path for one in found.reactions if one.open}
    open_rows = set(found.multipliers)
    named = [path for path in system.joint_reactions if path in open_joints]
    named += [r.path for r in skeleton.rows if r.reaction is not None and r.path in open_rows]
    for path in named:
        text = f"its reaction is not unique, and loads name reactions: {', '.join(loads)}"
        yield Warned(path, system.lines.get(path, ""), text)
