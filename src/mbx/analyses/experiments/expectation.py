"""What became of one expectation of a model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil, isfinite, log10
from typing import TYPE_CHECKING, Any, Final

from mbx.base.short_repr import shorten_repr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.experiments.provenance import Kind

__all__ = ["Reference", "summary"]

_FURTHER: Final = 3
"""Digits that are shown beyond the tolerance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A value that a model expects, and what its equations give; in SI units.

    Attributes:
        experiment: The experiment that says it.
        quantity: What is expected, as the model says it; `energy` if it is to be conserved.
        at: Where: at the start, at a time or at a named state.
        kind: Where the value comes from, as far as its source says.
        source: The source, in full.
        expected, within: The value, and how far from it is allowed. Of the energy, the value is
            zero, and what is found is its largest change, relative to the largest kinetic
            energy unless the tolerance is an energy.
        found: What the equations give; of several forms, the worst.
        by: The form that gives it.
        met: Whether it is within the tolerance; None if it could not be found.
        reason: Why it could not.
        line: Where it stands: file and line.
        cannot_fail: Why it proves nothing; such a one does not count.
    """

    experiment: str
    quantity: str
    at: str
    kind: Kind | None = None
    source: str = ""
    expected: float | None = None
    within: float | None = None
    found: float | None = None
    by: str = ""
    met: bool | None = None
    reason: str = ""
    line: str = ""
    cannot_fail: str = ""

    def __repr__(self) -> str:
        """Return what is expected, and what the equations give."""
        return shorten_repr(f"<Reference {self}>")

    def __str__(self) -> str:
        """Return what is to be said of it, in a line."""
        place = f"{self.line}: " if self.line else ""
        what = f"{place}{self.experiment}: {self.quantity} {self.at}"
        if self.expected is None or self.within is None or self.found is None:
            return f"{what}: not run: {self.reason}"
        if self.cannot_fail:
            return f"{what}: cannot fail, and does not count: {self.cannot_fail}"
        verdict = "not decided" if self.met is None else "met" if self.met else "not met"
        expected, found = (_shown(x, self.within) for x in (self.expected, self.found))
        within = f"{self.within:g}"
        said = f"expected {expected} within {within}, found {found} by {self.by}"
        why = f"; {self.reason}" if self.met is None else ""
        return f"{what}: {verdict}: {said}{why}"

    def as_json(self) -> dict[str, Any]:
        """Return everything as data; what is no number is null."""
        found = self.found if self.found is not None and isfinite(self.found) else None
        return {
            "experiment": self.experiment,
            "quantity": self.quantity,
            "at": self.at,
            "kind": self.kind,
            "source": self.source,
            "expected": self.expected,
            "within": self.within,
            "found": found,
            "by": self.by,
            "met": self.met,
            "reason": self.reason,
            "line": self.line,
            "cannot_fail": self.cannot_fail,
        }


def _shown(value: float, within: float) -> str:
    """Return a number with the digits that count beside a tolerance."""
    digits = ceil(log10(abs(value) / within)) if isfinite(value) and abs(value) > within else 0
    return f"{value:.{min(17, digits + _FURTHER)}g}"


def summary(references: Sequence[Reference]) -> str:
    """Return how many are met, and how many there are of each kind, in a line.

    Those that cannot fail are no references, and are counted apart.
    """
    idle = sum(bool(one.cannot_fail) for one in references)
    references = [one for one in references if not one.cannot_fail]
    met = sum(one.met is True for one in references)
    counts = Counter(one.kind or _other(one) for one in references)
    order = ("analytic", "published", "plotted", "agreed", "computed", "energy", "of no kind")
    said = ", ".join(f"{counts[kind]} {kind}" for kind in order if counts[kind])
    kinds = f" ({said})" if said else ""
    apart = f"; {idle} cannot fail and do not count" if idle else ""
    return f"references: {met} of {len(references)} met{kinds}{apart}"


def _other(one: Reference) -> str:
    return "energy" if one.quantity == "energy" else "of no kind"
