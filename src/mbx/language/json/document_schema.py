"""The JSON schema of a document, for readers that do not use mbx.

Generated from the document's classes; `mbx.cli.schema_files` writes it to schema/.
"""

from __future__ import annotations

from typing import Any, Final

from mbx.language.document.document import FORMAT_VERSION, Document
from mbx.language.json.expression_arrays import HEADS

__all__ = ["model_schema"]

_NAMES: Final = {
    "expression": "Expression",
    "reference": "Reference",
    "identifier": "Identifier",
    "unit": "Unit",
}
_LETTERS: Final = "[A-Za-z][A-Za-z0-9_]{0,63}"

_WRITTEN: Final[dict[str, Any]] = {
    "Expression": {
        "description": "An expression in the grammar of the text form, or its tree.",
        "anyOf": [
            {"type": "string", "minLength": 1, "maxLength": 10_000},
            {"type": "number"},
            {"$ref": "#/$defs/Tree"},
        ],
    },
    "Tree": {
        "description": "An expression as an array of a head and operands.",
        "type": "array",
        "prefixItems": [{"enum": list(HEADS)}],
        "items": {
            "anyOf": [
                {"type": "string"},
                {"type": "number"},
                {"$ref": "#/$defs/Tree"},
            ]
        },
        "minItems": 2,
    },
    "Reference": {
        "description": "A path to something named, with primes for its rates.",
        "type": "string",
        "pattern": rf"^{_LETTERS}(\[[^\]]+\])?(\.{_LETTERS}(\[[^\]]+\])?)*'{{0,8}}$",
    },
    "Identifier": {
        "description": "A declared name, perhaps with an index or a range of indices.",
        "type": "string",
        "pattern": rf"^{_LETTERS}(\[.+\])?$",
    },
    "Unit": {
        "description": "A unit, or `integer` for a structural parameter.",
        "type": "string",
        "pattern": r"^[A-Za-z0-9][A-Za-z0-9*/^()\-]*$",
    },
}


def model_schema() -> dict[str, Any]:
    """Return the schema of a model document."""
    schema = Document.model_json_schema()
    schema = _named(schema)
    schema["$defs"] = dict(sorted({**schema["$defs"], **_WRITTEN}.items()))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:mbx:schema:model:{FORMAT_VERSION}",
        **schema,
    }


def _named(value: Any) -> Any:
    """Return a schema with references in the places of written things."""
    match value:
        case {"mbx": str(sort), **rest}:
            return {"$ref": f"#/$defs/{_NAMES[sort]}", **rest}
        case dict():
            return {k: _named(v) for k, v in value.items()}
        case list():
            return [_named(v) for v in value]
    return value
