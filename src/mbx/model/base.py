"""What every node of a document has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BaseModel, ConfigDict, PrivateAttr, StringConstraints

if TYPE_CHECKING:
    from mbx.diagnostics import Span

__all__ = ["Line", "Name", "Node", "Statement", "Text"]

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
"""A plain identifier. That it is short and not reserved is a check, with its own code."""

Text = Annotated[str, StringConstraints(max_length=10_000)]
"""Free text: a title, a description, a note."""

Line = Annotated[str, StringConstraints(max_length=9_000, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""One line of a comment."""


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
    remark: Line | None = None
