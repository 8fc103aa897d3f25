"""`mbx diff`: whether two models mean the same physics, or two forms of one model agree."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from mbx.base.errors import ConverterError
from mbx.cli.command_files import SETTINGS, read_document
from mbx.cli.options import Seed, States, option
from mbx.cli.output import Status, complain, emit_json, print_line

__all__ = ["diff"]


def diff(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE [FILE]", help="Two models, or one with --form twice."),
    ],
    *,
    forms: Annotated[
        list[str] | None,
        option("--form", "twice, to compare two forms of one model"),
    ] = None,
    same: Annotated[
        list[str] | None,
        option("--same"),
    ] = None,
    states: States = 16,
    seed: Seed = 1,
    timeout: Annotated[float, option("--timeout", min=1)] = 300.0,
    as_json: Annotated[bool, option("--json")] = False,
    model: Annotated[
        list[str] | None,
        option("--model"),
    ] = None,
) -> int:
    """Compare two models, or two forms of a model.

    Models are the same if the bodies that they share accelerate alike at the same states,
    whatever their variables are. Status 4: they differ, or that cannot be decided.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    names = [*(model or []), None, None]
    if forms:
        if len(files) != 1:
            raise typer.BadParameter("--form compares two forms of one model")
        if len(forms) != 2 or forms[0] == forms[1]:  # noqa: PLR2004
            raise typer.BadParameter("--form names two forms: --form FORM --form FORM")
        return _forms(files[0], names[0], forms, (states, seed, timeout), as_json=as_json)
    if len(files) != 2:  # noqa: PLR2004
        raise typer.BadParameter("diff takes two models, or one and --form twice")
    renamed = {}
    for text in same or []:
        first, equals, second = text.partition("=")
        if not equals or not first or not second:
            raise typer.BadParameter(f"--same takes A=B, not '{text}'")
        renamed[first] = second
    import mbx

    linked = [mbx.link(read_document(f), n) for f, n in zip(files, names, strict=False)]
    for side in linked:
        mbx.elaborate(side)
    SETTINGS.release()
    comparison = mbx.diff(
        linked[0], linked[1], states=states, seed=seed, timeout=timeout, same=renamed
    )
    if as_json:
        emit_json(comparison.as_json())
    else:
        for line in comparison.lines():
            print_line(line)
    return Status.OK if comparison.verdict == "same" else Status.DISAGREE


def _forms(
    file: Path,
    model: str | None,
    forms: list[str],
    settings: tuple[int, int, float],
    *,
    as_json: bool,
) -> int:
    import mbx

    linked = mbx.link(read_document(file), model)
    mbx.elaborate(linked)
    SETTINGS.release()
    states, seed, timeout = settings
    try:
        verification = mbx.verify(linked, forms=forms, states=states, seed=seed, timeout=timeout)
    except ConverterError as unknown:
        complain(f"mbx: {unknown}")
        complain("  help: mbx forms lists all forms")
        return Status.USAGE
    why = verification.diagnose(linked)
    if as_json:
        emit_json({**verification.as_json(), "diagnosis": None if why is None else why.as_json()})
    else:
        for line in verification.lines():
            print_line(line)
        for line in () if why is None else why.lines():
            print_line(line)
    return Status.OK if verification.ok else Status.DISAGREE
