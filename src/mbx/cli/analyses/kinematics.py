"""`mbx kinematics`: a mechanism solved for positions, velocities and accelerations."""

from __future__ import annotations

import os
from dataclasses import replace
from math import isfinite, pi
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.cli.analyses.kinematics_output import (
    lines_of,
    print_branches,
    print_range,
    structure_data,
    structure_lines,
)
from mbx.cli.analyses.run_files import Files, bar_of_parts, require_suffix
from mbx.cli.command_files import SETTINGS, read_document, suffix_of, write, write_into
from mbx.cli.options import (
    Animation,
    AsJson,
    Every,
    Force,
    ModelFile,
    ModelName,
    Plot,
    Results,
    Seed,
    Set,
    Timeout,
    Until,
    assignments,
    option,
    output_path,
)
from mbx.cli.output import Status, complain, emit_json, print_line
from mbx.cli.request_options import make_request, report_refusal, warn_of_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.analyses.kinematics.groups.decompose import NotDeterminedError
    from mbx.analyses.kinematics.kinematic_analysis import Kinematics, Study
    from mbx.analyses.simulate.runs import Column
    from mbx.language.document.document import Document

__all__ = ["kinematics"]

_DIAGRAMS: Final = (".dot", ".svg", ".txt")
_ALL: Final = "all"
_COMPARED: Final = 50
"""Positions at which methods are compared, at most."""


