"""`mbx draw`: a drawing of the mechanism, made from the model alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from mbx.cli.command_files import deliver, read_document, require_writable, suffix_of
from mbx.cli.options import Force, ModelFile, ModelName, option, output_path
from mbx.cli.output import Status, complain

__all__ = ["draw"]


def draw(
    file: ModelFile,
    *,
    out: Annotated[
        Path | None,
        option("--out", "a drawing, .svg", parser=output_path),
    ] = None,
    state: Annotated[str | None, option("--state")] = None,
    view: Annotated[
        str | None,
        option("--view"),
    ] = None,
    force: Force = False,
    model: ModelName = None,
) -> int:
    """Draw the mechanism of a model, as SVG.

    Bodies, joints, points and coordinates, at the start or at a state of the model; planar
    models are seen straight on, spatial ones from where least is hidden.
    """
    if out is not None and suffix_of(out, (".svg",)) != ".svg":
        raise typer.BadParameter("--out is a file that ends in .svg")
    # its matrices are small: threads of BLAS would wait, and take address space
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import mbx
    from mbx.show.drawing.drawing_hints import parse_view
    from mbx.show.drawing.picture import picture
    from mbx.show.drawing.pose import DrawError

    try:
        if view is not None:
            parse_view(view)
    except DrawError as bad:
        raise typer.BadParameter(str(bad)) from None
    document = read_document(file)
    require_writable(out, force=force)
    linked = mbx.link(document, model)
    try:
        drawing = picture(document, linked, state=state, look=view)
    except DrawError as bad:
        complain(f"mbx: {bad}")
        return Status.MODEL
    for warning in drawing.warnings:
        complain(f"mbx: warning: {warning}")
    deliver(drawing.svg, out, force=force)
    return Status.OK
