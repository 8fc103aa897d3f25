"""All groups of a mechanism in machine code, from times to all rates in one call.

Groups of one shape have the same code, with numbers of their own: an iteration for the position,
and behind it a straight line for velocities and accelerations (`mbx.groups.written`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.codegen.routine import Argument, Routine
from mbx.compiled import llvm
from mbx.compiled.chain import Chain, Link
from mbx.compiled.scalars import function_of
from mbx.expr.diff import along
from mbx.expr.nodes import ONE, ZERO
from mbx.expr.solve import SingularError
from mbx.groups.group import rate
from mbx.groups.motion import Instant
from mbx.groups.written import Writer
from mbx.system.names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.codegen.routine import Iteration
    from mbx.compiled.function import Function
    from mbx.expr.nodes import Node
    from mbx.formalism.numerics import Array
    from mbx.groups.kernels import Kit
    from mbx.groups.motion import Solution
    from mbx.groups.written import Rows

__all__ = ["LARGEST", "TENSOR", "Machine", "compiled"]

LARGEST: Final = 24
"""Unknowns of a group that are still written out."""
TENSOR: Final = 9
"""The same by third-order tensors, which are much longer."""


def _code(kit: Kit, moving: tuple[bool, ...], *, tensor: bool) -> Function:
    """Return a group of some shape in machine code: what goes in is phi, h, hd and hdd."""
    group = kit.shape.group
    rounds, results = Writer(group, moving).written(tensor=tensor)
    moved = [s for s, moves in zip(group.h, moving, strict=True) if moves]
    taken = [*rounds.start, *group.h, *(rate(s, k) for k in (1, 2) for s in moved)]
    return _function(taken, kit.shape.numbers, results, (rounds,))


def _function(
    taken: Sequence[Node],
    numbers: Sequence[Node],
    results: Mapping[str, Rows],
    rounds: tuple[Iteration, ...] = (),
) -> Function:
    arguments = [Argument(TIME, "t", 0, "t")]
    arguments += [Argument(s, "q", k, str(s.value)) for k, s in enumerate(taken)]
    arguments += [Argument(s, "parameters", k, str(s.value)) for k, s in enumerate(numbers)]
    rows = {name: tuple(map(tuple, some)) for name, some in results.items()}
    return function_of(Routine(tuple(arguments), rounds, rows, {}))


class Machine:
    """A modular solution in machine code; where it does not end, the solution itself is asked.

    Attributes:
        solution: What is solved.
        chain: Its links: what is given over time, the groups in order, and what else was added.
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
        self._known: dict[tuple[int, tuple[bool, ...]], Function] = {}
        links = [self._given(), *map(self._link, range(len(solution.groups)))]
        place = {
            rate(s, k) if k else s: j + k * n for s, j in solution.place.items() for k in range(3)
        }
        begin = 3 * n
        for symbols, rows in more:
            function = _function(symbols, (), {"check": [[ZERO]], "rows": rows})
            count = sum(map(len, rows))
            takes = np.array([place[s] for s in symbols], dtype=np.int64)
            gives = np.arange(begin, begin + count, dtype=np.int64)
            links.append(Link(function, function.constants([]), takes, gives))
            begin += count
        self.chain = Chain(links, begin)

    def _given(self) -> Link:
        n, drives = self._count, list(self.solution.view.drives.values())
        once = along(drives, {TIME: ONE})
        twice = along(once, {TIME: ONE})
        function = _function((), (), {"check": [[ZERO]], "d": [drives], "v": [once], "a": [twice]})
        gives = np.concatenate([np.arange(n) + k * self._size for k in range(3)])
        return Link(function, function.constants([]), np.zeros(0, np.int64), gives)

    def _link(self, k: int) -> Link:
        solution, n = self.solution, self._size
        kernels, group = solution.solvers[k].kernels, solution.groups[k]
        moving = tuple(s not in solution.view.frozen for s in group.h)
        key = (id(kernels.kit), moving)
        if key not in self._known:
            tensor = solution.method == "3ot" and group.name != "readout"
            self._known[key] = _code(kernels.kit, moving, tensor=tensor)
        function = self._known[key]
        phi, h = solution.phi[k], solution.h[k]
        moved = h[np.array(moving, dtype=bool)]
        takes = np.concatenate([phi, h, moved + n, moved + 2 * n])
        gives = np.concatenate([phi, phi + n, phi + 2 * n])
        return Link(function, function.constants(kernels.values), takes, gives)

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
            for k, values in enumerate(solution.given(float(times[0]))):
                numbers[k * n : k * n + m] = values
        rows = self.chain.cycle(times, begin)
        return rows[:, :n], rows[:, n : 2 * n], rows[:, 2 * n : 3 * n]

    def at(self, t: float, near: Array) -> Instant:
        """Return positions, velocities and accelerations at a time, near some positions."""
        found = self.run(np.array([t]), near)
        if not len(found[0]):
            return self.solution.at(t, near)
        x, xd, xdd = (level[0] for level in found)
        return Instant(t, x, xd, xdd)


def compiled(
    solution: Solution, more: Sequence[tuple[Sequence[Node], Rows]] = ()
) -> Machine | Solution:
    """Return a modular solution in machine code, or as it is where it cannot be written out."""
    most = TENSOR if solution.method == "3ot" else LARGEST
    small = all(len(group.phi) <= most for group in solution.groups)
    drives = bool(solution.view.drives)
    if solution.method not in {"td", "3ot"} or not (small and drives) or not llvm.available():
        return solution
    try:
        return Machine(solution, more)
    except SingularError:  # a group without a position: the solution says which, and why
        return solution
