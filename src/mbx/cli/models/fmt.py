"""`mbx fmt`: bring model files into the standard layout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mbx.base.errors import FileError, SourceError
from mbx.base.files import write_text
from mbx.cli.command_files import is_address, is_stdin, name_of, source_of
from mbx.cli.options import option
from mbx.cli.output import Status, complain_report, emit, print_line, status_of

if TYPE_CHECKING:
    from mbx.pipeline import Form

__all__ = ["fmt"]


def fmt(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Model files; - is standard input.")
    ],
    *,
    check: Annotated[bool, option("--check")] = False,
    diff: Annotated[bool, option("--diff")] = False,
    stdout: Annotated[bool, option("--stdout")] = False,
) -> int:
    """Format model files.

    The .mb text of a .json file is printed, and so is that of standard input. What an address
    such as lib:four_bar names is not rewritten.
    """
    if stdout and (check or diff):
        raise typer.TyperException("--stdout goes with neither --check nor --diff")
    for file in files:
        if file.suffix == ".json" and (check or diff):
            raise typer.TyperException(f"'{file}' is JSON: --check and --diff are for .mb files")
    ends = {_format(file, check=check, diff=diff, stdout=stdout) for file in files}
    return Status.MODEL if Status.MODEL in ends else max(ends)


def _format(file: Path, *, check: bool, diff: bool, stdout: bool) -> Status:
    try:
        before, after = _texts(file)
        if not (check or diff or stdout) and is_address(file):
            raise FileError.of(
                "MBX7007",
                f"'{file}' cannot be written: it is an address",
                help="name the file by its path, or copy it: mbx library copy",
            )
        if diff:
            _show(name_of(file), before, after)
        elif check and before != after:
            print_line(f"{name_of(file)}: would be formatted")
        elif not check and (stdout or is_stdin(file) or file.suffix == ".json"):
            emit(after)
        elif not check and before != after:
            write_text(file, after)
            print_line(f"{file}: formatted")
    except SourceError as bad:
        complain_report(bad.report)
        return status_of(bad.report)
    return Status.MODEL if check and before != after else Status.OK


def _texts(file: Path) -> tuple[str, str]:
    """Return the text of a file as it is and as it should be."""
    import mbx

    source = source_of(file)
    form: Form | None = "json" if file.suffix == ".json" else "mb"
    document = mbx.loads(source.text, None if is_stdin(file) else form, source.name)
    return source.text, mbx.dumps(document)


def _show(name: str, before: str, after: str) -> None:
    from difflib import unified_diff  # seldom wanted

    for line in unified_diff(
        _lines(before), _lines(after), name, f"{name} (formatted)", lineterm=""
    ):
        print_line(line)


def _lines(text: str) -> list[str]:
    lines = text.replace("\t", "    ").split("\n")
    return [*lines, "(no line end)"] if lines[-1] else lines[:-1]
