"""Further results along a run: accelerations, multipliers and reactions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.observe import Observer, Place, given_inputs
from mbx.analyses.named_reactions import named_reactions
from mbx.analyses.reaction_units import reaction_units
from mbx.analyses.simulate.runs import Column
from mbx.analyses.unique_reactions import open_components, unique_reactions
from mbx.base.errors import NotApplicableError
from mbx.expr.nodes import ONE, ZERO
from mbx.formalism import registry
from mbx.language.units import per_second
from mbx.mechanics import invariants, motion
from mbx.numerics.execute.evaluate_equations import Evaluation, values_of
from mbx.numerics.execute.execute import REGULAR
from mbx.numerics.execute.execute import run as evaluated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.simulate.runs import Run
    from mbx.formalism.equations import Equations
    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["FURTHER", "with_further"]

GIVING: Final = ("kane", "gibbs_appell", "jourdain", "udwadia_kalaba", "lagrange", "newton_euler")
"""Forms that are asked in the place of one that does not give a result."""
_SECOND: Final = 2


def with_further(
    linked: Linked, plan: Plan, equations: Equations, run: Run, kinds: Sequence[str]
) -> Run:
    """Return a run with further kinds of results among its columns."""
    for kind in kinds:
        if kind not in FURTHER:
            raise NotRunError(f"no results are called '{kind}', only {', '.join(FURTHER)}")
    if "multipliers" in kinds and plan.system.order > _SECOND:
        raise NotRunError("multipliers under an invariant of order 3 or more are not given")
    inputs = inputs_of(plan)
    places = [
        Place(dict(zip(run.paths, y.tolist(), strict=True)), plan.parameters, inputs, t)
        for t, y in zip(run.t.tolist(), run.states, strict=True)
    ]
    columns, omitted = list(run.columns), list(run.omitted)
    for kind in dict.fromkeys(kinds):
        more, lost = FURTHER[kind](linked, plan, equations, places)
        known = {one.name for one in columns}
        columns += [one for one in more if one.name not in known]
        omitted += [name for name in lost if name not in omitted]
    return replace(run, columns=tuple(columns), omitted=tuple(omitted))


_Found = tuple[list[Column], tuple[str, ...]]


def _accelerations(
    linked: Linked,  # noqa: ARG001  of all kinds
    plan: Plan,
    equations: Equations,
    places: Sequence[Place],
) -> _Found:
    """Return the rates of the speeds."""
    seen = Observer(plan.system, ()).at(equations, places)
    ud = np.array([one.ud if one.regular else np.full(len(one.ud), np.nan) for one in seen])
    units = {f"{v.path}'": per_second(v.unit) for v in plan.system.u}
    found = [
        Column(x.path, units.get(x.path, x.unit), ud[:, k])
        for k, x in enumerate(equations.signature.highest)
    ]
    return found, ()


def _multipliers(
    linked: Linked,  # noqa: ARG001  of all kinds
    plan: Plan,
    equations: Equations,
    places: Sequence[Place],
) -> _Found:
    """Return lam of M ud = h + A^T lam, by the names of the invariants; those that are unique."""
    levels = invariants.levels(motion.in_speeds(plan.system))
    names = [f"lambda:{row.path}" for row in levels.rows]
    units = [row.multiplier_unit for row in levels.rows]
    if not names:
        return [], ()
    count = range(len(names))
    unit = [[ONE if j == k else ZERO for j in count] for k in count]
    mask = open_components(plan.system, levels.A, unit, places)
    for each in _forms(plan, equations):
        if "lam" not in each.results or "qdd" in each.results:
            continue
        lam = _evaluated(each, places)
        if lam.shape[1] == len(names):
            columns = [
                Column(name, units[k], lam[:, k]) for k, name in enumerate(names) if not mask[k]
            ]
            return columns, tuple(name for k, name in enumerate(names) if mask[k])
    raise NotRunError("no form gives the multipliers of this model")


def _evaluated(equations: Equations, places: Sequence[Place]) -> Array:
    """Return the multipliers of a form at places, a row for each."""
    first = places[0]
    state = {path: np.array([one.state[path] for one in places]) for path in first.state}
    values = values_of(
        equations,
        state,
        first.parameters,
        given_inputs(equations, first.inputs),
        np.array([one.t for one in places]),
    )
    outcome = evaluated(equations, values, wanted=[equations.results["lam"]])
    found = Evaluation(equations, outcome, single=False)
    regular = np.array([str(one) == REGULAR for one in found.status])
    return np.where(regular[:, None], found["lam"], np.nan)


def _reactions(linked: Linked, plan: Plan, equations: Equations, places: Sequence[Place]) -> _Found:
    """Return the reactions that have a name; those that are unique."""
    named = dict(named_reactions(plan.system))
    unique, omitted = unique_reactions(plan, places, named)
    units = reaction_units(linked)
    missing, found = dict(unique), {}
    for each in _forms(plan, equations):
        if not missing:
            break
        seen = Observer(plan.system, tuple(missing.values())).at(each, places)
        for name, node in list(missing.items()):
            values = [one.of(node) if one.regular else np.nan for one in seen]
            if None not in values:
                del missing[name]
                found[name] = Column(name, units.get(name, ""), np.array(values, dtype=float))
    return [found[name] for name in unique if name in found], (*omitted, *missing)


def _forms(plan: Plan, equations: Equations) -> Iterator[Equations]:
    """Yield the form of a run, and then others that apply."""
    yield equations
    for name in GIVING:
        if name in registry.names():
            try:
                yield registry.derive(plan.system, name)
            except NotApplicableError:
                continue


FURTHER: Final[dict[str, Callable[..., _Found]]] = {
    "accelerations": _accelerations,
    "multipliers": _multipliers,
    "reactions": _reactions,
}
"""What there is, by name."""
