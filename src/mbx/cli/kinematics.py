"""`mbx kinematics`: a mechanism solved for positions, velocities and accelerations."""

from __future__ import annotations

import os
from dataclasses import replace
from math import degrees, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.cli.asked import refused
from mbx.cli.numbers import assignments
from mbx.cli.options import (
    Animation,
    AsJson,
    Every,
    ModelFile,
    ModelName,
    Plot,
    Results,
    Set,
    Timeout,
    Until,
)
from mbx.cli.output import Status, complain, emit_json, say
from mbx.cli.read import read_document
from mbx.cli.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mbx.analyses.kinematics import Kinematics, Study
    from mbx.groups.agreement import Agreement
    from mbx.groups.reach import Reach
    from mbx.link.linked import Linked
    from mbx.model.document import Document

__all__ = ["kinematics"]

_TABLES: Final = (".csv", ".parquet")
_PLOTS: Final = (".svg", ".png", ".pdf")
_FILMS: Final = (".html", ".gif")
_DIAGRAMS: Final = (".dot", ".svg", ".txt")
_STILLS: Final = 150
_PLANE: Final = 3
_GROUPS: Final = 8
"""Groups that are listed."""
_ALL: Final = "all"
_COMPARED: Final = 50
"""Positions at which methods are compared, at most."""
_NOTHING: Final = 1e-13
"""Part of the largest number that is rounding."""


def kinematics(  # noqa: PLR0913  the options of the command
    file: ModelFile,
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="Whose prescribed motions drive it.")
    ] = "",
    *,
    drive: Annotated[
        list[str] | None,
        typer.Option(
            "--drive",
            metavar="NAME=MOTION",
            help="A number, FIRST:LAST:COUNT, or an expression of t; repeat.",
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="td, 3ot, global, global-sparse, or all: each compared with the others.",
        ),
    ] = "td",
    until: Until = None,
    every: Every = None,
    values: Set = None,
    hold: Annotated[
        list[str] | None,
        typer.Option("--hold", metavar="NAME=VALUE", help="Where assembly begins; repeat."),
    ] = None,
    point: Annotated[
        list[str] | None,
        typer.Option("--point", metavar="BODY:X,Y,Z", help="A point of interest; repeat."),
    ] = None,
    natural: Annotated[
        bool, typer.Option("--natural", help="Natural coordinates are results, too.")
    ] = False,
    structure: Annotated[
        bool, typer.Option("--structure", help="Print the structural diagram, and stop.")
    ] = False,
    diagram: Annotated[
        Path | None,
        typer.Option("--diagram", metavar="OUT", help="The diagram, .dot, .svg or .txt."),
    ] = None,
    reached: Annotated[
        str | None,
        typer.Option("--range", metavar="NAME", help="How far this drive can go from the start."),
    ] = None,
    all_of_them: Annotated[
        bool, typer.Option("--branches", help="All positions at the start.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of the search for branches.")] = 1,
    out: Results = None,
    picture: Plot = None,
    animation: Animation = None,
    timeout: Timeout = 300.0,
    timed: Annotated[bool, typer.Option("--time", help="Print CPU time, too.")] = False,
    as_json: AsJson = False,
    model: ModelName = None,
) -> int:
    """Solve a driven mechanism module by module, or as a whole.

    Values are in SI units. Status 3: it is not kinematically determined. Status 4: it halts.
    """
    for option, path, suffixes in (
        ("--out", out, _TABLES),
        ("--plot", picture, _PLOTS),
        ("--animate", animation, _FILMS),
        ("--diagram", diagram, _DIAGRAMS),
    ):
        if path is not None and path.suffix not in suffixes:
            raise typer.TyperException(f"{option} is a file that ends in {' or '.join(suffixes)}")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from mbx import api  # noqa: PLC0415  pydantic and lark are not for --help
    from mbx.analyses.asked import Asked  # noqa: PLC0415  likewise
    from mbx.analyses.extras import ExtraError  # noqa: PLC0415  likewise
    from mbx.analyses.kinematics import Request  # noqa: PLC0415  likewise
    from mbx.draw.pose import DrawError  # noqa: PLC0415  likewise
    from mbx.experiments.plan import NotRunError  # noqa: PLC0415  likewise
    from mbx.files import write_bytes  # noqa: PLC0415  likewise
    from mbx.groups.decompose import NotDeterminedError  # noqa: PLC0415  likewise
    from mbx.groups.march import HaltError  # noqa: PLC0415  likewise
    from mbx.groups.motion import METHODS  # noqa: PLC0415  likewise
    from mbx.groups.numbers import NotNaturalError  # noqa: PLC0415  likewise
    from mbx.groups.solve import StuckError  # noqa: PLC0415  likewise

    chosen = next((one for one in METHODS if one == method), None)
    if chosen is None and method != _ALL:
        raise typer.TyperException(f"--method {method}: one of {', '.join(METHODS)}, {_ALL}")
    begun = assignments("--hold", hold or [])
    asked = Asked(
        experiment=experiment,
        values=assignments("--set", values or []),
        initial=begun,
        freed=frozenset(),
    )
    request = Request(
        method=chosen or METHODS[0],
        compared=_COMPARED if method == _ALL else 0,
        until=until,
        every=every,
        points=[_point(one) for one in point or []],
        natural=natural,
        seconds=timeout,
    )
    document = read_document(file)
    linked = api.link(document, model)
    SETTINGS.release()
    only = structure or diagram is not None
    try:
        study = api.kinematic_study(linked, _drives(drive or []), asked=asked, start=not only)
        if only:
            lines, data = _structure(study, diagram)
            if diagram is not None:
                write_bytes(diagram, data)
            return _printed(lines) if structure else Status.OK
        if reached is not None:
            return _tell_range(study.reach(reached, request), as_json=as_json)
        if all_of_them:
            return _tell_branches(study.branches(request, seed), as_json=as_json)
        if request.compared and not study.decomposes:
            request = replace(request, method="global")
        found = study.run(request)
        files = dict(_files(study, found, out, picture))
        if animation is not None:
            files[animation] = _film(document, linked, study, found, animation)
    except (NotDeterminedError, NotNaturalError) as reason:
        complain(f"mbx: {reason}")
        return Status.REFUSED
    except (HaltError, StuckError, DrawError) as reason:
        complain(f"mbx: {reason}")
        return Status.DISAGREE
    except NotRunError as reason:
        return refused(reason)
    except ExtraError as missing:
        complain(f"mbx: {missing}")
        return Status.TROUBLE
    for path, data in files.items():
        write_bytes(path, data)
    if as_json:
        emit_json(found.as_json())
    else:
        _printed(_lines(found, timed=timed))
    return Status.OK if found.agreement is None or found.agreement.holds else Status.DISAGREE


