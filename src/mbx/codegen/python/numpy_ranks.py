"""What a written matrix program must know beforehand: sizes that depend on ranks, and zeros.

Both are found where the model is in general position. An entry that vanishes there but for
rounding vanishes everywhere; left as it is, scaling would make it as large as any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.formalism.shapes import shapes
from mbx.numerics.execute.evaluate_equations import general_values
from mbx.numerics.execute.execute import REGULAR, march, run
from mbx.numerics.execute.step_kinds import Batch, cleans
from mbx.numerics.ranks import cleaned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.codegen.target import Subject
    from mbx.formalism.program import Step
    from mbx.formalism.shapes import Shape
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Ranks", "ranks"]

Place = tuple[str, str]
"""The implicit step that a step is inside of, or "", and the name of the step."""

_NO_STATES: Final = (
    "the number of columns of a null space depends on a rank, and the equations hold no sampled "
    "states to find it at"
)


@dataclass(frozen=True, slots=True)
class Ranks:
    """Nullities of steps, and entries that vanish: by step, for each of its arguments."""

    nullities: Mapping[Place, int] = field(default_factory=dict)
    zeros: Mapping[Place, tuple[tuple[tuple[int, int], ...], ...]] = field(default_factory=dict)


def ranks(subject: Subject) -> Ranks:
    """Return what the steps of a program that find ranks find at a state in general position."""
    steps = subject.equations.steps
    if not any(cleans(inner) for step in steps for inner in (step, *step.steps)):
        return Ranks()
    if subject.equations.states is None:
        return _without_states(steps)
    regular = general_values(subject.equations)
    at = {**regular, **{node: float(value) for node, value in subject.values.items()}}
    outcome = run(subject.equations, at)
    if outcome.status[0] != REGULAR:
        # with other numbers the state may contradict its constraints
        at = dict(regular)
        outcome = run(subject.equations, at)
    if outcome.status[0] != REGULAR:
        reason = f"not all results exist at a state in general position: {outcome.status[0]}"
        raise EquationsError(reason)
    found = Ranks({}, {})
    (batch,) = outcome.batches
    _look(steps, "", batch, found)
    for step in steps:
        if step.op == "implicit" and any(cleans(inner) for inner in step.steps):
            values = {node: np.array([value]) for node, value in at.items()}
            _, parts = march(step.steps, values, batch, {step.unknown: batch.matrices[step.name]})
            for part in parts:
                _look(step.steps, step.name, part, found)
    return found


def _look(steps: Sequence[Step], inside: str, batch: Batch, found: Ranks) -> None:
    for step in steps:
        if not cleans(step):
            continue
        place = (inside, step.name)
        if step.op == "nullspace":
            found.nullities[place] = batch.matrices[step.name].shape[-1]  # type: ignore[index]
        found.zeros[place] = tuple(  # type: ignore[index]
            _vanishing(batch.matrices[name][0], batch.noise[name][0]) for name in step.args
        )


def _vanishing(A: Array, noise: Array) -> tuple[tuple[int, int], ...]:
    """Return the places of entries that are nothing but rounding; none if these are all zero."""
    gone = cleaned(A, noise) == 0
    if not (gone & (A != 0)).any():
        return ()
    return tuple((int(i), int(j)) for i, j in np.argwhere(gone & (A != 0)))


def _without_states(steps: Sequence[Step]) -> Ranks:
    nullities = {}
    known: Mapping[str, Shape] = shapes(steps)
    for step in steps:
        for inner in (step, *step.steps):
            if inner.op != "nullspace":
                continue
            rows, columns = known.get(inner.args[0], (None, None))
            if rows != 0 or columns is None:
                raise EquationsError(f"'{inner.name}' (nullspace) cannot be written: {_NO_STATES}")
            nullities["" if inner is step else step.name, inner.name] = columns
    return Ranks(nullities)
