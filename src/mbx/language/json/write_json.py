"""A document as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from mbx.language.document.expressions import Identifier, Reference
from mbx.language.json.expression_arrays import to_tree
from mbx.language.limits import LIMITS
from mbx.language.text.expression_text import show

if TYPE_CHECKING:
    from mbx.language.document.document import Document

__all__ = ["Math", "to_data", "write_json"]

Math = Literal["text", "tree"]
"""How expressions are written: as strings, or as arrays."""


def to_data(document: Document, math: Math = "text") -> dict[str, Any]:
    """Return the document as plain data; what has its default is left out."""
    spell = _text if math == "text" else _tree
    data: dict[str, Any] = document.model_dump(
        mode="json", exclude_defaults=True, context={"show": spell}
    )
    tidy: dict[str, Any] = _kind_first(data)
    return tidy


def _kind_first(value: Any) -> Any:
    """Return the data with the tag of each object before its other keys."""
    match value:
        case {"kind": kind, **rest}:
            return {"kind": kind, **{k: _kind_first(v) for k, v in rest.items()}}
        case dict():
            return {k: _kind_first(v) for k, v in value.items()}
        case list():
            return [_kind_first(v) for v in value]
    return value


def _text(written: Any) -> Any:
    """Return the text of an expression; a tree if it is too long for a string."""
    text = show(written)
    return text if len(text) <= LIMITS.string else _tree(written)


def _tree(written: Any) -> Any:
    if isinstance(written, (Identifier, Reference)):
        return show(written)
    return to_tree(written)


def write_json(document: Document, math: Math = "text") -> str:
    """Return the JSON text of a document, keys in the order of the schema."""
    return json.dumps(to_data(document, math), indent=2, ensure_ascii=False) + "\n"
