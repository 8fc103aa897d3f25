"""The file that a user names: a path, an address such as `lib:four_bar`, or `-`.

`-` is standard input.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from mbx.base.diagnostics import Report
from mbx.base.errors import LimitError
from mbx.base.files import STDIN, read_source, read_stdin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.base.diagnostics import Source
    from mbx.formalism.equations import Equations
    from mbx.language.document.document import Document

__all__ = [
    "SETTINGS",
    "Settings",
    "is_address",
    "is_stdin",
    "locate",
    "name_of",
    "out_of_bounds",
    "read_document",
    "read_document_or_equations",
    "source_of",
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
    from mbx.base.deep_recursion import room
    from mbx.formalism.json.read_equations import find_equations

    source = source_of(file)
    with room():
        equations = find_equations(source)
    if equations is not None:
        return equations
    return mbx.loads(source.text, name=source.name) if is_stdin(file) else read_document(file)
