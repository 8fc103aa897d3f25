"""Fields that are strings, or trees, in the JSON form: expressions, references, names.

The parser and the printer come in pydantic's context (`parse`, `show`), because the
document must not know its spellings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic_core import PydanticCustomError, core_schema

from mbx.language.document.expressions import Expression, Identifier, Reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue

__all__ = ["Expr", "Ident", "Ref", "Sort", "Unit"]

Sort = Literal["expression", "reference", "identifier", "unit"]

_CLASSES: dict[str, Any] = {
    "expression": Expression,
    "reference": Reference,
    "identifier": Identifier,
    "unit": str,
}


@dataclass(frozen=True, slots=True)
class _Written:
    """How pydantic reads and writes one sort of written thing."""

    sort: Sort

    def __get_pydantic_core_schema__(
        self, _source: object, _handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        """Accept a node as it is, and text or a tree through the context's parser."""
        sort, classes = self.sort, _CLASSES[self.sort]

        def read(value: object, info: core_schema.ValidationInfo) -> object:
            parse = (info.context or {}).get("parse")
            if isinstance(value, classes) and not (parse and isinstance(value, str)):
                return value
            accepted = (str, list, int, float) if sort == "expression" else (str,)
            if parse is None or isinstance(value, bool) or not isinstance(value, accepted):
                raise PydanticCustomError("mbx_type", "expected {sort}", {"sort": sort})
            return parse(sort, value)

        def write(value: object, info: core_schema.SerializationInfo) -> object:
            if value is None:
                return None
            if isinstance(value, str):
                return value
            show: Callable[[object], object] = (info.context or {})["show"]
            return show(value)

        return core_schema.with_info_plain_validator_function(
            read,
            serialization=core_schema.plain_serializer_function_ser_schema(write, info_arg=True),
        )

    def __get_pydantic_json_schema__(
        self, _schema: core_schema.CoreSchema, _handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Mark the place; `mbx.language.json.document_schema` puts the definition there."""
        return {"mbx": self.sort}


Expr: TypeAlias = Annotated[Expression, _Written("expression")]
Ref: TypeAlias = Annotated[Reference, _Written("reference")]
Ident: TypeAlias = Annotated[Identifier, _Written("identifier")]
Unit: TypeAlias = Annotated[str, _Written("unit")]
