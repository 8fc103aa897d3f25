"""`mbx schema`: the JSON Schema of a file."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from mbx.cli.output import Status, emit_json

__all__ = ["schema"]


def schema(
    of: Annotated[
        Literal["model", "case", "equations", "certificate", "coverage"],
        typer.Argument(
            metavar="WHAT", help="A model, a case, equations, a certificate, or a coverage."
        ),
    ] = "model",
) -> int:
    """Print the JSON Schema of a file.

    Of a model, of the case.toml of the library, of equations as `mbx convert` writes them, of
    a certificate as `mbx verify` does, or of the coverage.json of `mbx library build`.
    """
    from mbx.formalism.json.serial import schema as equations_schema
    from mbx.language.json.document_schema import model_schema
    from mbx.linking.library import case_schema
    from mbx.show.coverage.coverage_file import coverage_schema
    from mbx.verify.certificate.certificate_file import certificate_schema

    schemas = {
        "model": model_schema,
        "case": case_schema,
        "equations": equations_schema,
        "certificate": certificate_schema,
        "coverage": coverage_schema,
    }
    emit_json(schemas[of]())
    return Status.OK
