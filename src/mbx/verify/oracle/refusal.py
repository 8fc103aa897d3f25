"""What the oracle cannot take in, with the element and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.errors import MbxError

if TYPE_CHECKING:
    from mbx.base.diagnostics import Span

__all__ = ["OracleRefusal"]


class OracleRefusal(MbxError):  # noqa: N818  it refuses, nothing is broken
    """The oracle cannot evaluate something."""

    def __init__(self, message: str, element: str = "", at: Span | None = None) -> None:
        """Keep the element and where it stands."""
        position = ""
        if at is not None:
            line, column = at.position
            position = f"{at.source.name}:{line}:{column}: "
        super().__init__(f"{position}{f'{element}: ' if element else ''}{message}")
        self.element = element
        self.at = at
