"""`mbx library`: the cases and parts that models are built from and checked with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mbx.cli.command_files import deliver, require_writable
from mbx.cli.library.library_build import build
from mbx.cli.library.library_list import list_cases
from mbx.cli.library.library_show import known_names, show
from mbx.cli.options import Force, LongVerb, Verb, VerbGroup, option, output_path
from mbx.cli.output import Status, print_line

__all__ = ["app"]

app = typer.Typer(
    cls=VerbGroup,
    epilog="mbx library show four_bar\nmbx library copy four_bar",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def library(context: typer.Context) -> int:
    """List, show and copy models with known answers.

    Without an action the cases are listed. NAME is the name of a case, a part such as
    planar/bar.mb, an address such as lib:four_bar, or the folder of a case, with a slash in it.
    """
    return list_cases() if context.invoked_subcommand is None else Status.OK


app.command("list", cls=Verb, epilog="mbx library list --tag loop")(list_cases)
app.command("show", cls=Verb, epilog="mbx library show four_bar")(show)


@app.command("copy", cls=Verb, epilog="mbx library copy four_bar")
def copy(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A case or a part.", autocompletion=known_names),
    ],
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="DEST",
            parser=output_path,
            help="What to make, or the folder to make it in; else .",
        ),
    ] = None,
) -> int:
    """Copy a case or a part, to go on from.

    Nothing is written over.
    """
    from mbx.cli.library.library_names import find
    from mbx.linking.library import copy_case, copy_part

    source = find(name)
    destination = Path() if target is None else target
    if destination.is_dir():
        destination /= source.name
    if source.is_dir():
        count = copy_case(source, destination)
        print_line(f"{destination}: {count} files")
    else:
        copy_part(source, destination)
        print_line(f"{destination}: written")
    return Status.OK


app.command("build", cls=LongVerb, epilog="mbx library build ./crane")(build)


@app.command("coverage", cls=Verb, epilog="mbx library coverage -o coverage.md")
def coverage(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="A folder of cases; else the library.")
    ] = None,
    *,
    out: Annotated[
        Path | None,
        option("--out", parser=output_path),
    ] = None,
    force: Force = False,
) -> int:
    """Print which forms say which case, and which references it meets.

    In Markdown, from what `mbx library build` has found.
    """
    from mbx.cli.library.library_names import library_at
    from mbx.show.coverage.coverage_page import coverage_page

    require_writable(out, force=force)
    deliver(coverage_page(library_at(folder)), out, force=force)
    return Status.OK
