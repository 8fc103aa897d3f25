"""Where an expected value comes from, by the beginning of its source."""

from __future__ import annotations

from typing import Final, Literal, get_args

__all__ = ["KINDS", "Kind", "kind_of"]

Kind = Literal["analytic", "published", "plotted", "agreed", "computed"]
"""A closed form; a printed number; read from a figure; by two tools; by one program."""

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


def kind_of(source: str | None) -> Kind | None:
    """Return the kind that a source names before its first colon; None if it names none."""
    word, colon, _ = (source or "").partition(":")
    return next((kind for kind in KINDS if colon and word.strip() == kind), None)
