"""`mbx schema`: the JSON Schema of a file."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from mbx.cli.output import Status, emit_json

__all__ = ["schema"]


def schema(
    of: Annotated[
        Literal["model", "case", "equations", "certificate"],
        typer.Argument(metavar="WHAT", help="A model, a case, equations, or a certificate."),
    ] = "model",
) -> int:
    """Print the JSON Schema of a file.

    Of a model, of the case.toml of the library, of equations as `mbx convert` writes them, or of
    a certificate as `mbx verify` does.
    """
    from mbx.formalism.serial import schema as equations_schema  # noqa: PLC0415  likewise
    from mbx.jsonform.schema import model_schema  # noqa: PLC0415  pydantic is not for --help
    from mbx.library import case_schema  # noqa: PLC0415  likewise
    from mbx.verify.certificate_form import certificate_schema  # noqa: PLC0415  likewise

    schemas = {
        "model": model_schema,
        "case": case_schema,
        "equations": equations_schema,
        "certificate": certificate_schema,
    }
    emit_json(schemas[of]())
    return Status.OK
