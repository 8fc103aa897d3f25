"""`mbx json`: the JSON form of a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from mbx.cli.command_files import deliver, read_document, require_writable
from mbx.cli.options import Force, ModelFile, option, output_path
from mbx.cli.output import Status

__all__ = ["to_json"]


def to_json(
    file: ModelFile,
    *,
    math: Annotated[
        Literal["text", "tree"],
        option("--math"),
    ] = "text",
    out: Annotated[
        Path | None,
        option("--out", parser=output_path),
    ] = None,
    force: Force = False,
) -> int:
    """Print the JSON form of a model file.

    mbx fmt is the way back.
    """
    import mbx

    document = read_document(file)
    require_writable(out, force=force)
    deliver(mbx.dumps(document, "json", math), out, force=force)
    return Status.OK
