"""How the analysis of a study is made: the same for all of its runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from mbx.analyses.request import Request

__all__ = ["Cell", "RunResult", "Setting"]

Cell = float | str | list[float]
"""What a run gives for one result: a number, a word, or numbers along the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """An analysis and its request; in SI units.

    Attributes:
        analysis: Its name.
        results: What is wanted of it; nothing for what it gives by itself.
        request: The experiment, and what is requested in addition to it.
        form: The form that gives accelerations; None for a short one.
        method: What keeps a simulation on the invariants, or how small motions are computed.
        at: The state about which small motions are computed.
        until, every: When a simulation ends, and how far apart its results are.
        seconds: CPU time that a run may take.
        series: Whether a simulation gives all of its results, and not one number for each.
    """

    analysis: str
    results: tuple[str, ...] = ()
    request: Request = field(default_factory=Request)
    form: str | None = None
    method: str | None = None
    at: str | None = None
    until: float | None = None
    every: float | None = None
    seconds: float = 300.0
    series: bool = False


@dataclass(frozen=True, slots=True)
class RunResult:
    """What became of a run: its results by name, or the reason why there are none.

    `bug` means that the reason is a fault of the tool.
    """

    values: dict[str, Cell] = field(default_factory=dict)
    reason: str = ""
    bug: bool = False
