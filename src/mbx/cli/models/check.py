"""`mbx check`: list what is wrong with models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mbx.base.diagnostics import MAX_SHOWN, Report
from mbx.base.errors import SourceError
from mbx.cli.command_files import name_of, read_document
from mbx.cli.options import ModelName, option
from mbx.cli.output import complain_report, emit_json, print_line, status_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.base.diagnostics import Diagnostic

__all__ = ["check"]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The result of checking a file."""

    name: str
    report: Report
    identity: str | None
    """The model's hash, if there is one and it was requested."""


def check(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Model files; - is standard input.")
    ],
    *,
    as_json: Annotated[bool, option("--json")] = False,
    relaxed: Annotated[
        bool,
        option("--relaxed", "convert and verify refuse them still"),
    ] = False,
    model: ModelName = None,
) -> int:
    """Check models, and list their faults.

    Status 1: a model has errors. Status 5: a file cannot be read, or a limit is met.
    """
    outcomes = [_check(file, model=model, relaxed=relaxed, identify=as_json) for file in files]
    if as_json:
        emit_json(
            {
                "ok": all(outcome.report.ok for outcome in outcomes),
                "files": [_as_json(outcome) for outcome in outcomes],
            }
        )
    else:
        for outcome in outcomes:
            complain_report(outcome.report)
            print_line(f"{outcome.name}: {_summary(outcome.report)}{_remark(outcome.report)}")
    return status_of(diagnostic for outcome in outcomes for diagnostic in outcome.report)


def _check(file: Path, *, model: str | None, relaxed: bool, identify: bool) -> _Outcome:
    import mbx

    name = name_of(file)
    try:
        document = read_document(file)
        report = mbx.check(document, model=model, relaxed=relaxed)
        known = identify and report.ok
        identity = mbx.link(document, model).hash if known else None
    except SourceError as bad:
        return _Outcome(name, bad.report, None)
    return _Outcome(name, report, identity)


def _summary(report: Report) -> str:
    counts = [
        _count(sum(diagnostic.severity == severity for diagnostic in report), severity)
        for severity in ("error", "warning", "note")
    ]
    return ", ".join(["ok"] * report.ok + [count for count in counts if count])


def _remark(report: Report) -> str:
    """Return the remark on a model that is sound but for its units."""
    from mbx.checking.run_rules import DIMENSIONS

    relaxed = report.ok and any(diagnostic.code in DIMENSIONS for diagnostic in report)
    return "; convert and verify need units that fit" if relaxed else ""


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}" if number else ""


def _as_json(outcome: _Outcome) -> dict[str, Any]:
    diagnostics: Iterable[Diagnostic] = list(outcome.report)[:MAX_SHOWN]
    return {
        "file": outcome.name,
        "ok": outcome.report.ok,
        "hash": outcome.identity,
        "diagnostics": [each.as_json() for each in diagnostics],
        "more": max(0, len(outcome.report) - MAX_SHOWN),
    }
