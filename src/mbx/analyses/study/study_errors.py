"""Errors of the request of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import suggestion
from mbx.base.errors import MbxError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["StudyError", "unknown"]

_FEW: Final = 12
"""Names that are listed where none is near."""


class StudyError(MbxError):
    """A study cannot be made as it is requested."""


def unknown(what: str, name: str, known: Iterable[str]) -> StudyError:
    """Return the error of a name that is not there; the nearest is suggested, or a few are."""
    names = sorted(known)
    hint = suggestion(name, names, "; ")
    if hint:
        return StudyError(f"there is no {what} '{name}'{hint}")
    listed = f", only {', '.join(names)}" if 0 < len(names) <= _FEW else ""
    return StudyError(f"there is no {what} '{name}'{listed}")
