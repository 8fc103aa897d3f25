"""All groups of a mechanism in machine code, from times to all rates in one call.

Groups of one shape have the same code, with numbers of their own: an iteration for the position,
and behind it a straight line for velocities and accelerations (`written_group`, next to this).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.kinematics.groups.group import rate
from mbx.analyses.kinematics.groups.tasks import (
    routine,
    routine_of_drives,
    routine_of_group,
    task_of,
    too_large,
)
from mbx.analyses.kinematics.solve_motion import Instant
from mbx.codegen.native.chain import Chain, Link
from mbx.codegen.native.llvm import llvm_backend
from mbx.codegen.native.scalar_function import function_of
from mbx.expr.algebra.elimination import NoPivotError
from mbx.expr.algebra.small_systems import SingularError
from mbx.expr.nodes import ZERO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.kinematics.groups.written_group import Rows
    from mbx.analyses.kinematics.solve_motion import Solution
    from mbx.codegen.native.function import Function
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Machine", "compiled"]


class Machine:
    """A modular solution in machine code; where it does not end, the solution itself is used.

    Attributes:
        solution: What is solved.
        chain: Its links: the drives over time, the groups in order, and what else was added.
    """

    def __init__(
        self, solution: Solution, more: Sequence[tuple[Sequence[Node], Rows]] = ()
    ) -> None:
        """Compile each shape of group once.

        Each of `more` takes symbols of coordinates and their rates, and gives rows of
        expressions of them, which stand behind the coordinates in the shared numbers.
        """
        self.solution = solution
        self._size = n = len(solution.symbols)
        self._count = len(solution.view.drives)
        self._known: dict[object, Function] = {}
        links = [self._drive_link(), *map(self._link, range(len(solution.groups)))]
        column = {
            rate(s, k) if k else s: j + k * n for s, j in solution.place.items() for k in range(3)
        }
        begin = 3 * n
        for symbols, rows in more:
            function = function_of(routine(symbols, (), {"check": [[ZERO]], "rows": rows}))
            count = sum(map(len, rows))
            takes = np.array([column[s] for s in symbols], dtype=np.int64)
            gives = np.arange(begin, begin + count, dtype=np.int64)
            links.append(Link(function, function.constants([]), takes, gives))
            begin += count
        self.chain = Chain(links, begin)

    def _drive_link(self) -> Link:
        n = self._count
        function = function_of(routine_of_drives(self.solution.view))
        gives = np.concatenate([np.arange(n) + k * self._size for k in range(3)])
        return Link(function, function.constants([]), np.zeros(0, np.int64), gives)

    def _link(self, k: int) -> Link:
        solution = self.solution
        task = task_of(solution, k)
        if task.key not in self._known:
            self._known[task.key] = function_of(routine_of_group(solution, k))
        function = self._known[task.key]
        return Link(function, function.constants(task.values), task.takes, task.gives)

    def run(self, times: Array, near: Array) -> tuple[Array, Array, Array]:
        """Return positions, velocities and accelerations at times, each near the one before.

        They end before the first time at which a group is not solved.
        """
        n, solution = self._size, self.solution
        numbers = self.chain.numbers
        numbers[:n] = near
        begin = 0
        if solution.moved:  # by numbers, whatever the time is
            begin, m = 1, self._count
            for k, values in enumerate(solution.driven(float(times[0]))):
                numbers[k * n : k * n + m] = values
        rows = self.chain.cycle(times, begin)
        return rows[:, :n], rows[:, n : 2 * n], rows[:, 2 * n : 3 * n]

    def at(self, t: float, near: Array) -> Instant:
        """Return positions, velocities and accelerations at a time, near some positions."""
        levels = self.run(np.array([t]), near)
        if not len(levels[0]):
            return self.solution.at(t, near)
        x, xd, xdd = (level[0] for level in levels)
        return Instant(t, x, xd, xdd)


def compiled(
    solution: Solution, more: Sequence[tuple[Sequence[Node], Rows]] = ()
) -> Machine | Solution:
    """Return a modular solution in machine code, or as it is where it cannot be written out."""
    if not solution.view.drives or too_large(solution) is not None or not llvm_backend.available():
        return solution
    try:
        return Machine(solution, more)
    except (SingularError, NoPivotError):  # a group has no position: the solution reports which
        return solution
