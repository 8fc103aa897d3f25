"""The states that the invariants allow, and the way to them.

Invariants at every level and their Jacobians are a program like any other, run for many
states at once. A point is brought onto them by damped steps of least length.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.derivatives import jacobian
from mbx.formalism.builder import Program
from mbx.mechanics import invariants, motion
from mbx.numerics.execute.evaluate_equations import values_of
from mbx.numerics.execute.execute import input_errors, run
from mbx.numerics.execute.step_kinds import expression_noise, expression_values
from mbx.numerics.newton import REACH, gauss_newton, row_sizes
from mbx.numerics.ranks import rank
from mbx.numerics.tolerances import CLOSE, ENTRY, HELD, ROUGH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = [
    "Manifold",
    "Points",
    "Values",
    "invariants_of",
    "without_identities",
]

SENSE: Final = 1e-6
"""The product of axes that point the same way is 1; after a third of a turn it is rounding."""
_SECOND: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """States in numbers: t, q and u, one row for each state."""

    t: Array
    q: Array
    u: Array

    def __len__(self) -> int:
        """Return how many states there are."""
        return len(self.t)

    def some(self, chosen: NDArray[np.bool_]) -> Points:
        """Return the states that are chosen."""
        return Points(self.t[chosen], self.q[chosen], self.u[chosen])

    def and_then(self, other: Points) -> Points:
        """Return these states and others behind them."""
        return Points(
            np.concatenate([self.t, other.t]),
            np.concatenate([self.q, other.q]),
            np.concatenate([self.u, other.u]),
        )


@dataclass(frozen=True, slots=True)
class Values:
    """Values of parameters and inputs that have none of their own, by path."""

    parameters: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, float] = field(default_factory=dict)

    def at(
        self, equations: Equations, points: Points, higher: Mapping[str, Array] | None = None
    ) -> dict[Node, Array]:
        """Return the value of every symbol of some equations."""
        signature = equations.signature
        state = {one.path: points.q[:, k] for k, one in enumerate(signature.q)}
        state |= {one.path: points.u[:, k] for k, one in enumerate(signature.u)}
        state |= {one.path: (higher or {})[one.path] for one in signature.higher}
        known = {one.path for one in signature.inputs}
        inputs = {path: value for path, value in self.inputs.items() if path in known}
        return values_of(equations, state, self.parameters, inputs, points.t)


def invariants_of(system: System) -> Equations:
    """Return the invariants at every level, with Jacobians, as a program.

    c and Cq at positions, v and Vu at velocities, A and b at accelerations; G are the rows of
    A that keep quaternions at unit length. `branch` says which assemblies a state belongs to;
    `sense` is positive where joints are assembled with their axes in the same sense, and
    `rates` are those of the coordinates, and Ru their slopes by the speeds.
    """
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    q = [v.symbol for v in system.q]
    names, speeds = [v.path for v in system.q], [s.path for s in moving.speeds]
    program = Program()
    program.column("c", levels.position)
    program.define("Cq", jacobian(levels.position, q), columns=names)
    program.column("v", levels.velocity)
    program.define("Vu", jacobian(levels.velocity, moving.u), columns=speeds)
    # one that is not affine in accelerations is a matter of the level above
    low = [k for k, r in enumerate(levels.rows) if r.affine or r.order < _SECOND]
    rows = [levels.rows[k].path for k in low]
    program.define("A", [levels.A[k] for k in low], rows=rows, columns=speeds)
    program.column("b", [levels.b[k] for k in low], rows=rows)
    norms = [row for row, r in zip(levels.A, levels.rows, strict=True) if r.kind == "norm"]
    program.define("G", norms, columns=speeds)
    senses = [row.sense for row in (*system.rows, *system.closed) if row.sense is not None]
    program.column("sense", senses)
    rates = moving.express([v.rate for v in system.q])
    program.column("rates", rates, rows=names)
    program.define("Ru", jacobian(rates, moving.u), rows=names, columns=speeds)
    program.column("branch", moving.express(list(system.branches.values())), rows=system.branches)
    found = program.equations(system, "invariants", "Invariants", "", {"A": "A", "b": "b"})
    # invariants up to order 2 are all that is written here, so they need no accelerations
    return replace(found, signature=replace(found.signature, higher=()))


@dataclass(frozen=True)
class Manifold:
    """The invariants of a system where parameters have values."""

    system: System
    values: Values

    @cached_property
    def equations(self) -> Equations:
        """The program of the invariants."""
        return invariants_of(self.system)

    def with_values(self, values: Values) -> Manifold:
        """Return the invariants where parameters have other values; the program is the same."""
        other = replace(self, values=values)
        other.__dict__["equations"] = self.equations
        return other

    def at(self, points: Points, *names: str) -> list[Array]:
        """Return some matrices of the invariants at some states, (K, rows, columns)."""
        return self._at(self.values.at(self.equations, points), names)

    def noise(self, points: Points, *names: str) -> list[Array]:
        """Return bounds of the rounding errors of some matrices of the invariants."""
        values = self.values.at(self.equations, points)
        count = len(points)
        values = {node: np.broadcast_to(value, count) for node, value in values.items()}
        errors = input_errors(self.equations.signature, values)
        steps = [self.equations.step(name) for name in names]
        return expression_noise(steps, values, errors, count)

    def _at(self, values: Mapping[Node, Array], names: tuple[str, ...]) -> list[Array]:
        outcome = run(self.equations, values, wanted=names)
        found = [outcome.matrix(name) for name in names]
        return [each for each in found if not isinstance(each, list)]

    def _open(
        self, values: Mapping[Node, Array], names: tuple[str, str], count: int
    ) -> tuple[Array, Array]:
        """Return a column and its slopes, without rows that hold by themselves."""
        steps = [self.equations.step(name) for name in names]
        (c, c_error), (J, J_error) = expression_values(steps, values, {}, count)
        return without_identities(c[:, :, 0], c_error[:, :, 0], J, J_error)

    def ranks(self, points: Points) -> NDArray[np.int64]:
        """Return the rank of the invariants at each state, -1 where they have no value."""
        (A,), (noise,) = self.at(points, "A"), self.noise(points, "A")
        sound = np.asarray(np.isfinite(A).all(axis=(1, 2)))
        A, noise = (np.where(sound[:, None, None], each, 0.0) for each in (A, noise))
        return np.where(sound, rank(A, noise), -1)

    def assembled(self, points: Points) -> NDArray[np.bool_]:
        """Return at which states the sides of every joint point the same way."""
        (found,) = self.at(points, "sense")
        return np.asarray((found[:, :, 0] > SENSE).all(axis=1))

    def belongs(self, points: Points) -> NDArray[np.bool_]:
        """Return whether each state (rows) belongs to each assembly that is told apart."""
        (found,) = self.at(points, "branch")
        return np.asarray(found[:, :, 0] > 0)

    def project(
        self,
        points: Points,
        free: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
        sizes: tuple[Array, Array] | None = None,
    ) -> tuple[Points, Array]:
        """Bring coordinates, then speeds, onto the invariants; return what remains of these.

        All of them move, unless it is given which are `free`; `sizes` are those of both.
        """
        if free is None:
            free = np.ones(points.q.shape[1], dtype=bool), np.ones(points.u.shape[1], dtype=bool)
        of_q, of_u = (None, None) if sizes is None else sizes
        points, first = self.project_positions(points, free[0], of_q)
        points, second = self.project_velocities(points, free[1], of_u)
        return points, np.maximum(first, second)

    def residuals(self, points: Points) -> tuple[Array, Array]:
        """Return what remains of the invariants of positions and of velocities at some states."""
        none = np.zeros(points.q.shape[1], dtype=bool), np.zeros(points.u.shape[1], dtype=bool)
        first = self.project_positions(points, none[0])[1]
        return first, self.project_velocities(points, none[1])[1]

    def project_positions(
        self, points: Points, free: NDArray[np.bool_], sizes: Array | None = None
    ) -> tuple[Points, Array]:
        """Bring the free coordinates onto the invariants; return what remains of these.

        Steps are of least length in coordinates that are measured by their `sizes`.
        """
        known = self.values.at(self.equations, points)

        def f(q: Array) -> tuple[Array, Array]:
            here = {v.symbol: q[:, k] for k, v in enumerate(self.system.q)}
            return self._open({**known, **here}, ("c", "Cq"), len(q))

        q, error = gauss_newton(f, points.q, free, REACH, sizes)
        found = Points(points.t, q, points.u)
        return found, self._beyond_rounding(found, q, error, ("c", "Cq"), sizes)

    def project_velocities(
        self, points: Points, free: NDArray[np.bool_], sizes: Array | None = None
    ) -> tuple[Points, Array]:
        """Bring the free speeds onto the invariants; return what remains of these."""
        known = self.values.at(self.equations, points)

        def f(u: Array) -> tuple[Array, Array]:
            here = {v.symbol: u[:, k] for k, v in enumerate(self.system.u)}
            return self._open({**known, **here}, ("v", "Vu"), len(u))

        u, error = gauss_newton(f, points.u, free, np.inf, sizes)
        u = _without_rounding(f, u, error, points.u)
        found = Points(points.t, points.q, u)
        return found, self._beyond_rounding(found, u, error, ("v", "Vu"), sizes)

    def sharp(self, points: Points) -> NDArray[np.bool_]:
        """Return where positions keep the invariants relative to the terms there are.

        Where all of these are rounding, as in the tip of y = |x|, a state is consistent only
        because nothing counts as less than a part of its usual size.
        """
        c, J = self.at(points, "c", "Cq")
        size = (np.abs(J) @ np.abs(points.q)[:, :, None])[:, :, 0]
        kept = np.asarray((np.abs(c[:, :, 0]) <= CLOSE * size).all(axis=1))
        if not kept.all():
            (noise,) = self.noise(points.some(~kept), "c")
            size = np.maximum(size[~kept], noise[:, :, 0] / ENTRY)
            kept[~kept] = (np.abs(c[~kept, :, 0]) <= CLOSE * size).all(axis=1)
        return kept

    def _beyond_rounding(
        self,
        points: Points,
        x: Array,
        error: Array,
        names: tuple[str, str],
        sizes: Array | None,
    ) -> Array:
        """Return the largest scaled rows again, where terms that cancel may have left them.

        A row whose only speed is zero has no size of its own, and what other speeds leave in
        it by rounding is as large as the terms of its expression are.
        """
        odd = (error > CLOSE) & (error < ROUGH)
        if not odd.any():
            return error
        values = self.values.at(self.equations, points.some(odd))
        c, J = self._at(values, names)
        digits = {symbol: ENTRY * np.abs(value) for symbol, value in values.items()}
        (noise,) = expression_noise([self.equations.step(names[0])], values, digits, len(c))
        size = np.maximum(row_sizes(J, x[odd], sizes), noise[:, :, 0] / ENTRY)
        error = error.copy()
        error[odd] = (np.abs(c[:, :, 0]) / np.where(size > 0, size, 1.0)).max(axis=1)
        return error


def without_identities(c: Array, c_error: Array, J: Array, J_error: Array) -> tuple[Array, Array]:
    """Return a column (K, m) and its slopes with zeros in rows that hold by themselves.

    Such a row is rounding at every state, and its slopes vanish with the other rows: scaled to
    one they would be as large as any other. A loop in a plane that a ball joint closes has one
    across the plane, where a quaternion on the way is not yet of unit length. The errors are
    bounds of those by rounding.
    """
    flat = np.abs(J).max(axis=2, initial=0.0) <= HELD / ENTRY * J_error.max(axis=2, initial=0.0)
    held = flat & (np.abs(c) <= c_error)
    return np.where(held, 0.0, c), np.where(held[:, :, None], 0.0, J)


def _without_rounding(
    f: Callable[[Array], tuple[Array, Array]], u: Array, error: Array, drawn: Array
) -> Array:
    """Return speeds with zero for those that are rounding of what was drawn, where f allows it.

    Invariants that leave a mechanism no freedom leave rounding of its speeds, which keeps them
    relative to nothing: squared in b, it would belong to no acceleration.
    """
    none = (u != 0) & (np.abs(u) <= CLOSE * np.abs(drawn))
    odd = none.any(axis=1) & (error <= CLOSE)
    if not odd.any():
        return u
    still = np.where(none & odd[:, None], 0.0, u)
    c, J = f(still)
    size = row_sizes(J, np.where(none, 0.0, np.abs(still)), np.zeros(u.shape[1]))
    kept = odd & (np.abs(c) <= CLOSE * size).all(axis=1)
    return np.where(kept[:, None], still, u)
