"""What Python calls for mechanisms whose motion is prescribed: `mbx.kinematics`."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from mbx.analyses.request import Request, plan_of, request_of
from mbx.analyses.time_series import Origin
from mbx.base.process import room
from mbx.pipeline import elaborate, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.kinematics.kinematic_analysis import Kinematics, Study
    from mbx.analyses.kinematics.solve_motion import Method
    from mbx.pipeline import ModelLike

__all__ = ["kinematic_study", "kinematics"]


@room()
def kinematics(  # noqa: PLR0913  the options of the command
    document: ModelLike,
    experiment: str = "",
    *,
    model: str | None = None,
    drive: Mapping[str, str | float] | None = None,
    until: float | None = None,
    every: float | None = None,
    set: Mapping[str, float] | None = None,  # noqa: A002  as on the command line
    start: Mapping[str, float] | None = None,
    method: Method = "td",
    points: Sequence[tuple[str, tuple[float, float, float]]] = (),
    natural: bool = False,
    compared: int = 0,
    timeout: float = inf,
    progress: Callable[[float], None] | None = None,
) -> Kinematics:
    """Solve positions, velocities and accelerations of a driven mechanism.

    Values and times are in SI units, by path. A mechanism whose drives do not determine its motion
    raises `NotDeterminedError`, and one that reaches no further `HaltError`.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        experiment: The experiment whose prescribed motions drive it, too.
        model: The model of the document; the last one unless it is named.
        drive: Motions of coordinates, by path: a number, a sweep "FIRST:LAST:COUNT", or an
            expression of t such as "1.9 + 2*t", in SI units.
        until: The time of the end in s, where no drive is a sweep; else that of the experiment.
        every: Seconds between results.
        set: Values of parameters and inputs, in SI units, by path.
        start: Values of coordinates at which the assembly begins, in SI units, by path.
        method: "td" and "3ot" solve structural groups, "global" and "global-sparse" the whole.
        points: Points of interest: a body, and components in its frame, in m.
        natural: Whether natural coordinates are among the results.
        compared: At how many positions, at most, all methods are compared.
        timeout: CPU time that it may take, in s.
        progress: A function that is called with the part that is done, 0 to 1.

    Returns:
        A `Kinematics`: `result["th1"]` is a column of results.

    Examples:
        >>> turn = mbx.kinematics("lib:four_bar", drive={"th1": "0.4:0.8:3"})
        >>> turn["th1"].tolist()
        [0.4, 0.6000000000000001, 0.8]
    """
    from mbx.analyses.kinematics.kinematic_options import KinematicOptions

    options = KinematicOptions(
        method=method,
        until=until,
        every=every,
        points=points,
        natural=natural,
        compared=compared,
        seconds=timeout,
        progress=progress or (lambda _part: None),
    )
    request = replace(request_of(experiment, values=set, start=start), held=frozenset())
    drives = {path: str(motion) for path, motion in (drive or {}).items()}
    hints, linked = resolve(document, model)
    study = kinematic_study(linked, drives, request=request, seconds=timeout)
    plan = study.plan
    values, still = {**plan.parameters, **plan.inputs}, {v.path: 0.0 for v in plan.system.u}
    origin = Origin(hints, study.linked, plan.name, values, still)
    return replace(study.run(options), origin=origin)


@room()
def kinematic_study(
    document: ModelLike,
    drives: Mapping[str, str],
    *,
    request: Request | None = None,
    start: bool = True,
    seconds: float = inf,
    model: str | None = None,
) -> Study:
    """Return a driven mechanism: its groups, range of movement, branches, and runs of it.

    Without `start` no state is assembled, which its structure alone does not need; it may
    take so many seconds of CPU time.
    """
    from mbx.analyses.kinematics.drives import drives_of
    from mbx.analyses.kinematics.kinematic_analysis import study_of
    from mbx.analyses.kinematics.natural.model_numbers import Numbers

    _, linked = resolve(document, model)
    plan = plan_of(linked, elaborate(linked), request or Request(), complete=start)
    numbers = Numbers(plan.system, {**plan.parameters, **plan.inputs})
    return study_of(
        linked, plan, drives_of(linked, plan, numbers, drives), start=start, seconds=seconds
    )
