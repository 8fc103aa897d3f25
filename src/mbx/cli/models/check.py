"""`mbx check`: say what is wrong with models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mbx.base.diagnostics import MAX_SHOWN, Report
from mbx.base.errors import SourceError
from mbx.cli.options import ModelName, option
from mbx.cli.output import complain_report, emit_json, say, status_of
from mbx.cli.read_input import name_of, read_document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.base.diagnostics import Diagnostic

__all__ = ["check"]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one file."""

    name: str
    report: Report
    identity: str | None
    """The model's hash, if there is one and it was asked for."""


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
                "ok": all(one.report.ok for one in outcomes),
                "files": [_as_json(one) for one in outcomes],
            }
        )
    else:
        for one in outcomes:
            complain_report(one.report)
            say(f"{one.name}: {_summary(one.report)}{_remark(one.report)}")
    return status_of(found for one in outcomes for found in one.report)


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
        _count(sum(one.severity == severity for one in report), severity)
        for severity in ("error", "warning", "note")
    ]
    return ", ".join(["ok"] * report.ok + [one for one in counts if one])


def _remark(report: Report) -> str:
    """Return what is to be said of a model that is sound but for its units."""
    from mbx.checking.run_rules import DIMENSIONS

    relaxed = report.ok and any(one.code in DIMENSIONS for one in report)
    return "; convert and verify need units that fit" if relaxed else ""


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}" if number else ""


def _as_json(one: _Outcome) -> dict[str, Any]:
    found: Iterable[Diagnostic] = list(one.report)[:MAX_SHOWN]
    return {
        "file": one.name,
        "ok": one.report.ok,
        "hash": one.identity,
        "diagnostics": [each.as_json() for each in found],
        "more": max(0, len(one.report) - MAX_SHOWN),
    }
