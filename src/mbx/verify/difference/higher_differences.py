"""Two models whose accelerations belong to the state: the rates of these compared.

Under invariants of order s above 2 a state goes up to the rates of order s - 1, and forms give
those of order s. States of both models are the same where the bodies that they share have the
same accelerations, and so on; there the rates of order s of these bodies are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.algebra.elimination import split
from mbx.formalism.builder import Program
from mbx.mechanics import motion
from mbx.mechanics.programme import higher_rates
from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.states.complete import complete_higher, draw_higher
from mbx.verify.agreement.kinetics import accelerations
from mbx.verify.derived_forms import Result, evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.analyses.guard import Clock
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold, Points
    from mbx.verify.derived_forms import Form

__all__ = ["Compared", "Rates", "compare_rates"]

MET: Final = 1e-7
"""Part of the largest by which accelerations, or the state, of both models may differ."""
_SECOND: Final = 2


@dataclass(frozen=True)
class Rates:
    """Accelerations of some mass elements, and their rates up to the order of a system."""

    manifold: Manifold
    form: Form
    elements: tuple[str, ...]

    @property
    def equations(self) -> Equations:
        """The equations of the form that gives the highest rates."""
        return self.form.equations

    @property
    def _order(self) -> int:
        return self.manifold.system.order

    @cached_property
    def _program(self) -> Equations:
        system = self.manifold.system
        moving = motion.in_speeds(system)
        known = {m.path: m for m in moving.elements}
        rows = [x for path in self.elements for x in accelerations(known[path])]
        program = Program()
        for order in range(_SECOND, self._order + 1):
            slopes, rest = split(rows, higher_rates(moving, order - 1))
            program.define(f"K{order}", slopes, columns=[s.path for s in moving.speeds])
            program.column(f"c{order}", rest)
            rows = moving.rate(rows)
        return program.equations(system, "rates", "Rates", "", {"K": f"K{self._order}"})

    def _paths(self, order: int) -> list[str]:
        """Return the paths of the state's rates of an order, by speed."""
        n = len(self.manifold.system.u)
        first = (order - _SECOND) * n
        return [variable.path for variable in self.equations.signature.higher[first : first + n]]

    def affine(self, points: Points, state: Mapping[str, Array], order: int) -> tuple[Array, Array]:
        """Return K and c of the rates of some order of the elements, K x + c."""
        wanted = {variable.path for variable in self._program.signature.higher}
        values = {path: state.get(path, np.zeros(len(points))) for path in wanted}
        names = [f"K{order}", f"c{order}"]
        at = self.manifold.values.at(self._program, points, values)
        outcome = run(self._program, at, wanted=names)
        K, c = (np.asarray(outcome.matrix(name)) for name in names)
        return K, c[:, :, 0]

    def draw(self, points: Points, seed: int) -> dict[str, Array]:
        """Return consistent accelerations and beyond at some states."""
        return draw_higher(self.equations, self.manifold.values, points, seed)

    def known(self, points: Points, state: Mapping[str, Array], order: int) -> Array:
        """Return the rates of some order of the elements, where the state has them."""
        K, c = self.affine(points, state, order)
        x = np.stack([state[path] for path in self._paths(order)], axis=1)
        rates: Array = (K @ x[:, :, None])[:, :, 0] + c
        return rates

    def meet(
        self, points: Points, wanted: Sequence[Array]
    ) -> tuple[dict[str, Array], NDArray[np.bool_]]:
        """Return a state with rates of the elements of order 2 and up, and where there is one."""
        state: dict[str, Array] = {}
        met = np.ones(len(points), dtype=bool)
        for order, rates in enumerate(wanted, start=_SECOND):
            K, c = self.affine(points, state, order)
            pairs = zip(K, np.nan_to_num(rates - c), strict=True)
            x = np.array([np.linalg.lstsq(A, b, rcond=None)[0] for A, b in pairs])
            gap = (K @ x[:, :, None])[:, :, 0] + c - rates
            met &= _small(gap, rates)
            state |= dict(zip(self._paths(order), x.T, strict=True))
        before = np.stack(list(state.values()), axis=1)
        after = complete_higher(self.equations, self.manifold.values, points, before.copy())
        met &= _small(np.stack(list(after.values()), axis=1) - before, before)
        return after, met


def _small(gap: Array, reference: Array) -> NDArray[np.bool_]:
    size = np.maximum(1.0, np.abs(reference).max(axis=1, initial=0.0))
    result: NDArray[np.bool_] = np.abs(gap).max(axis=1, initial=0.0) <= MET * size
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Rates of the elements of both models, at twice as many states: drawn for either model.

    `met` marks states of one model that are states of the other, `regular` those with both results.
    """

    rates: tuple[Array, Array]
    met: NDArray[np.bool_]
    regular: NDArray[np.bool_]


def compare_rates(
    pair: tuple[Rates, Rates], points: tuple[Points, Points], seed: int, clock: Clock
) -> Compared | str:
    """Return the rates of the highest order of both models, or why there are none."""
    top = pair[0].manifold.system.order
    rates: tuple[list[Array], list[Array]] = ([], [])
    met: list[NDArray[np.bool_]] = []
    regular: list[NDArray[np.bool_]] = []
    for k in (0, 1):
        states = pair[k].draw(points[k], seed + k)
        wanted = [pair[k].known(points[k], states, order) for order in range(_SECOND, top)]
        other, same = pair[1 - k].meet(points[1 - k], wanted)
        met.append(same & ~np.isnan(wanted[0]).any(axis=1))
        sound = np.ones(len(points[k]), dtype=bool)
        for model, at, state, rows in zip(
            pair, points, (states, other) if k == 0 else (other, states), rates, strict=True
        ):
            result = evaluate(model.form, model.manifold.values, at, state, clock)
            if not isinstance(result, Result):
                return f"{model.form.name} fails: {result.reason}"
            sound &= result.status == REGULAR
            K, c = model.affine(at, state, top)
            rows.append((K @ result.ud[:, :, None])[:, :, 0] + c)
        regular.append(sound)
    both = (np.concatenate(rates[0]), np.concatenate(rates[1]))
    return Compared(both, np.concatenate(met), np.concatenate(regular))
