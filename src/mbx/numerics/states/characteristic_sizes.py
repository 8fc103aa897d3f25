"""Characteristic sizes of a model: how large its lengths, speeds and times usually are.

A model of a micromachine and one of planets have nothing in SI units in common. The sizes are
those base units in which the numbers of the model itself (parameters, start values, masses,
places and potentials at the start) are nearest to one, in the least squares of their logarithms.
They are rounded to powers of two, so that rounding errors do not move what is drawn by them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.walk import free_symbols
from mbx.language.units import ONE, UnitError, parse
from mbx.numerics.states.complete import BOUNDLESS, likely
from mbx.numerics.states.manifold import Points
from mbx.numerics.states.separate import expressions_of, separate_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.language.units import Dimension
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold
    from mbx.numerics.states.separate import Separate
    from mbx.system.system import Parameter, System, Variable

__all__ = ["Bounds", "Sizes", "sizes_of"]

Bounds = tuple[float, float]

BASE_UNIT: Final = 10.0
"""Weight of a number whose dimension is a base unit: a length says more of lengths than G does."""
FAINT: Final = 1e-3
"""Weight of the widths of ranges: they count where nothing else has the dimension."""
VAST: Final = 1e6
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
        vast = half is None or half > VAST * max(size, abs(v.start or 0.0))
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
