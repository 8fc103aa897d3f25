"""The mbx command: its verbs, and what becomes of their exceptions.

A verb is a module of this package and a function that returns a status. Everything heavy is
imported inside of these functions: `mbx --help` costs little more than typer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Annotated, Final

import typer

from mbx.base.errors import LimitError, NoValueError, SourceError
from mbx.base.files import FILES_READ
from mbx.base.process import InterruptError, raise_interrupts, stop_workers
from mbx.cli.analyses import assemble, equilibrium, inverse, kinematics, linearize, simulate, study
from mbx.cli.command_files import SETTINGS, out_of_bounds
from mbx.cli.equations import compare, convert, formats, forms, regressor
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
from mbx.cli.options import LongVerb, Verb, VerbGroup
from mbx.cli.output import (
    HungUpError,
    Status,
    complain,
    complain_report,
    print_line,
    release_stdout,
    status_of,
)
from mbx.cli.verification import certificate, verify

__all__ = ["app", "main"]

_VERBS: Final[Mapping[str, tuple[tuple[str, Callable[..., object], str], ...]]] = {
    "Models": (
        ("new", new.new, "mbx new crane --kind pendulum"),
        ("check", check.check, "mbx check model.mb"),
        ("fmt", fmt.fmt, "mbx fmt model.mb"),
        ("info", info.info, "mbx info lib:four_bar --deep"),
        ("draw", draw.draw, "mbx draw lib:four_bar -o four_bar.svg"),
        ("json", to_json.to_json, "mbx json model.mb -o model.json"),
        ("flatten", flatten.flatten, "mbx flatten lib:four_bar --hash"),
    ),
    "Equations of motion": (
        ("convert", convert.convert, "mbx convert lib:four_bar --to maggi --format c"),
        ("forms", forms.forms, "mbx forms lib:four_bar"),
        ("formats", formats.formats, "mbx formats"),
        ("compare", compare.compare, "mbx compare lib:four_bar --form kane --form lagrange"),
        ("regressor", regressor.regressor, "mbx regressor lib:cart_pole"),
    ),
    "Verification": (
        ("verify", verify.verify, "mbx verify lib:four_bar"),
        ("diff", diff.diff, "mbx diff model.mb other.mb"),
        ("report", report.report, "mbx report lib:four_bar -o four_bar.html"),
    ),
    "Analyses": (
        ("assemble", assemble.assemble, "mbx assemble lib:four_bar --hold th1=1 --branches"),
        ("equilibrium", equilibrium.equilibrium, "mbx equilibrium lib:four_bar"),
        ("linearize", linearize.linearize, "mbx linearize lib:four_bar --at equilibrium"),
        ("kinematics", kinematics.kinematics, "mbx kinematics lib:four_bar --drive th1=0:6:60"),
        ("simulate", simulate.simulate, "mbx simulate lib:four_bar swing -o swing.csv"),
        ("inverse", inverse.inverse, "mbx inverse lib:four_bar drive"),
        ("study", study.study, "mbx study lib:four_bar swing --vary m2=0.2:1:5"),
    ),
    "Library and reference": (
        ("schema", schema.schema, "mbx schema certificate"),
        ("explain", explain.explain, "mbx explain MBX4025"),
    ),
}
"""The verbs by their groups, each with its function and an example."""
_LONG: Final = frozenset({"Equations of motion", "Verification", "Analyses"})
"""Groups whose verbs may take longer than a second."""

app = typer.Typer(
    name="mbx",
    help="Multibody models: written once, checked, and converted to every formalism.",
    epilog="mbx verify lib:four_bar\nmbx convert lib:four_bar --to kane --format latex",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    cls=VerbGroup,
)
for _group, _verbs in _VERBS.items():
    for _name, _function, _example in _verbs:
        _cls = LongVerb if _group in _LONG else Verb
        app.command(_name, cls=_cls, rich_help_panel=_group, epilog=_example)(_function)
app.add_typer(certificate.app, name="certificate", rich_help_panel="Verification")
app.add_typer(library.app, name="library", rich_help_panel="Library and reference")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    SETTINGS.guarded = arguments is None
    release_stdout()
    FILES_READ.clear()
    try:
        with raise_interrupts() if SETTINGS.guarded else nullcontext():
            return _run(arguments)
    except InterruptError as stopped:
        stop_workers(stopped.status)  # before anything else is done
        complain("mbx: interrupted")
        return stopped.status
    except (SourceError, LimitError) as bad:
        complain_report(bad.report)
        return status_of(bad.report)
    except NoValueError as bad:  # of an expression whose position is lost by now
        faults = bad.report(where="in an expression of the model, ")
        complain_report(faults)
        return status_of(faults)
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


def _print_version(wanted: bool) -> None:  # noqa: FBT001  typer calls it so
    if not wanted:
        return
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    from mbx.language.document.document import FORMAT_VERSION

    try:
        number = version("mbx")
    except PackageNotFoundError:  # run from a source tree
        number = "(not installed)"
    print_line(f"mbx {number}, format {FORMAT_VERSION}")
    raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[  # noqa: ARG001  its callback answers
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Say the version."),
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