def kinematics(  # noqa: PLR0913  the options of the command
    file: ModelFile,
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="Whose prescribed motions drive it.")
    ] = "",
    *,
    drive: Annotated[
        list[str] | None,
        option("--drive", "a number, FIRST:LAST:COUNT, or an expression of t"),
    ] = None,
    method: Annotated[
        str,
        option("--method", "td, 3ot, global, global-sparse, or all to compare"),
    ] = "td",
    until: Until = None,
    every: Every = None,
    values: Set = None,
    guess: Annotated[
        list[str] | None,
        option("--guess"),
    ] = None,
    point: Annotated[
        list[str] | None,
        option("--point"),
    ] = None,
    natural: Annotated[bool, option("--natural")] = False,
    structure: Annotated[bool, option("--structure")] = False,
    diagram: Annotated[
        Path | None,
        option("--diagram", parser=output_path),
    ] = None,
    reached: Annotated[
        str | None,
        option("--range"),
    ] = None,
    all_of_them: Annotated[bool, option("--branches")] = False,
    seed: Seed = 1,
    code: Annotated[
        Path | None,
        option("--code", parser=output_path),
    ] = None,
    out: Results = None,
    picture: Plot = None,
    animation: Animation = None,
    timeout: Timeout = 300.0,
    timed: Annotated[bool, option("--timing")] = False,
    as_json: AsJson = False,
    force: Force = False,
    model: ModelName = None,
) -> int:
    """Solve the kinematics of a driven mechanism.

    Values are in SI units. Status 3: it is not kinematically determined. Status 4: it halts.
    """
    wanted = Files(out, picture, animation, force)
    wanted.require_suffixes()
    require_suffix("--diagram", diagram, _DIAGRAMS)
    drives, guesses = _drives(drive or []), assignments("--guess", guess or [])
    _require_apart(guesses, drives)
    _require_no_sweep(drives, until=until, every=every)
    _require_together(
        {
            "--structure": structure,
            "--diagram": diagram,
            "--range": reached,
            "--branches": all_of_them,
            "--code": code,
        },
        {
            "--out": out,
            "--plot": picture,
            "--animate": animation,
            "--method all": method == _ALL,
            "--until": until is not None,
            "--every": every is not None,
            "--point": point,
            "--natural": natural,
            "--timing": timed,
        },
    )
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import mbx
    from mbx.analyses.experiments.experiment_plan import NotRunError
    from mbx.analyses.kinematics.follow import HaltError
    from mbx.analyses.kinematics.groups.decompose import NotDeterminedError
    from mbx.analyses.kinematics.groups.solve_group import StuckError
    from mbx.analyses.kinematics.kinematic_options import KinematicOptions
    from mbx.analyses.kinematics.natural.model_numbers import DriveError, NotNaturalError
    from mbx.analyses.kinematics.solve_motion import METHODS
    from mbx.analyses.mechanism_verbs import kinematic_study
    from mbx.base.extras import ExtraError
    from mbx.show.drawing.pose import DrawError

    chosen = next((name for name in METHODS if name == method), None)
    if chosen is None and method != _ALL:
        raise typer.TyperException(f"--method {method}: one of {', '.join(METHODS)}, {_ALL}")
    request = replace(make_request(experiment, None, None, values, None), initial=guesses)
    options = KinematicOptions(
        method=chosen or METHODS[0],
        compared=_COMPARED if method == _ALL else 0,
        until=until,
        every=every,
        points=[_point(text) for text in point or []],
        natural=natural,
        seconds=timeout,
    )
    document = read_document(file)
    linked = warn_of_values(mbx.link(document, model), request)
    wanted.require_writable(diagram, printed=as_json or structure)
    SETTINGS.release()
    only = structure or diagram is not None
    try:
        study = kinematic_study(linked, drives, request=request, start=not only, seconds=timeout)
        _require_apart(guesses, {str(drive.value) for drive in study.mechanism.drives})
        if only:
            return _structure(study, diagram, structure or as_json, as_json=as_json, force=force)
        if reached is not None:
            return print_range(study.reach(reached, options), as_json=as_json)
        if all_of_them:
            return print_branches(study.branches(options, seed), as_json=as_json)
        if code is not None:
            return _write_code(study.c_code(options), code, force=force)
        if options.compared and not study.decomposes:
            options = replace(options, method="global")
        with bar_of_parts() as progress:
            result = study.run(replace(options, progress=progress))
        files = _render_files(wanted, document, study, result)
    except NotDeterminedError as reason:
        _complain_undetermined(reason, chosen)
        return Status.REFUSED
    except NotNaturalError as reason:
        complain(f"mbx: {reason}")
        return Status.REFUSED
    except (HaltError, StuckError, DrawError, DriveError) as reason:
        complain(f"mbx: {reason}")
        return Status.DISAGREE
    except NotRunError as reason:
        return report_refusal(reason)
    except ExtraError as missing:
        complain(f"mbx: {missing}")
        return Status.TROUBLE
    wanted.write(files)
    if as_json:
        emit_json(result.as_json())
    else:
        for line in lines_of(result, timed=timed):
            print_line(line)
    agreed = result.agreement is None or result.agreement.holds
    return wanted.status(Status.OK if agreed else Status.DISAGREE)


def _drives(texts: Iterable[str]) -> dict[str, str]:
    drives: dict[str, str] = {}
    for text in texts:
        name, sign, motion = text.partition("=")
        if not sign or not name.strip() or not motion.strip():
            raise typer.TyperException(f"--drive {text}: expected NAME=MOTION")
        if name.strip() in drives:
            raise typer.TyperException(f"--drive {text}: '{name.strip()}' is driven twice")
        drives[name.strip()] = motion.strip()
    return drives


def _require_apart(guessed: Iterable[str], driven: Iterable[str]) -> None:
    """Refuse to hold what is driven."""
    moved = set(driven)
    for name in guessed:
        if name.rstrip("'") in moved:
            raise typer.TyperException(f"--guess {name}: it is driven, and begins where that says")


def _require_no_sweep(drives: Mapping[str, str], **times: float | None) -> None:
    """Refuse times in addition to a drive that has its own values."""
    for name, value in times.items():
        swept = [f"'{path}={motion}'" for path, motion in drives.items() if ":" in motion]
        if value is not None and swept:
            raise typer.TyperException(f"--{name} does not go with a sweep, {swept[0]}")


