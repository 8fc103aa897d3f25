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
        experiment: The experiment that states it.
        quantity: What is expected, as the model states it; `energy` if it is to be conserved.
        at: Where: at the start, at a time or at a named state.
        kind: Where the value comes from, as far as its source states.
        source: The source, in full.
        expected, within: The value, and how far from it is allowed. Of the energy, the value is
            zero, and the result is its largest change, relative to the largest kinetic
            energy unless the tolerance is an energy.
        found: What the equations give; of several forms, the worst.
        by: The form that gives it.
        met: Whether it is within the tolerance; None if it could not be computed.
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
        """Return it in a line."""
        prefix = f"{self.line}: " if self.line else ""
        what = f"{prefix}{self.experiment}: {self.quantity} {self.at}"
        if self.expected is None or self.within is None or self.found is None:
            return f"{what}: not run: {self.reason}"
        if self.cannot_fail:
            return f"{what}: cannot fail, and does not count: {self.cannot_fail}"
        verdict = "not decided" if self.met is None else "met" if self.met else "not met"
        expected, value = (_shown(x, self.within) for x in (self.expected, self.found))
        within = f"{self.within:g}"
        text = f"expected {expected} within {within}, found {value} by {self.by}"
        why = f"; {self.reason}" if self.met is None else ""
        return f"{what}: {verdict}: {text}{why}"

    def as_json(self) -> dict[str, Any]:
        """Return everything as data; what is no number is null."""
        value = self.found if self.found is not None and isfinite(self.found) else None
        return {
            "experiment": self.experiment,
            "quantity": self.quantity,
            "at": self.at,
            "kind": self.kind,
            "source": self.source,
            "expected": self.expected,
            "within": self.within,
            "found": value,
            "by": self.by,
            "met": self.met,
            "reason": self.reason,
            "line": self.line,
            "cannot_fail": self.cannot_fail,
        }


def _shown(value: float, within: float) -> str:
    """Return a number with the digits that count relative to a tolerance."""
    digits = ceil(log10(abs(value) / within)) if isfinite(value) and abs(value) > within else 0
    return f"{value:.{min(17, digits + _FURTHER)}g}"


def summary(references: Sequence[Reference]) -> str:
    """Return how many are met, and how many there are of each kind, in a line.

    Those that cannot fail are no references, and are counted apart.
    """
    idle = sum(bool(reference.cannot_fail) for reference in references)
    references = [reference for reference in references if not reference.cannot_fail]
    met = sum(reference.met is True for reference in references)
    counts = Counter(reference.kind or _other(reference) for reference in references)
    order = ("analytic", "published", "plotted", "agreed", "computed", "energy", "of no kind")
    text = ", ".join(f"{counts[kind]} {kind}" for kind in order if counts[kind])
    kinds = f" ({text})" if text else ""
    apart = f"; {idle} cannot fail and do not count" if idle else ""
    return f"references: {met} of {len(references)} met{kinds}{apart}"


def _other(reference: Reference) -> str:
    return "energy" if reference.quantity == "energy" else "of no kind"
