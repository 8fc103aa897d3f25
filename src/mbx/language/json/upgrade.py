"""Documents of older versions brought to the current one, one version at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mbx.base.diagnostics import Source, Span
from mbx.base.errors import SourceError
from mbx.language.document.document import FORMAT_VERSION

__all__ = ["UPGRADERS", "Upgrader", "upgrade"]

Upgrader = Callable[[dict[str, Any]], dict[str, Any]]

UPGRADERS: Final[Mapping[int, Upgrader]] = {}
"""From each old version, the pure function to the next. Version 1 is the first."""


def upgrade(
    data: dict[str, Any],
    source: Source,
    upgraders: Mapping[int, Upgrader] = UPGRADERS,
    target: int = FORMAT_VERSION,
) -> dict[str, Any]:
    """Return the document at the current version, or raise `SourceError`."""
    at = Span(source, 0, 1, "/mbx")
    version = data.get("mbx")
    if version is None:
        raise SourceError.of(
            "MBX1008",
            "the file does not say its version",
            Span(source, 0, 1),
            help=f'add "mbx": {target}',
        )
    if isinstance(version, bool) or not isinstance(version, int):
        raise SourceError.of(
            "MBX1009", "the version is no whole number", at, help=f"this mbx reads version {target}"
        )
    while version < target and version in upgraders:
        data = {**upgraders[version](data), "mbx": version + 1}
        version += 1
    if version != target:
        raise SourceError.of(
            "MBX1009",
            f"version {version} of the format is not known here",
            at,
            help=f"this mbx reads version {target}",
        )
    return data
