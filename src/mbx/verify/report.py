"""What a verification found: verdicts, the table for people, and the same as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING, Any, Final, Literal

from mbx.verify.agree import FAIL, PASS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.verify.forms import Excluded

__all__ = ["Error", "Pair", "StateRow", "Verdict", "Verification", "judge", "worst_of"]

Verdict = Literal["agree", "undecided", "disagree"]

_MARK: Final[Mapping[str, str]] = {"agree": " ", "undecided": "?", "disagree": "!"}


@dataclass(frozen=True, slots=True)
class Error:
    """The largest error of a comparison, with the state and the row where it is.

    `arbiter` is what the arbiter said of it, if it was asked: `rounding` or `different`.
    """

    value: float
    state: str = ""
    row: str = ""
    arbiter: str = ""


def judge(error: Error | None) -> Verdict:
    """Return the verdict on an error; what is no number or is missing is never agreement."""
    if error is None or isnan(error.value):
        return "undecided"
    if error.value <= PASS:
        return "agree"
    if error.value > FAIL or error.arbiter == "different":
        return "disagree"
    return "agree" if error.arbiter == "rounding" else "undecided"


def worst_of(verdicts: list[Verdict]) -> Verdict:
    """Return the worst of some verdicts."""
    if "disagree" in verdicts:
        return "disagree"
    return "undecided" if "undecided" in verdicts else "agree"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two forms: their accelerations and constraint forces.

    Attributes:
        forms: Their names.
        states: At how many states they were compared.
        ud: Largest backward error of the accelerations of one in the equations of the other.
        Fc: Largest difference of the constraint forces; None if one form does not give them.
        via: Neither has equations of its own, so they were judged in those of the others.
    """

    forms: tuple[str, str]
    states: int
    ud: Error | None
    Fc: Error | None
    via: bool = False

    @property
    def verdict(self) -> Verdict:
        """Whether they agree."""
        if not self.states:
            return "undecided"
        return worst_of([judge(self.ud)] + ([] if self.Fc is None else [judge(self.Fc)]))


