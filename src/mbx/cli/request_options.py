"""What an analysis is asked for on the command line, and how its refusal ends the command."""

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

__all__ = ["asked_for", "left_out", "of_one_experiment", "refused", "told_left_out", "warned"]


def asked_for(
    experiment: str,
    held: Sequence[str] | None,
    free: Sequence[str] | None,
    values: Sequence[str] | None,
    time: float | None,
    *,
    spelled: str = "--hold",
) -> Request:
    """Return what `--hold` or `--start`, `--free`, `--set` and `--time` request."""
    from mbx.analyses.request import Request as Said

    values_held = assignments(spelled, [one for one in held or () if "=" in one])
    return Said(
        experiment=experiment,
        values=assignments("--set", values or []),
        option="--set",
        initial=values_held,
        held=frozenset([*values_held, *(one for one in held or [] if "=" not in one)]),
        freed=frozenset(free or []),
        time=time,
    )


def of_one_experiment(linked: Linked, asked: Request) -> Request:
    """Return what is asked for of the one experiment there is, where none is named; say which."""
    from mbx.analyses.request import only_experiment

    if asked.experiment:
        return asked
    name = only_experiment(linked)
    if name:
        complain(f"mbx: experiment '{name}', the only one of the model")
    return replace(asked, experiment=name)


def warned(linked: Linked, asked: Request) -> Linked:
    """Return a model; print what it is warned of with the values of `--set`."""
    import mbx
    from mbx.analyses.request import warnings_of

    if asked.values:
        complain_report(warnings_of(linked, mbx.elaborate(linked), asked))
    return linked


def refused(reason: MbxError) -> int:
    """Say why an analysis cannot be had; return the status that fits the reason."""
    from mbx.analyses.experiments.experiment_plan import RefusedValueError
    from mbx.analyses.request import UnknownNameError

    if isinstance(reason, RefusedValueError):
        complain_report(reason.report)
        return Status.MODEL
    complain(f"mbx: {' '.join(str(reason).split())}")
    return Status.USAGE if isinstance(reason, UnknownNameError) else Status.DISAGREE


def left_out(
    linked: Linked, asked: Request, judged: Sequence[Reference], until: float | None
) -> list[dict[str, str]]:
    """Return which expectations of an experiment are not judged, and why, as plain data."""
    from mbx.analyses.experiments.stated_expectations import expectations, texts_of
    from mbx.analyses.request import experiments_of

    if not asked.experiment:
        return []
    changed = [f"--set {name}={value:g}" for name, value in asked.values.items()]
    changed += ["--start"] * bool(asked.held) + ["--free"] * bool(asked.freed)
    reason = f"{', '.join(changed)} is not what the experiment says"
    if not changed:
        reason = f"--until {until:g} ends before" if until is not None else "it is not run"
    known = [(one.quantity, one.at) for one in judged]
    found: list[dict[str, str]] = []
    for task in expectations(experiments_of(linked)[asked.experiment]):
        said = texts_of(task)
        if said in known:
            known.remove(said)
        else:
            found.append({"quantity": said[0], "at": said[1], "reason": reason})
    return found


def told_left_out(found: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the same in a line for people; none where all were judged."""
    if not found:
        return []
    said = ", ".join(f"{one['quantity']} {one['at']}" for one in found)
    return [f"not judged, for {found[0]['reason']}: {said}"]
