"""The exceptions of mbx.

    MbxError                 anything mbx raises on purpose
    ├── SourceError          a text or document has faults; carries the report
    │   └── FileError        a file cannot be read or written
    ├── LimitError           the run needs more time or memory than it may; ends it at once
    ├── NotApplicableError   a form does not support a system; carries the refusals
    ├── ConverterError       a converter is unknown, or its module is faulty
    ├── EquationsError       equations do not fit together, or lack what is requested
    ├── UnknownResultError   a result has no column or matrix of a name; a KeyError, too
    ├── NoValueError         an expression has a value at no state, such as 1/(x - x)
    └── BackendError         what compiles equations is not there, or fails

A fault in a model is a `Diagnostic` and is collected; an exception ends the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.base.diagnostics import Report, nearest
from mbx.base.short_repr import join_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.base.diagnostics import Span

__all__ = [
    "BackendError",
    "ConverterError",
    "EquationsError",
    "FileError",
    "LimitError",
    "MbxError",
    "NoValueError",
    "NotApplicableError",
    "SourceError",
    "UnknownResultError",
]


class MbxError(Exception):
    """Anything mbx raises on purpose."""


class SourceError(MbxError):
    """A text or a document has faults; `report` lists them."""

    def __init__(self, report: Report) -> None:
        """Keep the report; its rendering is the message."""
        super().__init__(report.render())
        self.report = report

    @classmethod
    def of(
        cls,
        code: str,
        message: str,
        at: Span | None = None,
        *,
        help: str | None = None,  # noqa: A002
    ) -> SourceError:
        """Return the error of a single fault."""
        report = Report()
        report.add(code, message, at, help=help)
        return cls(report)


class LimitError(MbxError):
    """The run needs more time or memory than it may; nothing that collects faults catches it."""

    def __init__(self, report: Report) -> None:
        """Keep the report; its rendering is the message."""
        super().__init__(report.render())
        self.report = report


class FileError(SourceError):
    """A file cannot be read or written."""


class NotApplicableError(MbxError):
    """A form does not support a system: `reasons` as text, `refusals` as features."""

    def __init__(self, *reasons: str, refusals: tuple[Any, ...] = ()) -> None:
        """Keep the reasons; together they are the message."""
        super().__init__(f"not applicable: {'; '.join(reasons)}")
        self.reasons = reasons
        self.refusals = refusals


class ConverterError(MbxError):
    """A converter is unknown, or its module is faulty."""


class EquationsError(MbxError):
    """Equations do not fit together, or do not have what is requested of them.

    Of equations in JSON, `pointer` is the position of the fault.
    """

    def __init__(self, message: str, pointer: str = "") -> None:
        """Keep the message and the position."""
        super().__init__(message)
        self.pointer = pointer


class UnknownResultError(MbxError, KeyError):
    """A result has no column or matrix of a name."""

    def __init__(self, name: object, known: Iterable[str]) -> None:
        """Name the nearest, and those that there are."""
        names = list(known)
        near = nearest(name, names) if isinstance(name, str) else None
        hint = f"; did you mean '{near}'?" if near else ";"
        super().__init__(f"there is no result '{name}'{hint} there are {join_names(names, 40)}")

    def __str__(self) -> str:
        """Return the message, which `KeyError` would put in quotes."""
        return str(self.args[0])


class TooLargeError(MbxError):
    """Something for people to read has more terms than they read."""


class NoValueError(MbxError, ZeroDivisionError, ValueError):
    """An expression has a value at no state: it divides by zero, or is no real number."""

    def report(self, at: Span | None = None, where: str = "") -> Report:
        """Return the error as a report, with the position of the expression where it is known."""
        report = Report()
        code = "MBX4103" if "division by zero" in str(self) else "MBX4102"
        report.add(code, f"{where}{self}, whatever the state", at)
        return report


class BackendError(MbxError):
    """What compiles equations is not there, or fails."""
