"""`mbx simulate`: an experiment of a model, run through time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.cli.analyses.run_files import Files, bar_of_parts
from mbx.cli.analyses.simulate_output import comparison_lines, run_lines
from mbx.cli.command_files import SETTINGS, read_document
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
from mbx.cli.output import Status, complain, emit_json, print_line
from mbx.cli.request_options import (
    left_out,
    left_out_lines,
    make_request,
    report_refusal,
    warn_of_values,
    with_only_experiment,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.simulate.runs import Run
    from mbx.analyses.simulate.together import Together

__all__ = ["simulate"]

_ALL: Final = "all"
"""Instead of a form: all that apply."""


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
    named = [name for name in form or () if name != _ALL]
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

    results = tuple(name for text in also or () for name in text.split(","))
    _require(method, results, tolerance, independent=bool(independent))
    request = make_request(experiment, start, None, values, None, spelled="--start")
    document = read_document(file)
    linked = warn_of_values(mbx.link(document, model), request)
    wanted.require_writable(printed=as_json)
    system = mbx.elaborate(linked)
    SETTINGS.release()
    comparison: Together | None = None
    try:
        if until is None:
            request = with_only_experiment(linked, request)
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
                    only = named[0] if named else None
                    run = perform_simulation(linked, request, options, form=only)
                else:
                    chosen = named if len(named) == len(form or ()) else []
                    comparison = perform_together(linked, request, options, forms=chosen)
                    run = comparison.run
            except EndedError as early:
                run = early.run
        files = wanted.render_run(document, linked, run, request)
    except NotApplicableError as reason:
        complain_refused(" ".join(form or ()), reason, system)
        return Status.REFUSED
    except (NotDeterminedError, NotNaturalError) as reason:
        complain(f"mbx: {reason}")
        return Status.REFUSED
    except (NotRunError, DrawError) as reason:
        return report_refusal(reason)
    except (BackendError, ExtraError) as missing:
        complain(f"mbx: {missing}")
        return Status.TROUBLE
    wanted.write(files)
    dropped = left_out(linked, request, run.references, until)
    if as_json:
        extra = {} if comparison is None else {"compared": comparison.as_json()}
        emit_json({**run.as_json(), "not_judged": dropped, **extra})
    else:
        lines = [
            *run_lines(run, timed=timed, quiet=quiet),
            *comparison_lines(comparison),
            *left_out_lines(dropped),
        ]
        for line in lines:
            print_line(line)
    return wanted.status(_status(run, comparison))


def _require(
    method: str, results: Sequence[str], tolerance: float | None, *, independent: bool
) -> None:
    """Refuse options that have no effect, or do not go together."""
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


def _status(run: Run, comparison: Together | None) -> int:
    """Return the status of a run; print why it ended, if it ended before its time."""
    if run.ended:
        complain(f"mbx: {run.ended}")
    met = run.met and not run.ended and (comparison is None or comparison.agree)
    return Status.OK if met else Status.DISAGREE
