"""Equations from a file: untrusted JSON, whose faults have a position in the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import Source, Span
from mbx.base.errors import EquationsError, SourceError
from mbx.formalism.json.equations_schema import EQUATIONS_VERSION
from mbx.formalism.json.serial import from_json
from mbx.language.json.locate import JsonSource
from mbx.language.json.strict_json import load
from mbx.language.limits import LIMITS

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations

__all__ = ["VERSION_KEY", "find_equations", "read_equations"]

VERSION_KEY: Final = "mbx_equations"
"""The key whose value is the version of the form, and which no model has."""


def find_equations(source: Source) -> Equations | None:
    """Return the equations that a text holds, None if it is another text; or raise `SourceError`.

    A text that names the key and is no JSON raises it, too.
    """
    if source.text.lstrip()[:1] != "{" or f'"{VERSION_KEY}"' not in source.text:
        return None
    source, data = _load(source)
    return _equations(data, source) if isinstance(data, dict) and VERSION_KEY in data else None


def read_equations(source: Source) -> Equations:
    """Return the equations that a text holds, or raise `SourceError`."""
    source, data = _load(source)
    return _equations(data, source)


def _load(source: Source) -> tuple[Source, Any]:
    source = JsonSource(source.name, source.text, source.folder, source.roots)
    return source, load(source, LIMITS.equation_elements)


def _equations(data: Any, source: Source) -> Equations:
    _require_version(data, source)
    try:
        return from_json(data)
    except EquationsError as fault:
        span = Span(source, 0, 1, fault.pointer)
        raise SourceError.of("MBX2103", f"no equations: {fault}", span) from None


def _require_version(data: Any, source: Source) -> None:
    if not isinstance(data, dict) or VERSION_KEY not in data:
        raise SourceError.of(
            "MBX2108",
            "the file holds no equations",
            Span(source, 0, 1),
            help="mbx convert FILE --to FORM --format json writes a file of equations",
        )
    version = data[VERSION_KEY]
    if isinstance(version, bool) or not isinstance(version, int):
        message = "the version of the equations is no whole number"
    elif version != EQUATIONS_VERSION:
        message = f"version {version} of equations is not known here"
    else:
        return
    raise SourceError.of(
        "MBX1009",
        message,
        Span(source, 0, 1, f"/{VERSION_KEY}"),
        help=f"this mbx reads version {EQUATIONS_VERSION}; derive the equations anew",
    )
