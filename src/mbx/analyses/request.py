"""Requests: an experiment of a model, with values, starts and times that replace its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite, nan
from typing import TYPE_CHECKING, Final

from mbx.analyses.experiments.caller_values import warnings_put_in
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.read_experiments import Reader
from mbx.analyses.experiments.stated_expectations import blank_of, expectations
from mbx.base.diagnostics import Report, suggestion
from mbx.language.document.experiments import Experiment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.linking.link import Linked
    from mbx.system.system import System

__all__ = [
    "Request",
    "RequestError",
    "UnknownNameError",
    "expected_of",
    "experiment_named",
    "experiments_of",
    "only_experiment",
    "plan_of",
    "request_of",
    "require_names",
    "warnings_of",
]


_LISTED: Final = 24
"""Names that are listed where one is not known; of more, none is."""


class RequestError(NotRunError, ValueError):
    """An argument of an analysis has a value that it cannot have."""


class UnknownNameError(NotRunError):
    """A name that the model does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An experiment, and what the command line or Python adds to it; by path, in SI units.

    Attributes:
        experiment: Its name; "" for none: then the model as it starts.
        values: Parameters and inputs.
        option: What gave these values, as messages name it.
        initial: Where variables and rates start.
        held: Variables that assembly keeps; those among `initial` are held, too.
        freed: Variables that assembly solves for.
        time: When it is; None for the beginning.
        yielding: Whether start values of the experiment give way to those of `initial`: the
            others among coordinates, or among speeds and rates, are solved for.
    """

    experiment: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    initial: Mapping[str, float] = field(default_factory=dict)
    held: frozenset[str] = frozenset()
    freed: frozenset[str] = frozenset()
    time: float | None = None
    option: str = ""
    yielding: bool = False


def request_of(
    experiment: str,
    *,
    values: Mapping[str, float] | None = None,
    start: Mapping[str, float] | None = None,
    hold: Mapping[str, float] | Iterable[str] = (),
    free: Iterable[str] = (),
    time: float | None = None,
    yielding: bool = False,
) -> Request:
    """Return the request of keyword arguments; `hold` are names, or values by name."""
    initial = _numbers("start", start)
    fixed = _numbers("hold", hold) if isinstance(hold, Mapping) else {}
    twice = [name for name in fixed if name in initial]
    if twice:
        raise RequestError(f"'{twice[0]}' has a value in start and in hold: give it one")
    return Request(
        experiment=experiment,
        values=_numbers("set", values),
        initial={**initial, **fixed},
        held=frozenset(_names("hold", hold)),
        freed=frozenset(_names("free", free)),
        time=time,
        yielding=yielding,
    )


def _numbers(argument: str, values: Mapping[str, float] | None) -> dict[str, float]:
    """Return values as finite numbers; raise `RequestError` for anything else."""
    mapping: object = values
    if mapping is not None and not isinstance(mapping, Mapping):
        raise RequestError(f"{argument}: expected numbers by name, such as {{'m': 2.0}}")
    numbers = {}
    for name, value in (values or {}).items():
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = nan
        if not isfinite(number):
            raise RequestError(f"{argument}: '{name}' is {value!r:.80}, not a number in SI units")
        numbers[name] = number
    return numbers


def _names(argument: str, names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise RequestError(f"{argument}: expected a list of names, such as ['{names}']")
    return list(names)


def experiments_of(linked: Linked) -> dict[str, Experiment]:
    """Return the experiments of a model by name."""
    return {experiment.name: experiment for experiment in linked.document.experiments}


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


def warnings_of(linked: Linked, system: System, request: Request) -> Report:
    """Return what the model is warned of with the values that are requested."""
    reader = Reader.of(linked, system)
    return warnings_put_in(reader.context, reader.parents, request.values, request.option)


def plan_of(
    linked: Linked,
    system: System,
    request: Request,
    reader: Reader | None = None,
    *,
    complete: bool = True,
) -> Plan:
    """Return a request in numbers; raise `UnknownNameError` for what is not there.

    `reader` is one of the model, where many plans are made. Without `complete`, parameters may
    lack values.
    """
    parameters = {parameter.path for parameter in system.parameters}
    inputs = {parameter.path for parameter in system.inputs}
    require_names(request.values, parameters | inputs, "parameter or input")
    plan = _planned(linked, system, request, reader, complete=complete)
    signature = {v.path for v in (*system.q, *system.u)}
    known = signature | {f"{v.path}'" for v in system.q}
    require_names([*request.initial, *request.held, *request.freed], known, "variable")
    first = plan.first if request.time is None else request.time
    return replace(
        plan,
        said={**plan.said, **request.initial},
        held=plan.held | request.held,
        freed=plan.freed | request.freed | _yielded(plan, request),
        first=first,
        last=max(first, plan.last),
    )


def _yielded(plan: Plan, request: Request) -> frozenset[str]:
    """Return the variables whose start in the experiment gives way to other starts."""
    if not request.yielding:
        return frozenset()
    coordinates = {v.path for v in plan.system.q}
    speeds = {v.path for v in plan.system.u} | {f"{path}'" for path in coordinates}
    kept = request.initial.keys() | plan.held | request.held
    return frozenset(
        path
        for level in (coordinates, speeds)
        for path in level & plan.said.keys() - kept
        if not level.isdisjoint(request.initial)
    )


def expected_of(
    linked: Linked, plan: Plan, request: Request, until: float | None = None
) -> dict[int, Reference]:
    """Return what the experiment expects, by number, before it is run.

    Nothing, where something else is run than what the experiment states; nor what it expects
    beyond the end, if another one is given.
    """
    if not request.experiment or request.values or request.initial or request.held or request.freed:
        return {}
    experiment = experiments_of(linked)[request.experiment]
    references = dict(enumerate(blank_of(experiment, task) for task in expectations(experiment)))
    for expectation in plan.expected:
        if until is not None and expectation.time is not None and expectation.time > until:
            del references[expectation.number]
    return references


def _planned(
    linked: Linked, system: System, request: Request, reader: Reader | None, *, complete: bool
) -> Plan:
    if request.experiment:
        experiment = experiment_named(linked, request.experiment)
    else:
        name = linked.model.name
        experiment = Experiment.model_construct(kind="experiment", name="", model=name, body=())
    reader = reader or Reader.of(linked, system)
    return reader.plan(experiment, request.values, option=request.option, complete=complete)


def _listed(names: Iterable[str]) -> str:
    """Return names in the order of the model, each in quotes."""
    return ", ".join(f"'{name}'" for name in names)


def require_names(names: Iterable[str], known: set[str], what: str) -> None:
    """Raise `UnknownNameError` for a name that is not known."""
    for name in names:
        if name not in known:
            listed = sorted(known)
            hint = suggestion(name, listed, "; ")
            if not hint and len(listed) <= _LISTED:
                hint = f"; the model has {_listed(listed)}" if listed else "; the model has none"
            raise UnknownNameError(f"there is no {what} '{name}'{hint}")
