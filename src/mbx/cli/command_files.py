"""The files of a command: what it reads, and what it writes, complete or not at all.

An input is a path, an address such as `lib:four_bar`, or `-`, which is standard input.
"""

from __future__ import annotations

import csv
import json
import os
import re
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass, field, fields
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer

from mbx.base.diagnostics import Report
from mbx.base.errors import FileError, LimitError
from mbx.base.files import (
    FILES_READ,
    STDIN,
    read_bytes,
    read_source,
    read_stdin,
    reason_of,
    write_all,
)
from mbx.cli import output

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.base.diagnostics import Source
    from mbx.formalism.equations import Equations
    from mbx.language.document.document import Document


__all__ = [
    "EMPTY",
    "MODEL",
    "SETTINGS",
    "Settings",
    "deliver",
    "is_address",
    "is_stdin",
    "is_stdout",
    "kind_of",
    "locate",
    "name_of",
    "out_of_bounds",
    "read_document",
    "read_document_or_equations",
    "require_writable",
    "source_of",
    "suffix_of",
    "write",
    "write_into",
]


@dataclass(slots=True)
class Settings:
    """The folders that `use X from "NAME:path"` may read, and whether the run is guarded."""

    roots: dict[str, Path] = field(default_factory=dict)
    guarded: bool = False

    def add_roots(self, definitions: Iterable[str]) -> None:
        """Take in `NAME=DIR`s; raise `ValueError` with what is wrong."""
        self.roots.clear()
        for definition in definitions:
            name, equals, folder = definition.partition("=")
            if not equals or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]+", name) or name == "lib":
                message = f"'{definition}' is not NAME=DIR with a name of two letters or more"
                raise ValueError(message)
            if not Path(folder).is_dir():
                message = f"'{folder}' is no folder"
                raise ValueError(message)
            self.roots[name] = Path(folder)

    def set_limits(self, definitions: Iterable[str]) -> None:
        """Take in `NAME=VALUE`s; raise `ValueError` with what is wrong."""
        from mbx.language.limits import LIMITS

        known = [f.name for f in fields(LIMITS)]
        for definition in definitions:
            name, _, value = definition.partition("=")
            if name not in known or not re.fullmatch(r"[0-9]{1,12}", value) or int(value) == 0:
                message = f"'{definition}' is not NAME=VALUE; limits are {', '.join(known)}"
                raise ValueError(message)
            LIMITS.set(name, int(value))

    def guard(self) -> None:
        """End the run where it takes more time or memory than is published."""
        if not self.guarded:
            return
        try:
            import resource  # not on every system
            import signal
        except ImportError:
            return  # sizes are limited everywhere; time and memory only where the system can
        from mbx.language.limits import LIMITS

        # seconds of computing: a busy machine makes no model too large
        signal.signal(signal.SIGPROF, _ring)
        signal.setitimer(signal.ITIMER_PROF, LIMITS.seconds)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or hard > LIMITS.memory_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (LIMITS.memory_bytes, hard))

    def release(self) -> None:
        """Let the end of the run take its time."""
        if self.guarded:
            with suppress(ImportError, AttributeError):
                import signal  # not on every system

                signal.setitimer(signal.ITIMER_PROF, 0)


def _ring(*_: object) -> NoReturn:
    out_of_bounds("time")


def out_of_bounds(what: str) -> NoReturn:
    """Raise the error of a run that needs too much time or memory."""
    from mbx.language.limits import LIMITS

    limit = f"{LIMITS.seconds} s" if what == "time" else f"{LIMITS.memory_bytes} bytes"
    report = Report()
    report.add(
        "MBX5014",
        f"the model needs more {what} than {limit}",
        help="make it smaller, or raise the limit: mbx --limit "
        + (
            f"seconds={10 * LIMITS.seconds} ..."
            if what == "time"
            else f"memory_bytes={4 * LIMITS.memory_bytes} ..."
        ),
    )
    raise LimitError(report)


SETTINGS: Final = Settings()


_JSON = ".json"


def is_stdin(file: Path) -> bool:
    """Return whether a file is standard input."""
    return str(file) == "-"


def name_of(file: Path) -> str:
    """Return what a file is called in messages."""
    return STDIN if is_stdin(file) else str(file)


def is_address(file: Path) -> bool:
    """Return whether a file is named by an address: in the library, or below a root."""
    return locate(file) != file


def locate(file: Path) -> Path:
    """Return where a file is; an address that names none raises `FileError`."""
    from mbx.linking.library import find_model

    return find_model(str(file), SETTINGS.roots) or file


def source_of(file: Path) -> Source:
    """Return the text of a file or of standard input."""
    return read_stdin() if is_stdin(file) else read_source(locate(file), str(file))


def read_document(file: Path) -> Document:
    """Return the document in a file or on standard input."""
    import mbx

    if not is_stdin(file):
        return mbx.read(file, SETTINGS.roots)
    source = read_stdin()
    return mbx.loads(source.text, name=source.name)


def read_document_or_equations(file: Path) -> Document | Equations:
    """Return the document, or the saved equations, in a file or on standard input."""
    if not is_stdin(file) and locate(file).suffix != _JSON:
        return read_document(file)
    import mbx
    from mbx.base.process import room
    from mbx.formalism.json.read_equations import find_equations

    source = source_of(file)
    with room():
        equations = find_equations(source)
    if equations is not None:
        return equations
    return mbx.loads(source.text, name=source.name) if is_stdin(file) else read_document(file)


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
    "a Markdown text of equations": r"\A# [^\n]*\n.*?^(?:## Symbols$|\| symbol \| unit \|)",
    "a Typst text of equations": r"\A#set page\(paper: \"a4\", margin: 2cm\)\n#set text\(",
    "a text of equations": r"\A\S[^\n]*\n.*?^(?:Symbols$|(?:not )?checked: )",
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
