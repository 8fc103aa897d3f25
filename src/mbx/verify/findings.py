"""Errors and the verdicts on them; what is compared pairwise, and what with the oracle."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isinf, isnan
from typing import TYPE_CHECKING, Literal

from mbx.verify.agreement.mutual_residuals import FAIL, PASS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "Error",
    "OracleComparison",
    "Pair",
    "StateRow",
    "Verdict",
    "judge",
    "weight",
    "worst_of",
]

Verdict = Literal["agree", "undecided", "disagree"]


@dataclass(frozen=True, slots=True)
class Error:
    """The largest error of a comparison, with the state and the row where it is.

    `arbiter` is the answer of the arbiter, if it was needed: `rounding`, `different` or
    `undecided`. A `forward` error grows with condition numbers, so that no size of it alone
    is a disagreement, unless it is infinite: there is something where nothing can be. An
    `excusable` error is small against terms elsewhere, so that the arbiter decides, too.
    """

    value: float
    state: str = ""
    row: str = ""
    arbiter: str = ""
    forward: bool = False
    excusable: bool = False


def judge(error: Error | None) -> Verdict:
    """Return the verdict on an error; what is no number or is missing is never agreement."""
    if error is None or isnan(error.value):
        return "undecided"
    if error.value <= PASS:
        return "agree"
    large = error.value > FAIL and not error.forward
    certain = (large or isinf(error.value)) and not error.excusable
    if certain or error.arbiter == "different":
        return "disagree"
    return "agree" if error.arbiter == "rounding" else "undecided"


def weight(error: Error) -> tuple[bool, float]:
    """Return what errors are ordered by: a certain error weighs more than any other."""
    certain = not error.excusable and not error.value <= FAIL
    return certain, inf if isnan(error.value) else error.value


def worst_of(verdicts: list[Verdict]) -> Verdict:
    """Return the worst of the verdicts."""
    if "disagree" in verdicts:
        return "disagree"
    return "undecided" if "undecided" in verdicts else "agree"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two forms, and how far they are from each other.

    Attributes:
        forms: Their names.
        states: At how many states they were compared.
        ud: Largest backward error of the accelerations of one form in the equations of the other.
        Fc: Largest difference of the constraint forces; None if one form does not give them.
        via: Neither has residuals, so they were judged in those of the others.
        bodies: Largest difference of the accelerations of bodies, where these are known.
        reactions: Largest difference of a reaction that both give, where it is unique.
    """

    forms: tuple[str, str]
    states: int
    ud: Error | None
    Fc: Error | None
    via: bool = False
    bodies: Error | None = None
    reactions: Error | None = None

    @property
    def verdict(self) -> Verdict:
        """Whether they agree."""
        if not self.states:
            return "undecided"
        further = [judge(e) for e in (self.Fc, self.bodies, self.reactions) if e is not None]
        return worst_of([judge(self.ud), *further])

    def errors(self) -> Iterator[tuple[str, Error]]:
        """Yield what was compared, in words, and its error."""
        named = (
            ("accelerations", self.ud),
            ("constraint forces", self.Fc),
            ("accelerations of bodies", self.bodies),
            ("reactions", self.reactions),
        )
        yield from ((what, error) for what, error in named if error is not None)


@dataclass(frozen=True, slots=True)
class OracleComparison:
    """The forms against the oracle.

    Attributes:
        states: The states at which it answered.
        refused: Why it has no answer, if it has none.
        ud: Error of the accelerations of each form in the oracle's equations.
        Fc: Largest difference of the constraint forces, of forms that give them.
        bodies: Largest difference of the accelerations of bodies.
        reactions: Largest difference of a reaction, of forms that have it, where it is unique.
        invariants: What the states leave of the invariants as the oracle reads them.
    """

    states: tuple[str, ...] = ()
    refused: str = ""
    ud: Mapping[str, Error] = field(default_factory=dict)
    Fc: Mapping[str, Error] = field(default_factory=dict)
    bodies: Mapping[str, Error] = field(default_factory=dict)
    reactions: Mapping[str, Error] = field(default_factory=dict)
    invariants: Error | None = None

    def errors(self, form: str) -> Iterator[tuple[str, Error]]:
        """Yield what was compared of a form, in words, and its error."""
        named = (
            ("accelerations", self.ud),
            ("constraint forces", self.Fc),
            ("accelerations of bodies", self.bodies),
            ("reactions", self.reactions),
        )
        yield from ((what, errors[form]) for what, errors in named if form in errors)

    def verdict_on(self, form: str) -> Verdict:
        """Whether a form agrees with the oracle."""
        verdicts = [judge(error) for _, error in self.errors(form)]
        if form not in self.ud:
            verdicts.append("undecided")
        if self.invariants is not None:
            verdicts.append(judge(self.invariants))
        return worst_of(verdicts)


@dataclass(frozen=True, slots=True)
class StateRow:
    """A state: compared at, or why not; `branch` is the assembly it belongs to."""

    name: str
    status: str
    note: str = ""
    branch: str = ""
