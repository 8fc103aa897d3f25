"""Equilibrium: where a system stays at rest, or goes on steadily with speeds that are held.

Sought are coordinates and multipliers, and speeds that follow from held ones, at which the
equations of motion hold with all accelerations zero:

    c(q) = 0,   v(q, u) = 0,   h(q, u) + A^T lam = 0,   b(q, u) = 0.

A speed that is freed may also change, as those along the axes of the ground do in a steady
turn; what follows from them is then no rest, but all independent speeds keep their values.

Damped steps of least length lead there, with exact slopes (`mbx.numerics.states.manifold`), so that
coordinates which nothing depends on stay where they are. What is held is an invariant, and its
multiplier is the force that holds it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.assembly import WIDE, distinct, poses
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import inputs_of, start_of
from mbx.analyses.experiments.form_rounding import COUNT, nudged
from mbx.analyses.experiments.observe import Place
from mbx.analyses.linearize.linear_scales import Scales
from mbx.analyses.linearize.linear_system import Linear, linearize
from mbx.analyses.linearize.residual_slopes import Residual
from mbx.base.short_repr import join_values, shorten_repr
from mbx.expr.build import sub
from mbx.expr.nodes import number
from mbx.numerics.newton import REACH, gauss_newton, row_sizes
from mbx.numerics.states.complete import likely
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.system.system import Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Equilibrium", "equilibria", "equilibrium"]

CLOSE: Final = 1e-10
"""Part of the largest term of a row that may remain of it."""
TRIALS: Final = 200
"""Random places from which equilibria are looked for."""
AROUND: Final = 24
"""Places around the start that are tried where the start itself leads nowhere."""
MUCH: Final = 0.1
"""Part of what is worst unbalanced from which a message names the rest."""
NAMED: Final = 6
"""How many of them are named."""
DIGITS: Final = 6
"""Decimals by which equilibria are put in order, in rad and sizes of the mechanism."""
BEYOND: Final = 100.0
"""How many times larger than its rounding a row has to be, to be no rounding itself."""
NOTHING: Final = 1e-9
"""Part of the largest force below which a holding force is rounding."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Equilibrium:
    """A state in balance.

    Attributes:
        state: Coordinates and speeds by path, in SI units.
        held: The force or torque that holds each held variable, by path.
        linear: Small motions about it, with what is held; None where they cannot be told.
        why: The reason why they cannot.
    """

    state: Mapping[str, float]
    held: Mapping[str, float]
    linear: Linear | None
    why: str = ""

    def __repr__(self) -> str:
        """Return the state and its stability."""
        return shorten_repr(f"<Equilibrium, {self.stability}: {join_values(self.state)}>")

    @property
    def stability(self) -> str:
        """What small motions say of it."""
        return "unknown" if self.linear is None else self.linear.stability

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data; a complex number is a pair."""
        values = [] if self.linear is None else self.linear.eigenvalues.tolist()
        return {
            "state": dict(self.state),
            "held": dict(self.held),
            "stability": self.stability,
            "kind": None if self.linear is None else self.linear.kind,
            "eigenvalues": [[v.real, v.imag] for v in values],
        }


@dataclass(frozen=True, slots=True, eq=False)
class _Balance:
    """Where searches ended, a row each: q, u, multipliers, and what is left of each equation."""

    q: Array
    u: Array
    lam: Array
    left: Array
    good: NDArray[np.bool_]

    def some(self, chosen: NDArray[np.intp]) -> _Balance:
        """Return some of them, in the order that is said."""
        q, u, lam, left = (each[chosen] for each in (self.q, self.u, self.lam, self.left))
        return _Balance(q, u, lam, left, self.good[chosen])


@dataclass(frozen=True, eq=False)
class _Search:
    """The balance of a plan with what is held, and where a search begins."""

    plan: Plan
    residual: Residual
    start: Mapping[str, float]
    held: tuple[str, ...]
    speeds: NDArray[np.bool_]

    @cached_property
    def scales(self) -> Scales:
        """The sizes of the mechanism at the start."""
        plan, found = self.plan, self.residual
        return Scales.of(
            found, found.values(self.start, plan.parameters, inputs_of(plan), plan.first)
        )

    @classmethod
    def of(cls, plan: Plan) -> _Search:
        system = plan.system
        known = {v.path for v in system.q}
        # a speed is at rest unless it is held; what is said of a start is about a motion
        kept = known | plan.held | plan.freed
        said = {p: x for p, x in plan.said.items() if p in kept}
        still = tuple(v if v.path in kept else replace(v, start=0.0) for v in system.u)
        calm = replace(plan, said=said, system=replace(system, u=still))
        start = start_of(calm, keeping="said")
        held = tuple(v.path for v in (*system.q, *system.u) if v.path in plan.held)
        rows = tuple(_held_row(calm, path, start[path]) for path in held)
        fastest = max((abs(start[v.path]) for v in system.u), default=0.0)
        start = {
            p: x if p in known or abs(x) > NOTHING * fastest else 0.0 for p, x in start.items()
        }
        free = [
            v.path not in plan.held and (start[v.path] != 0 or v.path in plan.freed)
            for v in system.u
        ]
        residual = Residual(replace(system, rows=(*system.rows, *rows)))
        return cls(plan, residual, start, held, np.array(free, dtype=bool))

    def run(self, q: Array) -> _Balance:
        """Return states in balance near some places."""
        found, plan = self.residual, self.plan
        count, n, m = len(q), len(found.q), len(found.moving.u)
        scales = self.scales
        sizes = np.concatenate([scales.q, scales.u, np.ones(len(found.lam)), scales.u])
        u = np.tile([self.start[v.path] for v in found.system.u], (count, 1))
        values = found.values(self.start, plan.parameters, inputs_of(plan), plan.first)
        (r,) = found.columns(["r"], values, 1)
        scale = float(np.abs(r).max(initial=0.0)) or 1.0  # multipliers in the size of the loads

        end = n + m + len(found.lam)

        def at(x: Array) -> dict[Node, Any]:
            x = sizes * x
            here = values | {s: x[:, k] for k, s in enumerate((*found.q, *found.moving.u))}
            here |= {s: scale * x[:, n + m + k] for k, s in enumerate(found.lam)}
            return here | {s: x[:, end + k] for k, s in enumerate(found.moving.ud)}

        def f(x: Array) -> tuple[Array, Array]:
            c, J = self._rows(at(x), count, scale)
            return c / rows, J * sizes / rows[:, None]

        x = np.concatenate([q, u, np.zeros((count, len(found.lam) + m))], axis=1) / sizes
        (r,), (L,) = found.columns(["r"], at(x), count), found.tables([("r", "lam")], at(x), count)
        sound = np.asarray(np.isfinite(r).all(axis=1) & np.isfinite(L).all(axis=(1, 2)))
        # Newton's method is at home only where the multipliers are near theirs
        least = np.linalg.pinv(np.where(sound[:, None, None], L, 0.0))
        x[:, n + m : end] = -(least @ np.where(sound[:, None], r, 0.0)[:, :, None])[:, :, 0] / scale
        moved = [v.path in plan.freed for v in found.system.u]
        free = np.array(
            [True] * n + self.speeds.tolist() + [True] * len(found.lam) + moved, dtype=bool
        )
        first = {s: float(np.ravel(value)[0]) for s, value in at(x[:1]).items()}
        rows = self._row_sizes(first, np.where(free, sizes, 0.0), scale)
        x, error = gauss_newton(f, x, free, REACH)
        c, J = f(x)
        with np.errstate(over="ignore"):
            left = np.abs(c) / np.maximum(row_sizes(J, x), np.finfo(float).tiny)
        left = np.where(np.isfinite(left), left, 0.0)
        good = np.asarray(error <= CLOSE)
        x = sizes * x
        return _Balance(x[:, :n], x[:, n : n + m], scale * x[:, n + m : end], left, good)

    def _rows(self, here: Mapping[Node, Any], count: int, scale: float) -> tuple[Array, Array]:
        """Return all rows of the balance, and their slopes by q, u, scaled multipliers and ud."""
        found = self.residual
        names = ["c", "v", "r", "a"]
        columns = found.columns(names, here, count)
        m = len(found.moving.u)
        widths = {"q": len(found.q), "u": m, "lam": len(found.lam), "ud": m}
        slopes = []
        for name, column in zip(names, columns, strict=True):
            parts = [
                found.tables([(name, by)], here, count)[0]
                if (name, by) in found.slopes
                else np.zeros((count, column.shape[1], width))
                for by, width in widths.items()
            ]
            slopes.append(np.concatenate([*parts[:2], scale * parts[2], parts[3]], axis=2))
        return np.concatenate(columns, axis=1), np.concatenate(slopes, axis=1)

    def _row_sizes(self, here: Mapping[Node, Any], units: Array, scale: float) -> Array:
        """Return how large each force is at the start, so that none is small beside another.

        One that is as small as the rounding of its own terms holds by itself, and counts as
        rounding beside the largest. `units` are sizes of variables, 0 where they do not move.
        """
        c, J = self._rows(here, 1, scale)
        near, _ = self._rows(nudged(here, COUNT), COUNT, scale)
        size = np.maximum(np.abs(J[0]) @ units, np.abs(c[0]))
        noise = np.abs(near - c).max(axis=0, initial=0.0)
        first = len(self.residual.nodes["c"]) + len(self.residual.nodes["v"])
        forces = np.zeros(len(size), dtype=bool)
        forces[first : first + len(self.residual.moving.u)] = True
        largest = float(size[forces].max(initial=0.0))
        size = np.where(np.isfinite(size) & (size > BEYOND * noise), size, largest)
        return np.where(forces & (size > 0) & np.isfinite(size), size, 1.0)

    def judged(self, balance: _Balance, k: int) -> Equilibrium:
        """Return what is known of one state in balance."""
        found = self.residual
        q, u, lam = balance.q[k], balance.u[k], balance.lam[k]
        state = {v.path: float(x) for v, x in zip(found.system.q, q, strict=True)}
        state |= {v.path: float(x) for v, x in zip(found.system.u, u, strict=True)}
        rows = [row.path for row in found.levels.rows]
        largest = float(np.abs(lam).max(initial=0.0))
        forces = {path: float(lam[rows.index(f"held {path}")]) for path in self.held}
        forces = {p: x if abs(x) > NOTHING * largest else 0.0 for p, x in forces.items()}
        plan = self.plan
        at = Place(state, plan.parameters, inputs_of(plan), plan.first)
        try:
            return Equilibrium(state=state, held=forces, linear=linearize(found, at))
        except NotRunError as reason:
            return Equilibrium(state=state, held=forces, linear=None, why=str(reason))


def equilibrium(plan: Plan) -> Equilibrium:
    """Return the equilibrium near the start of a plan; raise `NotRunError` if there is none."""
    search = _Search.of(plan)
    balance = search.run(_start_of(search))
    if not balance.good[0]:
        message = _unbalanced(search, balance.left[0])
        balance = _around(search)
        if not len(balance.q):
            raise NotRunError(message)
    found = search.judged(balance, 0)
    if found.linear is not None and found.linear.kind == "instant of a motion":
        raise NotRunError(
            f"what is in balance at t = {plan.first:.6g} s is so for an instant: as the time goes"
            " on, or coordinates do, forces or speeds change; hold other speeds, or start elsewhere"
        )
    return found


def equilibria(plan: Plan, seed: int = 1) -> list[Equilibrium]:
    """Return all equilibria that were found from random places, the nearest to the start first.

    Coordinates that nothing depends on stay where they start.
    """
    search = _Search.of(plan)
    system = search.residual.system
    rng = np.random.default_rng(seed)
    first = _start_of(search)
    fixed = np.array(search.residual.unmoved(), dtype=bool)
    fixed |= np.array([v.path in search.held for v in system.q], dtype=bool)
    wide: list[float] = (WIDE * search.scales.q).tolist()
    spans = [v.range or (likely(v) - w, likely(v) + w) for v, w in zip(system.q, wide, strict=True)]
    tried = np.array([rng.uniform(*span, TRIALS) for span in spans], dtype=float).T
    tried = np.where(fixed, first, tried.reshape(TRIALS, len(system.q)))
    balance = search.run(np.concatenate([first, tried]))
    balance = balance.some(np.flatnonzero(balance.good & _inside(system.q, balance.q)))
    balance = balance.some(_from(first, balance.q, search.scales.q))
    manifold = Manifold(system, Values(plan.parameters, inputs_of(plan)))
    if len(balance.q):
        assembled = manifold.assembled(_points(plan, balance))
        balance = balance.some(np.flatnonzero(assembled))
    places = poses(manifold, _points(plan, balance), search.scales.length)
    found = [search.judged(balance, k) for k in distinct(places)]
    steady = [x for x in found if x.linear is None or x.linear.kind != "instant of a motion"]
    if not steady:
        raise NotRunError(f"no equilibrium was found from {TRIALS + 1} places")
    return steady


def _around(search: _Search) -> _Balance:
    """Return balances from consistent places around the start, the nearest to it first."""
    system, plan = search.residual.system, search.plan
    rng = np.random.default_rng(1)
    first = _start_of(search)
    fixed = np.array([v.path in search.held for v in system.q], dtype=bool)
    fixed |= np.array(search.residual.unmoved(), dtype=bool)
    wide = np.linspace(0.0, 1.0, AROUND + 1)[1:, None] * search.scales.q
    q = first + np.where(fixed, 0.0, wide * rng.standard_normal((AROUND, len(system.q))))
    manifold = Manifold(system, Values(plan.parameters, inputs_of(plan)))
    u = np.tile([search.start[v.path] for v in system.u], (AROUND, 1))
    points, _ = manifold.project_positions(Points(np.full(AROUND, plan.first), q, u), ~fixed)
    balance = search.run(points.q)
    balance = balance.some(np.flatnonzero(balance.good & _inside(system.q, balance.q)))
    if len(balance.q):
        assembled = manifold.assembled(_points(plan, balance))
        balance = balance.some(np.flatnonzero(assembled))
    return balance.some(_from(first, balance.q, search.scales.q))


def _inside(variables: Iterable[Any], q: Array) -> NDArray[np.bool_]:
    found = np.ones(len(q), dtype=bool)
    for k, v in enumerate(variables):
        if v.range is not None:
            found &= (q[:, k] >= v.range[0]) & (q[:, k] <= v.range[1])
    return found


def _points(plan: Plan, balance: _Balance) -> Points:
    return Points(np.full(len(balance.q), plan.first), balance.q, balance.u)


def _from(first: Array, q: Array, sizes: Array) -> NDArray[np.intp]:
    """Return the order by distance; of equal ones, what is larger comes first."""
    first, q = first / sizes, q / sizes
    away = np.round(np.abs(q - first).max(axis=1, initial=0.0), DIGITS)
    return np.lexsort((*(-np.round(q, DIGITS)).T[::-1], away))


def _start_of(search: _Search) -> Array:
    return np.array([[search.start[v.path] for v in search.residual.system.q]], dtype=float)


def _held_row(plan: Plan, path: str, value: float) -> Row:
    coordinates = {v.path: v for v in plan.system.q}
    v = coordinates.get(path) or next(v for v in plan.system.u if v.path == path)
    return Row(
        path=f"held {path}",
        part="",
        value=sub(v.symbol, number(value)),
        order=0 if path in coordinates else 1,
        kind="invariant",
    )


def _unbalanced(search: _Search, left: Array) -> str:
    """Return why no equilibrium was found: what is farthest from zero."""
    found = search.residual
    labels = [f"invariant {k + 1} of positions" for k in range(len(found.nodes["c"]))]
    labels += [f"invariant {k + 1} of velocities" for k in range(len(found.nodes["v"]))]
    labels += [f"'{v.path}'" for v in found.moving.speeds]
    labels += [f"invariant '{row.path}'" for row in found.levels.rows]
    if not left.any():
        return "no equilibrium was found: a force or an invariant has no value at rest, or no slope"
    worst = [labels[k] for k in np.flatnonzero(left >= MUCH * left.max())]
    more = f" and {len(worst) - NAMED} more" if len(worst) > NAMED else ""
    return (
        "no equilibrium was found near the start: what stays unbalanced is on "
        f"{', '.join(worst[:NAMED])}{more}; start elsewhere, hold a variable, free a speed, or set"
        " an input"
    )
