"""A run with all that was asked for beside it: further results, wrenches of joints, its error."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.observe import Place
from mbx.analyses.experiments.time_limit import Clock
from mbx.analyses.joint_wrenches import ALL, Situation, joints_named, wrenches
from mbx.analyses.simulate.achieved_error import achieved
from mbx.analyses.simulate.methods import form_of
from mbx.analyses.simulate.results.further_results import with_further

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.simulate.runs import Options, Run
    from mbx.formalism.equations import Equations
    from mbx.linking.link import Linked

__all__ = ["Completion"]


@dataclass(frozen=True, slots=True)
class Completion:
    """What completes a run of a plan by a form."""

    linked: Linked
    plan: Plan
    form: tuple[str, Equations] | None
    options: Options
    clock: Clock = field(init=False)
    joints: list[str] = field(init=False)

    def __post_init__(self) -> None:
        """Find the joints; raise `UnknownNameError` where there is none of a name."""
        object.__setattr__(self, "clock", Clock.of(self.options.seconds))
        names = [*self.options.joints, *[ALL] * ("reactions" in self.options.results)]
        object.__setattr__(self, "joints", joints_named(self.plan.system, names))

    def of(self, run: Run) -> Run:
        """Return a run with all of it."""
        if self.options.results:
            form = self.form or form_of(run.method, self.plan.system)
            run = with_further(self.linked, self.plan, form[1], run, self.options.results)
        if self.joints:
            run = with_wrenches(self.linked, self.plan, run, self.joints)
        if self.options.error and not run.ended:
            options = replace(self.options, seconds=self.clock.left)
            run = replace(run, error=achieved(self.plan, self.form, options, run))
        return run


def with_wrenches(linked: Linked, plan: Plan, run: Run, joints: Sequence[str]) -> Run:
    """Return a run with the wrenches of joints among its columns."""
    situations = [
        Situation(
            Place(
                dict(zip(run.paths, y.tolist(), strict=True)), plan.parameters, inputs_of(plan), t
            ),
            {},
        )
        for t, y in zip(run.t.tolist(), run.states, strict=True)
    ]
    columns, omitted = wrenches(linked, plan.system, joints, situations)
    known = {one.name for one in run.columns}
    return replace(
        run,
        columns=(*run.columns, *(one for one in columns if one.name not in known)),
        omitted=tuple(dict.fromkeys([*run.omitted, *omitted])),
    )
