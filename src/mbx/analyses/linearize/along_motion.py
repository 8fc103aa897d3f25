"""Linearisation along a motion: A(t) and B(t) at some times of one that is simulated or prescribed.

The motion is the reference, x its departure, and x' = A(t) x + B(t) u to the first order. The
independent variables are the same at all times: those that are best at the first, unless they
fail later on; then those that are best there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.observe import Observer, Place
from mbx.analyses.experiments.time_limit import Clock
from mbx.analyses.inverse.inverse_solution import with_inputs
from mbx.analyses.inverse.prescribed_motion import driven_samples
from mbx.analyses.linearize.linear_system import How, linearize
from mbx.analyses.linearize.residual_slopes import Residual
from mbx.analyses.linearize.tangent_motions import LostChoiceError
from mbx.analyses.simulate.engine import chosen_form
from mbx.analyses.simulate.result_times import results_at
from mbx.analyses.simulate.runs import Column, Options, simulate
from mbx.base.short_repr import count_of, join_names, shorten_repr

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.linearize.linear_system import Linear
    from mbx.analyses.linearize.tangent_motions import Choice
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Along", "along"]


@dataclass(frozen=True, slots=True, eq=False)
class Along:
    """A linear system at some times of a motion.

    Attributes:
        kind: What the motion is.
        t: The times.
        systems: The system at each of them, in the same variables.
    """

    kind: str
    t: Array
    systems: tuple[Linear, ...]

    def __repr__(self) -> str:
        """Return the motion, the times and the state."""
        return shorten_repr(
            f"<Along {self.kind}: {count_of(len(self.t), 'time')}; x = {join_names(self.x)}>"
        )

    @property
    def x(self) -> tuple[str, ...]:
        """Paths of the state."""
        return self.systems[0].x

    @property
    def inputs(self) -> tuple[str, ...]:
        """Paths of the inputs."""
        return self.systems[0].inputs

    @property
    def A(self) -> Array:  # noqa: N802  the letter of every text
        """A at all times, (times, x, x)."""
        return np.array([system.A for system in self.systems])

    @property
    def B(self) -> Array:  # noqa: N802  likewise
        """B at all times, (times, x, inputs)."""
        return np.array([system.B for system in self.systems])

    def columns(self) -> tuple[Column, ...]:
        """Return time, reference and all entries as columns of a table."""
        return (*self._columns(),)

    def _columns(self) -> Iterator[Column]:
        yield Column("t", "s", self.t)
        for path in self.systems[0].at.state:
            yield Column(path, "", np.array([system.at.state[path] for system in self.systems]))
        for path in self.inputs:
            yield Column(path, "", np.array([system.at.inputs[path] for system in self.systems]))
        for name, matrix, of in (("A", self.A, self.x), ("B", self.B, self.inputs)):
            for i, row in enumerate(self.x):
                for j, column in enumerate(of):
                    yield Column(f"{name}({row}, {column})", "", matrix[:, i, j])

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "along": self.kind,
            "x": list(self.x),
            "inputs": list(self.inputs),
            "t": self.t.tolist(),
            "A": self.A.tolist(),
            "B": self.B.tolist(),
            "states": [dict(system.at.state) for system in self.systems],
            "inputs_at": [dict(system.at.inputs) for system in self.systems],
        }


def along(plan: Plan, how: How, options: Options | None = None) -> Along:
    """Return a linear system along the motion of a plan; `options` are until when and how often.

    A prescribed motion is brought about by the inputs that the experiment names, and these are
    inputs of the linear system again, which is free to leave the motion.
    """
    options = options or Options()
    residual = Residual(plan.system)
    if plan.motions:
        kind, times, reference = "a prescribed motion", *_prescribed(plan, options)
    else:
        kind, times, reference = "a simulated motion", *_simulated(plan, options)
    reference = [_with_all_inputs(residual, sample) for sample in reference]
    return Along(kind, times, _linearized(residual, reference, how))


def _simulated(plan: Plan, options: Options) -> tuple[Array, list[Place]]:
    run = simulate(plan, None, options)
    inputs = inputs_of(plan)
    return run.t, [
        Place(dict(zip(run.paths, y.tolist(), strict=True)), plan.parameters, inputs, t)
        for t, y in zip(run.t.tolist(), run.states, strict=True)
    ]


def _prescribed(plan: Plan, options: Options) -> tuple[Array, list[Place]]:
    plan, times = results_at(plan, options)
    driven = driven_samples(plan, times.tolist(), Clock.of(options.seconds))
    _, equations = chosen_form(plan.system)
    seen = with_inputs(Observer(plan.system, ()), equations, plan, driven)
    samples = []
    for instant, here in zip(driven, seen, strict=True):
        if not here.regular:
            raise NotRunError(f"at t = {instant.place.t:.6g} s the state is {here.status}")
        known = {v.path: here.values[v.symbol] for v in plan.system.inputs}
        inputs = {path: float(known[path]) for path in plan.unknowns}
        samples.append(replace(instant.place, inputs={**instant.place.inputs, **inputs}))
    return times, samples


def _with_all_inputs(residual: Residual, sample: Place) -> Place:
    """Return a sample that states every input, also those that follow from the time."""
    values = residual.values(sample.state, sample.parameters, sample.inputs, sample.t)
    inputs = {parameter.path: float(values[parameter.symbol]) for parameter in residual.inputs}
    return replace(sample, inputs={**sample.inputs, **inputs})


def _linearized(residual: Residual, reference: Sequence[Place], how: How) -> tuple[Linear, ...]:
    """Return the system at each sample, with the same independent variables at all of them."""
    tried: list[Choice | None] = []
    choice = how.choice
    while choice not in tried:
        tried.append(choice)
        systems: list[Linear] = []
        for sample in reference:
            try:
                systems.append(linearize(residual, sample, replace(how, choice=choice)))
                _require_side(systems[-2:], len(residual.q))
            except LostChoiceError:
                choice = _choice(residual, linearize(residual, sample, how))
                break
            except NotRunError as reason:
                raise NotRunError(f"at t = {sample.t:.6g} s: {reason}") from None
            if choice is None:
                choice = _choice(residual, systems[0])
                tried.append(choice)
        else:
            return tuple(systems)
    raise NotRunError("no choice of independent variables holds along the whole motion")


def _require_side(two: Sequence[Linear], n: int) -> None:
    """Raise `LostChoiceError` where variables ceased to be independent between two times.

    There, what the others do as they move has turned round, of the n coordinates or of speeds.
    """
    if len(two) < 2:  # noqa: PLR2004  the first time
        return
    k = two[0].coordinates
    for block in (np.s_[:n, :k], np.s_[n:, k:]):
        if np.linalg.slogdet(two[0].T[block].T @ two[1].T[block])[0] <= 0:
            raise LostChoiceError("the independent variables were others on the way")


def _choice(residual: Residual, linear: Linear) -> Choice:
    q, u = [v.path for v in residual.system.q], [v.path for v in residual.moving.speeds]
    coordinates, speeds = linear.x[: linear.coordinates], linear.x[linear.coordinates :]
    return tuple(map(q.index, coordinates)), tuple(map(u.index, speeds))
