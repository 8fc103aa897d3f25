"""How a page is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["LEVELS", "PageOptions"]

_FULL: Final = 400
_ENTRIES: Final = (60, 24, 10)
LEVELS: Final = range(len(_ENTRIES))
"""How much may be abbreviated."""


@dataclass(frozen=True, slots=True)
class PageOptions:
    """How a page is written.

    Attributes:
        is_full: Whether nothing is left out for its length.
        is_explicit: Whether equations are written out and solved whatever their length.
        level: How much is abbreviated, from 0 to 2, so that the page is not too long.
    """

    is_full: bool = False
    is_explicit: bool = False
    level: int = 0

    @property
    def entry(self) -> int:
        """Operations of an expression that is written out."""
        return _FULL if self.is_full or self.is_explicit else _ENTRIES[self.level]
