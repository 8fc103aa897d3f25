"""`mbx convert`: the equations of motion of a model in a form."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.base.errors import (
    ConverterError,
    EquationsError,
    FileError,
    LimitError,
    MbxError,
    NotApplicableError,
    SourceError,
)
from mbx.cli.command_files import (
    SETTINGS,
    deliver,
    is_stdout,
    read_document_or_equations,
    require_writable,
    write_into,
)
from mbx.cli.equations.saved_equations import form_of, is_refused, write_saved
from mbx.cli.options import Force, ModelFile, ModelName, assignments, option, output_name
from mbx.cli.output import Status, complain, print_line
from mbx.cli.request_options import report_refusal, warn_of_values
from mbx.formalism.page.page_options import PageOptions

if TYPE_CHECKING:
    from mbx.codegen.target import Target
    from mbx.formalism.equations import Equations
    from mbx.formalism.registry import Refusal
    from mbx.system.system import System

__all__ = [
    "complain_refused",
    "convert",
    "deliver_files",
    "reasons_of",
    "target_of",
    "unknown_form",
]

_ALL: Final = "all"
_WIDEST: Final = 100  # characters of a line that is easy to read
_TWO: Final = 2
_SHOWN: Final = 4  # elements that are named
_POSITION: Final = re.compile(r":[0-9]+$")


def convert(  # noqa: PLR0913  the options of a command
    file: ModelFile,
    *,
    to: Annotated[str | None, option("--to", "FORM, FORM:VARIANT, or all")] = None,
    written: Annotated[str, option("--format")] = "text",
    values: Annotated[
        list[str] | None,
        option("--set", "a parameter"),
    ] = None,
    frozen: Annotated[bool, option("--frozen")] = False,
    full: Annotated[bool, option("--full")] = False,
    explicit: Annotated[bool, option("--explicit")] = False,
    matrix: Annotated[bool, option("--matrix")] = False,
    only: Annotated[str | None, option("--only")] = None,
    compare: Annotated[str | None, option("--compare")] = None,
    force: Force = False,
    model: ModelName = None,
    out: Annotated[
        str | None,
        option(
            "--out",
            "the current folder by default for formats of several files",
            parser=output_name,
        ),
    ] = None,
) -> int:
    """Convert a model to equations of motion in a form.

    mbx forms lists the forms, mbx formats the formats. Text is printed; formats of several
    files are written into the current folder, or that behind -o. FILE may be equations saved as
    JSON, which have one form. Status 3: the form does not support the model.
    """
    target = target_of(written)
    path = None if out is None else Path(out)
    if not target.suffix and is_stdout(path):
        raise typer.TyperException(f"{written} is several files: name a folder with -o")
    if to == _ALL and is_stdout(path):
        raise typer.TyperException("--to all writes files: name a folder with -o")
    unknown = None if to in {None, _ALL} else unknown_form(str(to))
    if unknown is not None:
        complain(f"mbx: {unknown}")
        complain("  help: mbx forms lists all forms")
        return Status.USAGE
    if compare is not None and (to is not None or out is not None or written != "text"):
        raise typer.TyperException("--compare prints text: leave out --to, --format and -o")
    if only not in {None, "equations"}:
        raise typer.TyperException(f"--only takes 'equations', not '{only}'")
    import mbx

    document = read_document_or_equations(file)
    if compare is not None and not isinstance(document, mbx.Equations):
        return _write_compared(mbx.elaborate(mbx.link(document, model)), compare)
    if isinstance(document, mbx.Equations):
        return _write_saved(file, document, target, _Options(to, model, values, frozen, out, force))
    if to is None:
        complain("mbx: --to is missing: name a form to convert to, or all")
        _complain_forms()
        return Status.USAGE
    linked = mbx.link(document, model)
    system = mbx.elaborate(linked)
    numbers = _numbers(values or [], [parameter.path for parameter in system.parameters])
    if numbers:
        from mbx.analyses.experiments.experiment_plan import NotRunError
        from mbx.analyses.request import Request, plan_of

        try:
            request = Request(values=numbers, option="--set")
            plan_of(warn_of_values(linked, request), system, request, complete=False)
        except NotRunError as reason:
            return report_refusal(reason)
    if target.suffix and to != _ALL and path is not None and not path.is_dir():
        require_writable(path, force=force)
    options = None if matrix else PageOptions(is_full=full, is_explicit=explicit)
    width = _terminal_width() if is_stdout(path) else None
    writable = _WritableSystem(
        system, numbers, frozen=frozen, page=options, width=width, only_equations=only is not None
    )
    if to == _ALL:
        return _write_every(writable, target, path, force=force)
    try:
        files = writable.write(to, target)
    except NotApplicableError as reason:
        complain_refused(to, reason, system)
        return Status.REFUSED
    except EquationsError as reason:
        complain(f"mbx: not applicable: {written} cannot express {to} of {system.name}: {reason}")
        return Status.REFUSED
    except ConverterError as broken:
        complain(f"mbx: {broken}")
        return Status.TROUBLE
    deliver_files(files, target, out, force=force)
    return Status.OK


def _write_compared(system: System, names: str) -> int:
    """Print the pages of two forms next to each other."""
    from mbx.codegen.pages.side_by_side import write_side_by_side
    from mbx.pipeline import derive

    forms = [name.strip() for name in names.split(",")]
    if len(forms) != _TWO:
        raise typer.TyperException(f"--compare takes two forms, as in kane,lagrange, not '{names}'")
    for form in forms:
        unknown = unknown_form(form)
        if unknown is not None:
            complain(f"mbx: {unknown}")
            complain("  help: mbx forms lists all forms")
            return Status.USAGE
    pages: list[Equations] = []
    for form in forms:
        try:
            pages.append(derive(system, form, page=PageOptions()))
        except NotApplicableError as reason:
            complain_refused(form, reason, system)
            return Status.REFUSED
    try:
        lines = write_side_by_side(pages[0], pages[1], _terminal_width() or _WIDEST)
    except EquationsError as reason:
        complain(f"mbx: not applicable: {names} of {system.name}: {reason}")
        return Status.REFUSED
    for line in lines:
        print_line(line)
    return Status.OK


@dataclass(frozen=True, slots=True)
class _WritableSystem:
    """A system to be written, and numbers for its parameters."""

    system: System
    values: Mapping[str, float]
    frozen: bool
    page: PageOptions | None
    width: int | None
    only_equations: bool

    def write(self, form: str, target: Target) -> dict[str, str]:
        """Return the files of a form."""
        from mbx.pipeline import derive, write_files

        page = self.page if target.has_page else None
        equations = derive(self.system, form, specialised=target.specialised, page=page)
        return write_files(
            equations,
            target.name,
            self.values,
            frozen=self.frozen,
            width=self.width,
            only_equations=self.only_equations,
        )


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of the command."""

    to: str | None
    model: str | None
    values: Sequence[str] | None
    frozen: bool
    out: str | None
    force: bool


