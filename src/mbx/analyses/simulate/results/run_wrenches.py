"""What joints transmit along a simulation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.observe import Place
from mbx.analyses.joint_wrenches import Situation, wrenches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.simulate.runs import Run
    from mbx.linking.linked import Linked

__all__ = ["with_wrenches"]


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
