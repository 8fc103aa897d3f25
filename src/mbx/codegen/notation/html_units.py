"""Units in HTML."""

from __future__ import annotations

import re

from markupsafe import Markup

from mbx.base.diagnostics import safe_text

__all__ = ["write_unit"]


def write_unit(text: str) -> Markup:
    """Return a unit with its powers raised and dots between its factors."""
    if text == "-":
        return Markup("\N{EN DASH}")
    pieces = re.split(r"\^(-?[0-9]+)", safe_text(text).replace("*", "\N{DOT OPERATOR}"))
    return Markup().join(
        Markup("<sup>{}</sup>").format(piece.replace("-", "\N{MINUS SIGN}")) if k % 2 else piece
        for k, piece in enumerate(pieces)
    )