def _write_saved(file: Path, equations: Equations, target: Target, options: _Options) -> int:
    """Write equations that were saved: their form is the only form that there is."""
    forms = [] if options.to is None else [options.to]
    if is_refused(file, equations, forms, options.model):
        return Status.REFUSED
    numbers = _numbers(
        options.values or [], [parameter.path for parameter in equations.signature.parameters]
    )
    if target.suffix and options.out is not None and not Path(options.out).is_dir():
        require_writable(Path(options.out), force=options.force)
    try:
        files = write_saved(equations, target.name, numbers, frozen=options.frozen)
    except EquationsError as reason:
        what = f"{form_of(equations)} of {equations.model}"
        complain(f"mbx: not applicable: {target.name} cannot express {what}: {reason}")
        return Status.REFUSED
    deliver_files(files, target, options.out, force=options.force)
    return Status.OK


def _terminal_width() -> int | None:
    """Return the width of the terminal; None where there is none, or where it is wide."""
    if not sys.stdout.isatty():
        return None
    return min(_WIDEST, get_terminal_size().columns)


def _numbers(texts: Sequence[str], known: Sequence[str]) -> dict[str, float]:
    from mbx.base.diagnostics import nearest

    numbers = assignments("--set", texts)
    for name in numbers:
        if name not in known:
            near = nearest(name, known)
            hint = f"; did you mean '{near}'?" if near else ""
            raise typer.TyperException(f"there is no parameter '{name}'{hint}")
    return numbers


def deliver_files(
    files: Mapping[str, str], target: Target, out: str | None, *, force: bool
) -> None:
    """Print a single file, or write it; several go into a folder."""
    if is_stdout(None if out is None else Path(out)) or (out is None and target.suffix):
        (text,) = files.values()
        if target.name == "text" and out is None:
            for line in text.removesuffix("\n").split("\n"):
                print_line(line)
        else:
            deliver(text, None, force=force)
        return
    folder = Path(out or ".")
    if target.suffix and not (folder.is_dir() or str(out).endswith(os.sep)):
        (text,) = files.values()
        deliver(text, folder, force=force)
        return
    write_into(folder, {name: text.encode() for name, text in files.items()}, force=force)
    for name in files:
        print_line(str(folder / name))


