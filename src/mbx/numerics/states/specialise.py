"""Specialise equations to the states of a model: what depends on a rank, depends on these.

Equations that are specialised hold the sampled states at which ranks and pivots are chosen.
Everything that writes, compiles, counts or runs them needs no model.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.expr.evaluate import ordered
from mbx.expr.switches import is_switch
from mbx.formalism.equations import SampledStates, finite
from mbx.numerics.states.complete import draw_higher
from mbx.numerics.states.manifold import Manifold, Points
from mbx.numerics.states.sample import draw, draw_values, special

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations, Row
    from mbx.formalism.program import Step
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["ModelStates", "needs_states", "specialise", "states_of"]

_STATES: Final = 4
_MORE: Final = 16
"""Further states at which pivots are looked at: of few none may be near where one vanishes."""
_SEED: Final = 1
_SECOND: Final = 2
_NOTHING: Final = 1e-13
"""Below it a coordinate or speed, in SI units, was meant to be zero."""
_KEPT: Final = 16
"""Systems whose states are kept."""
_DECIDED: Final = frozenset(
    {"given", "identity", "product", "sum", "transpose", "absolute", "block", "rows"}
)
"""Operations that need no states whatever their matrices are."""


def specialise(equations: Equations, states: ModelStates, *, whole: bool = False) -> Equations:
    """Return equations with sampled states; those that need none, or have some, as they are.

    With `whole`, those that need none get states, too.
    """
    if equations.states is not None:
        return equations
    if not whole and not needs_states(equations, states.invariants):
        return equations
    return replace(equations, states=states.sampled(equations))


def needs_states(equations: Equations, invariants: int) -> bool:
    """Return whether ranks, pivots or the signs of matrices decide how a program is written.

    Where there are invariants, pivots are checked in any case. A positive definite matrix has
    pivots in any order.
    """
    return bool(invariants) or not all(_is_decided(step) for step in equations.steps)


def _is_decided(step: Step) -> bool:
    if step.op == "define":
        # a matrix before may hold the argument of a switch
        return not (step.symbols and any(map(is_switch, ordered(_entries(step)))))
    return step.op in _DECIDED or (step.op == "solve" and step.kind == "positive")


def _entries(step: Step) -> list[Node]:
    return [node for row in step.entries for node in row]


def states_of(system: System) -> ModelStates:
    """Return the states of a system; those of the last few systems are kept."""
    for known in _recent:
        if known.system is system:
            return known
    found = ModelStates(system)
    _recent.append(found)
    return found


class ModelStates:
    """States of a model in general position and others, drawn when they are needed."""

    def __init__(self, system: System) -> None:
        """Take a system."""
        self.system = system

    @property
    def invariants(self) -> int:
        """How many equations the invariants are, those included that the joints of loops are."""
        return len(self.system.rows)

    @cached_property
    def independent(self) -> int | None:
        """How many of them are independent; None where no consistent state is found.

        Those of order 3 or more are conditions on other rates than the rest, and are not counted
        together with it.
        """
        if any(row.order > _SECOND for row in self.system.rows):
            return None
        manifold, points = self._drawn
        return int(manifold.ranks(points).max()) if len(points) else None

    def sampled(self, equations: Equations) -> SampledStates:
        """Return the states with a value for every symbol of equations of the system."""
        none = SampledStates(invariants=self.invariants)
        points = self._drawn[1]
        if not len(points):
            return replace(none, reason="no consistent state is found, and so no rank")
        try:
            general = self._values(equations, points)
            further = self._values(equations, self._further)
            independent = self.independent if self.invariants else 0
        except EquationsError as refused:
            return replace(none, reason=str(refused))
        constants = {node: x for node, x in general.items() if x.ndim == 0}
        symbols = tuple(node for node in general if node not in constants)
        return replace(
            none,
            independent=independent,
            constants={node: finite(float(x)) for node, x in constants.items()},
            symbols=symbols,
            general=_rows(general, symbols),
            further=_rows(further, symbols),
        )

    @cached_property
    def _drawn(self) -> tuple[Manifold, Points]:
        rng = np.random.default_rng(_SEED)
        manifold = Manifold(self.system, draw_values(self.system, rng))
        points = draw(manifold, rng, _STATES).points
        q, u = (np.where(np.abs(x) < _NOTHING, 0.0, x) for x in (points.q, points.u))
        return manifold, Points(points.t, q, u)

    @cached_property
    def _further(self) -> Points:
        manifold, points = self._drawn
        named = special(manifold, np.random.default_rng(_SEED)).points
        more = draw(manifold, np.random.default_rng(_SEED + 1), _MORE).points
        return named.and_then(points).and_then(more)

    def _values(self, equations: Equations, points: Points) -> dict[Node, Array]:
        manifold, _ = self._drawn
        higher = draw_higher(equations, manifold.values, points, _SEED)
        return manifold.values.at(equations, points, higher)


def _rows(values: Mapping[Node, Array], symbols: Sequence[Node]) -> tuple[Row, ...]:
    columns = [values[node].tolist() for node in symbols]
    return tuple(tuple(finite(x) for x in row) for row in zip(*columns, strict=True))


_recent: Final[deque[ModelStates]] = deque(maxlen=_KEPT)
