"""The states that the invariants allow, and the way to them.

Invariants at every level and their Jacobians are a program like any other, run for many
states at once. A point is brought onto them by damped steps of least length,

    dx = -J^T (J J^T + mu)^-1 c,   mu = |c|^2, bounded, with rows scaled to 1,

which converge as Newton's do, also where rows of J depend on each other (Yamashita and
Fukushima, Computing Suppl. 15, 2001).
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
from mbx.numerics.execute.stacked_algebra import EPS
from mbx.numerics.execute.step_kinds import expression_noise, expression_values
from mbx.numerics.ranks import rank
from mbx.numerics.rounding import ENTRY

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
    "gauss_newton",
    "invariants_of",
    "row_sizes",
    "without_identities",
]

ITERATIONS: Final = 60
POLISH: Final = 2
"""Steps after the invariants are kept to rounding."""
PATIENCE: Final = 8
"""Steps without a gain after which a point that was drawn is given up."""
GAIN: Final = 0.7
"""What is left of an error after a step that counts."""
CLOSE: Final = 64 * EPS
"""Part of the magnitude of a row that may remain of it."""
ROUGH: Final = 1e-9
"""Part of the magnitude of a row beyond which what remains of it is no rounding."""
REACH: Final = 0.5
"""Longest step of a coordinate, in rad and m."""
SENSE: Final = 1e-6
"""The product of axes that point the same way is 1; after a third of a turn it is rounding."""
LEAST: Final = 1e-2
"""A variable counts as at least that large where rows are scaled."""
FLAT: Final = 1e-20
"""Least damping: directions that an invariant hardly sees are left alone."""
STEEP: Final = 1e-4
"""Most damping, far from the invariants."""
_SECOND: Final = 2
HELD: Final = 1e-3
"""Part of its terms below which the slope of a row that is kept to rounding counts for nothing."""
EMPTY: Final = 1e-13
"""Part of the largest row below which a row is nothing but rounding."""


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


def row_sizes(J: Array, x: Array, sizes: Array | None = None) -> Array:
    """Return how large the terms of rows are whose slopes are J at x, (K, m).

    `sizes` are those that the variables usually have; without them, one SI unit.
    """
    least = LEAST if sizes is None else LEAST * sizes
    size: Array = (np.abs(J) @ np.maximum(np.abs(x), least)[:, :, None])[:, :, 0]
    # a row that holds by itself is rounding, and its own size says nothing
    largest = size.max(axis=1, keepdims=True, initial=0.0)
    return np.where(size > EMPTY * largest, size, largest)


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


@np.errstate(over="ignore", invalid="ignore")  # what is not finite is no state
def gauss_newton(
    f: Callable[[Array], tuple[Array, Array]],
    x: Array,
    free: NDArray[np.bool_],
    reach: float,
    sizes: Array | None = None,
) -> tuple[Array, Array]:
    """Return points where f is zero, and the largest scaled row of f that remains at each.

    `f` returns values (K, m) and Jacobians (K, m, n); only the free columns move. Lengths of
    steps, and `reach`, are relative to the `sizes` of the variables; without them, in SI units.
    """
    unit = np.ones(int(free.sum())) if sizes is None else sizes[free]
    best, least = x, np.full(len(x), np.inf)
    polished = idle = 0
    for _ in range(ITERATIONS):
        c, J = f(x)
        if not c.shape[1]:
            return x, np.zeros(len(x))
        size = row_sizes(J, x, sizes)
        error = (np.abs(c) / np.where(size > 0, size, 1.0)).max(axis=1)
        error = np.where(np.isfinite(error) & np.isfinite(J).all(axis=(1, 2)), error, np.inf)
        better = error < least
        gains = (least > CLOSE) & (error < GAIN * least)
        idle = 0 if gains.any() else idle + 1
        best, least = np.where(better[:, None], x, best), np.where(better, error, least)
        polished += bool((least <= CLOSE).all())
        if polished > POLISH or not free.any() or not np.isfinite(error).any():
            break
        if sizes is not None and idle > PATIENCE:  # of points that were drawn, others are tried
            break
        x = x.copy()
        x[:, free] += unit * _step(c, J[:, :, free] * unit, np.isfinite(error), reach)
    return best, least


def _step(c: Array, J: Array, sound: NDArray[np.bool_], reach: float) -> Array:
    """Return the next step of each point, none where there is nothing sound to go by."""
    c, J = np.where(sound[:, None], c, 0.0), np.where(sound[:, None, None], J, 0.0)
    size = np.abs(J).max(axis=2)
    kept = size > EMPTY * size.max(axis=1, keepdims=True)
    size = np.where(kept, size, 1.0)
    c, J = np.where(kept, c, 0.0) / size, np.where(kept[:, :, None], J, 0.0) / size[:, :, None]
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    mu = np.clip(np.abs(c).max(axis=1, keepdims=True) ** 2, FLAT, STEEP) * s[:, :1] ** 2
    gain = np.where(s > 0, s / np.where(s > 0, s**2 + mu, 1.0), 0.0)
    right = -(np.swapaxes(U, 1, 2) @ c[:, :, None])
    dx = (np.swapaxes(Vt, 1, 2) @ (gain[:, :, None] * right))[:, :, 0]
    longest = np.abs(dx).max(axis=1, initial=0.0)
    return np.asarray(dx * np.minimum(1.0, reach / np.maximum(longest, 1e-300))[:, None])
