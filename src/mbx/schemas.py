"""The files of schema/: `python -m mbx.schemas` writes them anew."""

from __future__ import annotations

import json
from pathlib import Path

from mbx.coverage.form import VERSION as COVERAGE_VERSION
from mbx.coverage.form import coverage_schema
from mbx.formalism.forms import EQUATIONS_VERSION
from mbx.formalism.serial import schema as equations_schema
from mbx.jsonform.schema import model_schema
from mbx.library import case_schema
from mbx.model.document import FORMAT_VERSION
from mbx.verify.certificate_form import VERSION as CERTIFICATE_VERSION
from mbx.verify.certificate_form import certificate_schema

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
