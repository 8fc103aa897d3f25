"""What is done with mechanisms whose motion is given: kinematics, module by module."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.base.deep_recursion import room
from mbx.pipeline import elaborate, linked_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.kinematics.kinematic_analysis import Kinematics, Request, Study
    from mbx.analyses.request import Asked
    from mbx.language.document.document import Document
    from mbx.linking.linked import Linked

__all__ = ["kinematic_study", "kinematics"]


@room()
def kinematics(
    document: Document | Linked,
    drives: Mapping[str, str | float] | None = None,
    experiment: str = "",
    model: str | None = None,
    *,
    asked: Asked | None = None,
    request: Request | None = None,
) -> Kinematics:
    """Return positions, velocities and accelerations of a driven mechanism.

    `drives` are motions by coordinate: a number, "FIRST:LAST:COUNT", or an expression of t; an
    experiment's prescribed motions are drives, too. `request` says the method, times and points.
    What is not determined raises `NotDeterminedError`, and where it halts `HaltError` says why.
    """
    from mbx.analyses.kinematics.kinematic_analysis import Request as Plain
    from mbx.analyses.request import Asked as Nothing

    said = {path: str(motion) for path, motion in (drives or {}).items()}
    asked = asked or Nothing()
    asked = replace(asked, experiment=experiment or asked.experiment)
    request = request or Plain()
    return kinematic_study(document, said, model, asked=asked, seconds=request.seconds).run(request)


@room()
def kinematic_study(
    document: Document | Linked,
    drives: Mapping[str, str],
    model: str | None = None,
    *,
    asked: Asked | None = None,
    start: bool = True,
    seconds: float = float("inf"),
) -> Study:
    """Return a driven mechanism: its groups, range of movement, branches, and runs of it.

    Without `start` no state is assembled, which its structure alone does not need; it may take so
    many seconds of CPU time.
    """
    from mbx.analyses.kinematics.drives import drives_of
    from mbx.analyses.kinematics.kinematic_analysis import study_of
    from mbx.analyses.kinematics.natural.model_numbers import Numbers
    from mbx.analyses.request import Asked as Nothing
    from mbx.analyses.request import plan_of

    linked = linked_of(document, model)
    plan = plan_of(linked, elaborate(linked), asked or Nothing(), complete=start)
    numbers = Numbers(plan.system, {**plan.parameters, **plan.inputs})
    return study_of(
        linked, plan, drives_of(linked, plan, numbers, drives), start=start, seconds=seconds
    )
