"""What is wrong with a study that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.diagnostics import nearest
from mbx.errors import MbxError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["StudyError", "unknown"]


class StudyError(MbxError):
    """A study cannot be made as it is asked for."""


def unknown(what: str, name: str, known: Iterable[str]) -> StudyError:
    """Return the error of a name that is not there; the nearest is suggested, or all are said."""
    some = sorted(known)
    near = nearest(name, some)
    if near:
        return StudyError(f"there is no {what} '{name}'; did you mean '{near}'?")
    listed = f", only {', '.join(some)}" if some else ""
    return StudyError(f"there is no {what} '{name}'{listed}")
