"""The mbx command: its verbs, and what becomes of their exceptions.

A verb is a module of this package and a function that returns a status. Everything heavy is
imported inside of these functions: `mbx --help` costs little more than typer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Annotated

import typer

from mbx.base.errors import LimitError, NoValueError, SourceError
from mbx.base.files import FILES_READ
from mbx.base.interrupts import InterruptError, heard, stop_workers
from mbx.cli.analyses import assemble, equilibrium, inverse, kinematics, linearize, simulate, study
from mbx.cli.equations import compare, convert, formats, forms
from mbx.cli.library import library
from mbx.cli.models import (
    check,
    diff,
    draw,
    explain,
    flatten,
    fmt,
    info,
    new,
    report,
    schema,
    to_json,
)
from mbx.cli.output import (
    HungUpError,
    Status,
    complain,
    complain_report,
    release_stdout,
    say,
    status_of,
)
from mbx.cli.settings import SETTINGS, out_of_bounds
from mbx.cli.verification import verify

__all__ = ["app", "main"]

app = typer.Typer(
    name="mbx",
    help="Multibody models: written once, checked, said in every formalism.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("new")(new.new)
app.command("check")(check.check)
app.command("fmt")(fmt.fmt)
app.command("json")(to_json.to_json)
app.command("flatten")(flatten.flatten)
app.command("info")(info.info)
app.command("convert")(convert.convert)
app.command("forms")(forms.forms)
app.command("formats")(formats.formats)
app.command("compare")(compare.compare)
app.command("assemble")(assemble.assemble)
app.command("equilibrium")(equilibrium.equilibrium)
app.command("linearize")(linearize.linearize)
app.command("kinematics")(kinematics.kinematics)
app.command("simulate")(simulate.simulate)
app.command("study")(study.study)
app.command("inverse")(inverse.inverse)
app.command("verify")(verify.verify)
app.command("diff")(diff.diff)
app.command("draw")(draw.draw)
app.command("report")(report.report)
app.command("schema")(schema.schema)
app.command("explain")(explain.explain)
app.add_typer(library.app, name="library")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    SETTINGS.guarded = arguments is None
    release_stdout()
    FILES_READ.clear()
    try:
        with heard() if SETTINGS.guarded else nullcontext():
            return _run(arguments)
    except InterruptError as stopped:
        stop_workers(stopped.status)  # before anything else is done
        complain("mbx: interrupted")
        return stopped.status
    except (SourceError, LimitError) as bad:
        complain_report(bad.report)
        return status_of(bad.report)
    except NoValueError as bad:  # of an expression whose place is lost by now
        found = bad.report(where="in an expression of the model, ")
        complain_report(found)
        return status_of(found)
    except MemoryError:
        return _out_of_memory()
    except HungUpError:
        return Status.TROUBLE
    except OSError as bad:
        complain(f"mbx: {bad.strerror or type(bad).__name__}")
        return Status.TROUBLE
    except BaseException as bug:  # the last resort: users see no traceback
        if isinstance(bug, KeyboardInterrupt | SystemExit | GeneratorExit):
            raise
        if type(bug).__name__ == "PanicException":  # compiled code that gets no memory
            return _out_of_memory()
        if os.environ.get("MBX_DEBUG") == "1":
            sys.excepthook(type(bug), bug, bug.__traceback__)
        complain(f"mbx: internal error, {type(bug).__name__}; this is a bug")
        complain("  help: report it with what MBX_DEBUG=1 shows")
        return Status.BUG
    finally:
        SETTINGS.release()


def _out_of_memory() -> int:
    try:
        out_of_bounds("memory")
    except LimitError as bad:
        complain_report(bad.report)
        return status_of(bad.report)


def _run(arguments: Sequence[str] | None) -> int:
    command = typer.main.get_command(app)
    try:
        status = command.main(arguments, prog_name="mbx", standalone_mode=False)
    except typer.TyperException as bad:  # wrong usage
        message = bad.format_message().strip()
        if "\n" in message:  # the help, where arguments are missing
            for line in message.split("\n"):
                complain(line)
        else:
            message = message.removesuffix(".").replace(": Value error, ", ": ")
            complain(f"mbx: {message[:1].lower()}{message[1:]}")
        return Status.USAGE
    return int(status or 0)


def _say_version(wanted: bool) -> None:  # noqa: FBT001  typer calls it so
    if not wanted:
        return
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  costs a while

    from mbx.language.document.document import FORMAT_VERSION  # noqa: PLC0415  likewise

    try:
        number = version("mbx")
    except PackageNotFoundError:  # run from a source tree
        number = "(not installed)"
    say(f"mbx {number}, format {FORMAT_VERSION}")
    raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[  # noqa: ARG001  its callback answers
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version."),
    ] = False,
    root: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=DIR", help='A folder that "NAME:path" imports may read.'),
    ] = None,
    limit: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Another limit than published.")
    ] = None,
) -> None:
    try:
        SETTINGS.add_roots(root or [])
        SETTINGS.set_limits(limit or [])
    except ValueError as bad:
        raise typer.BadParameter(str(bad)) from None
    SETTINGS.guard()
