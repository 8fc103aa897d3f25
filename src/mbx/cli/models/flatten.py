"""`mbx flatten`: the linked document of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mbx.cli.command_files import deliver, read_document, require_writable
from mbx.cli.options import Force, ModelFile, ModelName, option, output_path
from mbx.cli.output import Status

__all__ = ["flatten"]


def flatten(
    file: ModelFile,
    *,
    model: ModelName = None,
    as_json: Annotated[bool, option("--json")] = False,
    canonical: Annotated[bool, option("--canonical")] = False,
    identity: Annotated[bool, option("--hash")] = False,
    out: Annotated[
        Path | None,
        option("--out", parser=output_path),
    ] = None,
    force: Force = False,
) -> int:
    """Print a model with imports and repetition resolved.

    Imports are read, repetition is expanded, subsystems are instantiated.
    """
    if as_json + canonical + identity > 1:
        raise typer.TyperException("choose one of --json, --canonical and --hash")
    import mbx

    linked = mbx.link(read_document(file), model)
    require_writable(out, force=force)
    if identity:
        text = f"{linked.hash}\n"
    elif canonical:
        text = linked.canonical.decode()
    else:
        text = mbx.dumps(linked.document, "json" if as_json else "mb")
    deliver(text, out, force=force)
    return Status.OK
