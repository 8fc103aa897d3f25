"""What the user sets for a whole run: further folders, other limits, and the guard over both.

A model can set none of it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from mbx.base.diagnostics import Report
from mbx.base.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["SETTINGS", "Settings", "out_of_bounds"]


@dataclass(slots=True)
class Settings:
    """The folders that `use X from "NAME:path"` may read, and whether the run is guarded."""

    roots: dict[str, Path] = field(default_factory=dict)
    guarded: bool = False

    def add_roots(self, given: Iterable[str]) -> None:
        """Take in `NAME=DIR`s; raise `ValueError` with what is wrong."""
        self.roots.clear()
        for one in given:
            name, equals, folder = one.partition("=")
            if not equals or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]+", name) or name == "lib":
                message = f"'{one}' is not NAME=DIR with a name of two letters or more"
                raise ValueError(message)
            if not Path(folder).is_dir():
                message = f"'{folder}' is no folder"
                raise ValueError(message)
            self.roots[name] = Path(folder)

    def set_limits(self, given: Iterable[str]) -> None:
        """Take in `NAME=VALUE`s; raise `ValueError` with what is wrong."""
        from mbx.language.limits import LIMITS

        known = [f.name for f in fields(LIMITS)]
        for one in given:
            name, _, value = one.partition("=")
            if name not in known or not re.fullmatch(r"[0-9]{1,12}", value) or int(value) == 0:
                message = f"'{one}' is not NAME=VALUE; limits are {', '.join(known)}"
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
