"""What every node of a document has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    PrivateAttr,
    StringConstraints,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError

if TYPE_CHECKING:
    from mbx.base.diagnostics import Span

__all__ = [
    "Block",
    "Closing",
    "Heading",
    "Line",
    "Name",
    "Node",
    "Statement",
    "Text",
    "TopLevel",
    "tidy",
]

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
