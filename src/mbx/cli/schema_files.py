"""The files of schema/: `python -m mbx.cli.schema_files` writes them anew."""

from __future__ import annotations

import json
from pathlib import Path

from mbx.formalism.json.equations_schema import EQUATIONS_VERSION
from mbx.formalism.json.serial import schema as equations_schema
from mbx.language.document.document import FORMAT_VERSION
from mbx.language.json.document_schema import model_schema
from mbx.linking.library import case_schema
from mbx.show.coverage.coverage_file import VERSION as COVERAGE_VERSION
from mbx.show.coverage.coverage_file import coverage_schema
from mbx.verify.certificate.certificate_file import VERSION as CERTIFICATE_VERSION
from mbx.verify.certificate.certificate_file import certificate_schema

__all__ = ["schema_files"]


def schema_files() -> dict[str, str]:
    """Return the name and the text of every schema file."""
    schemas = {
        f"model-{FORMAT_VERSION}": model_schema(),
        f"case-{FORMAT_VERSION}": case_schema(),
        f"equations-{EQUATIONS_VERSION}": equations_schema(),
        f"certificate-{CERTIFICATE_VERSION}": certificate_schema(),
        f"coverage-{COVERAGE_VERSION}": coverage_schema(),
    }
    return {
        f"{name}.schema.json": json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }


if __name__ == "__main__":
    for _name, _text in schema_files().items():
        Path("schema", _name).write_text(_text, "utf-8")
