"""`mbx report`: a model, its equations in every form and whether they agree, as a page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from mbx.cli.command_files import (
    SETTINGS,
    deliver,
    name_of,
    read_document,
    require_writable,
    suffix_of,
)
from mbx.cli.equations.convert import unknown_form
from mbx.cli.options import Force, ModelFile, ModelName, States, option, output_path
from mbx.cli.output import Status, bar, complain

__all__ = ["report"]


def report(
    file: ModelFile,
    *,
    out: Annotated[
        Path | None,
        option("--out", "a page, .html", parser=output_path),
    ] = None,
    forms: Annotated[
        list[str] | None,
        option("--form", "repeat; all that apply by default"),
    ] = None,
    no_verify: Annotated[bool, option("--no-verify")] = False,
    states: States = 16,
    date: Annotated[str, option("--date")] = "",
    force: Force = False,
    model: ModelName = None,
) -> int:
    """Write a report on a model: one page in HTML.

    The page loads nothing.

    The model with its drawing, its equations in each form, whether the forms agree, and what
    they cost. Status 4: the forms do not agree; the report says where.
    """
    if out is not None and suffix_of(out, (".html",)) != ".html":
        raise typer.BadParameter("--out is a file that ends in .html")
    # its matrices are small: threads of BLAS would wait, and take address space
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for form in forms or ():
        unknown = unknown_form(form)
        if unknown is not None:
            complain(f"mbx: {unknown}")
            complain("  help: mbx forms lists all forms")
            return Status.USAGE
    import mbx
    from mbx.show.report.gather import ReportRequest, gather
    from mbx.show.report.report_page import Origin, page

    document = read_document(file)
    linked = mbx.link(document, model)
    mbx.elaborate(linked)  # errors of the model count in the time for reading
    require_writable(out, force=force)
    SETTINGS.release()
    with bar() as advance:
        wanted = ReportRequest(
            forms=tuple(forms or ()),
            verify=not no_verify,
            states=states,
            progress=advance or (lambda _note, _count: None),
        )
        contents = gather(document, linked, wanted)
    deliver(page(document, contents, Origin(name_of(file), date)), out, force=force)
    agreed = contents.verification is None or contents.verification.ok
    return Status.OK if agreed else Status.DISAGREE