def _complain_undetermined(reason: NotDeterminedError, method: str | None) -> None:
    """Print why positions do not follow from the drives, and what helps."""
    complain(f"mbx: {reason}")
    if reason.special and method in {"td", "3ot"}:
        complain("  help: --method global solves a special geometry as a whole")
    if "nothing drives" in str(reason):
        complain("  help: drive a coordinate, as in --drive NAME=FIRST:LAST:COUNT, or name an")
        complain("  experiment that prescribes one")


def _require_together(alone: Mapping[str, object], runs: Mapping[str, object]) -> None:
    """Refuse options that would have no effect: those of a run where there is none."""
    chosen = [name for name, value in alone.items() if value]
    conflicting = [name for name, value in runs.items() if value]
    if chosen[:2] == ["--structure", "--diagram"]:
        del chosen[1]
    if chosen and (conflicting or len(chosen) > 1):
        raise typer.TyperException(f"{chosen[0]} does not go with {[*chosen[1:], *conflicting][0]}")


def _point(text: str) -> tuple[str, tuple[float, float, float]]:
    body, _, numbers = text.rpartition(":")
    try:
        x, y, z = (float(part) for part in numbers.split(","))
    except ValueError:
        x = y = z = float("nan")
    if not body or not all(map(isfinite, (x, y, z))):
        raise typer.TyperException(f"--point {text}: expected BODY:X,Y,Z, numbers in m")
    return body, (x, y, z)


def _structure(
    study: Study,
    diagram: Path | None,
    printed: bool,  # noqa: FBT001  print, or write only
    *,
    as_json: bool,
    force: bool,
) -> int:
    """Write the structural diagram, print it, or both."""
    from mbx.analyses.kinematics.groups.structural_diagram import as_dot
    from mbx.show.drawing.group_diagram import as_svg

    chains, names = study.chains()
    graph, title = study.mechanism.graph, study.linked.model.name
    lines = structure_lines(graph, chains, names)
    if diagram is not None:
        text = {
            ".dot": lambda: as_dot(chains, names),
            ".svg": lambda: as_svg(chains, names, title),
            ".txt": lambda: "".join(f"{line}\n" for line in lines),
        }[suffix_of(diagram, _DIAGRAMS)]()
        write({diagram: text.encode()}, force=force)
    if printed and as_json:
        emit_json(structure_data(graph, chains, names))
    elif printed:
        for line in lines:
            print_line(line)
    return Status.OK


def _write_code(files: Mapping[str, str], folder: Path, *, force: bool) -> int:
    """Write code into a folder, which is made if it is missing, and print which files."""
    write_into(folder, {name: text.encode() for name, text in files.items()}, force=force)
    for name in files:
        print_line(str(folder / name))
    return Status.OK


def _render_files(
    wanted: Files, document: Document, study: Study, result: Kinematics
) -> dict[Path, bytes]:
    """Return all files that are to be written, before any is."""
    from mbx.show.drawing.film import film_of_run

    plan = study.plan
    values = {**plan.parameters, **plan.inputs}
    title = f"{study.linked.model.name}: {plan.name}" if plan.name else study.linked.model.name
    still = {v.path: 0.0 for v in study.mechanism.system.u}
    return wanted.render(
        result.columns,
        _columns_to_plot(result, study.drives.swept),
        title,
        lambda: film_of_run(document, study.linked, result, values, still),
    )


def _columns_to_plot(result: Kinematics, swept: str) -> list[Column]:
    """Return results over the drive that sweeps, else over time; transmission in degrees."""
    columns = [
        replace(column, unit="degrees", values=column.values * 180 / pi)
        if column.name.startswith("transmission(")
        else column
        for column in result.columns
    ]
    if not swept:
        return columns
    over = next(column for column in columns if column.name == swept)
    # the rates of the swept variable are 1 and 0
    rest = [column for column in columns[1:] if column.name.rstrip("'") != swept]
    return [over, *rest]
