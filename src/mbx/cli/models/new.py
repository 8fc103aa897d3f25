"""`mbx new`: a model file to begin with."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

from mbx.base.errors import FileError
from mbx.cli.command_files import deliver, is_stdout, require_writable
from mbx.cli.options import Force, option, output_path
from mbx.cli.output import Status, print_line

__all__ = ["KINDS", "PLACEHOLDER", "Kind", "new", "template"]

Kind = Literal["pendulum", "loop", "rolling", "tree"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PLACEHOLDER = "NewModel"
"""The name of the main model in every template."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the model.")],
    *,
    kind: Annotated[Kind, option("--kind", "pendulum, loop, rolling or tree")] = "pendulum",
    out: Annotated[
        Path | None,
        option("--out", "NAME.mb by default", parser=output_path),
    ] = None,
    force: Force = False,
) -> int:
    """Write a small model to start from.

    A file that exists is left alone without --force; -o - prints the model.
    """
    if not _NAME.fullmatch(name):
        raise typer.TyperException(
            f"'{name}' is no name: write a letter, then letters, digits and underscores, 64 at most"
        )
    import mbx

    document = mbx.loads(template(kind).replace(PLACEHOLDER, name), "mb", f"{name}.mb")
    if [model.name for model in document.models].count(name) > 1:
        raise typer.TyperException(f"the {kind} has a part called '{name}': choose another name")
    text = mbx.dumps(document)
    target = Path(f"{name}.mb") if out is None else out
    if target.is_file() and not force:
        raise FileError.of(
            "MBX7009", f"'{target}' exists already", help="choose another name, or say --force"
        )
    require_writable(target, force=force)
    deliver(text, target, force=force)
    if not is_stdout(target):
        print_line(f"{target}: written")
    return Status.OK


def template(kind: Kind) -> str:
    """Return the text of a template."""
    from importlib.resources import files

    return (files("mbx.cli.models") / "templates" / f"{kind}.mb").read_text("utf-8")
