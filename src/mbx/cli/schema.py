"""`mbx schema`: the JSON Schema of a file."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from mbx.cli.output import Status, emit_json

__all__ = ["schema"]


def schema(
    of: Annotated[
        Literal["model", "case"], typer.Argument(metavar="WHAT", help="A model, or a case.")
    ] = "model",
) -> int:
    """Print the JSON Schema of a file.

    Of a model, or of the case.toml of the library.
    """
    from mbx.jsonform.schema import model_schema  # noqa: PLC0415  pydantic is not for --help
    from mbx.library import case_schema  # noqa: PLC0415  likewise

    emit_json(case_schema() if of == "case" else model_schema())
    return Status.OK
