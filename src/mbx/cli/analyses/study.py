"""`mbx study`: an analysis made many times, over parameters, inputs and starts."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.cli.analyses.run_files import require_suffix
from mbx.cli.command_files import SETTINGS, read_document, require_writable, suffix_of, write
from mbx.cli.equations.convert import unknown_form
from mbx.cli.options import (
    AsJson,
    Cluster,
    Every,
    Force,
    Free,
    Hold,
    Jobs,
    ModelFile,
    ModelName,
    Plot,
    Seed,
    Set,
    Start,
    When,
    option,
    output_path,
)
from mbx.cli.output import Status, bar, complain, emit_json, print_line
from mbx.cli.request_options import (
    make_request,
    report_refusal,
    warn_of_values,
    with_only_experiment,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mbx.analyses.study.parameter_study import Study

__all__ = ["study"]

_TABLES: Final = (".csv", ".parquet")
_PLOTS: Final = (".svg", ".png", ".pdf")


def study(  # noqa: PLR0913  the options of the command
    file: ModelFile,
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="What is made; else the model as it starts.")
    ] = "",
    *,
    analysis: Annotated[
        str | None,
        option("--analysis", "simulate, inverse, equilibrium, linearize or assemble"),
    ] = None,
    results: Annotated[
        list[str] | None,
        option("--result"),
    ] = None,
    series: Annotated[bool, option("--series")] = False,
    vary: Annotated[
        list[str] | None,
        option("--vary"),
    ] = None,
    random: Annotated[
        list[str] | None,
        option("--random"),
    ] = None,
    samples: Annotated[int, option("--samples")] = 0,
    sampling: Annotated[str, option("--sampling")] = "random",
    seed: Seed = 1,
    slopes: Annotated[
        list[str] | None,
        option("--slope"),
    ] = None,
    form: Annotated[
        str | None,
        option("--form", "a short one by default"),
    ] = None,
    method: Annotated[str | None, option("--method", "one of the analysis")] = None,
    at: Annotated[str | None, option("--at")] = None,
    until: Annotated[float | None, option("--until")] = None,
    every: Every = None,
    values: Set = None,
    start: Start = None,
    hold: Hold = None,
    free: Free = None,
    time: When = None,
    timeout: Annotated[float, option("--timeout", "for each simulation")] = 300.0,
    jobs: Jobs = None,
    cluster: Cluster = None,
    out: Annotated[
        Path | None,
        option("--out", "the table, .csv or .parquet", parser=output_path),
    ] = None,
    picture: Plot = None,
    quiet: Annotated[bool, option("--quiet")] = False,
    as_json: AsJson = False,
    force: Force = False,
    model: ModelName = None,
) -> int:
    """Repeat an analysis for many values.

    Parameters, inputs and starts may vary.

    Values are in SI units. A run that fails is a row with its reason. Status 4: none has a result.
    """
    require_suffix("--out", out, _TABLES)
    require_suffix("--plot", picture, _PLOTS)
    unknown = None if form is None else unknown_form(form)
    if unknown is not None:
        complain(f"mbx: {unknown}")
        return Status.USAGE
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import mbx
    from mbx.analyses.request import UnknownNameError
    from mbx.analyses.study.setting import Setting
    from mbx.analyses.study.study_errors import StudyError
    from mbx.analyses.study_verbs import perform_study
    from mbx.base.errors import MbxError, NotApplicableError
    from mbx.base.extras import ExtraError
    from mbx.base.workers.cluster import ClusterError

    setting = Setting(
        analysis=analysis or "",
        results=tuple(results or ()),
        request=make_request(experiment, [*(start or ()), *(hold or ())], free, values, time),
        form=form,
        method=method,
        at=at,
        until=until,
        every=every,
        seconds=timeout,
        series=series,
    )
    swept, randomised = _pairs("--vary", vary), _pairs("--random", random)
    linked = warn_of_values(mbx.link(read_document(file), model), setting.request)
    require_writable(out, picture, force=force, printed=as_json)
    mbx.elaborate(linked)  # errors of the model count in the time for reading
    SETTINGS.release()
    try:
        if not setting.analysis:
            setting = replace(setting, request=with_only_experiment(linked, setting.request))
        with _bar() as progress:
            result = perform_study(
                linked,
                setting,
                vary=swept,
                random=randomised,
                samples=samples,
                sampling=sampling,
                seed=seed,
                slopes=slopes or (),
                jobs=jobs or os.cpu_count() or 1,
                cluster=cluster,
                progress=progress,
            )
        files = dict(_files(result, out, picture))
    except (StudyError, UnknownNameError) as bad:
        complain(f"mbx: {bad}")
        return Status.USAGE
    except NotApplicableError as reason:
        complain(f"mbx: not applicable: {reason}")
        return Status.REFUSED
    except (ClusterError, ExtraError) as missing:
        complain(f"mbx: {missing}")
        return Status.TROUBLE
    except MbxError as reason:
        return report_refusal(reason)
    write(files, force=force)
    if as_json:
        emit_json(result.as_json())
    else:
        _print(result, quiet=quiet)
    if result.bug:
        return Status.BUG
    return Status.OK if result.ok else Status.DISAGREE


def _print(result: Study, *, quiet: bool) -> None:
    from mbx.analyses.study.results.study_text import lines_of, outcome

    for line in outcome(result) if quiet else lines_of(result):
        print_line(line)


def _pairs(option: str, definitions: Sequence[str] | None) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for definition in definitions or ():
        name, sign, text = definition.partition("=")
        if not name or not sign or not text:
            raise typer.TyperException(f"{option} {definition}: expected NAME=VALUES")
        if name in pairs:
            raise typer.TyperException(f"{option} {definition}: '{name}' is there twice")
        pairs[name] = text
    return pairs


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """Show how many runs are done."""
    with bar() as advance:

        def progress(more: int, count: int) -> None:
            if advance is not None:
                for _ in range(more):
                    advance("", count)

        yield progress


def _files(result: Study, out: Path | None, picture: Path | None) -> Iterator[tuple[Path, bytes]]:
    """Yield all files that are to be written, before any is."""
    from mbx.analyses.simulate.results.run_table import csv_of, parquet_of
    from mbx.analyses.study.results.study_plot import plot_study

    if out is not None:
        csv = suffix_of(out, _TABLES) == ".csv"
        yield out, csv_of(result.columns).encode() if csv else parquet_of(result.columns)
    if picture is not None:
        yield picture, plot_study(result, Path(f"plot{suffix_of(picture, _PLOTS)}"))
