"""A mechanism solved at instants: group by group, Algorithm 2 of the paper, or as a whole.

Values of all coordinates stand in one array, the paper's POI: each group takes its inputs from
it, and puts what it finds into it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from mbx.analyses.kinematics.groups.decompose import decompose
from mbx.analyses.kinematics.groups.group import groups_of, readouts_of, whole_of
from mbx.analyses.kinematics.groups.solve_group import Solver
from mbx.analyses.kinematics.groups.weights import Samples, weighted
from mbx.analyses.kinematics.natural.model_numbers import DriveError
from mbx.analyses.kinematics.natural.natural_view import view_of
from mbx.analyses.kinematics.sparse import SparseSolver
from mbx.codegen.native.scalar_function import Scalars
from mbx.expr.derivatives import along
from mbx.expr.nodes import ONE
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.analyses.kinematics.groups.decompose import Chain
    from mbx.analyses.kinematics.groups.group import Group
    from mbx.analyses.kinematics.groups.kernels import Kit
    from mbx.analyses.kinematics.natural.mechanism import Mechanism
    from mbx.analyses.kinematics.natural.natural_view import View
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["METHODS", "Instant", "Method", "Solution", "solution_of"]

Method = Literal["td", "3ot", "global", "global-sparse"]
METHODS: Final[tuple[Method, ...]] = ("td", "3ot", "global", "global-sparse")


@dataclass(frozen=True, slots=True, eq=False)
class Instant:
    """All coordinates at a time with their rates, in the order of `Solution.symbols`."""

    t: float
    x: Array
    xd: Array
    xdd: Array


class Solution:
    """How a mechanism is solved by a method.

    Attributes:
        view: Its natural view.
        chains: Its structural groups; none where it is solved as a whole.
        groups: What is solved, in order; coordinates of the model last.
        symbols: The coordinates: driven ones first, then those of the groups.
        moved: Drives that numbers fix, whatever the time is, by their position in `symbols`.
    """

    def __init__(
        self, view: View, chains: Sequence[Chain], groups: Sequence[Group], method: Method
    ) -> None:
        """Take groups in an order in which each has its inputs."""
        self.view, self.chains, self.groups, self.method = view, chains, groups, method
        driven = list(view.drives)
        self.symbols: list[Node] = [*driven, *(s for group in groups for s in group.phi)]
        self.place = {s: k for k, s in enumerate(self.symbols)}
        kits: dict[object, Kit] = {}
        self.solvers = [
            SparseSolver(g) if method == "global-sparse" and g.name == "global" else Solver(g, kits)
            for g in groups
        ]
        self.phi = [np.array([self.place[s] for s in g.phi], dtype=int) for g in groups]
        self.h = [np.array([self.place[s] for s in g.h], dtype=int) for g in groups]
        values = list(view.drives.values())
        once = along(values, {TIME: ONE})
        twice = along(once, {TIME: ONE})
        self._driven = Scalars([TIME], {"d": [values], "v": [once], "a": [twice]})
        self._count = len(driven)
        self.moved: dict[int, tuple[float, float]] = {}

    def driven(self, t: float) -> tuple[Array, Array, Array]:
        """Return what is driven at a time, with its rates."""
        levels = self._driven([t])
        d, v, a = levels["d"].ravel(), levels["v"].ravel(), levels["a"].ravel()
        for k, (x, xd) in self.moved.items():
            d[k], v[k], a[k] = x, xd, 0.0
        if not (np.isfinite(d).all() and np.isfinite(v).all() and np.isfinite(a).all()):
            raise DriveError(f"a drive has no value or no rates at t = {t:.9g} s")
        return d, v, a

    def move(self, moved: Mapping[Node, tuple[float, float]]) -> None:
        """Put drives where they are to be from now on, at a rate, whatever the time is."""
        self.moved = {self.place[s]: pair for s, pair in moved.items()}

    def start(self, state: Mapping[str, float], t: float) -> Array:
        """Return the coordinates of a state of the model."""
        values = self.view.natural(state, t)
        values |= {v.symbol: state[v.path] for v in self.view.mechanism.system.q}
        return np.array([values.get(s, 0.0) for s in self.symbols])

    def at(self, t: float, near: Array) -> Instant:
        """Return positions, velocities and accelerations at a time, near some positions."""
        d, v, a = self.driven(t)
        x, xd, xdd = near.copy(), np.zeros(len(near)), np.zeros(len(near))
        n = self._count
        x[:n], xd[:n], xdd[:n] = d, v, a
        for solver, phi, h in zip(self.solvers, self.phi, self.h, strict=True):
            x[phi], _ = solver.position(x[phi], x[h], t)
            tensor = self.method == "3ot" and solver.group.name != "readout"
            rates = solver.by_tensor if tensor else solver.by_time
            xd[phi], xdd[phi] = rates(x[phi], x[h], t, xd[h], xdd[h])
        return Instant(t, x, xd, xdd)

    def jacobians(self, instant: Instant) -> list[tuple[Group, Array]]:
        """Return the Jacobian by its unknowns of each group."""
        return [
            (solver.group, solver.kernels.position(instant.x[phi], instant.x[h], instant.t)[1])
            for solver, phi, h in zip(self.solvers, self.phi, self.h, strict=True)
            if solver.group.name != "readout"
        ]

    def jacobians_over(self, t: Array, x: Array) -> Iterator[tuple[Group, Array]]:
        """Yield the Jacobian by its unknowns of each group at several times, counted first."""
        for solver, phi, h in zip(self.solvers, self.phi, self.h, strict=True):
            if solver.group.name != "readout":
                yield solver.group, solver.kernels.jacobians(x[:, phi], x[:, h], t)

    def signs(self, instant: Instant) -> list[tuple[Group, float]]:
        """Return the sign of the determinant of the Jacobian of each group that has one."""
        return [
            (group, float(np.sign(np.linalg.det(J))))
            for group, J in self.jacobians(instant)
            if group.square
        ]

    def conditions(self, instant: Instant) -> list[tuple[Group, float]]:
        """Return the condition number of the Jacobian of each group."""
        return [
            (solver.group, solver.condition(instant.x[phi], instant.x[h], instant.t))
            for solver, phi, h in zip(self.solvers, self.phi, self.h, strict=True)
            if solver.group.name != "readout"
        ]

    def steepness(self, instant: Instant, sizes: Array) -> list[tuple[Group, float]]:
        """Return the condition number of each group with its inputs, in sizes of coordinates."""
        return [
            (solver.group, solver.steepness(instant.x[phi], instant.x[h], instant.t, sizes[w]))
            for solver, phi, h in zip(self.solvers, self.phi, self.h, strict=True)
            if solver.group.name != "readout"
            for w in (np.concatenate([phi, h]),)
        ]


def solution_of(mechanism: Mechanism, method: Method = "td", *, readouts: bool = True) -> Solution:
    """Return how to solve a mechanism; raise `NotDeterminedError` where groups do not.

    Without `readouts`, coordinates of the model that no constraint names are left out.
    """
    modular = method in {"td", "3ot"}
    chains = decompose(mechanism.graph) if modular else []
    view = view_of(mechanism, chains if modular else None)
    groups = groups_of(view, chains) if modular else [whole_of(view)] if view.coordinates else []
    groups = [*groups, *(readouts_of(view) if readouts else ())]
    samples = Samples(view)
    return Solution(view, chains, [weighted(group, samples) for group in groups], method)
