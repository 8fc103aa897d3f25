"""The work of everything that changes the energy of a system, integrated along a run.

Each step is integrated by Gauss's formula of four nodes, of order 8 as the steps are, at states
that the method gives between its ends. So a load with `if` or `sign` is never looked at right
where it jumps. Powers are evaluated for many nodes at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.default_forms import all_forms
from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.observe import Observer, Place
from mbx.analyses.experiments.state_functions import state_symbols
from mbx.analyses.simulate.results.powers import by_loads, by_time, left_to_invariants, rheonomic
from mbx.base.errors import MbxError
from mbx.expr.evaluate import evaluate_arrays, free_symbols, substitute
from mbx.expr.nodes import ZERO
from mbx.mechanics import invariants
from mbx.numerics.tolerances import DEPENDENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.mechanics.motion import Motion
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["BY_INVARIANTS", "BY_TIME", "MANY", "Works"]

BY_TIME: Final = "time"
BY_INVARIANTS: Final = "invariants"
MANY: Final = 4000
"""Nodes that are evaluated at once."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
_SECOND: Final = 2


class Works:
    """Hears the steps of a run, and integrates the powers of what acts.

    Attributes:
        names: What acts: loads by path, time itself, and invariants that do work.
        powers: The powers of loads and of time itself.
        unknown: Why the powers cannot be known; "" where they can.
    """

    def __init__(
        self, plan: Plan, equations: Equations, moving: Motion, V: Node, known: Mapping[Node, Node]
    ) -> None:
        """Write out the powers; `known` are numbers of parameters and inputs."""
        self._plan, self._equations = plan, equations
        self._variables = state_symbols(equations.signature)
        held = any(True for _ in rheonomic(moving, known))
        held = held or any(row.order >= _SECOND for row in plan.system.rows)
        powers = {**by_loads(moving), BY_TIME: by_time(moving, V)}
        values = substitute(list(powers.values()), known)
        written = {n: x for n, x in zip(powers, values, strict=True) if x is not ZERO}
        self.names = [*written, *([BY_INVARIANTS] if held else [])]
        self.powers = list(written.values())
        self._rows: tuple[list[Node], list[Node]] | None = None
        if held:
            A = [x for row in invariants.levels(moving).A for x in row]
            self._rows = (
                substitute(left_to_invariants(moving, V), known),
                substitute([*A, *moving.u], known),
            )
        beyond = held and plan.system.order > _SECOND
        self.unknown = "accelerations belong to the state" if beyond else ""
        self._waiting: list[tuple[Array, Array]] = []
        self._weights: list[Array] = []
        self._found: list[Array] = []

    def hear(self, t: float, end: float, between: Callable[[Array], Array]) -> None:
        """Take a step from one time to another, with the states at times between."""
        if not self.names or self.unknown:
            return
        middle, half = (t + end) / 2, (end - t) / 2
        times = middle + half * _NODES
        self._waiting.append((times, between(times)))
        self._weights.append(half * _WEIGHTS)
        if len(_NODES) * len(self._waiting) >= MANY:
            self._settle()

    def done(self) -> Array:
        """Return the work up to the end of each step, a column for each name."""
        self._settle()
        steps = np.concatenate([np.zeros((0, len(self.names))), *self._found])
        return np.asarray(np.cumsum(steps, axis=0))

    def _settle(self) -> None:
        """Evaluate the powers at all nodes that wait."""
        if not self._waiting:
            return
        t = np.concatenate([times for times, _ in self._waiting])
        states = np.concatenate([y for _, y in self._waiting])
        weights = np.concatenate(self._weights)
        self._waiting, self._weights = [], []
        try:
            with np.errstate(all="ignore"):
                powers = self._at(t, states)
        except (MbxError, ArithmeticError, ValueError) as error:
            self.unknown = " ".join(str(error).split())
            return
        if not np.isfinite(powers).all():
            self.unknown = "a power has no value on the way"
            return
        work = powers * weights[:, None]
        self._found.append(work.reshape(-1, len(_NODES), len(self.names)).sum(axis=1))

    def _at(self, t: Array, states: Array) -> Array:
        """Return the powers at some states, a row for each."""
        nodes = [*self.powers, *(x for part in self._rows or () for x in part)]
        values = dict(zip(self._variables, (t, *states.T), strict=True))
        if not set(free_symbols(nodes)) <= values.keys():
            values |= self._more(free_symbols(nodes), t, states)
        columns = _columns(self.powers, values, len(t))
        if self._rows is None:
            return columns
        lacking, rows = (_columns(part, values, len(t)) for part in self._rows)
        n = lacking.shape[1]
        A, u = rows[:, :-n].reshape(len(t), -1, n), rows[:, -n:, None]
        part = np.linalg.pinv(A, rcond=DEPENDENT) @ (A @ u)
        return np.column_stack([columns, (lacking[:, None, :] @ part)[:, 0, 0]])

    def _more(self, wanted: Iterable[Node], t: Array, states: Array) -> Mapping[Node, Array]:
        """Return accelerations and reactions at some states, by the first form that has them."""
        signature = self._equations.signature
        paths = [x.path for x in (*signature.q, *signature.u, *signature.higher)]
        inputs = inputs_of(self._plan)
        places = [
            Place(dict(zip(paths, y.tolist(), strict=True)), self._plan.parameters, inputs, at)
            for at, y in zip(t.tolist(), states, strict=True)
        ]
        sought = set(wanted) - set(self._variables)
        observer = Observer(self._plan.system, tuple(sought))
        forms = [self._equations]
        for k in range(2):
            for equations in forms:
                seen = observer.at(equations, places)
                if all(sought <= one.values.keys() for one in seen if one.regular):
                    lost = dict.fromkeys(sought, np.nan)
                    found = [one.values if one.regular else lost for one in seen]
                    return {s: np.array([here[s] for here in found], dtype=float) for s in sought}
            forms = list(all_forms(self._plan.system).values()) if not k else []
        raise MbxError("no form gives the reactions that loads depend on")


def _columns(nodes: Sequence[Node], values: Mapping[Node, Array], count: int) -> Array:
    found = evaluate_arrays(list(nodes), values) if nodes else []
    columns = [np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in found]
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0))
