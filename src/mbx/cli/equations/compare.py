"""`mbx compare`: which form of a model is cheapest, and which method where."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mbx.cli.command_files import (
    SETTINGS,
    read_document_or_equations,
    require_writable,
    suffix_of,
    write,
)
from mbx.cli.equations.convert import unknown_form
from mbx.cli.equations.saved_equations import is_refused
from mbx.cli.options import Force, ModelName, option, output_path
from mbx.cli.output import Status, bar, complain, emit_json, print_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["compare"]

_PICTURES: Final = (".svg", ".png")


def compare(  # noqa: PLR0913  the options of the command
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Model file; - is standard input.")
    ] = None,
    *,
    forms: Annotated[
        list[str] | None,
        option("--form", "repeat; all that apply by default"),
    ] = None,
    symbolic: Annotated[bool, option("--symbolic")] = False,
    timed: Annotated[bool, option("--timing")] = False,
    timeout: Annotated[float, option("--timeout", "for each form", min=1)] = 60.0,
    mapped: Annotated[bool, option("--map")] = False,
    out: Annotated[
        Path | None,
        option("--out", "a picture of the map, .svg or .png", parser=output_path),
    ] = None,
    as_json: Annotated[bool, option("--json")] = False,
    force: Force = False,
    model: ModelName = None,
) -> int:
    """Count the operations of the forms of a model.

    FILE may be equations saved as JSON.

    With --map: of three methods on chains, carousels and binary trees. Status 3: no form of the
    model can be counted.
    """
    if mapped:
        if file is not None or symbolic:
            raise typer.BadParameter("--map is of no one model, and its parameters are numbers")
        if timed:
            raise typer.BadParameter("--timing is of the forms of a model, not of --map")
        return _map(out, forms or (), timeout, as_json=as_json, force=force)
    if file is None:
        raise typer.BadParameter("there is no model to compare forms of; or say --map")
    if out is not None:
        raise typer.BadParameter("--out is the picture of --map")
    options = {"symbolic": symbolic, "timed": timed, "timeout": timeout}
    return _rank(file, model, forms or (), options, as_json=as_json)


def _rank(
    file: Path,
    model: str | None,
    forms: Sequence[str],
    options: Mapping[str, Any],
    *,
    as_json: bool,
) -> int:
    if not _are_known(forms):
        return Status.USAGE
    import mbx
    from mbx.analyses.costs.cost_ranking import rank, rank_equations

    document = read_document_or_equations(file)
    SETTINGS.release()  # each form has a limit of its own
    if isinstance(document, mbx.Equations):
        if is_refused(file, document, forms, model):
            return Status.REFUSED
        if options["timed"]:
            raise typer.BadParameter("--time measures the derivation from a model")
        ranking = rank_equations(document, options["timeout"], symbolic=options["symbolic"])
    else:
        system = mbx.elaborate(document, model)
        with bar() as advance:
            ranking = rank(system, forms, progress=advance, **options)
    if as_json:
        emit_json(ranking.as_json())
    else:
        for line in ranking.lines():
            print_line(line)
    return Status.OK if ranking.best is not None else Status.REFUSED


def _are_known(forms: Sequence[str]) -> bool:
    """Return whether all forms are known; complain of the first that is not."""
    for form in forms:
        unknown = unknown_form(form)
        if unknown is not None:
            complain(f"mbx: {unknown}")
            complain("  help: mbx forms lists all forms")
            return False
    return True


def _map(
    out: Path | None, forms: Sequence[str], timeout: float, *, as_json: bool, force: bool
) -> int:
    if out is not None and suffix_of(out, _PICTURES) not in _PICTURES:
        raise typer.BadParameter(f"--out is a file that ends in {' or '.join(_PICTURES)}")
    if not _are_known(forms):
        return Status.USAGE
    from mbx.analyses.costs.cost_maps import counted_map
    from mbx.analyses.figures import matplotlib_module
    from mbx.base.extras import ExtraError

    require_writable(out, force=force, printed=as_json)
    if out is not None:
        try:
            matplotlib_module()  # known before everything is counted
        except ExtraError as absent:
            complain(f"mbx: {absent}")
            return Status.TROUBLE
    SETTINGS.release()
    with bar() as advance:
        cost_map = counted_map(timeout, advance, forms)
    if as_json:
        emit_json(cost_map.as_json())
    else:
        for line in cost_map.lines():
            print_line(line)
    if out is not None:
        form = suffix_of(out, _PICTURES).removeprefix(".")
        write({out: cost_map.picture(form)}, force=force)
    return Status.OK
