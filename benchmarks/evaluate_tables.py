"""Bounds and tables of bench_evaluate.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ARMS: Final = ("iiwa", "arm7gen")


@dataclass(frozen=True, slots=True)
class Bound:
    """A ratio that is measured, and what it may be at most."""

    what: str
    ratio: float
    most: float

    @property
    def met(self) -> bool:
        """Whether it is small enough."""
        return self.ratio <= self.most


@dataclass(frozen=True, slots=True)
class Figures:
    """Nanoseconds for one state of a model: ours in one form, and those of peers by name."""

    model: str
    form: str
    single: float
    batch: float
    apart: float
    peers: dict[str, float] = field(default_factory=dict)

    def ratio(self, peer: str, *, batch: bool = False) -> float | None:
        """Return our time by that of a peer whose name begins so."""
        theirs = next((t for name, t in self.peers.items() if name.startswith(peer)), None)
        return None if theirs is None else (self.batch if batch else self.single) / theirs


def bounds_of(figures: Iterable[Figures]) -> list[Bound]:
    """Return what is bounded of the figures of arms and chains."""
    found = []
    for one in figures:
        arm = one.model in ARMS
        pinocchio = {"iiwa": 0.12, "arm7gen": 0.20}.get(one.model, 0.25)
        mujoco = {"iiwa": 0.15}.get(one.model, 0.30)
        for peer, most in (("Pinocchio", pinocchio), ("MuJoCo", mujoco)):
            ratio = one.ratio(peer)
            if ratio is not None:
                found.append(Bound(f"{one.model}, {peer}", ratio, most))
        ratio = one.ratio("Pinocchio", batch=True)
        if arm and ratio is not None:
            most = 0.03 if one.model == "iiwa" else 0.06
            found.append(Bound(f"{one.model}, batch, Pinocchio", ratio, most))
    return found


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table in Markdown."""
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def compared(figures: Sequence[Figures]) -> list[str]:
    """Return the table of times: nanoseconds, and in brackets ours by theirs."""
    peers = list(dict.fromkeys(name for one in figures for name in one.peers))
    rows = []
    for one in figures:
        row = [one.model, one.form, f"{one.single:,.0f}", f"{one.batch:,.1f}"]
        for name in peers:
            theirs = one.peers.get(name)
            row.append("" if theirs is None else f"{theirs:,.0f} ({one.single / theirs:.3f})")
        rows.append(row)
    return table(["model", "form", "one state", "batch, a state", *peers], rows)


def judged(bounds: Iterable[Bound]) -> list[str]:
    """Return the table of bounds."""
    return table(
        ["ratio", "measured", "at most", "met"],
        [[b.what, f"{b.ratio:.3f}", f"{b.most:g}", "yes" if b.met else "no"] for b in bounds],
    )
