"""`mbx linearize`: small motions about a state, as a linear system with its modes."""

from __future__ import annotations

import os
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mbx.cli.analyses.linearize_over import (
    along_lines,
    locus_lines,
    locus_picture,
    pair_of,
    polar,
    range_of,
    require_picture,
)
from mbx.cli.command_files import SETTINGS, read_document, require_writable, suffix_of, write
from mbx.cli.equations.convert import complain_refused, unknown_form
from mbx.cli.options import (
    AsJson,
    Force,
    Free,
    Hold,
    ModelFile,
    ModelName,
    Set,
    When,
    assignments,
    option,
    output_path,
)
from mbx.cli.output import Status, complain, emit_json, print_line
from mbx.cli.request_options import make_request, report_refusal, warn_of_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mbx.analyses.linearize.along_motion import Along
    from mbx.analyses.linearize.least_rules import LeastRules
    from mbx.analyses.linearize.linear_system import Linear
    from mbx.analyses.linearize.locus import Locus

__all__ = ["linearize"]


class _Method(StrEnum):
    PLAIN = "plain"
    MODULAR = "modular"


class _Variables(StrEnum):
    INDEPENDENT = "independent"
    ALL = "all"


_ROUNDING: Final = 1e-12
_WIDTH: Final = 12
_NAMED: Final = 6
"""How many invariants are named."""
_FILES: Final = (".csv", ".json", ".mat", ".npz")


def linearize(  # noqa: PLR0913  the options of the command
    file: ModelFile,
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="Whose values it has; else the model's.")
    ] = "",
    *,
    at: Annotated[
        str | None,
        option("--at"),
    ] = None,
    method: Annotated[_Method, option("--method", "plain or modular")] = _Method.PLAIN,
    form: Annotated[
        str | None,
        option("--form", "its accelerations are differentiated"),
    ] = None,
    variables: Annotated[_Variables, option("--variables")] = _Variables.INDEPENDENT,
    weight: Annotated[list[str] | None, option("--weight")] = None,
    mirror: Annotated[list[str] | None, option("--mirror")] = None,
    odd: Annotated[list[str] | None, option("--odd")] = None,
    hold: Hold = None,
    free: Free = None,
    values: Set = None,
    time: When = None,
    over: Annotated[
        str | None,
        option("--over"),
    ] = None,
    picture: Annotated[
        Path | None,
        option("--plot", parser=output_path),
    ] = None,
    along: Annotated[bool, option("--along")] = False,
    until: Annotated[float | None, option("--until")] = None,
    every: Annotated[float | None, option("--every")] = None,
    ratio: Annotated[
        str | None,
        option("--ratio"),
    ] = None,
    out: Annotated[
        Path | None,
        option("--out", "the matrices, .csv, .json, .npz or .mat", parser=output_path),
    ] = None,
    as_json: AsJson = False,
    force: Force = False,
    model: ModelName = None,
) -> int:
    """Linearise about a state or along a motion: modes, stability.

    Values are in SI units. Status 4: there is no such state, or it is singular.
    """
    if out is not None and suffix_of(out, _FILES) not in _FILES:
        raise typer.TyperException(f"--out is a file that ends in {' or '.join(_FILES)}")
    _require_together(along, {"--over": over, "--at": at, "--ratio": ratio}, until, every)
    if form is not None and (method is not _Method.PLAIN or variables is _Variables.ALL):
        raise typer.TyperException(
            "--form takes its own accelerations, in independent variables: it goes without"
            " --method and --variables"
        )
    unknown = None if form is None else unknown_form(form)
    if unknown is not None:
        complain(f"mbx: {unknown}")
        complain("  help: mbx forms lists all forms")
        return Status.USAGE
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import mbx
    from mbx.analyses.experiments.experiment_plan import NotRunError
    from mbx.analyses.linearize.linear_files import file_of
    from mbx.analyses.perform_requests import (
        perform_along,
        perform_linearization,
        perform_locus,
    )
    from mbx.analyses.simulate.runs import Options
    from mbx.base.errors import BackendError, EquationsError, NotApplicableError
    from mbx.base.extras import ExtraError

    values_of = None if over is None else range_of(over)
    least = _rules(weight or [], mirror or [], odd or [])
    if picture is not None:
        require_picture(over, picture)
    request = make_request(experiment, hold, free, values, time)
    linked = warn_of_values(mbx.link(read_document(file), model), request)
    require_writable(out, picture, force=force, printed=as_json)
    if along or over is not None:
        mbx.elaborate(linked)
        SETTINGS.release()  # many states take their time, and the model is known by now
    result: Linear | Locus | Along
    files: dict[Path, bytes] = {}
    everything = variables is _Variables.ALL
    how: dict[str, Any] = {"method": method.value, "form": form, "everything": everything}
    how["least"] = least
    try:
        if along:
            options = Options(until=until, every=every)
            result = perform_along(linked, request, options, **how)
            lines = along_lines(result)
        elif values_of is None:
            result = perform_linearization(linked, request, at=at, **how)
            lines = _lines(result, pair_of(ratio, result.paths), least)
        else:
            result = perform_locus(linked, request, *values_of, at=at, **how)
            result = replace(result, pair=pair_of(ratio, result.systems[0].paths))
            lines = locus_lines(result)
            if picture is not None:
                files[picture] = locus_picture(result, linked.model.name, picture)
        if out is not None:
            files[out] = file_of(result, suffix_of(out, _FILES))
    except NotApplicableError as refusal:
        complain_refused(str(form), refusal, mbx.elaborate(linked))
        return Status.REFUSED
    except (NotRunError, EquationsError) as reason:
        return report_refusal(reason)
    except (BackendError, ExtraError) as missing:
        complain(f"mbx: {missing}")
        return Status.TROUBLE
    write(files, force=force)
    if as_json:
        emit_json(result.as_json())
    elif out is None:
        for line in lines:
            print_line(line)
    return Status.OK


