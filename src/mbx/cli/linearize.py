"""`mbx linearize`: small motions about a state, as a linear system with its modes."""

from __future__ import annotations

import json
import os
from cmath import phase
from enum import StrEnum
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.cli.asked import asked_for, refused
from mbx.cli.linearize_over import draw_locus, locus_lines, range_of, require_picture
from mbx.cli.output import Status, complain, deliver, emit_json, say
from mbx.cli.read import read_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mbx.analyses.linearize import Linear
    from mbx.analyses.locus import Locus

__all__ = ["linearize"]


class _Method(StrEnum):
    PLAIN = "plain"
    MODULAR = "modular"


_ROUNDING: Final = 1e-12
_WIDTH: Final = 12


def linearize(  # noqa: PLR0913  the options of the command
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Model file; - is standard input.")],
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="Whose values it has; else the model's.")
    ] = "",
    *,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="STATE", help="A state, or 'start', or 'equilibrium'."),
    ] = None,
    method: Annotated[
        _Method, typer.Option("--method", help="The whole equations, or part by part.")
    ] = _Method.PLAIN,
    hold: Annotated[
        list[str] | None,
        typer.Option("--hold", metavar="NAME[=VALUE]", help="What the state has; repeat."),
    ] = None,
    free: Annotated[
        list[str] | None,
        typer.Option("--free", metavar="NAME", help="What is solved for; repeat."),
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter or an input; repeat."),
    ] = None,
    time: Annotated[
        float | None, typer.Option("--time", metavar="SECONDS", help="When; else at the start.")
    ] = None,
    over: Annotated[
        str | None,
        typer.Option("--over", metavar="NAME=FIRST:LAST:COUNT", help="A root locus over values."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--plot", metavar="OUT", help="The locus as .svg, .png or .pdf.")
    ] = None,
    ratio: Annotated[
        str | None,
        typer.Option("--ratio", metavar="NAME/NAME", help="Size and phase of it in each mode."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", metavar="OUT", help="A file for all of it, as JSON.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The model; else the last one.")
    ] = None,
) -> int:
    """Linearise a model about a state: matrices, eigenvalues, modes and stability.

    Values are in SI units. Status 4: there is no such state, or it is singular.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from mbx import api  # noqa: PLC0415  pydantic and lark are not for --help
    from mbx.analyses.extras import ExtraError  # noqa: PLC0415  likewise
    from mbx.errors import EquationsError  # noqa: PLC0415  likewise
    from mbx.experiments.plan import NotRunError  # noqa: PLC0415  likewise

    values_of = None if over is None else range_of(over)
    if picture is not None:
        require_picture(over, picture)
    asked = asked_for(experiment, hold, free, values, time)
    linked = api.link(read_document(file), model)
    found: Linear | Locus
    try:
        if values_of is None:
            found = api.linearize(linked, asked=asked, at=at, method=method.value)
            lines = _lines(found, _pair(found, ratio))
        else:
            found = api.linearize_over(linked, *values_of, asked=asked, at=at, method=method.value)
            lines = locus_lines(found)
            if picture is not None:
                draw_locus(found, linked.model.name, picture)
    except (NotRunError, EquationsError) as reason:
        return refused(reason)
    except ExtraError as missing:
        complain(f"mbx: {missing}")
        return Status.TROUBLE
    if out is not None:
        deliver(json.dumps(found.as_json(), indent=2) + "\n", out)
    elif as_json:
        emit_json(found.as_json())
    else:
        for line in lines:
            say(line)
    return Status.OK


def _pair(found: Linear, ratio: str | None) -> tuple[str, str] | None:
    """Return the two variables of a ratio; what the model does not have is wrong usage."""
    if ratio is None:
        return None
    upper, _, lower = ratio.partition("/")
    for name in (upper, lower):
        if name not in found.paths:
            raise typer.TyperException(f"--ratio {ratio}: there is no variable '{name}'")
    return upper, lower


def _lines(found: Linear, pair: tuple[str, str] | None) -> Iterator[str]:
    yield f"about {'an' if found.kind[0] in 'ei' else 'a'} {found.kind}"
    yield f"state: {', '.join(found.x)}"
    if found.inputs:
        yield f"inputs: {', '.join(found.inputs)}"
    yield "A"
    yield from _matrix(found.A.tolist(), found.x)
    if found.inputs:
        yield "B"
        yield from _matrix(found.B.tolist(), found.x)
    yield f"modes: {found.stability}"
    still = sum(mode.value == 0 for mode in found.modes)
    if still:
        yield f"  0 1/s{f', {still} times' if still > 1 else ''}"
    for mode in found.modes:
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
        shape = zip(found.x, mode.shape.tolist(), strict=True)
        yield f"    {', '.join(f'{path} {_complex(v)}' for path, v in shape if v)}"
        if pair is not None:
            yield f"    {'/'.join(pair)}: {_polar(found.ratio(mode, *pair))}"


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


def _polar(value: complex | None) -> str:
    if value is None:
        return "the second rests"
    turned = phase(complex(value.real, value.imag + 0.0))  # -0 would be half a turn back
    return f"{abs(value):.6g}, phase {degrees(turned):.6g} deg"
