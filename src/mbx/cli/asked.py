"""What an analysis is asked for on the command line, and how its refusal ends the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.cli.numbers import assignments
from mbx.cli.output import Status, complain, complain_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.asked import Asked
    from mbx.errors import MbxError
    from mbx.link.linked import Linked

__all__ = ["asked_for", "left_out", "refused"]


def asked_for(
    experiment: str,
    hold: Sequence[str] | None,
    free: Sequence[str] | None,
    values: Sequence[str] | None,
    time: float | None,
) -> Asked:
    """Return what `--hold`, `--free`, `--set` and `--time` say beside an experiment."""
    from mbx.analyses.asked import Asked as Said  # noqa: PLC0415  NumPy is not for --help

    said = assignments("--hold", [one for one in hold or () if "=" in one])
    return Said(
        experiment=experiment,
        values=assignments("--set", values or []),
        option="--set",
        initial=said,
        held=frozenset([*said, *(one for one in hold or [] if "=" not in one)]),
        freed=frozenset(free or []),
        time=time,
    )


def refused(reason: MbxError) -> int:
    """Say why an analysis cannot be had; return the status that fits the reason."""
    from mbx.analyses.asked import UnknownNameError  # noqa: PLC0415  likewise
    from mbx.experiments.plan import RefusedValueError  # noqa: PLC0415  likewise

    if isinstance(reason, RefusedValueError):
        complain_report(reason.report)
        return Status.MODEL
    complain(f"mbx: {' '.join(str(reason).split())}")
    return Status.USAGE if isinstance(reason, UnknownNameError) else Status.DISAGREE


def left_out(linked: Linked, asked: Asked) -> list[str]:
    """Return which expectations of an experiment are not judged, and why, in lines."""
    from mbx.analyses.asked import experiments_of  # noqa: PLC0415  likewise
    from mbx.experiments.stated import expectations, said_of  # noqa: PLC0415  likewise

    if not asked.experiment:
        return []
    changed = [f"--set {name}={value:g}" for name, value in asked.values.items()]
    changed += ["--hold"] * bool(asked.held) + ["--free"] * bool(asked.freed)
    named = expectations(experiments_of(linked)[asked.experiment])
    if not named or not changed:
        return []
    said = ", ".join(" ".join(said_of(one)) for one in named)
    return [f"not judged, for {', '.join(changed)} is not what the experiment says: {said}"]
