"""Short representations: what the shell and a notebook show of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import safe_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["count_of", "join_names", "join_values", "shorten_repr"]

_LONGEST: Final = 400
_NAMES: Final = 8


def shorten_repr(text: str) -> str:
    """Return a representation as a line that is safe to print, cut where it is long."""
    line = " ".join(safe_text(text[: 4 * _LONGEST]).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 5]} ...>"


def join_names(names: Iterable[str], most: int = _NAMES) -> str:
    """Return the first names, and how many more there are."""
    every = list(names)
    more = [f"... ({len(every) - most} more)"] if len(every) > most else []
    return ", ".join([*every[:most], *more])


def join_values(values: Mapping[str, float], most: int = _NAMES) -> str:
    """Return the first values by name, and how many more there are."""
    return join_names([f"{name} = {value:.6g}" for name, value in values.items()], most)


def count_of(number: int, noun: str, plural: str = "") -> str:
    """Return a number of things: `1 event`, `3 events`."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"
