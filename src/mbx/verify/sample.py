"""Consistent states: random ones, the start, rest, and those that the file names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.assembly.complete import complete, likely
from mbx.assembly.manifold import CLOSE, Manifold, Points, Values
from mbx.expr.nodes import ZERO

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.formalism.numerics import Array
    from mbx.system.system import System, Variable
    from mbx.verify.findings import StatePoint

__all__ = ["Sample", "draw", "draw_branches", "draw_values", "given", "special"]

AROUND: Final = 0.5
"""How far from its start a coordinate without a range is drawn, in rad and m."""
WIDE: Final = np.pi
"""The same, where another assembly is looked for."""
PARAMETER: Final = (0.5, 1.5)
"""Where a parameter without a value and without a range is drawn, in its SI unit."""
INPUT: Final = (-1.0, 1.0)
TIME: Final = (0.0, 2.0)
"""Where the time of random states is drawn, in s; all others are at zero."""
ROUNDS: Final = 10
"""How often as many states as are missing are drawn anew."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Consistent states with their names, and what was rejected on the way.

    `notes` has one text for each state, empty where there is nothing to say.
    """

    points: Points
    names: tuple[str, ...]
    notes: tuple[str, ...]
    rejected: int = 0
    refused: tuple[str, ...] = ()
    """Named states that cannot be made consistent, with the reason."""

    def and_then(self, other: Sample) -> Sample:
        """Return these states and others behind them."""
        return Sample(
            self.points.and_then(other.points),
            self.names + other.names,
            self.notes + other.notes,
            self.rejected + other.rejected,
            self.refused + other.refused,
        )

    def some(self, chosen: NDArray[np.bool_]) -> Sample:
        """Return the states that are chosen."""
        return Sample(
            self.points.some(chosen),
            tuple(n for n, c in zip(self.names, chosen, strict=True) if c),
            tuple(n for n, c in zip(self.notes, chosen, strict=True) if c),
            self.rejected,
            self.refused,
        )


def draw_values(system: System, rng: np.random.Generator) -> Values:
    """Draw values for parameters and inputs that have none, rates of inputs included.

    An input that is zero is drawn, too: what it does would not be seen.
    """
    parameters = {
        p.path: float(rng.uniform(*(p.range or PARAMETER)))
        for p in system.parameters
        if p.value is None
    }
    inputs = {
        one.path + "'" * k: float(rng.uniform(*(one.range or INPUT) if k == 0 else INPUT))
        for one in system.inputs
        if one.value is None or one.value is ZERO
        for k in range(3 if one.value is None else 1)
    }
    return Values(parameters, inputs)


def draw(manifold: Manifold, rng: np.random.Generator, count: int, *, first: int = 1) -> Sample:
    """Draw random consistent states, at most as many as are asked for."""
    system = manifold.system
    found, rejected = _empty(system), 0
    for _ in range(ROUNDS):
        missing = count - len(found)
        if missing <= 0:
            break
        points, error = _projected(manifold, _random(system, rng, missing))
        kept = error <= CLOSE
        rejected += int((~kept).sum())
        found = found.and_then(points.some(kept))
    names = tuple(f"random {k}" for k in range(first, first + len(found)))
    return Sample(found, names, ("",) * len(found), rejected)


def draw_branches(
    manifold: Manifold, rng: np.random.Generator, sample: Sample, count: int
) -> Sample:
    """Return more states of the assemblies that a sample has fewer than `count` of.

    Angles and lengths without a range are drawn further from their starts, for another
    assembly may be there.
    """
    for k, name in enumerate(manifold.system.branches):
        found, rejected = _empty(manifold.system), 0
        missing = count - int(manifold.belongs(sample.points)[:, k].sum())
        for _ in range(ROUNDS if missing > 0 else 0):
            points, error = _projected(
                manifold, _random(manifold.system, rng, 2 * count, wide=True)
            )
            kept = error <= CLOSE
            rejected += int((~kept).sum())
            points = points.some(kept)
            found = found.and_then(points.some(manifold.belongs(points)[:, k]))
            if len(found) >= missing:
                break
        chosen = np.arange(len(found)) < missing
        names = tuple(f"random {name} {j + 1}" for j in range(int(chosen.sum())))
        sample = sample.and_then(Sample(found.some(chosen), names, ("",) * len(names), rejected))
    return sample


def special(manifold: Manifold, rng: np.random.Generator) -> Sample:
    """Return the start, a state of rest, and the named states, as far as they can be kept."""
    system = manifold.system
    sample = _assembled(manifold, "start", _starts(system.q), _starts(system.u))
    points, error = _projected(manifold, _random(system, rng, 1, speed=0.0))
    if error[0] <= CLOSE:
        sample = sample.and_then(Sample(points, ("rest",), ("",)))
    else:
        sample = sample.and_then(_refused(system, "rest"))
    for name, said in system.states.items():
        sample = sample.and_then(
            _assembled(manifold, f"state {name}", *(_said(v, said) for v in (system.q, system.u)))
        )
    return sample


def given(manifold: Manifold, states: Sequence[StatePoint]) -> Sample:
    """Return states that are given in numbers; those that are not consistent are refused."""
    system = manifold.system
    t = np.array([one.t for one in states], dtype=float)
    q = np.array([[one.values[v.path] for v in system.q] for one in states], dtype=float)
    u = np.array([[one.values[v.path] for v in system.u] for one in states], dtype=float)
    points = Points(t, q.reshape(len(t), len(system.q)), u.reshape(len(t), len(system.u)))
    none = np.zeros(len(system.q), dtype=bool), np.zeros(len(system.u), dtype=bool)
    errors = manifold.project_positions(points, none[0])[1]
    errors = np.maximum(errors, manifold.project_velocities(points, none[1])[1])
    kept = (errors <= CLOSE) & manifold.assembled(points)
    names = tuple(one.name for one in states)
    refused = tuple(f"{n}: it is not consistent" for n, k in zip(names, kept, strict=True) if not k)
    return replace(Sample(points, names, ("",) * len(names)).some(kept), refused=refused)


def _empty(system: System) -> Points:
    return Points(np.zeros(0), np.zeros((0, len(system.q))), np.zeros((0, len(system.u))))


def _refused(system: System, name: str) -> Sample:
    return Sample(_empty(system), (), (), 0, (f"{name}: no consistent state is near it",))


def _starts(variables: Sequence[Variable]) -> tuple[Array, NDArray[np.bool_]]:
    """Return the start, and which variables are free to leave it: all that it does not say."""
    x = np.array([likely(v) for v in variables], dtype=float)
    return x, np.array([v.start is None for v in variables], dtype=bool)


def _said(
    variables: Sequence[Variable], said: Mapping[str, float]
) -> tuple[Array, NDArray[np.bool_]]:
    """Return a named state, completed by the start, and which variables it leaves free."""
    x = np.array([said.get(v.path, likely(v)) for v in variables], dtype=float)
    return x, np.array([v.path not in said for v in variables], dtype=bool)


def _random(
    system: System,
    rng: np.random.Generator,
    count: int,
    speed: float = 1.0,
    *,
    wide: bool = False,
) -> Points:
    reach = WIDE if wide else AROUND
    spans = [v.range or (likely(v) - reach, likely(v) + reach) for v in system.q]
    q = np.array([rng.uniform(*span, count) for span in spans], dtype=float)
    u = speed * rng.standard_normal((count, len(system.u)))
    return Points(rng.uniform(*TIME, count), q.T.reshape(count, len(spans)), u)


def _projected(manifold: Manifold, points: Points) -> tuple[Points, Array]:
    """Bring whole states onto the invariants; return what remains of these."""
    system = manifold.system
    points, first = manifold.project_positions(points, np.ones(len(system.q), dtype=bool))
    points, second = manifold.project_velocities(points, np.ones(len(system.u), dtype=bool))
    error = np.maximum(first, second)
    return points, np.where(manifold.assembled(points), error, np.inf)


def _assembled(
    manifold: Manifold,
    name: str,
    positions: tuple[Array, NDArray[np.bool_]],
    velocities: tuple[Array, NDArray[np.bool_]],
) -> Sample:
    """Complete a state; what it says is changed only where nothing else makes it consistent."""
    (q, free_q), (u, free_u) = positions, velocities
    points = Points(np.zeros(1), q[None], u[None])
    found = complete(
        manifold, points, (free_q, np.ones_like(free_q)), (free_u, np.ones_like(free_u))
    )
    if found is None:
        return _refused(manifold.system, name)
    moved = ["coordinates"] * found.coordinates + ["speeds"] * found.speeds
    note = f"{' and '.join(moved)} moved to be consistent" if moved else ""
    return Sample(found.points, (name,), (note,))
