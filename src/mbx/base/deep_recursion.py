"""Room to work in: deep calls, and no garbage collection.

Nesting is limited to 200 and each level takes a few calls. Documents hold no cycles and are
kept as long as they are used, so looking for garbage in them is time lost, and more of it
the larger they are.
"""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["room"]

_CALLS: Final = 5000


@contextmanager
def room() -> Iterator[None]:
    """Let calls nest as deeply as the deepest text that is accepted, and collect no garbage."""
    before, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(before, _CALLS))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
        if collecting:
            gc.enable()
