"""What a form gives at samples: values of any expressions of the system there."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.experiments.form_rounding import nudged
from mbx.expr.evaluate import evaluate_arrays, free_symbols
from mbx.expr.nodes import symbol as kernel_symbol
from mbx.mechanics import invariants, motion, reactions
from mbx.numerics.execute.evaluate_equations import Evaluation, values_of
from mbx.numerics.execute.execute import REGULAR, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["Observer", "Place", "Seen", "given_inputs"]


ROUNDING: Final = 1e-12
"""Below it, in SI units, a coordinate is printed as zero."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where equations are evaluated: a state by path, and what parameters and inputs are there."""

    state: Mapping[str, float]
    parameters: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, float] = field(default_factory=dict)
    t: float = 0.0

    def describe(self, system: System) -> str:
        """Return the time and the coordinates, in a line; what is rounding is zero."""
        q = [(v.path, self.state[v.path]) for v in system.q]
        values = [f"{path} = {x if abs(x) > ROUNDING else 0:.6g}" for path, x in q]
        return f"t = {self.t:.6g} s, at {', '.join(values)}"


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What a form gives at one sample."""

    status: str
    ud: Any
    values: Mapping[Node, Any]
    moving: Motion

    @property
    def regular(self) -> bool:
        """Whether the form has a result there."""
        return self.status == REGULAR

    def of(self, node: Node) -> float | None:
        """Return the value of an expression in raw symbols; None if the form does not know it."""
        nodes = self.moving.express([node])
        if any(x not in self.values for x in free_symbols(nodes)):
            return None
        return float(evaluate_arrays(nodes, self.values)[0])


def given_inputs(equations: Equations, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs with their values; their rates, where equations name some, zero.

    An input that has a number in `inputs` keeps it.
    """
    values = {}
    for parameter in equations.signature.inputs:
        base = parameter.path.rstrip("'")
        if base in inputs:
            values[parameter.path] = (
                inputs[base] if base == parameter.path else 0.0 * np.asarray(inputs[base])
            )
    return values


@dataclass(frozen=True)
class Observer:
    """Evaluates the forms of a system, for expressions in its raw symbols; for all, if none.

    With `nudge`, all numbers that go in are changed in their last digits, to see how much
    rounding there is.
    """

    system: System
    wanted: tuple[Node, ...] | None = None
    nudge: bool = False

    @cached_property
    def moving(self) -> Motion:
        """The motion in speeds."""
        return motion.in_speeds(self.system)

    @cached_property
    def _sought(self) -> set[Node]:
        """The named reactions to be computed."""
        system = self.system
        named = {row.reaction for row in (*system.rows, *system.closed) if row.reaction is not None}
        named |= {symbol for six in system.joint_reactions.values() for symbol in six}
        if self.wanted is None:
            return named
        return named & set(free_symbols(self.moving.express(self.wanted)))

    @cached_property
    def _maps(self) -> dict[bool, dict[Node, list[Node]]]:
        """What named reactions are of the multipliers, in speeds and in rates."""
        return {rates: self._map(rates=rates) for rates in (False, True)}

    def _map(self, *, rates: bool) -> dict[Node, list[Node]]:
        moving = motion.in_rates(self.system) if rates else self.moving
        levels = invariants.levels(moving, rates=rates)
        named = [row.reaction for row in levels.rows if row.reaction is not None]
        jointed = {row.joint for row in levels.rows}
        known = self.system.joint_reactions.items()
        named += [symbol for path, six in known if path in jointed for symbol in six]
        chosen = [symbol for symbol in named if symbol in self._sought]
        rows = reactions.reaction_map(levels, chosen)
        return {s: self.moving.express(row) for s, row in zip(chosen, rows, strict=True)}

    def at(self, equations: Equations, samples: Sequence[Place]) -> list[Seen]:
        """Return what a form gives at each sample, all at once."""
        groups: dict[tuple[tuple[str, ...], ...], list[int]] = {}
        for k, sample in enumerate(samples):
            key = tuple(sorted(sample.parameters)), tuple(sorted(sample.inputs))
            groups.setdefault(key, []).append(k)
        results: dict[int, Seen] = {}
        for chosen in groups.values():
            seen = self._batch(equations, [samples[k] for k in chosen])
            results |= dict(zip(chosen, seen, strict=True))
        return [results[k] for k in range(len(samples))]

    def _batch(self, equations: Equations, samples: Sequence[Place]) -> list[Seen]:
        values = values_of(
            equations,
            _stacked(sample.state for sample in samples),
            _stacked(sample.parameters for sample in samples),
            given_inputs(equations, _stacked(sample.inputs for sample in samples)),
            np.array([sample.t for sample in samples]),
        )
        if self.nudge:
            values = nudged(values, len(samples))
        names = ["ud"]
        mapped: dict[Node, list[Node]] = {}
        if "lam" in equations.results and self._sought:
            mapped = self._maps["qdd" in equations.results]
            names += ["lam"] * bool(mapped)
        names += ["quasi"] * ("quasi" in equations.results)
        if self._sought:
            names += [m for m in equations.results if m.startswith(("reaction:", "open:"))]
        outcome = run(equations, values, wanted={equations.results[m] for m in names})
        evaluation = Evaluation(equations, outcome, single=False)
        known: dict[Node, Any] = dict(values)
        highest = [x.symbol for x in equations.signature.highest]
        known |= dict(zip(highest, evaluation["ud"].T, strict=True))
        if "quasi" in names:
            labels = equations.step(equations.results["quasi"]).row_labels
            known |= dict(zip(map(kernel_symbol, labels), evaluation["quasi"].T, strict=True))
        for symbol, row in mapped.items():
            entries = np.broadcast_arrays(*evaluate_arrays(row, known), evaluation["lam"][:, 0])[
                :-1
            ]
            known[symbol] = (np.stack(entries, axis=1) * evaluation["lam"]).sum(axis=1)
        joints: dict[Node, Any] = {}
        if self._sought:
            for path, six in evaluation.reactions.items():
                symbols = self.system.joint_reactions.get(path, ())
                joints |= dict(zip(symbols, six.T, strict=False))
        seen = []
        ud = evaluation["ud"]
        for k in range(len(samples)):
            here = {s: v if np.ndim(v) == 0 else v[k] for s, v in known.items()}
            # a reaction that is not unique is no number, and known to nobody
            here |= {s: v[k] for s, v in joints.items() if not np.isnan(v[k])}
            seen.append(Seen(str(evaluation.status[k]), ud[k], here, self.moving))
        return seen


def _stacked(tables: Iterable[Mapping[str, float]]) -> dict[str, Any]:
    """Return one array for each path, of the same paths in all tables."""
    rows = list(tables)
    return {path: np.array([row[path] for row in rows]) for path in rows[0]}
