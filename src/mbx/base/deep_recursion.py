"""Deep recursion: room for calls that nest as deeply as the deepest text that is accepted.

Nesting is limited to 200 and each level takes a few calls.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["room"]

_CALLS: Final = 5000


@contextmanager
def room() -> Iterator[None]:
    """Let calls nest as deeply as the deepest text that is accepted."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _CALLS))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
