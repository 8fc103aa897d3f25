"""What joints transmit along a simulation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.analyses.wrenches import Situation, wrenches
from mbx.experiments.observe import Place
from mbx.experiments.start import inputs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.simulate import Run
    from mbx.experiments.plan import Plan
    from mbx.link.linked import Linked

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
