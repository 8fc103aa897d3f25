"""The request of an analysis on the command line, and how its refusal ends the command."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.cli.options import assignments
from mbx.cli.output import Status, complain, complain_report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.request import Request
    from mbx.base.errors import MbxError
    from mbx.linking.link import Linked

__all__ = [
    "left_out",
    "left_out_lines",
    "make_request",
    "report_refusal",
    "warn_of_values",
    "with_only_experiment",
]


def make_request(
    experiment: str,
    starts: Sequence[str] | None,
    free: Sequence[str] | None,
    values: Sequence[str] | None,
    time: float | None,
    *,
    spelled: str = "--hold",
) -> Request:
    """Return what `--hold` or `--start`, `--free`, `--set` and `--time` request."""
    from mbx.analyses.request import Request as AnalysisRequest

    start_values = assignments(spelled, [text for text in starts or () if "=" in text])
    return AnalysisRequest(
        experiment=experiment,
        values=assignments("--set", values or []),
        option="--set",
        initial=start_values,
        held=frozenset([*start_values, *(text for text in starts or [] if "=" not in text)]),
        freed=frozenset(free or []),
        time=time,
    )


def with_only_experiment(linked: Linked, request: Request) -> Request:
    """Return a request with the only experiment of a model where none is named; print its name."""
    from mbx.analyses.request import only_experiment

    if request.experiment:
        return request
    name = only_experiment(linked)
    if name:
        complain(f"mbx: experiment '{name}', the only one of the model")
    return replace(request, experiment=name)


def warn_of_values(linked: Linked, request: Request) -> Linked:
    """Return a model; print the warnings that it has with the values of `--set`."""
    import mbx
    from mbx.analyses.request import warnings_of

    if request.values:
        complain_report(warnings_of(linked, mbx.elaborate(linked), request))
    return linked


def report_refusal(reason: MbxError) -> int:
    """Print why an analysis is refused; return the status that fits the reason."""
    from mbx.analyses.experiments.experiment_plan import RefusedValueError
    from mbx.analyses.request import UnknownNameError

    if isinstance(reason, RefusedValueError):
        complain_report(reason.report)
        return Status.MODEL
    complain(f"mbx: {' '.join(str(reason).split())}")
    return Status.USAGE if isinstance(reason, UnknownNameError) else Status.DISAGREE


def left_out(
    linked: Linked, request: Request, judged: Sequence[Reference], until: float | None
) -> list[dict[str, str]]:
    """Return which expectations of an experiment are not judged, and why, as plain data."""
    from mbx.analyses.experiments.stated_expectations import expectations, texts_of
    from mbx.analyses.request import experiments_of

    if not request.experiment:
        return []
    changed = [f"--set {name}={value:g}" for name, value in request.values.items()]
    changed += ["--start"] * bool(request.held) + ["--free"] * bool(request.freed)
    reason = f"{', '.join(changed)} is not what the experiment says"
    if not changed:
        reason = f"--until {until:g} ends before" if until is not None else "it is not run"
    known = [(reference.quantity, reference.at) for reference in judged]
    rows: list[dict[str, str]] = []
    for task in expectations(experiments_of(linked)[request.experiment]):
        stated = texts_of(task)
        if stated in known:
            known.remove(stated)
        else:
            rows.append({"quantity": stated[0], "at": stated[1], "reason": reason})
    return rows


def left_out_lines(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the same in a line for people; none where all were judged."""
    if not rows:
        return []
    names = ", ".join(f"{row['quantity']} {row['at']}" for row in rows)
    return [f"not judged, for {rows[0]['reason']}: {names}"]
