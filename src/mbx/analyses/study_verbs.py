"""What Python calls to make many analyses over parameters: `mbx.study`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.analyses.request import request_of
from mbx.base.process import room
from mbx.pipeline import linked_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.study.parameter_study import Study
    from mbx.analyses.study.setting import Setting
    from mbx.pipeline import ModelLike

__all__ = ["perform_study", "study"]


def study(  # noqa: PLR0913  the options of the command
    document: ModelLike,
    experiment: str = "",
    *,
    model: str | None = None,
    analysis: str = "",
    results: Sequence[str] = (),
    vary: Mapping[str, str | Sequence[float]] | None = None,
    random: Mapping[str, str] | None = None,
    samples: int = 0,
    sampling: str = "random",
    seed: int = 1,
    slopes: Sequence[str] = (),
    set: Mapping[str, float] | None = None,  # noqa: A002  as on the command line
    start: Mapping[str, float] | None = None,
    hold: Mapping[str, float] | Sequence[str] = (),
    free: Sequence[str] = (),
    time: float | None = None,
    form: str | None = None,
    method: str | None = None,
    at: str | None = None,
    until: float | None = None,
    every: float | None = None,
    series: bool = False,
    timeout: float = 300.0,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Study:
    """Make an analysis over values of parameters, inputs and starts, as one table.

    Values and times are in SI units, by path. A request that cannot be met raises `StudyError`; a
    run that fails is a row of the table with its reason.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        experiment: The experiment that is made; "" for the model from its start.
        model: The model of the document; the last one unless it is named.
        analysis: "simulate", "equilibrium", "linearize", "assemble" or another one of
            `mbx.analyses.study.kinds`; else that of the experiment.
        results: The results of each run, by name; else those that the analysis gives by itself.
        vary: Values by name, in SI units: numbers, or texts such as "1:2:5", "1:100:5:log" and
            "1,2,5"; else those of the experiment.
        random: Distributions by name, such as "normal(1, 0.1)", in SI units.
        samples: How many samples of them are drawn.
        sampling: How: "random", "latin", "sobol" or "halton".
        seed: The seed of the samples.
        slopes: Names by which each result is differentiated.
        set: Values of parameters and inputs, in SI units, by path.
        start: Values of coordinates and speeds at the start, in SI units, by path; assembly moves
            them only where nothing else makes the state consistent.
        hold: Variables that assembly keeps, by path: names, which keep the value that they start
            with, or values by name.
        free: Variables that are solved for, by path.
        time: The time of a state in s; else that of the start.
        form: The formalism that gives accelerations; a short one unless it is named.
        method: The method of the analysis.
        at: The state about which a model is linearised.
        until: The time of the end of a simulation in s; else that of the experiment.
        every: Seconds between results of a simulation.
        series: Whether the table has a row for each time of a simulation.
        timeout: CPU time that a run may take, in s.
        jobs: How many processes share the work, with the same result.
        cluster: The address of a Dask cluster that does the work.
        progress: A function that is called with how many more runs are done, and how many there
            are.

    Returns:
        A `Study`: `study["m"]` is a column of the table.

    Examples:
        >>> table = mbx.study(
        ...     "lib:simple_pendulum", analysis="equilibrium", vary={"l": [0.5, 1.0]}
        ... )
        >>> table["l"].tolist()
        [0.5, 1.0]
    """
    from mbx.analyses.study.setting import Setting

    setting = Setting(
        analysis=analysis,
        results=tuple(results),
        request=request_of(experiment, values=set, start=start, hold=hold, free=free, time=time),
        form=form,
        method=method,
        at=at,
        until=until,
        every=every,
        seconds=timeout,
        series=series,
    )
    return perform_study(
        document,
        setting,
        vary=vary,
        random=random,
        samples=samples,
        sampling=sampling,
        seed=seed,
        slopes=slopes,
        jobs=jobs,
        cluster=cluster,
        progress=progress,
        name=model,
    )


@room()
def perform_study(  # noqa: PLR0913  the options of the command
    model: ModelLike,
    setting: Setting,
    *,
    vary: Mapping[str, str | Sequence[float]] | None = None,
    random: Mapping[str, str] | None = None,
    samples: int = 0,
    sampling: str = "random",
    seed: int = 1,
    slopes: Sequence[str] = (),
    jobs: int = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    name: str | None = None,
) -> Study:
    """Return a study with a setting, of a design made of what is varied and drawn."""
    from mbx.analyses.study.design import Sampling
    from mbx.analyses.study.parameter_study import study as make
    from mbx.analyses.study.study_request import completed_setting, design_of
    from mbx.base.workers.pool import Pool

    linked = linked_of(model, name)
    complete = completed_setting(linked, setting)
    design = design_of(linked, complete, vary, random, Sampling(samples, sampling, seed), slopes)
    report = progress or (lambda _more, _all: None)
    return make(linked, complete, design, slopes, Pool(jobs, cluster), report)
