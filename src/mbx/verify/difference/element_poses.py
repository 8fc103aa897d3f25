"""Where the mass elements of a model are and how they move, and the state that puts them there.

Two models may have different variables. They are at the same state where the elements that
they share have the same positions and velocities.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.algebra.elimination import split
from mbx.expr.derivatives import jacobian
from mbx.formalism.builder import Program
from mbx.mechanics import energy, motion
from mbx.numerics.execute.execute import run
from mbx.numerics.newton import REACH, gauss_newton
from mbx.numerics.states.manifold import Points
from mbx.numerics.tolerances import CLOSE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold

__all__ = ["Poses", "shared"]

STARTS: Final = 8
"""How many positions the search for a state starts from."""
UNSEEN: Final = 1e-9
"""Part of the largest slope below which elements are taken not to follow a variable."""
MET: Final = 1e-10
"""Part of a position, or of a velocity, by which elements may miss it."""


@dataclass(frozen=True)
class Poses:
    """The elements of a model, as far as they are shared, by the names that they have in it."""

    manifold: Manifold
    elements: tuple[str, ...]

    @cached_property
    def program(self) -> Equations:
        """Positions and axes with their slopes, velocities with theirs, and the kinetic energy."""
        system = self.manifold.system
        moving = motion.in_speeds(system)
        known = {m.path: m for m in moving.elements}
        positions: list[Node] = []
        rates: list[Node] = []
        for path in self.elements:
            m = known[path]
            if m.element.placed:
                positions += m.element.com.p
            if m.element.frame is not None:
                positions += [x for row in m.element.frame.R for x in row]
            rates += [*m.v, *(m.w if m.turns or m.element.w_local is not None else ())]
        slopes, rest = split(rates, moving.u)
        program = Program()
        program.column("p", positions)
        program.define("Pq", jacobian(positions, [v.symbol for v in system.q]), columns=self.q)
        program.define("V", slopes, columns=self.u)
        program.column("V0", rest)
        program.column("T", [energy.kinetic(moving)])
        equations = program.equations(system, "poses", "Poses", "", {"p": "p"})
        # none of this depends on accelerations, also where they belong to the state
        return replace(equations, signature=replace(equations.signature, higher=()))

    @property
    def q(self) -> list[str]:
        """Paths of the coordinates."""
        return [v.path for v in self.manifold.system.q]

    @property
    def u(self) -> list[str]:
        """Paths of the speeds."""
        return [v.path for v in self.manifold.system.u]

    def at(self, points: Points, *names: str) -> list[Array]:
        """Return matrices of the program at some states."""
        at = self.manifold.values.at(self.program, points)
        outcome = run(self.program, at, wanted=names)
        return [np.asarray(outcome.matrix(name)) for name in names]

    def velocities(self, points: Points) -> Array:
        """Return the velocities of the elements, (N, rows)."""
        V, V0 = self.at(points, "V", "V0")
        velocities: Array = (V @ points.u[:, :, None] + V0)[:, :, 0]
        return velocities

    def meet(
        self, t: float, positions: Array, velocity: Array, rng: np.random.Generator, near: Array
    ) -> Points | None:
        """Return a state at which the elements are where, and as fast as, they should be."""
        for k in range(STARTS):
            start = near if k == 0 else near + rng.uniform(-np.pi, np.pi, near.shape)
            points = self._placed(t, positions, start)
            if points is not None:
                return self._moved(points, velocity)
        return None

    def undetermined(self, points: Points) -> list[str]:
        """Return variables that neither the elements nor the invariants determine, at any state.

        States with the same positions and velocities may then differ.
        """
        Cq, Vu = self.manifold.at(points, "Cq", "Vu")
        Pq, V = self.at(points, "Pq", "V")
        loose = []
        for paths, parts in ((self.q, (Cq, Pq)), (self.u, (Vu, V))):
            free = np.all([_free(A) for A in np.concatenate(parts, axis=1)], axis=0)
            loose += [path for path, is_free in zip(paths, free, strict=True) if is_free]
        return loose

    def _placed(self, t: float, positions: Array, start: Array) -> Points | None:
        here = Points(np.array([t]), start[None], np.zeros((1, len(self.u))))

        def f(q: Array) -> tuple[Array, Array]:
            points = Points(here.t, q, here.u)
            c, Cq = self.manifold.at(points, "c", "Cq")
            p, Pq = self.at(points, "p", "Pq")
            gap = p[:, :, 0] - positions
            return np.concatenate([c[:, :, 0], gap], axis=1), np.concatenate([Cq, Pq], axis=1)

        free = np.ones(len(start), dtype=bool)
        if not len(start):
            return here
        q, _ = gauss_newton(f, start[None], free, REACH)
        points, error = self.manifold.project_positions(Points(here.t, q, here.u), free)
        (p,) = self.at(points, "p")
        size = max(1.0, float(np.abs(positions).max(initial=0.0)))
        met = np.abs(p[0, :, 0] - positions).max(initial=0.0) <= MET * size
        return points if met and error[0] <= CLOSE else None

    def _moved(self, points: Points, velocity: Array) -> Points | None:
        V, V0 = self.at(points, "V", "V0")

        def f(u: Array) -> tuple[Array, Array]:
            v, Vu = self.manifold.at(Points(points.t, points.q, u), "v", "Vu")
            gap = (V @ u[:, :, None] + V0)[:, :, 0] - velocity
            return np.concatenate([v[:, :, 0], gap], axis=1), np.concatenate([Vu, V], axis=1)

        start = np.linalg.lstsq(V[0], velocity - V0[0, :, 0], rcond=None)[0]
        free = np.ones(len(start), dtype=bool)
        u, _ = gauss_newton(f, start[None], free, np.inf)
        points, error = self.manifold.project_velocities(Points(points.t, points.q, u), free)
        size = max(1.0, float(np.abs(velocity).max(initial=0.0)))
        met = np.abs(self.velocities(points)[0] - velocity).max(initial=0.0) <= MET * size
        return points if met and error[0] <= CLOSE else None


def _free(A: Array) -> Array:
    """Return which variables have a part in a motion that no row of a matrix sees."""
    size = np.linalg.norm(A, axis=1, keepdims=True)
    _, s, Vt = np.linalg.svd(A / np.where(size > 0, size, 1.0), full_matrices=True)
    rank = int((s > UNSEEN * s.max(initial=0.0)).sum())
    free: Array = np.abs(Vt[rank:]).max(axis=0, initial=0.0) > UNSEEN
    return free


def shared(
    first: Sequence[str], second: Sequence[str], renamed: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return the elements that two models share, by name or as they are renamed.

    If each has only one body, these are the same.
    """
    pairs = [(a, renamed.get(a, a)) for a in first if renamed.get(a, a) in second]
    if not pairs and len(first) == len(second) == 1:
        return [(first[0], second[0])]
    return pairs
