"""What kind of file some content is, so that a file is only replaced by one of its kind.

Content decides, not the name: a table may replace a table, a drawing a drawing. What mbx does
not recognise, it does not replace.
"""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from typing import Any, Final

__all__ = ["EMPTY", "MODEL", "kind_of"]

EMPTY: Final = "an empty file"
MODEL: Final = "a model"

_HEAD: Final = 65_536
"""Bytes that are looked at, other than of JSON."""
_ROWS: Final = 20
"""Rows of a table that are looked at."""
_MAGIC: Final = {
    b"\x89PNG\r\n\x1a\n": "a PNG picture",
    b"GIF8": "a GIF animation",
    b"%PDF-": "a PDF document",
    b"PAR1": "a Parquet table",
    b"MATLAB 5.0 MAT-file": "a MAT file",
}
_TEXTS: Final = {
    MODEL: r"\A(?:\s|//[^\n]*\n)*mbx\s+[0-9]+\s",
    "an SVG drawing": r"\A\s*(?:<\?xml[^>]*\?>\s*)?(?:<!DOCTYPE[^>]*>\s*)?"
    r"(?:<!--(?:(?!-->).)*-->\s*)*<svg\b",
    "a JUnit report": r"\A\s*(?:<\?xml[^>]*\?>\s*)?<testsuites?\b",
    "an HTML page": r"(?i)\A\s*(?:<!doctype html\b|<html\b)",
    "code written by mbx": r"\A(?:[^\n]*\n){1,8}?[^\n]*\bWritten by mbx\b"
    r"|\Afunction [^\n]*\n%MB_\w",
    "a LaTeX text of equations": r"\A(?:\\documentclass\b|% To be read by \\input\b).*?"
    r"\\setcounter\{MaxMatrixCols\}",
    "a Markdown text of equations": r"\A# [^\n]*\n.*?^## Symbols$",
    "a text of equations": r"\A\S[^\n]*\n.*?^Symbols$",
    "a diagram in DOT": r"\Adigraph structure \{",
    "a structural diagram": r"\Amobility -?[0-9]+ ",
    "a page of coverage": r"\A# [^\n]*\n.*?made by `mbx library coverage`",
    "a hash": r"\A[0-9a-f]{64}\n\Z",
}
_KINDS: Final = {name: re.compile(text, re.MULTILINE | re.DOTALL) for name, text in _TEXTS.items()}
_OWN: Final = {
    "mbx": f"{MODEL} in JSON",
    "mbx_certificate": "a certificate",
    "mbx_equations": "equations in JSON",
}
"""Kinds of JSON by the key that they have."""


def kind_of(data: bytes) -> str | None:
    """Return the kind of some content; None where it is nothing that mbx writes."""
    if not data:
        return EMPTY
    for start, name in _MAGIC.items():
        if data.startswith(start):
            return name
    if data.startswith(b"PK\x03\x04"):
        return "a NumPy archive" if b".npy" in data[:_HEAD] else None
    if data.lstrip()[:1] in {b"{", b"["}:
        found = _json_kind(data)
        if found is not None:
            return found
    return _text_kind(data)


def _json_kind(data: bytes) -> str | None:
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    for key, name in _OWN.items():
        if key in value:
            return name
    # results of an analysis have the same keys each time
    return f"JSON of {', '.join(sorted(value))[:200]}"


def _text_kind(data: bytes) -> str | None:
    try:
        text = data[:_HEAD].decode("utf-8", "strict" if len(data) <= _HEAD else "ignore")
    except UnicodeDecodeError:
        return None
    for name, pattern in _KINDS.items():
        if pattern.search(text):
            return name
    return "a table" if _is_table(text, whole=len(data) <= _HEAD) else None


def _is_table(text: str, *, whole: bool) -> bool:
    """Return whether a text is a CSV table: rows of as many cells as its heading."""
    lines = text.splitlines() if whole else text.splitlines()[:-1]
    try:
        rows = list(csv.reader(StringIO("\n".join(lines[: _ROWS + 1])), strict=True))
    except csv.Error:
        return False
    return len(rows) > 0 and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows)
