r"""Quoted texts: the escapes are \" \\ \n and \t, and there are no others."""

from __future__ import annotations

import re

__all__ = ["BadEscapeError", "quote", "unquote"]

_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_SHOWN = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


class BadEscapeError(ValueError):
    """A backslash before something that is no escape; `offset` counts from the first quote."""

    def __init__(self, offset: int, escape: str) -> None:
        """Keep the place and the escape."""
        super().__init__(escape)
        self.offset = offset
        self.escape = escape


def unquote(literal: str) -> str:
    """Return the text that a quoted literal means."""

    def one(found: re.Match[str]) -> str:
        if found[1] not in _ESCAPES:
            raise BadEscapeError(found.start() + 1, found[0])
        return _ESCAPES[found[1]]

    return re.sub(r"\\(.)", one, literal[1:-1])


def quote(text: str) -> str:
    """Return the literal that means `text`."""
    return '"' + "".join(_SHOWN.get(c, c) for c in text) + '"'
