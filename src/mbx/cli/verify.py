"""`mbx verify`: whether the forms of a model agree."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.cli.output import Status, complain, emit, emit_json, say
from mbx.cli.read import read_document
from mbx.cli.settings import SETTINGS
from mbx.diagnostics import safe_text
from mbx.errors import ConverterError

if TYPE_CHECKING:
    from mbx.verify.report import Verification

__all__ = ["verify"]

_CELL: Final = re.compile(r"(?:\d+e[+-]\d+|inf|nan)\*?([!?~]?)")
_COLOURS: Final = {"": "32", "~": "32", "?": "33", "!": "31"}


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Model file; - is standard input.")],
    *,
    forms: Annotated[
        list[str] | None,
        typer.Option("--form", metavar="FORM", help="FORM or FORM:VARIANT; else all that apply."),
    ] = None,
    states: Annotated[
        int, typer.Option("--states", min=1, max=10_000, help="How many random states.")
    ] = 16,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Where random numbers start.")] = 1,
    timeout: Annotated[
        float, typer.Option("--timeout", min=1, metavar="SECONDS", help="How long it may take.")
    ] = 300.0,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the verdict alone.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The model; else the last one.")
    ] = None,
) -> int:
    """Say whether the forms of a model agree.

    Accelerations and constraint forces of every two forms are compared at states that the
    invariants allow. Status 4: they disagree, or it is undecided.
    """
    # the matrices are small: threads of BLAS would wait for each other, and take address space
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from mbx import api  # noqa: PLC0415  pydantic and lark are not for --help

    linked = api.link(read_document(file), model)
    api.system(linked)  # what is wrong with the model is found in the time for reading
    SETTINGS.release()
    try:
        found = api.verify(
            linked,
            forms=forms or (),
            states=states,
            seed=seed,
            timeout=timeout,
            progress=_progress if sys.stderr is not None and sys.stderr.isatty() else None,
        )
    except ConverterError as unknown:
        complain(f"mbx: {unknown}")
        complain("  help: mbx forms lists all forms")
        return Status.USAGE
    if as_json:
        emit_json(found.as_json())
    elif quiet:
        say(found.summary())
    else:
        _show(found)
    return Status.OK if found.ok else Status.DISAGREE


def _progress(text: str) -> None:
    complain(f"mbx: {text}")


def _show(found: Verification) -> None:
    if sys.stdout is not None and sys.stdout.isatty() and found.forms:
        for line in found.table():
            emit(_CELL.sub(_paint, safe_text(line)) + "\n")
        emit("\n")
        for line in found.remarks():
            say(line)
        say(found.summary())
        return
    for line in found.lines():
        say(line)


def _paint(cell: re.Match[str]) -> str:
    return f"\x1b[{_COLOURS[cell[1]]}m{cell[0]}\x1b[0m"
