"""Nodes of a document: what they have in common, their written fields, and rewriting them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    PrivateAttr,
    StringConstraints,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError, core_schema

from mbx.language.document.expressions import (
    Expression,
    Identifier,
    Reference,
    children,
    with_children,
)

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue

    from mbx.base.diagnostics import Span

__all__ = [
    "Block",
    "Closing",
    "Expr",
    "Heading",
    "Ident",
    "Line",
    "Name",
    "Node",
    "Ref",
    "Sort",
    "Statement",
    "Text",
    "TopLevel",
    "Unit",
    "bottom_up",
    "expressions_of",
    "nodes_of",
    "rewrite",
    "tidy",
]


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


_LONGEST_NAME: Final = 64


def _plain_name(name: str, info: ValidationInfo) -> str:
    """Refuse in JSON what the text form refuses while it reads."""
    if info.context and name.startswith("_"):
        raise PydanticCustomError(
            "mbx_underscore", "name '{name}' begins with an underscore", {"name": name[:60]}
        )
    if info.context and len(name) > _LONGEST_NAME:
        raise PydanticCustomError(
            "mbx_long_name", "name of {size} characters; the limit is 64", {"size": len(name)}
        )
    return name


Name = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$"), AfterValidator(_plain_name)
]
"""A plain identifier. That it is not reserved is a check, with its own code."""

Text = Annotated[str, StringConstraints(max_length=10_000)]
"""Free text: a title, a description, a note."""

Line = Annotated[
    str,
    StringConstraints(max_length=10_000, pattern=r"^[^\x00-\x1f\x7f]*$"),
    AfterValidator(lambda line: line.rstrip() or line[:1]),
]
"""One line of a comment; an empty one is a blank line, a space an empty comment."""

Remark = Annotated[Line, AfterValidator(lambda line: line or " ")]
"""The comment behind a statement."""


def tidy(lines: tuple[str, ...], *, first: bool) -> tuple[str, ...]:
    """Return comments with no two blank lines in a row, and none before the first of a block."""
    kept: list[str] = []
    for line in lines:
        if line or (kept[-1] if kept else not first):
            kept.append(line)
    return tuple(kept)


class Node(BaseModel):
    """A part of a document: frozen, no unknown keys, equal by content alone."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    _at: Span | None = PrivateAttr(default=None)

    @property
    def at(self) -> Span | None:
        """Where the node was written."""
        return self._at

    def placed(self, at: Span | None) -> Self:
        """Note where the node was written, and return it."""
        self._at = at
        return self

    def __eq__(self, other: object) -> bool:
        """Compare content; where a node was written does not matter."""
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        """Hash by content."""
        return hash((type(self), *self.__dict__.values()))


class Statement(Node):
    """A node that stands on lines of its own and can carry comments.

    `comments` are the lines above it, an empty string being a blank line; `remark` is the
    comment behind it. Neither has a meaning.
    """

    comments: tuple[Line, ...] = ()
    remark: Remark | None = None


def _tidy_block(items: Any) -> Any:
    """Drop blank lines that the text form would not keep."""
    return tuple(_tidied(item, first=k == 0) for k, item in enumerate(items))


def _tidied(item: Any, *, first: bool) -> Any:
    lines = tidy(item.comments, first=first)
    return item if lines == item.comments else item.model_copy(update={"comments": lines})


def _tidy_items(items: Any) -> Any:
    return tuple(_tidied(item, first=True) for item in items)


def _tidy_end(lines: tuple[str, ...]) -> tuple[str, ...]:
    kept = tidy(lines, first=True)
    return kept[:-1] if kept and not kept[-1] else kept


Block = AfterValidator(_tidy_block)
"""For the statements of a block: a blank line before the first of them is not kept."""
TopLevel = AfterValidator(_tidy_items)
"""For the items of a file: there is one blank line between them, whatever was written."""
Heading = AfterValidator(lambda lines: tuple(line for line in lines if line))
"""For the comments above everything: they stand together."""
Closing = Annotated[tuple[Line, ...], AfterValidator(_tidy_end)]
"""The comments at the end of a block."""


N = TypeVar("N", bound=Node)


def rewrite(
    node: N,
    expression: Callable[[Expression], Expression],
    identifier: Callable[[Identifier], Identifier],
) -> N:
    """Return the node with every expression and every declared name below it replaced."""

    def value(old: Any) -> Any:
        if old is None or isinstance(old, (str, int)):
            return old
        if isinstance(old, Node):
            return rewrite(old, expression, identifier)
        if isinstance(old, tuple):
            new = tuple(map(value, old))
            return old if all(a is b for a, b in zip(old, new, strict=True)) else new
        if isinstance(old, Identifier):
            return identifier(old)
        return expression(old) if isinstance(old, Expression) else old

    changed = {}
    for key, old in node.__dict__.items():
        new = value(old)
        if new is not old:
            changed[key] = new
    return node.model_copy(update=changed) if changed else node


def bottom_up(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return the expression with `change` applied to every node, children first."""
    new = tuple(bottom_up(child, change) for child in children(expression))
    return change(with_children(expression, new))


def _fields(node: Node) -> Iterator[Any]:
    stack: list[Any] = list(reversed(node.__dict__.values()))
    while stack:
        value = stack.pop()
        if isinstance(value, Node):
            stack.extend(reversed(value.__dict__.values()))
        elif isinstance(value, tuple):
            stack.extend(reversed(value))
        elif value is not None:
            yield value


def expressions_of(node: Node) -> Iterator[Expression]:
    """Yield the expressions of a node and of all nodes below it, in the order written."""
    return (value for value in _fields(node) if isinstance(value, Expression))


def nodes_of(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it."""
    stack: list[Any] = [node]
    while stack:
        value = stack.pop()
        if isinstance(value, Node):
            yield value
            stack.extend(reversed(value.__dict__.values()))
        elif isinstance(value, tuple):
            stack.extend(reversed(value))
