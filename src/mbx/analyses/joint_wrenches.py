"""What any joint transmits, by the relaxation technique.

The joint lets go: six motions of its second side, each with the invariant that it is zero
(`mbx.system.kinematics.relax`). The multipliers of these invariants are the force and the torque
that it transmits. A joint that closes a loop has its invariants anyway.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.load_variants import with_loads
from mbx.analyses.experiments.observe import given_inputs
from mbx.analyses.inverse.load_switches import switches_of
from mbx.analyses.reaction_units import WRENCH
from mbx.analyses.request import UnknownNameError
from mbx.analyses.simulate.runs import Column
from mbx.analyses.unique_reactions import open_components
from mbx.base.diagnostics import suggestion
from mbx.base.errors import NotApplicableError
from mbx.expr.evaluate import evaluate_arrays
from mbx.formalism import registry
from mbx.mechanics import invariants, motion
from mbx.mechanics.reactions import COMPONENTS, loop_wrenches
from mbx.numerics.execute.evaluate_equations import Evaluation, values_of
from mbx.numerics.execute.execute import REGULAR, run
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.analyses.experiments.observe import Place
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["ALL", "Situation", "joints_named", "wrenches"]

ALL: Final = "all"
GIVING: Final = ("gibbs_appell", "kane", "jourdain", "udwadia_kalaba", "lagrange", "maggi")
"""Forms that give multipliers, each by its own relaxation, the first that applies."""


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """Where a wrench is requested: a sample with all its inputs, and what jumps there."""

    sample: Place
    values: Mapping[Node, Node]


def _joints_of(system: System) -> dict[str, str]:
    """Return the joints by all names that they have: of placed bodies, of joints, of reactions.

    They stand for the path by which a joint lets go, or for that of the rows that close a loop.
    """
    keys: dict[str, str] = {}
    for element in system.elements:
        joint = element.joint
        if joint is not None and joint.kind != "free":
            key = joint.reaction or joint.path
            keys |= dict.fromkeys([element.path, joint.path, key], key)
    for row in (*system.rows, *system.closed, *system.idle):
        if row.kind == "loop" and row.joint is not None:
            keys |= dict.fromkeys([row.path.rpartition(".")[0], row.joint], row.joint)
    return keys


def wrenches(
    linked: Linked, system: System, names: Sequence[str], situations: Sequence[Situation]
) -> tuple[list[Column], tuple[str, ...]]:
    """Return force and torque of joints along situations, and the components that are not unique.

    In ground components, on the second side of a joint, the torque about the origin of that
    side. `all` stands for all joints.
    """
    if system.order > 2:  # noqa: PLR2004  then accelerations belong to the state
        raise NotRunError("wrenches under an invariant of order 3 or more are not given")
    columns: list[Column] = []
    omitted: list[str] = []
    for key in joints_named(system, names):
        components, open_ones = _of_joint(linked, system, key, situations)
        for component, values in components.items():
            columns.append(Column(f"{key}.{component}", WRENCH[component], values))
        omitted += [f"{key}.{component}" for component in open_ones]
    return columns, tuple(omitted)


def joints_named(system: System, names: Iterable[str]) -> list[str]:
    """Return the joints of some names, each once; raise `UnknownNameError` if there is none."""
    known = _joints_of(system)
    joints: list[str] = []
    for name in names:
        if name == ALL:
            joints += known.values()
        elif name in known:
            joints.append(known[name])
        else:
            hint = suggestion(name, sorted(known), "; ")
            raise UnknownNameError(f"there is no joint '{name}'{hint}")
    return list(dict.fromkeys(joints))


def _of_joint(
    linked: Linked, system: System, key: str, situations: Sequence[Situation]
) -> tuple[dict[str, Array], list[str]]:
    """Return the components of a wrench that are unique, and the others."""
    loose = elaborate(linked, checked=True, let_go=_path(system, key))
    form, equations = _giving(loose)
    moving = motion.in_speeds(loose)
    levels = invariants.levels(moving)
    Y = [moving.express(row) for row in loop_wrenches(levels).get(key, [])]
    samples = [_extended(loose, situation.sample) for situation in situations]
    idle = _idle(loose, key)
    if not Y:  # all its rows are idle
        return {}, [component for component in COMPONENTS if component in idle]
    is_open = open_components(loose, levels.A, Y, samples)
    values = np.empty((len(situations), 6))
    for indices, other in _groups(system, loose, situations):
        each = equations if other is loose else registry.derive(other, form)
        values[indices] = _evaluated(other, each, key, [samples[k] for k in indices])
    good = [k for k in range(6) if not is_open[k] and COMPONENTS[k] not in idle]
    bad = [COMPONENTS[k] for k in range(6) if k not in good]
    return {COMPONENTS[k]: values[:, k] for k in good}, bad


def _path(system: System, key: str) -> list[str]:
    """Return the path of a joint that places a body; of one that closes a loop there is none."""
    joints = [element.joint for element in system.elements if element.joint is not None]
    return [joint.path for joint in joints if key in {joint.path, joint.reaction}]


def _idle(system: System, key: str) -> set[str]:
    """Return the components that rows carry which are in no equation."""
    return {
        component
        for row in system.idle
        if row.joint == key and row.wrench is not None
        for component, x in zip(COMPONENTS, (*row.wrench[0], *row.wrench[1]), strict=True)
        if x.op != "number" or x.value
    }


def _giving(system: System) -> tuple[str, Equations]:
    for form in GIVING:
        try:
            equations = registry.derive(system, form)
        except NotApplicableError:
            continue
        if "lam" in equations.results:
            return form, equations
    raise NotRunError("no form gives the reactions of this model")


def _extended(system: System, sample: Place) -> Place:
    """Return a sample with the motions that a joint lets go at zero."""
    paths = [v.path for v in (*system.q, *system.u)]
    return replace(sample, state={path: sample.state.get(path, 0.0) for path in paths})


def _groups(
    system: System, loose: System, situations: Sequence[Situation]
) -> list[tuple[list[int], System]]:
    """Return situations with the same jumps, and the system with these in its loads."""
    groups: dict[frozenset[tuple[Node, Node]], list[int]] = {}
    for k, situation in enumerate(situations):
        groups.setdefault(frozenset(situation.values.items()), []).append(k)
    counterparts = dict(
        zip(
            [switch.node for switch in switches_of(system)],
            [switch.node for switch in switches_of(loose)],
            strict=True,
        )
    )
    return [
        (
            indices,
            with_loads(
                loose, {counterparts[n]: v for n, v in situations[indices[0]].values.items()}
            ),
        )
        if key
        else (indices, loose)
        for key, indices in groups.items()
    ]


def _evaluated(system: System, equations: Equations, key: str, samples: Sequence[Place]) -> Array:
    """Return force and torque of a joint at samples, from the multipliers of a form."""
    rates = "qdd" in equations.results
    speeds = motion.in_speeds(system)
    levels = invariants.levels(motion.in_rates(system) if rates else speeds, rates=rates)
    rows = [speeds.express(row) for row in loop_wrenches(levels)[key]]
    first = samples[0]
    known = values_of(
        equations,
        {path: np.array([sample.state[path] for sample in samples]) for path in first.state},
        first.parameters,
        given_inputs(
            equations,
            {path: np.array([sample.inputs[path] for sample in samples]) for path in first.inputs},
        ),
        np.array([sample.t for sample in samples]),
    )
    outcome = run(equations, known, wanted=[equations.results["lam"]])
    for sample, status in zip(samples, outcome.status, strict=True):
        if status != REGULAR:
            raise NotRunError(f"the reaction of '{key}' is {status} at t = {sample.t:.6g} s")
    lam = Evaluation(equations, outcome, single=False)["lam"]
    entries = evaluate_arrays([x for row in rows for x in row], known)
    columns = [np.broadcast_to(np.asarray(x, dtype=float), len(samples)) for x in entries]
    matrix = np.stack(columns, axis=1).reshape(len(samples), 6, -1)
    return np.asarray((matrix @ lam[:, :, None])[:, :, 0])