def _drives(said: Iterable[str]) -> dict[str, str]:
    found = {}
    for one in said:
        name, sign, motion = one.partition("=")
        if not sign or not name.strip() or not motion.strip():
            raise typer.TyperException(f"--drive {one}: expected NAME=MOTION")
        found[name.strip()] = motion.strip()
    return found


def _point(said: str) -> tuple[str, tuple[float, float, float]]:
    body, _, numbers = said.rpartition(":")
    try:
        x, y, z = (float(part) for part in numbers.split(","))
    except ValueError:
        x = y = z = float("nan")
    if not body or not all(map(isfinite, (x, y, z))):
        raise typer.TyperException(f"--point {said}: expected BODY:X,Y,Z, numbers in m")
    return body, (x, y, z)


def _printed(lines: Iterable[str]) -> int:
    for line in lines:
        say(line)
    return Status.OK


def _structure(study: Study, diagram: Path | None) -> tuple[list[str], bytes]:
    from mbx.groups.diagram import as_dot, as_svg, as_text  # noqa: PLC0415  only where asked for

    chains, names = study.chains()
    graph = study.mechanism.graph
    where = "in a plane" if graph.B == _PLANE else "in space"
    lines = [f"mobility {graph.mobility} {where}, {graph.driven} driven"]
    lines += as_text(chains, names)
    if diagram is None:
        return lines, b""
    if diagram.suffix == ".dot":
        return lines, as_dot(chains, names).encode()
    if diagram.suffix == ".svg":
        return lines, as_svg(chains, names).encode()
    return lines, "".join(f"{line}\n" for line in lines).encode()


def _tell_range(found: Reach, *, as_json: bool) -> int:
    ends = [("below", found.low, found.below), ("above", found.high, found.above)]
    if as_json:
        data = {"name": found.name, "low": found.low, "high": found.high, "turns": found.turns}
        data |= {name: None if why is None else str(why) for name, _, why in ends}
        emit_json(data)
        return Status.OK
    if found.turns:
        say(f"{found.name} goes from {found.low:.9g} to {found.high:.9g}, and nothing ends it")
        return Status.OK
    say(f"{found.name} goes from {found.low:.9g} to {found.high:.9g}")
    for name, _, why in ends:
        say(f"  {name}: {'nothing ends it' if why is None else why}")
    return Status.OK


def _tell_branches(found: list[dict[str, float]], *, as_json: bool) -> int:
    if as_json:
        emit_json(found)
        return Status.OK
    for k, one in enumerate(found):
        say(f"branch {k + 1} of {len(found)}")
        width = max(map(len, one), default=0)
        for path, value in one.items():
            say(f"  {path:<{width}}  {_shown(value, max(map(abs, one.values())))}")
    return Status.OK