def _rules(weight: Sequence[str], mirror: Sequence[str], odd: Sequence[str]) -> LeastRules:
    """Return what `--weight`, `--mirror` and `--odd` say about least squares."""
    from mbx.analyses.linearize.least_rules import LeastRules as Rules

    pairs = {}
    for text in mirror:
        name, _, image = text.partition("=")
        if not name or not image:
            raise typer.TyperException(f"--mirror {text}: expected NAME=NAME")
        pairs[name] = image
    return Rules(weights=assignments("--weight", weight), mirror=pairs, odd=frozenset(odd))


def _require_together(
    along: bool,  # noqa: FBT001  an option
    apart: Mapping[str, str | None],
    *times: float | None,
) -> None:
    """Refuse options that contradict each other."""
    if not along and any(time is not None for time in times):
        raise typer.TyperException("--until and --every are times of a motion: say --along")
    for name in (name for name, value in apart.items() if along and value is not None):
        raise typer.TyperException(f"--along and {name} do not go together")


def _counted(least: LeastRules) -> str:
    """Return how rows count in least squares."""
    weights = "by their weights" if least.weights else "as they are written"
    return f"{weights}, evenly in the mirror" if least.mirror or least.odd else weights


def _lines(linear: Linear, pair: tuple[str, str] | None, least: LeastRules) -> Iterator[str]:
    if linear.unmet:
        names = ", ".join(linear.unmet[:_NAMED]) + ", ..." * (len(linear.unmet) > _NAMED)
        yield f"invariants contradict each other next to the state: {names}"
        yield f"  they are met by least squares, {_counted(least)}"
    yield f"about {'an' if linear.kind[0] in 'ei' else 'a'} {linear.kind}"
    if not linear.x:
        yield "no freedom: nothing can move, and there are no modes"
        return
    yield f"state: {', '.join(linear.x)}"
    if linear.inputs:
        yield f"inputs: {', '.join(linear.inputs)}"
    yield "A"
    yield from _matrix(linear.A.tolist(), linear.x)
    if linear.inputs:
        yield "B"
        yield from _matrix(linear.B.tolist(), linear.x)
    yield f"modes: {linear.stability}"
    still = sum(mode.value == 0 for mode in linear.modes)
    if still:
        yield f"  0 1/s{f', {still} times' if still > 1 else ''}"
    for mode in linear.modes:
        value = mode.value
        if value == 0:
            continue
        if mode.period is None:
            yield f"  {value.real:.6g} 1/s"
        else:
            yield (
                f"  {value.real:.6g} +- {value.imag:.6g}i 1/s, natural frequency"
                f" {mode.frequency:.6g} rad/s, damping {mode.damping or 0.0:.6g}"
            )
        shape = zip(linear.x, mode.shape.tolist(), strict=True)
        yield f"    {', '.join(f'{path} {_complex(v)}' for path, v in shape if v)}"
        if pair is not None:
            yield f"    {'/'.join(pair)}: {polar(linear.ratio(mode, *pair))}"


def _matrix(rows: Sequence[Sequence[float]], names: Iterable[str]) -> Iterator[str]:
    largest = max((abs(x) for row in rows for x in row), default=0.0)
    names = list(names)
    width = max(map(len, names), default=0)
    for name, row in zip(names, rows, strict=True):
        numbers = [0.0 if abs(x) <= _ROUNDING * largest else x for x in row]
        yield f"  {name:<{width}} {''.join(f'{x:>{_WIDTH}.6g}' for x in numbers)}"


def _complex(value: complex) -> str:
    if not value.imag:
        return f"{value.real:.6g}"
    return f"{value.real:.6g}{value.imag:+.6g}i" if value.real else f"{value.imag:.6g}i"