@dataclass(frozen=True, slots=True)
class StateRow:
    """A state: compared at, or why not."""

    name: str
    status: str
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What a verification found.

    Attributes:
        model: Name of the model.
        hash: Its identity.
        seed: What random numbers came from.
        forms: The forms that were compared.
        witnesses: Further forms, whose equations they were judged by.
        excluded: Those that were not: not applicable, singular everywhere, or failed.
        pairs: Every two forms.
        own: Error of each form in its own equations, where it has some.
        invariants: Error of each form in the invariants.
        information: Differences that decide nothing: reactions.
        states: Every state that was tried.
        rejected: How many random states could not be brought onto the invariants.
        refused: Named states that could not.
        drawn: Parameters and inputs without a value, and what they were.
        void: Rows of rounding that say nothing.
        doubts: Why the whole is undecided, beside pairs.
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

    @property
    def verdict(self) -> Verdict:
        """Whether all forms agree; a form that failed disagrees."""
        found: list[Verdict] = [pair.verdict for pair in self.pairs]
        found += [judge(error) for error in (*self.own.values(), *self.invariants.values())]
        if any(one.status == "failed" for one in self.excluded):
            found.append("disagree")
        if self.doubts or not self.pairs:
            found.append("undecided")
        return worst_of(found)

    @property
    def ok(self) -> bool:
        """Whether all forms agree."""
        return self.verdict == "agree"

    @property
    def outliers(self) -> tuple[str, ...]:
        """The forms that disagree with more than half of the others, of which there are some."""
        if len(self.forms) < 3:  # noqa: PLR2004  of two, either may be wrong
            return ()
        count = dict.fromkeys(self.forms, 0)
        for pair in self.pairs:
            for name in pair.forms:
                count[name] += pair.verdict == "disagree"
        return tuple(name for name, found in count.items() if 2 * found > len(self.forms) - 1)

    def pair(self, one: str, other: str) -> Pair:
        """Return the comparison of two forms, in either order."""
        for each in self.pairs:
            if set(each.forms) == {one, other}:
                return each
        raise KeyError((one, other))

    def as_json(self) -> dict[str, Any]:
        """Return everything as data; what is no number is null."""
        compared = sum(one.status == "compared" for one in self.states)
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
                    "outlier": name in self.outliers,
                }
                for name in self.forms
            ],
            "witnesses": list(self.witnesses),
            "excluded": [asdict(one) for one in self.excluded],
            "pairs": [
                {
                    "forms": list(pair.forms),
                    "verdict": pair.verdict,
                    "states": pair.states,
                    "ud": _error(pair.ud),
                    "Fc": _error(pair.Fc),
                    "via": pair.via,
                }
                for pair in self.pairs
            ],
            "information": {name: _error(error) for name, error in self.information.items()},
            "compared": compared,
            "states": [asdict(one) for one in self.states],
            "rejected": self.rejected,
            "refused": list(self.refused),
            "drawn": dict(self.drawn),
            "void_rows": self.void,
            "doubts": list(self.doubts),
        }

    def summary(self) -> str:
        """Return the verdict in a line."""
        compared = sum(one.status == "compared" for one in self.states)
        count = f"{_count(len(self.forms), 'form')} at {_count(compared, 'state')}"
        return f"{self.model}: {self.verdict} ({count})"

    def lines(self) -> Iterator[str]:
        """Yield everything for people: the table, and what is to be said of it."""
        if self.forms:
            yield from self.table()
            yield ""
        yield from self.remarks()
        yield self.summary()

    def table(self) -> Iterator[str]:
        """Yield the errors: accelerations below the diagonal, constraint forces above it."""
        width = max(len(name) for name in self.forms) + 4
        numbers = range(1, len(self.forms) + 1)
        yield (" " * width + "".join(f"{k:>7} " for k in numbers)).rstrip()
        for k, a in enumerate(self.forms):
            cells = []
            for j, b in enumerate(self.forms):
                if j == k:
                    cells.append(_cell(self.own.get(a)))
                else:
                    pair = self.pair(a, b)
                    mark = "*" if pair.via and j < k else ""
                    cells.append(_cell(pair.ud if j < k else pair.Fc, mark))
            yield (f"{k + 1:>2} {a:{width - 3}}" + "".join(cells)).rstrip()
        yield "accelerations below the diagonal, constraint forces above, each form in itself on it"
        if any(pair.via for pair in self.pairs):
            yield "* judged in the equations of the other forms"
        errors = [e for pair in self.pairs for e in (pair.ud, pair.Fc) if e is not None]
        if any(e.arbiter == "rounding" for e in (*errors, *self.own.values())):
            yield "~ rounding, as fifty digits show"

    def remarks(self) -> Iterator[str]:
        """Yield what is to be said beside the table."""
        yield from self._findings()
        if self.witnesses:
            yield f"also judged in the equations of {', '.join(self.witnesses)}"
        for one in self.excluded:
            yield f"{one.name}: {one.status}: {one.reason}"
        for state in self.states if self.forms else ():
            if state.status != "compared" or state.note:
                yield ": ".join(x for x in (state.name, state.status, state.note) if x)
        yield from self.refused
        if self.rejected:
            yield f"{_count(self.rejected, 'random state')} rejected: no consistent one was near"
        if self.drawn:
            drawn = ", ".join(f"{path} = {value:.6g}" for path, value in self.drawn.items())
            yield f"drawn, for they have no value: {drawn}"
        yield from self.doubts

    def _findings(self) -> Iterator[str]:
        """Yield what is not agreement, the worst first."""
        found = [
            (error, f"{a} and {b}, {what}")
            for pair in self.pairs
            for (a, b), what, error in (
                (pair.forms, "accelerations", pair.ud),
                (pair.forms, "constraint forces", pair.Fc),
            )
            if error is not None and judge(error) != "agree"
        ]
        found += [
            (error, f"{name} in {what}")
            for what, errors in (("its own equations", self.own), ("invariants", self.invariants))
            for name, error in errors.items()
            if judge(error) != "agree"
        ]
        found.sort(key=lambda one: -inf if isnan(one[0].value) else -one[0].value)
        for error, what in found[:_SHOWN]:
            place = f" at {error.state}, {error.row}" if error.state else ""
            yield f"{judge(error)}: {what}: {error.value:.1e}{place}"
        if len(found) > _SHOWN:
            yield f"and {len(found) - _SHOWN} more"
        if self.outliers:
            yield f"alone against most others: {', '.join(self.outliers)}"


_SHOWN: Final = 8


def _cell(error: Error | None, mark: str = "") -> str:
    """Return an error in eight characters, the last for its mark."""
    if error is None:
        return f"{'-':>7} "
    text = f"{error.value:.0e}{mark}"
    last = "~" if error.arbiter == "rounding" else _MARK[judge(error)]
    return f"{text:>7}{last}"


def _error(error: Error | None) -> dict[str, Any] | None:
    if error is None:
        return None
    value = error.value if isfinite(error.value) else None
    return {"value": value, "state": error.state, "row": error.row, "arbiter": error.arbiter}


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
