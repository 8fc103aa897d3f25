"""The results of a verification: the verdict, the outliers, and everything as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from mbx.analyses.guard import OUT_OF_TIME
from mbx.base.late import late, view
from mbx.base.short_repr import shorten_repr
from mbx.verify import error_tables, verification_text
from mbx.verify.agreement.mutual_residuals import FAIL, PASS
from mbx.verify.agreement.state_counts import Counts
from mbx.verify.arbitration.accused import accused_forms
from mbx.verify.findings import judge, worst_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.analyses.experiments.expectation import Reference
    from mbx.numerics.states.complete import StatePoint
    from mbx.pipeline import ModelLike
    from mbx.verify.derived_forms import Excluded
    from mbx.verify.diagnosis.find_cause import Diagnosis
    from mbx.verify.findings import Error, OracleComparison, Pair, StateRow, Verdict

__all__ = ["Verification"]


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The results of a verification.

    Attributes:
        model: Name of the model.
        hash: Its identity.
        seed: What random numbers came from.
        forms: The forms that were compared.
        witnesses: Further forms, whose equations they were judged by.
        excluded: Those that were not: not applicable, singular everywhere, out of time, or failed.
        pairs: Every two forms.
        own: Error of each form in its own equations, where it has residuals.
        invariants: Error of each form in the invariants.
        results: How far the declared results of each form are from what they must be.
        power: What each form leaves of the balance of power, where it applies.
        oracle: The forms against the oracle; None if it was not used.
        levels: What the states leave of the invariants at positions and velocities.
        routes: How far the inertia forces by each way to derive them are from the others.
        linear: How far linearisations by each method are from differences of two forms.
        information: Differences that decide nothing: reactions that are not unique.
        states: Every state that was tried.
        points: Those that were compared at, in numbers.
        conditions: Largest condition number of the scaled inertia matrix of each form.
        branches: How many of them are of each assembly that the model distinguishes.
        rejected: How many random states could not be brought onto the invariants.
        refused: Named states that could not.
        drawn: Parameters and inputs without a value, and what they were.
        void: Rows of rounding, which decide nothing.
        doubts: Why the whole is undecided, apart from pairs.
        broken: What the model expects of its constraint matrix and is not so.
        references: What the experiments of the model expect, and what the equations give.
        counts: How many states were requested, compared at, and moving.
    """

    model: str
    hash: str
    seed: int
    forms: tuple[str, ...]
    excluded: tuple[Excluded, ...]
    pairs: tuple[Pair, ...]
    own: Mapping[str, Error]
    invariants: Mapping[str, Error]
    information: Mapping[str, Error]
    states: tuple[StateRow, ...]
    rejected: int
    refused: tuple[str, ...]
    drawn: Mapping[str, float]
    void: int
    doubts: tuple[str, ...] = field(default=())
    witnesses: tuple[str, ...] = field(default=())
    results: Mapping[str, Error] = field(default_factory=dict)
    power: Mapping[str, Error] = field(default_factory=dict)
    oracle: OracleComparison | None = None
    levels: Mapping[str, Error] = field(default_factory=dict)
    routes: Mapping[str, Error] = field(default_factory=dict)
    linear: Mapping[str, Error] = field(default_factory=dict)
    points: tuple[StatePoint, ...] = ()
    conditions: Mapping[str, float] = field(default_factory=dict)
    branches: Mapping[str, int] = field(default_factory=dict)
    broken: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    counts: Counts = field(default_factory=Counts)

    def __repr__(self) -> str:
        """Return the verdict."""
        return shorten_repr(f"<Verification {self.summary()}>")

    @property
    def verdict(self) -> Verdict:
        """Whether all forms agree, and with oracle and references; a form that failed disagrees."""
        verdicts: list[Verdict] = [pair.verdict for pair in self.pairs]
        tables = (
            self.own,
            self.invariants,
            self.results,
            self.power,
            self.levels,
            self.routes,
            self.linear,
        )
        verdicts += [judge(error) for errors in tables for error in errors.values()]
        if self.oracle is not None:
            verdicts += [self.oracle.verdict_on(name) for name in self.forms]
        if self.broken or any(form.status == "failed" for form in self.excluded):
            verdicts.append("disagree")
        if any(form.status == OUT_OF_TIME for form in self.excluded):
            verdicts.append("undecided")
        if any(reference.met is False for reference in self.references):
            verdicts.append("disagree")
        if any(reference.met is None for reference in self.references):
            verdicts.append("undecided")
        judged = self.oracle is not None and bool(self.oracle.states)
        if self.doubts or not self.forms or not (self.pairs or judged):
            verdicts.append("undecided")
        return worst_of(verdicts)

    @property
    def ok(self) -> bool:
        """Whether all forms agree."""
        return self.verdict == "agree"

    @property
    def outliers(self) -> tuple[str, ...]:
        """The forms that are wrong: those that disagree with the oracle or with themselves.

        Disagreements that these do not explain are laid on the smallest set of forms that does,
        where this set is unique.
        """
        tables = (self.own, self.invariants, self.results, self.power)
        known = {f for errors in tables for f, e in errors.items() if judge(e) == "disagree"}
        known = known | self.blamed if len(known) < len(self.forms) else self.blamed
        pairs = [pair.forms for pair in self.pairs if pair.verdict == "disagree"]
        wrong = accused_forms(pairs, known)
        return tuple(name for name in self.forms if name in wrong)

    @property
    def arbitrated(self) -> dict[str, int]:
        """How many errors that are excusable for their size alone the arbiter decided, and how."""
        errors = [error for pair in self.pairs for _, error in pair.errors()]
        for table in (self.own, self.invariants, self.results, self.power):
            errors += table.values()
        if self.oracle is not None:
            errors += [error for form in self.forms for _, error in self.oracle.errors(form)]
        answers = [error.arbiter for error in errors if error.excusable and error.arbiter]
        return {answer: answers.count(answer) for answer in ("rounding", "different", "undecided")}

    @property
    def blamed(self) -> set[str]:
        """The forms that disagree with the oracle; none where all do."""
        against = self._against()
        return against if len(against) < len(self.forms) else set()

    @property
    def against_oracle(self) -> bool:
        """Whether all forms disagree with the oracle: then what they share is wrong."""
        return bool(self.forms) and len(self._against()) == len(self.forms)

    def _against(self) -> set[str]:
        if self.oracle is None:
            return set()
        return {f for f in self.forms if self.oracle.verdict_on(f) == "disagree"}

    def pair(self, first: str, second: str) -> Pair:
        """Return the comparison of two forms, in either order."""
        for each in self.pairs:
            if set(each.forms) == {first, second}:
                return each
        raise KeyError((first, second))

    def as_json(self) -> dict[str, Any]:
        """Return everything as data; what is no number is null."""
        return {
            "model": self.model,
            "hash": self.hash,
            "verdict": self.verdict,
            "seed": self.seed,
            "tolerances": {"pass": PASS, "fail": FAIL},
            "forms": [
                {
                    "name": name,
                    "own": _error(self.own.get(name)),
                    "invariants": _error(self.invariants.get(name)),
                    "results": _error(self.results.get(name)),
                    "power": _error(self.power.get(name)),
                    "condition": _number(self.conditions.get(name)),
                    "outlier": name in self.outliers,
                }
                for name in self.forms
            ],
            "witnesses": list(self.witnesses),
            "excluded": [asdict(form) for form in self.excluded],
            "pairs": [
                {
                    "forms": list(pair.forms),
                    "verdict": pair.verdict,
                    "states": pair.states,
                    "ud": _error(pair.ud),
                    "Fc": _error(pair.Fc),
                    "bodies": _error(pair.bodies),
                    "reactions": _error(pair.reactions),
                    "via": pair.via,
                }
                for pair in self.pairs
            ],
            "oracle": None if self.oracle is None else _oracle_data(self.oracle, self.forms),
            "against_oracle": self.against_oracle,
            "routes": {name: _error(error) for name, error in self.routes.items()},
            "linear": {name: _error(error) for name, error in self.linear.items()},
            "levels": {name: _error(error) for name, error in self.levels.items()},
            "information": {name: _error(error) for name, error in self.information.items()},
            "compared": self.compared,
            "counts": {**self.counts.as_json(), **self._oracle_counts()},
            "states": [asdict(state) for state in self.states],
            "points": [asdict(point) for point in self.points],
            "branches": dict(self.branches),
            "rejected": self.rejected,
            "refused": list(self.refused),
            "drawn": dict(self.drawn),
            "void_rows": self.void,
            "arbitrated": self.arbitrated,
            "doubts": list(self.doubts),
            "broken": list(self.broken),
            "references": [reference.as_json() for reference in self.references],
        }

    @property
    def compared(self) -> int:
        """At how many states forms were compared."""
        return sum(state.status == "compared" for state in self.states)

    def _oracle_counts(self) -> dict[str, Any]:
        """Return at how many states the oracle was to answer, and at how many it did."""
        errors = [error for pair in self.pairs for _, error in pair.errors()]
        errors += [
            error
            for table in (self.own, self.invariants, self.results, self.power)
            for error in table.values()
        ]
        compared = 0
        if self.oracle is not None:
            compared = len(self.oracle.states)
            errors += [error for name in self.forms for _, error in self.oracle.errors(name)]
        return {
            "oracle": {"asked": self.counts.oracle, "compared": compared},
            "arbitrated": sum(bool(error.arbiter) for error in errors),
        }

    def summary(self) -> str:
        """Return the verdict in a line."""
        return verification_text.summary(self)

    def __str__(self) -> str:
        """Return everything for people."""
        return "\n".join(self.lines())

    def diagnose(self, document: ModelLike, model: str | None = None) -> Diagnosis | None:
        """Return why the forms of the model disagree; None if they agree.

        Args:
            document: The model that was verified: a document, a path, an address, or text.
            model: The model of the document; the last unless it is named.
        """
        diagnosis: Diagnosis | None = late("mbx.verify.verification_verbs:diagnose")(
            document, self, model
        )
        return diagnosis

    def _repr_html_(self) -> str | None:
        return view("verification_html", self)

    def lines(self, *, table: bool = False, width: int = 80) -> Iterator[str]:
        """Yield the verdict, a line for each form or the tables, and remarks, for people."""
        return verification_text.lines(self, table=table, width=width)

    def tables(self) -> Iterator[str]:
        """Yield the errors of every two forms, and of each by itself."""
        return error_tables.tables(self)

    def remarks(self) -> Iterator[str]:
        """Yield findings and notes, the worst first."""
        return verification_text.remarks(self)


def _oracle_data(oracle: OracleComparison, forms: tuple[str, ...]) -> dict[str, Any]:
    return {
        "states": list(oracle.states),
        "refused": oracle.refused,
        "invariants": _error(oracle.invariants),
        "forms": [
            {
                "name": name,
                "verdict": oracle.verdict_on(name),
                "ud": _error(oracle.ud.get(name)),
                "Fc": _error(oracle.Fc.get(name)),
                "bodies": _error(oracle.bodies.get(name)),
                "reactions": _error(oracle.reactions.get(name)),
            }
            for name in forms
        ],
    }


def _number(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _error(error: Error | None) -> dict[str, Any] | None:
    if error is None:
        return None
    return {
        "value": _number(error.value),
        "state": error.state,
        "row": error.row,
        "arbiter": error.arbiter,
    }
