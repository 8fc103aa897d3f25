"""Where the ranks of a model are found: at consistent states in general position."""

from __future__ import annotations

from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.expr.evaluate import evaluate_arrays
from mbx.formalism.program import entries_of
from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.states.higher_rates import draw_higher
from mbx.numerics.states.manifold import Manifold, Points
from mbx.numerics.states.sample import draw, draw_values, special

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["Places", "places_of"]

_STATES: Final = 4
_MORE: Final = 16
"""States beside these at which pivots are looked at: of few none may be near where one vanishes."""
_SEED: Final = 1
_FAR: Final = 1e-8
_SECOND: Final = 2
_NOTHING: Final = 1e-13
"""Below it a coordinate or speed, in SI units, was meant to be zero."""


_KEPT: Final = 16


def places_of(system: System) -> Places:
    """Return the states of a system; those of the last few systems are kept."""
    for known in _recent:
        if known.system is system:
            return known
    found = Places(system)
    _recent.append(found)
    return found


class Places:
    """Some states of a system, drawn when they are asked for."""

    def __init__(self, system: System) -> None:
        """Take a system."""
        self.system = system

    @cached_property
    def _drawn(self) -> tuple[Manifold, Points]:
        rng = np.random.default_rng(_SEED)
        manifold = Manifold(self.system, draw_values(self.system, rng))
        points = draw(manifold, rng, _STATES).points
        q, u = (np.where(np.abs(x) < _NOTHING, 0.0, x) for x in (points.q, points.u))
        return manifold, Points(points.t, q, u)

    @property
    def rows(self) -> int:
        """How many equations the invariants are, those included that the joints of loops are."""
        return len(self.system.rows)

    @property
    def rank(self) -> int | None:
        """How many of them are independent; None where no consistent state is found.

        Those of order 3 or more are conditions on other rates than the rest, and are not counted
        together with it.
        """
        if any(row.order > _SECOND for row in self.system.rows):
            return None
        manifold, points = self._drawn
        return int(manifold.ranks(points).max()) if len(points) else None

    def regular(self, equations: Equations, also: Sequence[str] = ()) -> dict[Node, float]:
        """Return the value of every symbol at a state where equations give accelerations.

        Entries of the matrices that are named go by the symbols `NAME[i,j]`.
        """
        _, points = self._drawn
        if not len(points):
            raise EquationsError("no consistent state is found, and so no rank")
        found, status = self._regular(equations, points, also)
        if not found:
            raise EquationsError(f"no state tried is regular, and so no rank is found: {status}")
        return found[0]

    def others(self, equations: Equations, also: Sequence[str] = ()) -> list[dict[Node, float]]:
        """Return the same at the start, at rest, at states that the model names, and at more.

        Only those are returned where equations give accelerations.
        """
        points = self._named.and_then(self._drawn[1]).and_then(self._more)
        return self._regular(equations, points, also)[0] if len(points) else []

    def _regular(
        self, equations: Equations, points: Points, also: Sequence[str]
    ) -> tuple[list[dict[Node, float]], str]:
        values = self._values(equations, points)
        outcome = run(equations, values, wanted=[equations.results["ud"], *also])
        found = []
        for k in np.flatnonzero(outcome.status == REGULAR):
            here = {n: float(np.broadcast_to(x, len(points))[k]) for n, x in values.items()}
            for name in also:
                matrix = outcome.at(name, int(k))
                rows = zip(entries_of(name, *matrix.shape), matrix, strict=True)
                here |= {n: float(x) for row in rows for n, x in zip(*row, strict=True)}
            found.append(here)
        return found, str(outcome.status[0])

    @cached_property
    def _named(self) -> Points:
        return special(self._drawn[0], np.random.default_rng(_SEED)).points

    @cached_property
    def _more(self) -> Points:
        return draw(self._drawn[0], np.random.default_rng(_SEED + 1), _MORE).points

    def _values(self, equations: Equations, points: Points | None = None) -> dict[Node, Array]:
        manifold, drawn = self._drawn
        points = drawn if points is None else points
        higher = draw_higher(equations, manifold.values, points, _SEED)
        return manifold.values.at(equations, points, higher)

    def unlike(
        self,
        equations: Equations,
        results: Mapping[str, Sequence[Sequence[Node]]],
        given: Sequence[str] = (),
    ) -> dict[str, str]:
        """Return which results, written out, are not what the program gives at all states drawn.

        Pivots that are good at one state may lose digits, or be zero, at another; what is not
        unique may be chosen otherwise. Matrices that are `given` in the line are what the
        program has for them.
        """
        _, points = self._drawn
        values = self._values(equations)
        names = {key: equations.results[key] for key in results}
        outcome = run(equations, values, wanted=[*names.values(), *given])
        for name in given:
            every = np.stack([outcome.at(name, k) for k in range(len(points))])
            for i, row in enumerate(entries_of(name, *every.shape[1:])):
                values |= {node: every[:, i, j] for j, node in enumerate(row)}
        entries = {key: [x for row in rows for x in row] for key, rows in results.items()}
        flat = iter(evaluate_arrays([x for own in entries.values() for x in own], values))
        regular = np.flatnonzero(outcome.status == REGULAR)
        found = {}
        for key, own in entries.items():
            columns = [np.broadcast_to(next(flat), len(points)) for _ in own]
            if columns and not all(
                _alike(np.array([c[k] for c in columns]), outcome.at(names[key], int(k)))
                for k in regular
            ):
                found[key] = "written out, it is not the same, or loses its digits, at some states"
        return found


def _alike(found: Array, steps: Array) -> bool:
    if found.size != steps.size:  # another rank
        return False
    size = np.abs(steps).max(initial=1.0)
    return bool(np.abs(found - steps.ravel()).max(initial=0.0) <= _FAR * size)


_recent: Final[deque[Places]] = deque(maxlen=_KEPT)
