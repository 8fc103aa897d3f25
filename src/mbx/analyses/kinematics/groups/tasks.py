"""Groups as routines of scalars, and where each takes its numbers from and puts them.

Numbers of a mechanism are its positions, velocities and accelerations, one after the other. The
first result of a routine is a check, which is above 1 where least squares keep no row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.kinematics.groups.group import rate
from mbx.analyses.kinematics.groups.written_group import Writer
from mbx.codegen.routine import Argument, Routine
from mbx.expr.derivatives import along
from mbx.expr.nodes import ONE, ZERO
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.analyses.kinematics.groups.group import Group
    from mbx.analyses.kinematics.groups.written_group import Rows
    from mbx.analyses.kinematics.natural.natural_view import View
    from mbx.analyses.kinematics.solve_motion import Solution
    from mbx.codegen.routine import Iteration
    from mbx.expr.nodes import Node

__all__ = [
    "LARGEST",
    "TENSOR",
    "Task",
    "routine",
    "routine_of_drives",
    "routine_of_group",
    "task_of",
    "too_large",
]

LARGEST: Final = 24
"""Unknowns of a group that are still written out."""
TENSOR: Final = 9
"""The same by third-order tensors, which are much longer."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A group to be solved by the routine of its shape.

    Attributes:
        key: The same for groups that have one routine.
        values: Its numbers, the parameters of the routine.
        takes, gives: Indices of what goes in and comes out, but for the check.
    """

    key: object
    values: tuple[float, ...]
    takes: NDArray[np.int64]
    gives: NDArray[np.int64]


def too_large(solution: Solution) -> Group | None:
    """Return a group that is not written out; any, where the whole is solved at once."""
    if solution.method not in {"td", "3ot"}:
        return next(iter(solution.groups), None)
    most = TENSOR if solution.method == "3ot" else LARGEST
    return next((group for group in solution.groups if len(group.phi) > most), None)


def _moving(solution: Solution, k: int) -> tuple[bool, ...]:
    return tuple(s not in solution.view.frozen for s in solution.groups[k].h)


def task_of(solution: Solution, k: int) -> Task:
    """Return what is to be done for a group."""
    n, moving = len(solution.symbols), _moving(solution, k)
    kernels = solution.solvers[k].kernels
    phi, h = solution.phi[k], solution.h[k]
    moved = h[np.array(moving, dtype=bool)]
    return Task(
        (id(kernels.kit), moving),
        kernels.values,
        np.concatenate([phi, h, moved + n, moved + 2 * n]),
        np.concatenate([phi, phi + n, phi + 2 * n]),
    )


def routine_of_group(solution: Solution, k: int) -> Routine:
    """Return the routine of a group's shape: what goes in is phi, h, hd and hdd."""
    shape, moving = solution.solvers[k].kernels.kit.shape, _moving(solution, k)
    group = shape.group
    tensor = solution.method == "3ot" and group.name != "readout"
    rounds, results = Writer(group, moving).written(tensor=tensor)
    moved = [s for s, moves in zip(group.h, moving, strict=True) if moves]
    taken = [*rounds.start, *group.h, *(rate(s, j) for j in (1, 2) for s in moved)]
    return routine(taken, shape.numbers, results, (rounds,))


def routine_of_drives(view: View) -> Routine:
    """Return the drives over time, with their rates."""
    drives = list(view.drives.values())
    once = along(drives, {TIME: ONE})
    twice = along(once, {TIME: ONE})
    return routine((), (), {"check": [[ZERO]], "d": [drives], "v": [once], "a": [twice]})


def routine(
    taken: Sequence[Node],
    numbers: Sequence[Node],
    results: Mapping[str, Rows],
    rounds: tuple[Iteration, ...] = (),
) -> Routine:
    """Return a routine of time, of numbers that go in, and of those that stay."""
    arguments = [Argument(TIME, "t", 0, "t")]
    arguments += [Argument(s, "q", k, str(s.value)) for k, s in enumerate(taken)]
    arguments += [Argument(s, "parameters", k, str(s.value)) for k, s in enumerate(numbers)]
    rows = {name: tuple(map(tuple, matrix)) for name, matrix in results.items()}
    return Routine(tuple(arguments), rounds, rows, {})
