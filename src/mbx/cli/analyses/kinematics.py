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
    structure_data,
    structure_lines,
    tell_branches,
    tell_range,
)
from mbx.cli.analyses.run_files import Files, bar_of_parts, require_suffix
from mbx.cli.destination import suffix_of, write, write_into
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
from mbx.cli.output import Status, complain, emit_json, say
from mbx.cli.read_input import SETTINGS, read_document
from mbx.cli.request_options import asked_for, refused, warned

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
    drives, held = _drives(drive or []), assignments("--guess", guess or [])
    _require_apart(held, drives)
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

    chosen = next((one for one in METHODS if one == method), None)
    if chosen is None and method != _ALL:
        raise typer.TyperException(f"--method {method}: one of {', '.join(METHODS)}, {_ALL}")
    asked = replace(asked_for(experiment, None, None, values, None), initial=held)
    request = KinematicOptions(
        method=chosen or METHODS[0],
        compared=_COMPARED if method == _ALL else 0,
        until=until,
        every=every,
        points=[_point(one) for one in point or []],
        natural=natural,
        seconds=timeout,
    )
    document = read_document(file)
    linked = warned(mbx.link(document, model), asked)
    wanted.require_writable(diagram, printed=as_json or structure)
    SETTINGS.release()
    only = structure or diagram is not None
    try:
        study = kinematic_study(linked, drives, request=asked, start=not only, seconds=timeout)
        _require_apart(held, {str(one.value) for one in study.mechanism.drives})
        if only:
            return _structure(study, diagram, structure or as_json, as_json=as_json, force=force)
        if reached is not None:
            return tell_range(study.reach(reached, request), as_json=as_json)
        if all_of_them:
            return tell_branches(study.branches(request, seed), as_json=as_json)
        if code is not None:
            return _coded(study.c_code(request), code, force=force)
        if request.compared and not study.decomposes:
            request = replace(request, method="global")
        with bar_of_parts() as progress:
            found = study.run(replace(request, progress=progress))
        files = _made(wanted, document, study, found)
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
        return refused(reason)
    except ExtraError as missing:
        complain(f"mbx: {missing}")
        return Status.TROUBLE
    wanted.write(files)
    if as_json:
        emit_json(found.as_json())
    else:
        for line in lines_of(found, timed=timed):
            say(line)
    agreed = found.agreement is None or found.agreement.holds
    return wanted.status(Status.OK if agreed else Status.DISAGREE)


def _drives(said: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in said:
        name, sign, motion = one.partition("=")
        if not sign or not name.strip() or not motion.strip():
            raise typer.TyperException(f"--drive {one}: expected NAME=MOTION")
        if name.strip() in found:
            raise typer.TyperException(f"--drive {one}: '{name.strip()}' is driven twice")
        found[name.strip()] = motion.strip()
    return found


def _require_apart(held: Iterable[str], driven: Iterable[str]) -> None:
    """Refuse to hold what is driven."""
    moved = set(driven)
    for name in held:
        if name.rstrip("'") in moved:
            raise typer.TyperException(f"--guess {name}: it is driven, and begins where that says")


def _require_no_sweep(drives: Mapping[str, str], **times: float | None) -> None:
    """Refuse times beside a drive that has its own values."""
    for name, given in times.items():
        sweeps = [f"'{path}={motion}'" for path, motion in drives.items() if ":" in motion]
        if given is not None and sweeps:
            raise typer.TyperException(f"--{name} does not go with a sweep, {sweeps[0]}")


def _complain_undetermined(reason: NotDeterminedError, method: str | None) -> None:
    """Print why positions do not follow from the drives, and what helps."""
    complain(f"mbx: {reason}")
    if reason.special and method in {"td", "3ot"}:
        complain("  help: --method global solves a special geometry as a whole")
    if "nothing drives" in str(reason):
        complain("  help: drive a coordinate, as in --drive NAME=FIRST:LAST:COUNT, or name an")
        complain("  experiment that prescribes one")


def _require_together(alone: Mapping[str, object], runs: Mapping[str, object]) -> None:
    """Refuse options that would not be heard: those of a run where there is none."""
    said = [name for name, value in alone.items() if value]
    others = [name for name, value in runs.items() if value]
    if said[:2] == ["--structure", "--diagram"]:
        del said[1]
    if said and (others or len(said) > 1):
        raise typer.TyperException(f"{said[0]} does not go with {[*said[1:], *others][0]}")


def _point(said: str) -> tuple[str, tuple[float, float, float]]:
    body, _, numbers = said.rpartition(":")
    try:
        x, y, z = (float(part) for part in numbers.split(","))
    except ValueError:
        x = y = z = float("nan")
    if not body or not all(map(isfinite, (x, y, z))):
        raise typer.TyperException(f"--point {said}: expected BODY:X,Y,Z, numbers in m")
    return body, (x, y, z)


def _structure(
    study: Study,
    diagram: Path | None,
    printed: bool,  # noqa: FBT001  one of two
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
            say(line)
    return Status.OK


def _coded(files: Mapping[str, str], folder: Path, *, force: bool) -> int:
    """Write code into a folder that is there, or is made, and say which files."""
    write_into(folder, {name: text.encode() for name, text in files.items()}, force=force)
    for name in files:
        say(str(folder / name))
    return Status.OK


def _made(wanted: Files, document: Document, study: Study, found: Kinematics) -> dict[Path, bytes]:
    """Return all files that are to be written, before any is."""
    from mbx.show.drawing.film import film_of_run

    plan = study.plan
    values = {**plan.parameters, **plan.inputs}
    title = f"{study.linked.model.name}: {plan.name}" if plan.name else study.linked.model.name
    still = {v.path: 0.0 for v in study.mechanism.system.u}
    return wanted.written(
        found.columns,
        _plotted(found, study.drives.swept),
        title,
        lambda: film_of_run(document, study.linked, found, values, still),
    )


def _plotted(found: Kinematics, swept: str) -> list[Column]:
    """Return results over the drive that sweeps, else over time; transmission in degrees."""
    columns = [
        replace(one, unit="degrees", values=one.values * 180 / pi)
        if one.name.startswith("transmission(")
        else one
        for one in found.columns
    ]
    if not swept:
        return columns
    over = next(one for one in columns if one.name == swept)
    others = [one for one in columns[1:] if one.name.rstrip("'") != swept]  # its rates are 1 and 0
    return [over, *others]
