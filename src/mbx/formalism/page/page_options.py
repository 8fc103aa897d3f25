"""How a page is written."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PageOptions"]


@dataclass(frozen=True, slots=True)
class PageOptions:
    """How a page is written.

    Attributes:
        is_full: Whether nothing is left out for its length.
        is_explicit: Whether equations are written out and solved whatever their length.
        partition: How a model without subsystems is taken apart: "" or "bodies".
    """

    is_full: bool = False
    is_explicit: bool = False
    partition: str = ""

    @property
    def entry(self) -> int:
        """Operations of an expression that is written out."""
        return 400 if self.is_full or self.is_explicit else 60
