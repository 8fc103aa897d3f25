"""Running the experiments of a model: whether each expectation is met."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Final

from mbx.analyses.experiments.default_forms import all_forms, completing
from mbx.analyses.experiments.expectation import Reference
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import inputs_of, start_of, state_of
from mbx.analyses.experiments.form_rounding import COUNT
from mbx.analyses.experiments.judge_expectations import judge
from mbx.analyses.experiments.observe import Observer, Place
from mbx.analyses.experiments.read_experiments import Reader
from mbx.analyses.experiments.sharpness import sharpened
from mbx.analyses.experiments.stated_expectations import blank_of, expectations, stated
from mbx.analyses.experiments.time_limit import Clock
from mbx.analyses.inverse.inverse_solution import with_inputs
from mbx.analyses.inverse.prescribed_motion import driven_samples
from mbx.analyses.simulate.forward import PREFERRED
from mbx.analyses.simulate.runs import Options, expectations_met
from mbx.base.errors import MbxError
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mbx.analyses.experiments.experiment_plan import Expectation, Plan
    from mbx.analyses.experiments.observe import Seen
    from mbx.formalism.equations import Equations
    from mbx.language.document.experiments import Experiment
    from mbx.linking.link import Linked
    from mbx.system.system import System

__all__ = ["SECONDS", "Outcome", "outcome_of", "references"]

SECONDS: Final = 60.0
"""How long one experiment may compute."""
BRIEF: Final = 5.0
"""The same of one that expects nothing of its trajectory."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the experiments of a model: expectations, and runs that ended early.

    Attributes:
        references: The expectations.
        ended: Why runs ended before their time, or did not begin, by experiment.
    """

    references: tuple[Reference, ...]
    ended: Mapping[str, str]


def references(
    linked: Linked,
    forms: Mapping[str, Equations] | None = None,
    *,
    system: System | None = None,
    seconds: float = SECONDS,
    total: float = inf,
) -> tuple[Reference, ...]:
    """Return what a model expects and what its equations give, experiment by experiment.

    At the start and at named states every form is evaluated, all that apply unless some are passed;
    a trajectory is integrated with one of them. One that cannot be run has a reason, and stops
    no other. Each experiment has some `seconds` to compute, and all of them a `total`.
    """
    if not any(stated(linked)):
        return ()
    system = elaborate(linked, checked=True) if system is None else system
    return _outcome(
        linked, forms, system, [e for e, _ in stated(linked)], seconds, total
    ).references


def outcome_of(
    linked: Linked, forms: Mapping[str, Equations] | None, *, system: System, total: float = inf
) -> Outcome:
    """Return what becomes of all experiments of a model, those that expect nothing among them.

    These are run for a little while, to see whether their motion is one.
    """
    return _outcome(linked, forms, system, linked.document.experiments, SECONDS, total)


def _outcome(
    linked: Linked,
    forms: Mapping[str, Equations] | None,
    system: System,
    experiments: Iterable[Experiment],
    seconds: float,
    total: float,
) -> Outcome:
    reader = Reader.of(linked, system)
    judged: list[Reference] = []
    ended: dict[str, str] = {}
    whole = Clock.of(total)
    for experiment in experiments:
        forms = all_forms(system) if forms is None else forms
        blank = [blank_of(experiment, task) for task in expectations(experiment)]
        clock = Clock.of(min(seconds, whole.left))
        known, why = _run(reader, experiment, blank, forms, clock)
        judged += known
        if why:
            ended[experiment.name] = why
    return Outcome(tuple(judged), ended)


@dataclass(frozen=True, slots=True)
class _Work:
    """An experiment under way: what is requested, and with which forms.

    `ended` is why its trajectory ended early, once it was run: "" where it did not.
    """

    plan: Plan
    observer: Observer
    forms: Mapping[str, Equations]
    clock: Clock
    ended: list[str] = field(default_factory=list)

    @property
    def rounding(self) -> Observer:
        """Who sees how much rounding there is."""
        return replace(self.observer, nudge=True)


_Judged = dict[int, Reference]
"""What became of expectations, by their number."""


def _run(
    reader: Reader,
    experiment: Experiment,
    blank: Sequence[Reference],
    forms: Mapping[str, Equations],
    clock: Clock,
) -> tuple[list[Reference], str]:
    """Return what became of the expectations of one experiment, and why its run ended early."""
    try:
        plan = reader.plan(experiment)
    except MbxError as error:
        return [replace(reference, reason=_text(error)) for reference in blank], ""
    known = list(blank)
    for expectation in plan.expected:
        known[expectation.number] = replace(
            known[expectation.number], expected=expectation.value, within=expectation.within
        )
    for energy in plan.energies:
        known[energy.number] = replace(known[energy.number], expected=0.0, within=energy.within)
    observer = Observer(plan.system, tuple(expectation.node for expectation in plan.expected))
    work = _Work(plan, observer, forms, clock)
    still, driven, moved, outside = _sorted(plan)
    for expectation in outside:
        known[expectation.number] = replace(
            known[expectation.number], reason="the simulation is not there then"
        )
    for run, part in ((_at_states, still), (_on_motions, driven), (_on_trajectory, moved)):
        numbers = [expectation.number for expectation in part]
        if run is _on_trajectory:
            numbers += [energy.number for energy in plan.energies]
        if numbers:
            judged = _attempt(run, work, part, known, numbers)
            for number, reference in judged.items():
                known[number] = reference
    return known, work.ended[0] if work.ended else _ended(work)


def _ended(work: _Work) -> str:
    """Return why a run that expects nothing of its trajectory ends early, if it does soon."""
    plan = work.plan
    if not plan.first < plan.last or plan.motions:
        return ""
    try:
        _run_by(work, {}, min(BRIEF, work.clock.left))
    except MbxError as error:
        return _text(error)
    return work.ended[0]


def _sorted(plan: Plan) -> tuple[list[Expectation], ...]:
    """Return expectations at states, on prescribed motions, on a trajectory, and elsewhere."""
    still: list[Expectation] = []
    driven: list[Expectation] = []
    moved: list[Expectation] = []
    outside: list[Expectation] = []
    for expectation in plan.expected:
        if expectation.time is None:
            still.append(expectation)
        elif not plan.first <= expectation.time <= plan.last:
            outside.append(expectation)
        elif plan.motions:
            driven.append(expectation)
        else:
            (still if expectation.time == plan.first else moved).append(expectation)
    return still, driven, moved, outside


def _attempt(
    run: Callable[[_Work, Sequence[Expectation], Sequence[Reference]], _Judged],
    work: _Work,
    expectations: Sequence[Expectation],
    known: Sequence[Reference],
    numbers: Sequence[int],
) -> _Judged:
    """Return what a run gives, or the reason why it gives nothing."""
    try:
        return run(work, expectations, known)
    except MbxError as error:
        if run is _on_trajectory:
            work.ended.append("")  # the expectation states why
        return {number: replace(known[number], reason=_text(error)) for number in numbers}


def _text(error: MbxError) -> str:
    return " ".join(str(error).split())


# -- at states -----------------------------------------------------------------------------------


def _at_states(
    work: _Work, expectations: Sequence[Expectation], known: Sequence[Reference]
) -> _Judged:
    """Evaluate every form at the start and at named states."""
    samples: dict[str | None, Place] = {}
    judged: _Judged = {}
    for name in dict.fromkeys(expectation.state for expectation in expectations):
        try:
            samples[name] = _sample(work, name)
        except MbxError as error:
            for expectation in expectations:
                if expectation.state == name:
                    judged[expectation.number] = replace(
                        known[expectation.number], reason=_text(error)
                    )
    order = list(samples)
    seen, faults = _seen(
        work, lambda equations: work.observer.at(equations, [samples[name] for name in order])
    )
    for expectation in expectations:
        if expectation.number not in judged:
            here = {form: each[order.index(expectation.state)] for form, each in seen.items()}
            near = [samples[expectation.state]] * COUNT
            judged[expectation.number] = judge(
                known[expectation.number],
                expectation,
                here,
                faults,
                lambda form, near=near: work.rounding.at(work.forms[form], near),  # type: ignore[misc]
            )
    return sharpened(work.plan, None, (), judged)


def _sample(work: _Work, name: str | None) -> Place:
    plan = work.plan
    more = completing(work.forms)
    state = start_of(plan, more) if name is None else state_of(plan, name, more)
    t = plan.first if name is None else 0.0
    return Place(state, plan.parameters, inputs_of(plan), t)


def _on_motions(
    work: _Work, expectations: Sequence[Expectation], known: Sequence[Reference]
) -> _Judged:
    """Find inputs by every form at the times of expectations."""
    times = sorted(
        {expectation.time for expectation in expectations if expectation.time is not None}
    )
    samples = driven_samples(work.plan, times, work.clock, work.forms)
    seen, faults = _seen(
        work, lambda equations: with_inputs(work.observer, equations, work.plan, samples)
    )
    judged: _Judged = {}
    for expectation in expectations:
        if expectation.time is not None:
            k = times.index(expectation.time)
            here = {form: each[k] for form, each in seen.items()}
            near = [samples[k]] * COUNT
            judged[expectation.number] = judge(
                known[expectation.number],
                expectation,
                here,
                faults,
                lambda form, near=near: with_inputs(  # type: ignore[misc]
                    work.rounding, work.forms[form], work.plan, near
                ),
            )
    return sharpened(work.plan, None, (), judged)


def _seen(
    work: _Work, look: Callable[[Equations], list[Seen]]
) -> tuple[dict[str, list[Seen]], list[str]]:
    """Return what every form gives, and which forms fail."""
    seen: dict[str, list[Seen]] = {}
    faults: list[str] = []
    for name, equations in work.forms.items():
        work.clock.check()
        try:
            seen[name] = look(equations)
        except NotRunError as error:
            faults.append(f"{name}: {error}")
        except Exception as error:  # noqa: BLE001  a form may raise anything
            faults.append(f"{name}: {type(error).__name__}: {' '.join(str(error).split())}")
    return seen, faults


# -- along trajectories --------------------------------------------------------------------------


def _on_trajectory(
    work: _Work, expectations: Sequence[Expectation], known: Sequence[Reference]
) -> _Judged:
    """Simulate, and judge what is expected on the way, and of the energy."""
    plan = work.plan
    if plan.motions:
        raise NotRunError("the energy is not conserved: inputs bring prescribed motions about")
    numbers = [
        *(expectation.number for expectation in expectations),
        *(energy.number for energy in plan.energies),
    ]
    judged = _run_by(work, {number: known[number] for number in numbers}, work.clock.left)
    return dict(zip(sorted(numbers), judged, strict=True))


def _run_by(work: _Work, blank: Mapping[int, Reference], seconds: float) -> tuple[Reference, ...]:
    """Return what becomes of expectations on a trajectory; note why that ends early."""
    plan = work.plan
    chosen = next(((name, work.forms[name]) for name in PREFERRED if name in work.forms), None)
    options = Options(seconds=seconds)
    judged, ended = expectations_met(plan, chosen, options, blank=blank)
    work.ended.append(ended)
    return judged
