"""`mbx simulate`: an experiment of a model, run through time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.cli.analyses.run_files import Files, bar_of_parts
from mbx.cli.analyses.simulate_output import compared, told
from mbx.cli.equations.convert import complain_refused, unknown_form
from mbx.cli.options import (
    Animation,
    AsJson,
    Every,
    Force,
    LastLine,
    ModelFile,
    ModelName,
    Plot,
    Reaction,
    Results,
    Set,
    Start,
    Timeout,
    Tolerance,
    Until,
    option,
)
from mbx.cli.output import Status, complain, emit_json, say
from mbx.cli.read_input import SETTINGS, read_document
from mbx.cli.request_options import (
    asked_for,
    left_out,
    of_one_experiment,
    refused,
    told_left_out,
    warned,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.simulate.runs import Run
    from mbx.analyses.simulate.together import Together

__all__ = ["simulate"]

_ALL: Final = "all"
"""In the place of a form: all that apply."""


def simulate(  # noqa: PLR0913  the options of the command
    file: ModelFile,
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="What is run; else the only one.")
    ] = "",
    *,
    method: Annotated[
        str,
        option("--method", "projection, stiff, baumgarte, ggl, index3, momenta or groups"),
    ] = "projection",
    independent: Annotated[
        list[str] | None,
        option("--independent"),
    ] = None,
    form: Annotated[
        list[str] | None,
        option("--form", "repeat, or all, to compare runs"),
    ] = None,
    until: Until = None,
    every: Every = None,
    values: Set = None,
    start: Start = None,
    reaction: Reaction = None,
    out: Results = None,
    picture: Plot = None,
    animation: Animation = None,
    timeout: Timeout = 300.0,
    tolerance: Tolerance = None,
    error: Annotated[bool, option("--error")] = False,
    also: Annotated[
        list[str] | None,
        option("--also", "accelerations, multipliers or reactions; may be repeated"),
    ] = None,
    timed: Annotated[bool, option("--timing")] = False,
    quiet: LastLine = False,
    as_json: AsJson = False,
    force: Force = False,
    model: ModelName = None,
) -> int:
    """Simulate an experiment.

    Values are in SI units. Status 3: no form or group supports the model. Status 4: the run ends
    before its time, or an expectation is not met; the results up to there are written.
    """
    wanted = Files(out, picture, animation, force)
    wanted.require_suffixes()
    named = [one for one in form or () if one != _ALL]
    unknown = next(filter(None, map(unknown_form, named)), None)
    if unknown is not None:
        complain(f"mbx: {unknown}")
        complain("  help: mbx forms lists all forms")
        return Status.USAGE
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import mbx
    from mbx.analyses.experiments.experiment_plan import NotRunError
    from mbx.analyses.kinematics.groups.decompose import NotDeterminedError
    from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError
    from mbx.analyses.perform_requests import (
        perform_simulation,
        perform_together,
    )
    from mbx.analyses.simulate.runs import EndedError, Options
    from mbx.base.errors import BackendError, NotApplicableError
    from mbx.base.extras import ExtraError
    from mbx.show.drawing.pose import DrawError

    results = tuple(name for one in also or () for name in one.split(","))
    _require(method, results, tolerance, independent=bool(independent))
    asked = asked_for(experiment, start, None, values, None, spelled="--start")
    document = read_document(file)
    linked = warned(mbx.link(document, model), asked)
    wanted.require_writable(printed=as_json)
    system = mbx.elaborate(linked)
    SETTINGS.release()
    found: Together | None = None
    try:
        if until is None:
            asked = of_one_experiment(linked, asked)
        with bar_of_parts() as progress:
            options = Options(
                method=method,
                independent=tuple(independent or ()),
                every=every,
                until=until,
                tolerance=tolerance,
                results=results,
                error=error,
                joints=tuple(reaction or ()),
                seconds=timeout,
                progress=progress,
            )
            try:
                if len(named) == len(form or ()) <= 1:
                    one = named[0] if named else None
                    run = perform_simulation(linked, asked, options, form=one)
                else:
                    some = named if len(named) == len(form or ()) else []
                    found = perform_together(linked, asked, options, forms=some)
                    run = found.run
            except EndedError as early:
                run = early.run
        files = wanted.made(document, linked, run, asked)
    except NotApplicableError as reason:
        complain_refused(" ".join(form or ()), reason, system)
        return Status.REFUSED
    except (NotDeterminedError, NotNaturalError) as reason:
        complain(f"mbx: {reason}")
        return Status.REFUSED
    except (NotRunError, DrawError) as reason:
        return refused(reason)
    except (BackendError, ExtraError) as missing:
        complain(f"mbx: {missing}")
        return Status.TROUBLE
    wanted.write(files)
    dropped = left_out(linked, asked, run.references, until)
    if as_json:
        beside = {} if found is None else {"compared": found.as_json()}
        emit_json({**run.as_json(), "not_judged": dropped, **beside})
    else:
        lines = [*told(run, timed=timed, quiet=quiet), *compared(found), *told_left_out(dropped)]
        for line in lines:
            say(line)
    return wanted.status(_status(run, found))


def _require(
    method: str, results: Sequence[str], tolerance: float | None, *, independent: bool
) -> None:
    """Refuse options that say nothing, or do not go together."""
    from mbx.analyses.simulate.methods import METHODS
    from mbx.analyses.simulate.results.further_results import FURTHER
    from mbx.checking.rules.experiment_statements import LEAST, MOST

    if method not in METHODS:
        raise typer.TyperException(f"--method {method}: one of {', '.join(METHODS)}")
    if independent and method != "groups":
        raise typer.TyperException("--independent is for --method groups")
    for name in results:
        if name not in FURTHER:
            raise typer.TyperException(f"--also {name}: one of {', '.join(FURTHER)}")
    if tolerance is not None and not LEAST <= tolerance <= MOST:
        raise typer.TyperException(f"--tolerance {tolerance:g}: from {LEAST:g} to {MOST:g}")


def _status(run: Run, found: Together | None) -> int:
    """Return the status of a run; say why it ended, if it ended before its time."""
    if run.ended:
        complain(f"mbx: {run.ended}")
    met = run.met and not run.ended and (found is None or found.agree)
    return Status.OK if met else Status.DISAGREE