def _shown(value: float, size: float) -> str:
    return f"{0.0 if abs(value) <= _NOTHING * size else value: .9g}"


def _files(
    study: Study, found: Kinematics, out: Path | None, picture: Path | None
) -> Iterator[tuple[Path, bytes]]:
    from mbx.analyses.plot import plot  # noqa: PLC0415  only for files
    from mbx.analyses.table import csv_of, parquet_of  # noqa: PLC0415  likewise

    if out is not None:
        csv = out.suffix == ".csv"
        yield out, csv_of(found.columns).encode() if csv else parquet_of(found.columns)
    if picture is not None:
        yield picture, plot(found.columns, study.mechanism.system.name, picture)


def _film(document: Document, linked: Linked, study: Study, found: Kinematics, path: Path) -> bytes:
    import numpy as np  # noqa: PLC0415  not for --help

    from mbx.draw.film import film, page  # noqa: PLC0415  likewise
    from mbx.draw.raster import gif  # noqa: PLC0415  likewise

    count = min(len(found.t), _STILLS)
    chosen = np.unique(np.linspace(0, len(found.t) - 1, count).round()).astype(int)
    still = {v.path: 0.0 for v in study.mechanism.system.u}
    states = [
        (
            float(found.t[k]),
            {**still, **dict(zip(found.paths, found.states[k].tolist(), strict=True))},
        )
        for k in chosen
    ]
    shown = film(document, linked, states, {**study.plan.parameters, **study.plan.inputs})
    return page(shown).encode() if path.suffix == ".html" else gif(shown)


def _lines(found: Kinematics, *, timed: bool) -> Iterator[str]:
    named = ", ".join(f"{name} ({', '.join(bodies)})" for name, bodies in found.groups[:_GROUPS])
    more = len(found.groups) - _GROUPS
    yield f"{found.method}: {named}{f' and {more} more' if more > 0 else ''}"
    last = f"t = {found.t[-1]:g} s"
    yield last if len(found.t) == 1 else f"{len(found.t)} positions, the last at {last}"
    columns = [one for one in found.columns[1:] if not one.name.startswith("transmission")]
    width = max((len(one.name) for one in columns), default=0)
    size = max((float(abs(one.values[-1])) for one in columns), default=0.0)
    for one in columns:
        unit = "" if one.unit == "1" else f" {one.unit}"
        yield f"  {one.name:<{width}}  {_shown(float(one.values[-1]), size)}{unit}"
    for one in found.columns:
        if one.name.startswith("transmission"):
            low, high = degrees(one.values.min()), degrees(one.values.max())
            spread = f"{low:.4g}" if len(found.t) == 1 else f"{low:.4g} to {high:.4g}"
            yield f"  {one.name}: {spread} degrees"
    value, group = found.condition
    yield f"  condition of the Jacobians at most {value:.3g}{f', {group}' if group else ''}"
    if found.agreement is not None:
        yield from _agreement(found.agreement)
    if timed:
        yield (
            f"  {found.seconds / len(found.t) * 1e6:.3g} us of CPU time for each position"
            f" ({found.backend}), {found.compiling:.2g} s to prepare"
        )


def _agreement(found: Agreement) -> Iterator[str]:
    """Yield a line for each method: its largest errors, and those near singular positions."""
    from mbx.groups.agreement import AGREE, REGULAR  # noqa: PLC0415  only where asked for

    places = len({one.t for one in found.found})
    yield f"  methods beside {found.first} at {places} positions, errors as parts of the terms"
    yield f"    {'':<13}  positions  velocities  accelerations"
    for method in dict.fromkeys(one.method for one in found.found):
        worst = found.worst(method)
        if worst is not None:
            x, v, a = worst.errors
            yield f"    {method:<13}  {x:<9.0e}  {v:<10.0e}  {a:.0e}"
        near = found.worst(method, regular=False)
        if near is not None:
            yield (
                f"    {method:<13}  at most {near.error:.0e} where the condition is"
                f" {REGULAR:g} or more: {near.condition:.3g} at t = {near.t:g} s"
            )
    for missing, reason in found.missing.items():
        yield f"    {missing:<13}  not applicable: {reason}"
    if found.holds:
        yield f"  they agree: no error is above {AGREE:g} where the condition is below {REGULAR:g}"
        return
    bad = max((one for one in found.found if one.regular), key=lambda one: one.error)
    yield f"  they disagree: {bad.method} by {bad.error:.1e} at t = {bad.t:g} s, in {bad.where}"
