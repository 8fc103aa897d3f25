"""`mbx convert`: the equations of motion of a model in a form."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.cli.output import Status, complain, deliver, say
from mbx.cli.read import read_document
from mbx.cli.settings import SETTINGS
from mbx.errors import (
    ConverterError,
    FileError,
    LimitError,
    MbxError,
    NotApplicableError,
    SourceError,
)

if TYPE_CHECKING:
    from mbx.codegen.target import Target
    from mbx.formalism.registry import Refusal
    from mbx.system.system import System

__all__ = ["convert", "reasons_of"]

_ALL: Final = "all"
_SHOWN: Final = 4  # elements that are named
_PLACE: Final = re.compile(r":[0-9]+$")


def convert(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Model file; - is standard input.")],
    *,
    to: Annotated[
        str, typer.Option("--to", metavar="FORM", help="FORM, FORM:VARIANT, or all of them.")
    ],
    written: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="text, latex or json.")
    ] = "text",
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The model; else the last one.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="OUT", help="File, or folder for all, to write to."),
    ] = None,
) -> int:
    """Print the equations of motion of a model.

    mbx forms lists the forms. Status 3: the form cannot say the model.
    """
    target = _target(written)
    if to == _ALL and str(out) == "-":
        raise typer.TyperException("--to all writes files: name a folder with -o")
    unknown = None if to == _ALL else _unknown(to)
    if unknown is not None:
        complain(f"mbx: {unknown}")
        complain("  help: mbx forms lists all forms")
        return Status.USAGE
    from mbx import api  # noqa: PLC0415  pydantic and lark are not for --help

    system = api.system(read_document(file), model)
    if to == _ALL:
        return _every(system, target, out)
    try:
        text = api.write(api.derive(system, to), written)
    except NotApplicableError as refused:
        _complain_refused(to, refused, system)
        return Status.REFUSED
    except ConverterError as broken:
        complain(f"mbx: {broken}")
        return Status.TROUBLE
    if target.name == "text" and (out is None or str(out) == "-"):
        for line in text.removesuffix("\n").split("\n"):
            say(line)
    else:
        deliver(text, out)
    return Status.OK


def _target(name: str) -> Target:
    from mbx.codegen import target  # noqa: PLC0415  not for --help
    from mbx.diagnostics import nearest  # noqa: PLC0415  likewise

    known = target.names()
    if name not in known:
        near = nearest(name, known)
        hint = f". Did you mean '{near}'?" if near else f"; there are {', '.join(known)}"
        raise typer.TyperException(f"unknown format '{name}'{hint}")
    return target.get(name)


def _unknown(form: str) -> str | None:
    """Return what is wrong with the name of a form or of its variant."""
    from mbx.formalism import registry  # noqa: PLC0415  not for --help

    if form.partition(":")[0] in registry.names() and ":" not in form:
        return None
    try:
        registry.parse(form)
    except ConverterError as bad:
        return str(bad)
    return None


def _complain_refused(form: str, refused: NotApplicableError, system: System) -> None:
    complain(f"mbx: not applicable: {form} cannot say {system.name}")
    for reason in reasons_of(refused, system):
        complain(f"  {reason}")
    complain("  help: mbx forms FILE says which forms apply")


def reasons_of(refused: NotApplicableError, system: System) -> list[str]:
    """Return why a form does not apply, with elements and places as far as they are known."""
    return [_reason(one, system) for one in refused.refusals] or list(refused.reasons)


def _reason(refusal: Refusal, system: System) -> str:
    named = [_placed(element, system) for element in refusal.elements[:_SHOWN]]
    more = len(refusal.elements) - len(named)
    named += [f"{more} more"] if more else []
    return f"{refusal.feature.value} ({', '.join(named)})" if named else refusal.feature.value


def _placed(element: str, system: System) -> str:
    place = system.lines.get(element, "")
    return f"{element} at {place}" if _PLACE.search(place) else element


# -- all forms -------------------------------------------------------------------------------


def _every(system: System, target: Target, out: Path | None) -> int:
    """Write one file for each form that applies."""
    from mbx.files import write_text  # noqa: PLC0415  only here

    folder = Path(f"{system.name}_forms") if out is None else out
    texts, said, status = _texts(system, target)
    paths = {form: folder / f"{form}{target.suffix}" for form in texts}
    if out is None:
        for path in paths.values():
            if os.path.lexists(path):
                raise FileError.of(
                    "MBX7009",
                    f"'{path}' exists already",
                    help="name a folder with -o, or remove it",
                )
    if texts:
        _make(folder)
    for form, text in texts.items():
        write_text(paths[form], text)
        said[form] = str(paths[form])
    width = max((len(form) for form in said), default=0)
    for form in sorted(said):
        say(f"{form:<{width}}  {said[form]}")
    return status


def _texts(system: System, target: Target) -> tuple[dict[str, str], dict[str, str], Status]:
    """Return texts by form, what is said of the other forms, and the status."""
    from mbx import api  # noqa: PLC0415  not for --help
    from mbx.formalism import registry  # noqa: PLC0415  likewise

    texts: dict[str, str] = {}
    said: dict[str, str] = {}
    status = Status.OK
    for form in registry.names():
        SETTINGS.guard()  # the limit is one form's
        try:
            texts[form] = api.write(api.derive(system, form), target.name)
        except NotApplicableError as refused:
            said[form] = f"not applicable: {'; '.join(reasons_of(refused, system))}"
        except (LimitError, SourceError):
            raise
        except MbxError as bad:
            said[form], status = f"broken: {bad}", Status.TROUBLE
        except Exception as bug:  # noqa: BLE001  one faulty form does not keep the others
            said[form], status = f"broken: {type(bug).__name__}: {bug}", Status.TROUBLE
    if not texts and status is Status.OK:
        status = Status.REFUSED
    return texts, said, status


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as bad:
        reason = (bad.strerror or type(bad).__name__).lower()
        raise FileError.of("MBX7007", f"'{folder}' cannot be made: {reason}") from None
