"""What an analysis is asked for on the command line, and how its refusal ends the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.cli.numbers import assignments
from mbx.cli.output import Status, complain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.asked import Asked
    from mbx.errors import MbxError

__all__ = ["asked_for", "refused"]


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
        initial=said,
        held=frozenset([*said, *(one for one in hold or [] if "=" not in one)]),
        freed=frozenset(free or []),
        time=time,
    )


def refused(reason: MbxError) -> int:
    """Say why an analysis cannot be had; return the status of an unknown name, or of none."""
    from mbx.analyses.asked import UnknownNameError  # noqa: PLC0415  likewise

    complain(f"mbx: {' '.join(str(reason).split())}")
    return Status.USAGE if isinstance(reason, UnknownNameError) else Status.DISAGREE
