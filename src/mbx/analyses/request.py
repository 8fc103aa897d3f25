"""What an analysis is asked for: an experiment of the model, and what is said beside it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.given_values import warnings_put_in
from mbx.analyses.experiments.read_experiments import Reader
from mbx.analyses.experiments.stated_expectations import blank_of, expectations
from mbx.base.diagnostics import Report, suggestion
from mbx.language.document.experiments import Experiment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.linking.linked import Linked
    from mbx.system.system import System

__all__ = [
    "Asked",
    "UnknownNameError",
    "expected_of",
    "experiment_named",
    "experiments_of",
    "only_experiment",
    "plan_of",
    "require_names",
    "warnings_of",
]


_LISTED: Final = 24
"""Names that are listed where one is not known; of more, none is."""


class UnknownNameError(NotRunError):
    """A name that the model does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is said on the command line, or in Python, beside an experiment; by path, in SI units.

    Attributes:
        experiment: Its name; "" for none: then the model as it starts.
        values: Parameters and inputs.
        option: What gave these values, as messages name it.
        initial: Where variables and rates start.
        held: Variables that assembly keeps; those among `initial` are held, too.
        freed: Variables that assembly solves for.
        time: When it is; None for the beginning.
    """

    experiment: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    initial: Mapping[str, float] = field(default_factory=dict)
    held: frozenset[str] = frozenset()
    freed: frozenset[str] = frozenset()
    time: float | None = None
    option: str = ""


def experiments_of(linked: Linked) -> dict[str, Experiment]:
    """Return the experiments of a model by name."""
    return {one.name: one for one in linked.document.experiments}


def experiment_named(linked: Linked, name: str) -> Experiment:
    """Return an experiment; raise `UnknownNameError`, with those there are, if it is none."""
    known = experiments_of(linked)
    if name in known:
        return known[name]
    hint = suggestion(name, sorted(known), "; ") or ";"
    there = _listed(known) or "none"
    raise UnknownNameError(f"there is no experiment '{name}'{hint} the model has {there}")


def only_experiment(linked: Linked) -> str:
    """Return the name of the one experiment of a model, "" if it has none; refuse several."""
    known = list(experiments_of(linked))
    if len(known) > 1:
        raise UnknownNameError(f"nothing says which experiment: {_listed(known)}")
    return known[0] if known else ""


def warnings_of(linked: Linked, system: System, asked: Asked) -> Report:
    """Return what the model is warned of with the values that are asked for."""
    reader = Reader.of(linked, system)
    return warnings_put_in(reader.context, reader.parents, asked.values, asked.option)


def plan_of(
    linked: Linked,
    system: System,
    asked: Asked,
    reader: Reader | None = None,
    *,
    complete: bool = True,
) -> Plan:
    """Return what is asked for in numbers; raise `UnknownNameError` for what is not there.

    `reader` is one of the model, where many plans are made. Without `complete`, parameters may
    lack values.
    """
    parameters = {one.path for one in system.parameters}
    inputs = {one.path for one in system.inputs}
    require_names(asked.values, parameters | inputs, "parameter or input")
    plan = _planned(linked, system, asked, reader, complete=complete)
    signature = {v.path for v in (*system.q, *system.u)}
    known = signature | {f"{v.path}'" for v in system.q}
    require_names([*asked.initial, *asked.held, *asked.freed], known, "variable")
    first = plan.first if asked.time is None else asked.time
    return replace(
        plan,
        said={**plan.said, **asked.initial},
        held=plan.held | asked.held,
        freed=plan.freed | asked.freed,
        first=first,
        last=max(first, plan.last),
    )


def expected_of(
    linked: Linked, plan: Plan, asked: Asked, until: float | None = None
) -> dict[int, Reference]:
    """Return what the experiment expects, by number, before it is run.

    Nothing, where something else is run than what the experiment says; nor what it expects
    beyond the end, if another one is given.
    """
    if not asked.experiment or asked.values or asked.initial or asked.held or asked.freed:
        return {}
    experiment = experiments_of(linked)[asked.experiment]
    found = dict(enumerate(blank_of(experiment, one) for one in expectations(experiment)))
    for one in plan.expected:
        if until is not None and one.time is not None and one.time > until:
            del found[one.number]
    return found


def _planned(
    linked: Linked, system: System, asked: Asked, reader: Reader | None, *, complete: bool
) -> Plan:
    if asked.experiment:
        experiment = experiment_named(linked, asked.experiment)
    else:
        name = linked.model.name
        experiment = Experiment.model_construct(kind="experiment", name="", model=name, body=())
    reader = reader or Reader.of(linked, system)
    return reader.plan(experiment, asked.values, option=asked.option, complete=complete)


def _listed(names: Iterable[str]) -> str:
    """Return names in the order of the model, each in quotes."""
    return ", ".join(f"'{one}'" for one in names)


def require_names(names: Iterable[str], known: set[str], what: str) -> None:
    """Raise `UnknownNameError` for a name that is not known."""
    for name in names:
        if name not in known:
            listed = sorted(known)
            hint = suggestion(name, listed, "; ")
            if not hint and len(listed) <= _LISTED:
                hint = f"; the model has {_listed(listed)}" if listed else "; the model has none"
            raise UnknownNameError(f"there is no {what} '{name}'{hint}")
