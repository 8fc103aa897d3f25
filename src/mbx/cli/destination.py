"""The files that a command writes: complete or not at all, and what they may replace."""

from __future__ import annotations

import csv
import json
import os
import re
import stat
import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer

from mbx.base.errors import FileError
from mbx.base.files import FILES_READ, read_bytes, reason_of, write_all
from mbx.cli import output

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "EMPTY",
    "MODEL",
    "deliver",
    "is_stdout",
    "kind_of",
    "require_writable",
    "suffix_of",
    "write",
    "write_into",
]


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
    """Return the kind of a file by its content; None where it is nothing that mbx writes."""
    if not data:
        return EMPTY
    for start, name in _MAGIC.items():
        if data.startswith(start):
            return name
    if data.startswith(b"PK\x03\x04"):
        return "a NumPy archive" if b".npy" in data[:_HEAD] else None
    if data.lstrip()[:1] in {b"{", b"["}:
        kind = _json_kind(data)
        if kind is not None:
            return kind
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


_STDOUT: Final = frozenset({"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
_NULL: Final = os.devnull
_STREAM: Final = re.compile(r"/dev/(stderr|tty|fd/[0-9]+)|/proc/self/fd/[0-9]+")
_SNIFFED: Final = 64 * 1024 * 1024
"""Bytes of a file that is inspected before it is replaced; a larger file is not recognised."""
_HELP: Final = "name another file, or replace it with --force"


def is_stdout(path: Path | None) -> bool:
    """Return whether a path stands for standard output."""
    return path is not None and str(path) in _STDOUT


def suffix_of(path: Path, suffixes: tuple[str, ...]) -> str:
    """Return the suffix that selects what to write; a stream has none, and gets the first."""
    return suffixes[0] if _is_stream(path) and path.suffix not in suffixes else path.suffix


def require_writable(*paths: Path | None, force: bool, printed: bool = False) -> None:
    """Raise an error if a path must not be written; called before the work is done.

    `printed` is whether the command prints a document, which then has standard output. Where a
    file goes there, lines for people go to standard error.
    """
    chosen = [path for path in paths if path is not None]
    targets = [os.path.realpath(path) for path in chosen if str(path) != _NULL]
    if len(set(targets)) < len(targets) or sum(map(is_stdout, chosen)) > 1:
        raise typer.TyperException("two options name the same file")
    if any(map(is_stdout, chosen)):
        if printed:
            raise typer.TyperException("--json and a file cannot both go to standard output")
        output.reserve_stdout()
    for path in chosen:
        if not _is_stream(path):
            _require(path, force=force)
            if not force and path.is_file() and _kind_there(path) is None:
                _refuse_kind(path, None, None)


def write(files: Mapping[Path, bytes], *, force: bool) -> None:
    """Write files, all of them whole, or raise an error and write none."""
    stored = {path: data for path, data in files.items() if not _is_stream(path)}
    for path, data in stored.items():
        _require(path, force=force)
        if not force:
            _require_kind(path, data)
    write_all(stored)
    for path, data in files.items():
        if is_stdout(path):
            output.emit_bytes(data)
        elif path not in stored and str(path) != _NULL:
            _pour(path, data)


def write_into(folder: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    """Write files into a folder, which is made unless it is there."""
    if str(folder) == _NULL:
        return
    made = output.make_folder(folder)
    try:
        write({folder / name: data for name, data in files.items()}, force=force)
    except BaseException:
        if made:
            with suppress(OSError):
                folder.rmdir()
        raise


def deliver(text: str, out: Path | None, *, force: bool) -> None:
    """Write a document to a file, or print it when there is none."""
    if out is None or is_stdout(out):
        output.emit(text)
    else:
        write({out: text.encode()}, force=force)


def _is_stream(path: Path) -> bool:
    """Return whether what is written to a path is passed on, and nothing is stored."""
    name = str(path)
    if name in _STDOUT or name == _NULL or _STREAM.fullmatch(name):
        return True
    with suppress(OSError, ValueError):
        return stat.S_ISFIFO(path.lstat().st_mode)
    return False


def _pour(path: Path, data: bytes) -> None:
    try:
        with path.open("wb") as stream:
            stream.write(data)
    except OSError as bad:
        raise FileError.of("MBX7007", f"'{path}' cannot be written: {reason_of(bad)}") from None


def _require(path: Path, *, force: bool) -> None:
    """Raise an error where a path may not be written, whatever is written."""
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        there = None
    except (OSError, ValueError) as bad:
        reason = reason_of(bad) if isinstance(bad, OSError) else "its name holds a NUL"
        raise FileError.of("MBX7007", f"'{path}' cannot be written: {reason}") from None
    if force:
        return
    if _is_input(path):
        raise FileError.of("MBX7020", f"'{path}' is read by this command", help=_HELP)
    if there is not None and stat.S_ISLNK(there.st_mode):
        raise FileError.of("MBX7021", f"'{path}' is a link", help=_HELP)
    if there is not None and stat.S_ISREG(there.st_mode) and path.suffix.lower() == ".mb":
        raise FileError.of("MBX7022", f"'{path}' is a model file", help=_HELP)


def _is_input(path: Path) -> bool:
    """Return whether a path is a file that was read, by whatever name, or standard input."""
    try:
        there = path.stat()
    except (OSError, ValueError):
        return False
    if sys.stdin is not None:
        with suppress(OSError, ValueError):  # it may be no file at all
            if os.path.samestat(there, os.fstat(sys.stdin.fileno())):
                return stat.S_ISREG(there.st_mode)
    for name in FILES_READ:
        with suppress(OSError):
            if os.path.samestat(there, name.stat()):
                return True
    return False


def _require_kind(path: Path, data: bytes) -> None:
    """Raise an error unless a file that is there is of the kind of what is to be written."""
    if not path.is_file():
        return
    old, new = _kind_there(path), kind_of(data)
    if old is None or old not in {EMPTY, new}:
        _refuse_kind(path, old, new)


def _kind_there(path: Path) -> str | None:
    if path.stat().st_size > _SNIFFED:
        return None
    return kind_of(read_bytes(path, limit=_SNIFFED, noted=False))


def _refuse_kind(path: Path, old: str | None, new: str | None) -> NoReturn:
    if old == MODEL:
        raise FileError.of("MBX7022", f"'{path}' is a model file", help=_HELP)
    is_old = "is no file that mbx writes" if old is None else f"is {old}"
    is_new = "" if new is None else f", and {new} would replace it"
    raise FileError.of("MBX7023", f"'{path}' {is_old}{is_new}", help=_HELP)
