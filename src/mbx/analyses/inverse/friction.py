"""Inputs for a prescribed motion where loads grow with magnitudes of reactions.

For a prescribed motion, inputs x and reactions y are affine in the magnitudes n of Coulomb friction
(Orsino, section 4.4), so that each is had from a few of them:

    y = r0 + R n,   n_i = sqrt(y^T Q_i y).

One magnitude is the root of a quadratic, several are iterated. Where friction grows as fast as
the reactions that it brings about, there is no solution, or more than one: the motion jams.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.load_variants import (
    loads_of,
    reaction_symbols,
    reactive_loads,
    with_loads,
)
from mbx.expr.evaluate import evaluate_arrays, free_symbols, ordered, substitute
from mbx.expr.nodes import ZERO, symbol
from mbx.formalism import registry
from mbx.numerics.execute.implicit_steps import fixed_point
from mbx.numerics.execute.single_norm import quadratic, square_of
from mbx.system.system import Parameter

if TYPE_CHECKING:
    from mbx.analyses.experiments.observe import Observer, Seen
    from mbx.analyses.inverse.prescribed_motion import Driven
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.implicit_steps import Index
    from mbx.numerics.execute.stacked_algebra import Array, Faults
    from mbx.system.system import System

__all__ = ["Magnitudes", "magnitudes_of", "with_magnitudes"]

KEPT: Final = 1e-8
"""Part by which a magnitude may be off that of the reactions that belong to it."""

Find = Callable[["Observer", "Equations", Sequence["Driven"]], list["Seen"]]
"""Finds inputs at samples by a form, where all loads are known."""


@dataclass(frozen=True, slots=True, eq=False)
class Magnitudes:
    """The magnitudes of reactions that loads depend on.

    Attributes:
        system: The system with a parameter instead of each.
        paths: These parameters.
        squares: The square of each, in raw symbols.
    """

    system: System
    paths: tuple[str, ...]
    squares: tuple[Node, ...]


def magnitudes_of(system: System) -> Magnitudes | None:
    """Return the magnitudes through which alone loads depend on reactions; None if others do."""
    named = sorted(reaction_symbols(system), key=lambda node: node.order)
    nodes = [node for _, expressions in loads_of(system) for node in expressions]
    if not named or set(named).isdisjoint(free_symbols(nodes)):
        return None
    squares = {node: square_of(node, named) for node in ordered(nodes)}
    norms = {node: square for node, square in squares.items() if square is not None}
    paths = [f"magnitude {k + 1} of reactions" for k in range(len(norms))]
    symbols = dict(zip(norms, map(symbol, paths), strict=True))
    if not set(named).isdisjoint(free_symbols(substitute(nodes, symbols))):
        return None
    more = [
        Parameter(symbol=node, path=path, unit="", value=ZERO)
        for path, node in zip(paths, symbols.values(), strict=True)
    ]
    other = replace(with_loads(system, symbols), parameters=(*system.parameters, *more))
    return Magnitudes(other, tuple(paths), tuple(norms.values()))


def with_magnitudes(
    magnitudes: Magnitudes,
    observer: Observer,
    equations: Equations,
    samples: Sequence[Driven],
    find: Find,
) -> list[Seen] | None:
    """Return what a form gives at samples with inputs and friction that keep the motions.

    `find` finds inputs where all loads are known. None where it is not affine after all, or where
    the form gives no reactions.
    """
    search = _Search(magnitudes, observer, equations, samples, find)
    if not search.affine:
        return None
    n = search.single() if len(magnitudes.paths) == 1 else search.several()
    seen = search.evaluate(n)
    if not all(here.regular for here in seen):
        return None
    got = np.sqrt(search.squares(search.every, search.reactions(seen)))
    return seen if (np.abs(got - n) <= KEPT * (1 + np.abs(n))).all() else None


class _Search:
    """Reactions at samples by the magnitudes that friction has."""

    def __init__(
        self,
        magnitudes: Magnitudes,
        observer: Observer,
        equations: Equations,
        samples: Sequence[Driven],
        find: Find,
    ) -> None:
        """Find what each magnitude does."""
        form = equations.formalism + (f":{equations.variant}" if equations.variant else "")
        wanted = None if observer.wanted is None else (*observer.wanted, *magnitudes.squares)
        self._magnitudes = magnitudes
        self._system = observer.system
        self._look = replace(observer, system=magnitudes.system, wanted=wanted)
        self._equations = registry.derive(magnitudes.system, form)
        self._samples = samples
        self._find = find
        self._squares = self._look.moving.express(magnitudes.squares)
        known = reaction_symbols(magnitudes.system)
        self._named = [node for node in free_symbols(self._squares) if node in known]
        self.every = np.arange(len(samples))
        m = len(magnitudes.paths)
        bases = [
            self.evaluate(np.tile(row, (len(samples), 1))) for row in (np.zeros(m), *np.eye(m))
        ]
        self._still = bases[0]
        self.affine = all(
            here.regular and here.values.keys() >= set(self._named)
            for base in bases
            for here in base
        )
        if self.affine:
            y = np.array([self.reactions(base) for base in bases])
            # y = r0 + R n, (K, r) and (K, m, r)
            self._r0, self._R = y[0], np.swapaxes(y[1:] - y[0], 0, 1)

    def evaluate(self, n: Array) -> list[Seen]:
        """Return what the form gives with magnitudes at the samples, (K, m)."""
        paths = self._magnitudes.paths
        changed = []
        for driven, row in zip(self._samples, n, strict=True):
            values = {**driven.place.parameters, **dict(zip(paths, map(float, row), strict=True))}
            changed.append(replace(driven, place=replace(driven.place, parameters=values)))
        return self._find(self._look, self._equations, changed)

    def reactions(self, seen: Sequence[Seen]) -> Array:
        """Return the reactions that loads depend on, a row for each sample."""
        return np.array([[float(here.values[node]) for node in self._named] for here in seen])

    def squares(self, at: Index, y: Array) -> Array:
        """Return the squares of all magnitudes at some samples, by the reactions there."""
        here = [self._still[k] for k in at]
        known = {
            node: np.array([float(state.values[node]) for state in here])
            for node in free_symbols(self._squares)
            if node not in self._named
        }
        known |= {node: y[:, k] for k, node in enumerate(self._named)}
        values = evaluate_arrays(self._squares, known)
        rows = [np.broadcast_to(np.asarray(value, dtype=float), len(here)) for value in values]
        return np.stack(rows, axis=1)

    def single(self) -> Array:
        """Return the only magnitude in closed form."""
        n, growth, count = quadratic(
            self._r0, self._R[:, 0], lambda y: self.squares(self.every, y)[:, 0]
        )
        for k in np.flatnonzero(growth >= 1):
            many = "two solutions" if count[k] else "no solution"
            raise self._jams(int(k), f"{growth[k]:.4g} times as fast as", f", which leaves {many}")
        return n[:, None]

    def several(self) -> Array:
        """Return magnitudes by iteration."""

        def left(at: Index, n: Array) -> tuple[Array, Faults]:
            y = self._r0[at] + (n[:, None, :] @ self._R[at])[:, 0]
            return n - np.sqrt(self.squares(at, y)), np.full(len(at), "regular", dtype=object)

        n, faults = fixed_point(left, np.sqrt(self.squares(self.every, self._r0)))
        for k in np.flatnonzero(faults != ""):
            raise self._jams(int(k), "at least as fast as", "")
        return n

    def _jams(self, k: int, rate: str, so: str) -> NotRunError:
        loads = ", ".join(f"'{path}'" for path in reactive_loads(self._system))
        sample = self._samples[k].place
        return NotRunError(
            f"{loads} jams at {sample.describe(self._system)}: it grows {rate} the reactions that"
            f" it brings about{so}"
        )