def target_of(name: str) -> Target:
    """Return a format by its name; an unknown one is wrong usage."""
    from mbx.base.diagnostics import nearest
    from mbx.codegen import target

    known = target.names()
    if name not in known:
        named = (known_as for known_as in known if target.get(known_as).suffix == f".{name}")
        near = next(named, None) or nearest(name, known)
        hint = f"; did you mean '{near}'?" if near else f"; there are {', '.join(known)}"
        raise typer.TyperException(f"unknown format '{name}'{hint}")
    return target.get(name)


def unknown_form(form: str) -> str | None:
    """Return what is wrong with the name of a form or of its variant."""
    from mbx.formalism import registry

    if form.partition(":")[0] in registry.names() and ":" not in form:
        return None
    try:
        registry.parse(form)
    except ConverterError as bad:
        return str(bad)
    return None


def _complain_forms() -> None:
    """List the names of all forms on standard error."""
    from mbx.formalism import registry

    listed = wrap(f"help: forms are {', '.join(registry.names())}", 78, break_on_hyphens=False)
    for line in listed:
        complain(f"  {line}")
    complain("  mbx forms says what each is for")


def complain_refused(form: str, refused: NotApplicableError, system: System) -> None:
    """Print on standard error why a form does not support a model."""
    complain(f"mbx: not applicable: {form} does not support {system.name}")
    for reason in reasons_of(refused, system):
        complain(f"  {reason}")
    complain("  help: mbx forms FILE says which forms apply")


def reasons_of(refused: NotApplicableError, system: System) -> list[str]:
    """Return why a form does not apply, with elements and their positions where known."""
    return [_reason(refusal, system) for refusal in refused.refusals] or list(refused.reasons)


def _reason(refusal: Refusal, system: System) -> str:
    named = [_with_position(element, system) for element in refusal.elements[:_SHOWN]]
    more = len(refusal.elements) - len(named)
    named += [f"{more} more"] if more else []
    return f"{refusal.feature.value} ({', '.join(named)})" if named else refusal.feature.value


def _with_position(element: str, system: System) -> str:
    position = system.lines.get(element, "")
    return f"{element} at {position}" if _POSITION.search(position) else element


# -- all forms -------------------------------------------------------------------------------


def _write_every(
    writable: _WritableSystem, target: Target, out: Path | None, *, force: bool
) -> int:
    """Write the files of each form that applies."""
    folder = Path(f"{writable.system.name}_forms") if out is None else out
    texts, outcomes, status = _texts(writable, target)
    # a form with a single file gives it the name of the form; several files have their own names
    paths = {
        form: [folder / (f"{form}{target.suffix}" if target.suffix else name) for name in files]
        for form, files in texts.items()
    }
    if out is None and not force:
        for path in (file for several in paths.values() for file in several):
            if os.path.lexists(path):
                raise FileError.of(
                    "MBX7009",
                    f"'{path}' exists already",
                    help="name a folder with -o, or remove it",
                )
    written = {
        path.name: text.encode()
        for form, files in texts.items()
        for path, text in zip(paths[form], files.values(), strict=True)
    }
    if written:
        write_into(folder, written, force=force)
    for form in texts:
        outcomes[form] = ", ".join(map(str, paths[form]))
    width = max((len(form) for form in outcomes), default=0)
    for form in sorted(outcomes):
        print_line(f"{form:<{width}}  {outcomes[form]}")
    return status


def _texts(
    writable: _WritableSystem, target: Target
) -> tuple[dict[str, dict[str, str]], dict[str, str], Status]:
    """Return files by form, the outcomes of the other forms, and the status."""
    from mbx.formalism import registry

    texts: dict[str, dict[str, str]] = {}
    outcomes: dict[str, str] = {}
    status = Status.OK
    for form in registry.names():
        SETTINGS.guard()  # the limit is for each form
        try:
            texts[form] = writable.write(form, target)
        except NotApplicableError as refused:
            outcomes[form] = f"not applicable: {'; '.join(reasons_of(refused, writable.system))}"
        except EquationsError as refused:
            outcomes[form] = f"not applicable: {target.name} cannot express it: {refused}"
        except (LimitError, SourceError):
            raise
        except MbxError as bad:
            outcomes[form], status = f"broken: {bad}", Status.TROUBLE
        except Exception as bug:  # noqa: BLE001  a faulty form does not stop the others
            outcomes[form], status = f"broken: {type(bug).__name__}: {bug}", Status.TROUBLE
    if not texts and status is Status.OK:
        status = Status.REFUSED
    return texts, outcomes, status
