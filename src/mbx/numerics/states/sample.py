"""Consistent states: random states, the start, rest, named states; and the sizes they are drawn in.

A model of a micromachine and a model of planets have nothing in SI units in common. The
characteristic sizes are those base units in which the numbers of the model itself (parameters,
start values, masses, positions and potentials at the start) are nearest to one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.expr.evaluate import evaluate_arrays, free_symbols
from mbx.expr.nodes import ZERO
from mbx.language.units import ONE, UnitError, parse
from mbx.numerics.states.complete import BOUNDLESS, complete, expressions_of, likely, separate_parts
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.numerics.tolerances import CLOSE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.expr.nodes import Node
    from mbx.language.units import Dimension
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.complete import Separate, StatePoint
    from mbx.system.system import Parameter, System, Variable


__all__ = [
    "Bounds",
    "Sample",
    "Sizes",
    "draw",
    "draw_values",
    "given",
    "no_points",
    "none_near",
    "sizes_of",
    "special",
]

Bounds = tuple[float, float]

BASE_UNIT: Final = 10.0
"""Weight of a number whose dimension is a base unit: a length says more of lengths than G does."""
FAINT: Final = 1e-3
"""Weight of the widths of ranges: they count where nothing else has the dimension."""
_WIDE: Final = 1e6
"""A range that is wider than so many sizes says nothing of where the model is used."""
OFF: Final = 0.137
"""Added to logarithms before they are rounded: means of a few powers of two are often halves."""
LARGEST: Final = 300.0
"""Largest binary logarithm of a size: squares and cubes of it must remain finite."""


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """How large variables, the time and lengths are, in SI units.

    A variable with a range has half of its width; without one, or where it is vast and its
    bound None, the usual size of its dimension. `turns` says which coordinates are pure numbers,
    as angles are.
    """

    q: Array
    u: Array
    t: float
    length: float
    q_bounds: tuple[Bounds | None, ...]
    u_bounds: tuple[Bounds | None, ...]
    turns: tuple[bool, ...]


def sizes_of(manifold: Manifold) -> Sizes:
    """Return the characteristic sizes of a model; of each part by itself, if it has several."""
    system = manifold.system
    parts = separate_parts(system)
    with np.errstate(all="ignore"):
        whole = _fit(list(_numbers(manifold)))
        exponents = dict.fromkeys((v.symbol for v in (*system.q, *system.u)), whole)
        for part in parts if len(parts) > 1 else ():
            own = _fit(list(_numbers(manifold, part)))
            exponents |= {symbol: own for symbol in part.variables if symbol in exponents}
    q, q_bounds = _variables(system.q, exponents)
    u, u_bounds = _variables(system.u, exponents)
    turns = tuple(_dimension(v) == ONE for v in system.q)
    t, length = (_size(parse(unit).dimension, whole) for unit in ("s", "m"))
    return Sizes(q, u, t, length, q_bounds, u_bounds, turns)


def _variables(
    variables: Sequence[Variable], exponents: Mapping[Node, Array]
) -> tuple[Array, tuple[Bounds | None, ...]]:
    sizes, bounds = [], []
    for v in variables:
        size = _size(_dimension(v), exponents[v.symbol])
        half = None if v.range is None else v.range[1] / 2 - v.range[0] / 2
        vast = half is None or half > _WIDE * max(size, abs(v.start or 0.0))
        bounds.append(None if vast else v.range)
        sizes.append(size if vast or half is None else half)
    return np.array(sizes, dtype=float), tuple(bounds)


def _dimension(what: Variable | Parameter) -> Dimension:
    try:
        return parse(what.unit).dimension
    except UnitError:
        return ONE


def _size(dimension: Dimension, exponents: Array) -> float:
    power = float(np.dot([float(e) for e in dimension], exponents))
    return float(2.0 ** np.clip(np.round(power + OFF), -LARGEST, LARGEST))


def _fit(numbers: Sequence[tuple[Dimension, float, float]]) -> Array:
    """Return the binary logarithms of the base units that make numbers nearest to one."""
    rows = [
        (np.array([float(e) for e in dimension]), np.log2(value), weight)
        for dimension, value, weight in numbers
        if dimension != ONE
    ]
    if not rows:
        return np.zeros(len(ONE))
    A = np.array([row * weight for row, _, weight in rows])
    b = np.array([value * weight for _, value, weight in rows])
    return np.asarray(np.linalg.lstsq(A, b, rcond=1e-9)[0])


def _numbers(
    manifold: Manifold, part: Separate | None = None
) -> Iterator[tuple[Dimension, float, float]]:
    """Yield dimension, magnitude and weight of the numbers that are not zero.

    They are those of the whole model, or of a part of it that nothing connects with the rest.
    """
    system = manifold.system
    start = Points(
        np.zeros(1),
        np.array([[likely(v) for v in system.q]], dtype=float).reshape(1, len(system.q)),
        np.array([[likely(v) for v in system.u]], dtype=float).reshape(1, len(system.u)),
    )
    known = manifold.values.at(manifold.equations, start)
    drawn = {*manifold.values.parameters, *manifold.values.inputs}
    stated = [p for p in (*system.parameters, *system.inputs) if p.path not in drawn]
    stated = [p for p in stated if part is None or p.symbol in part.symbols]
    variables = [v for v in (*system.q, *system.u) if part is None or v.symbol in part.variables]
    found: list[tuple[Dimension, Array | float | None]]
    found = [(_dimension(p), known.get(p.symbol)) for p in stated]
    found += [(_dimension(v), v.start) for v in variables]
    found += _of_elements(system, known, part)
    for dimension, value in found:
        size = 0.0 if value is None else float(np.abs(np.asarray(value)).max(initial=0.0))
        if np.isfinite(size) and size > 0:
            yield dimension, size, BASE_UNIT if sum(map(abs, dimension)) == 1 else 1.0
    for v in variables:
        half = 0.0 if v.range is None else v.range[1] / 2 - v.range[0] / 2
        if 0 < half < BOUNDLESS:
            yield _dimension(v), half, FAINT


def _of_elements(
    system: System, known: Mapping[Node, Array], part: Separate | None
) -> list[tuple[Dimension, Array | None]]:
    """Return masses, distances, gravity and potentials at the start, where they have values."""
    kg, m, gravity, energy = (parse(u).dimension for u in ("kg", "m", "m/s^2", "J"))
    found: list[tuple[Dimension, Array | None]] = []
    places = [np.zeros(3)]
    for e in system.elements:
        if part is not None and not part.has(expressions_of(e)):
            continue
        if e.m is not None:
            found.append((kg, _value([e.m], known)))
        if e.gravity is not None:
            found.append((gravity, _length(_value(e.gravity, known))))
        place = _value(e.com.p, known) if e.placed else None
        if place is not None:
            places.append(place)
    found += [(m, _length(b - a)) for a, b in pairwise(places)]
    found += [
        (energy, _value([one.value], known))
        for one in system.potentials
        if part is None or part.has([one.value])
    ]
    return found


def _value(nodes: Sequence[Node], known: Mapping[Node, Array]) -> Array | None:
    """Return the values of some expressions at the start; None if they have none."""
    if not all(symbol in known for symbol in free_symbols(nodes)):
        return None
    try:
        found = evaluate_arrays(nodes, known)
    except (ArithmeticError, ValueError):
        return None
    return np.array([float(np.ravel(one)[0]) for one in found])


def _length(vector: Array | None) -> Array | None:
    return None if vector is None else np.asarray(np.linalg.norm(vector))


AROUND: Final = 0.5
"""How far from its start a coordinate without a range is drawn, in rad and m."""
PARAMETER: Final = (0.5, 1.5)
"""Where a parameter without a value and without a range is drawn, in its SI unit."""
INPUT: Final = (-1.0, 1.0)
TIME: Final = (0.0, 2.0)
"""Where the time of random states is drawn, in s; all others are at zero."""
VAST: Final = 1e6
"""A range that is wider, in SI units, says nothing if it holds what is drawn without one."""
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
    nearer: frozenset[str] = frozenset()
    """Random states that were drawn nearer to the start, for none was found in the whole range."""

    def and_then(self, other: Sample) -> Sample:
        """Return these states and others behind them."""
        return Sample(
            self.points.and_then(other.points),
            self.names + other.names,
            self.notes + other.notes,
            self.rejected + other.rejected,
            self.refused + other.refused,
            self.nearer | other.nearer,
        )

    def some(self, chosen: NDArray[np.bool_]) -> Sample:
        """Return the states that are chosen."""
        return Sample(
            self.points.some(chosen),
            tuple(n for n, c in zip(self.names, chosen, strict=True) if c),
            tuple(n for n, c in zip(self.notes, chosen, strict=True) if c),
            self.rejected,
            self.refused,
            self.nearer,
        )


def draw_values(system: System, rng: np.random.Generator) -> Values:
    """Draw values for parameters and inputs that have none, rates of inputs included.

    An input that is zero is drawn, too: what it does would not be seen.
    """
    parameters = {
        p.path: _between(_span(p, PARAMETER), rng.uniform())
        for p in system.parameters
        if p.value is None
    }
    inputs = {
        one.path + "'" * k: _between(_span(one, INPUT) if k == 0 else INPUT, rng.uniform())
        for one in system.inputs
        if one.value is None or one.value is ZERO
        for k in range(3 if one.value is None else 1)
    }
    return Values(parameters, inputs)


def _span(what: Parameter | Variable, usual: tuple[float, float]) -> tuple[float, float]:
    """Return where something is drawn: in its range, unless that is vast."""
    if what.range is None:
        return usual
    lower, upper = what.range
    vast = upper / 2 - lower / 2 > VAST and lower <= usual[0] and usual[1] <= upper
    return usual if vast else what.range


def _between(span: tuple[float, float], x: Any) -> Any:
    """Return what is between two bounds, whose difference may be beyond the numbers."""
    lower, upper = span
    return lower + (upper - lower) * x if upper - lower < np.inf else (1 - x) * lower + x * upper


def draw(manifold: Manifold, rng: np.random.Generator, count: int, *, first: int = 1) -> Sample:
    """Draw random consistent states, at most as many as are asked for.

    Where there is none by steps in SI units, these are of the sizes of the model.
    """
    system = manifold.system
    found, rejected = no_points(system), 0
    sizes: Sizes | None = None
    for k in range(2 * ROUNDS):
        missing = count - len(found)
        if missing <= 0 or (k >= ROUNDS and sizes is None and len(found)):
            break
        if k == ROUNDS:
            sizes = sizes_of(manifold)
        points, error = _projected(manifold, _random(system, rng, missing), sizes)
        kept = error <= CLOSE
        rejected += int((~kept).sum())
        found = found.and_then(points.some(kept))
    names = tuple(f"random {k}" for k in range(first, first + len(found)))
    return Sample(found, names, ("",) * len(found), rejected)


def special(manifold: Manifold, rng: np.random.Generator, rest: Sample | None = None) -> Sample:
    """Return the start, a state of rest, and the named states, as far as they can be kept.

    The state of rest is the one that is given, or is drawn near the start.
    """
    system = manifold.system
    sample = _assembled(manifold, "start", _starts(system.q), _starts(system.u))
    sample = sample.and_then(_rest(manifold, rng) if rest is None else rest)
    for name, said in system.states.items():
        sample = sample.and_then(
            _assembled(manifold, f"state {name}", *(_said(v, said) for v in (system.q, system.u)))
        )
    return sample


def _rest(manifold: Manifold, rng: np.random.Generator) -> Sample:
    points, error = _projected(manifold, _random(manifold.system, rng, 1, speed=0.0))
    if error[0] <= CLOSE:
        return Sample(points, ("rest",), ("",))
    return none_near(manifold.system, "rest")


def given(manifold: Manifold, states: Sequence[StatePoint]) -> Sample:
    """Return states that are given in numbers; those that are not consistent are refused."""
    system = manifold.system
    t = np.array([one.t for one in states], dtype=float)
    q = np.array([[one.values[v.path] for v in system.q] for one in states], dtype=float)
    u = np.array([[one.values[v.path] for v in system.u] for one in states], dtype=float)
    points = Points(t, q.reshape(len(t), len(system.q)), u.reshape(len(t), len(system.u)))
    errors = np.maximum(*manifold.residuals(points))
    kept = (errors <= CLOSE) & manifold.assembled(points)
    names = tuple(one.name for one in states)
    refused = tuple(f"{n}: it is not consistent" for n, k in zip(names, kept, strict=True) if not k)
    return replace(Sample(points, names, ("",) * len(names)).some(kept), refused=refused)


def no_points(system: System) -> Points:
    """Return no states, with the variables of a system."""
    return Points(np.zeros(0), np.zeros((0, len(system.q))), np.zeros((0, len(system.u))))


def none_near(system: System, name: str) -> Sample:
    """Return no states, and why there is none of a name."""
    return Sample(no_points(system), (), (), 0, (f"{name}: no consistent state is near it",))


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
) -> Points:
    spans = [_span(v, (likely(v) - AROUND, likely(v) + AROUND)) for v in system.q]
    q = np.array([_between(span, rng.uniform(size=count)) for span in spans], dtype=float)
    u = speed * rng.standard_normal((count, len(system.u)))
    return Points(rng.uniform(*TIME, count), q.T.reshape(count, len(spans)), u)


def _projected(
    manifold: Manifold, points: Points, sizes: Sizes | None = None
) -> tuple[Points, Array]:
    """Bring whole states onto the invariants; return what remains of these."""
    points, error = manifold.project(points, None, None if sizes is None else (sizes.q, sizes.u))
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
        return none_near(manifold.system, name)
    moved = ["coordinates"] * found.coordinates + ["speeds"] * found.speeds
    note = f"{' and '.join(moved)} moved to be consistent" if moved else ""
    return Sample(found.points, (name,), (note,))
