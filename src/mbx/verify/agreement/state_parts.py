"""A verification at many states, in parts that are made one after the other or at the same time.

A part has up to `PART` random states and its own seed, 1 above that of the part before.
What becomes of a model at many states depends on its parts, never on who makes them, or when.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import inf, isnan
from typing import TYPE_CHECKING, Final, TypeVar

from mbx.analyses.guard import OUT_OF_TIME
from mbx.verify.agreement.state_counts import add_counts
from mbx.verify.findings import OracleComparison, Pair, judge, worst_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mbx.verify.derived_forms import Excluded
    from mbx.verify.findings import Error
    from mbx.verify.run_verification import Options
    from mbx.verify.verification import Verification

__all__ = ["PART", "merge", "part_sizes", "parts_of"]

T = TypeVar("T")

PART: Final = 64
"""Random states of a part: memory grows with them, and deriving the forms costs about as much."""

_GRAVITY: Final = {"agree": 0, "undecided": 1, "disagree": 2}


def parts_of(options: Options) -> list[Options]:
    """Return the request of each part of a verification; given points are one part.

    If the oracle answers at all, it does in every part: a single form has no other judge.
    """
    if options.points or options.states <= PART:
        return [options]
    return [
        replace(
            options,
            states=size,
            oracle=min(PART, max(1, options.oracle - k * PART)) if options.oracle else 0,
            seed=options.seed + k,
            references=options.references and k == 0,
        )
        for k, size in enumerate(part_sizes(options.states))
    ]


def part_sizes(states: int) -> list[int]:
    """Return how many random states each part has, of so many in all."""
    return [min(PART, states - first) for first in range(0, states, PART)]


def merge(parts: Sequence[Verification]) -> Verification:
    """Return one verification with the worst results of all parts, and all of their states.

    Every state is named with its seed. A form that is out in one part and not in another counts
    where it was compared, and the whole is in doubt.
    """
    if len(parts) == 1:
        return parts[0]
    parts = [_named(part) for part in parts]
    first = parts[0]
    forms = _union(part.forms for part in parts)
    whole = replace(
        first,
        forms=forms,
        witnesses=tuple(w for w in _union(p.witnesses for p in parts) if w not in forms),
        excluded=_excluded(parts, forms),
        pairs=tuple(_pair(parts, a, b) for a, b in combinations(forms, 2)),
        own=_errors(parts, lambda p: p.own),
        invariants=_errors(parts, lambda p: p.invariants),
        results=_errors(parts, lambda p: p.results),
        power=_errors(parts, lambda p: p.power),
        levels=_errors(parts, lambda p: p.levels),
        routes=_errors(parts, lambda p: p.routes),
        linear=_errors(parts, lambda p: p.linear),
        information=_errors(parts, lambda p: p.information),
        oracle=_merge_oracle([p.oracle for p in parts if p.oracle is not None]),
        states=tuple(row for p in parts for row in p.states),
        points=tuple(point for p in parts for point in p.points),
        conditions=_largest([p.conditions for p in parts]),
        branches=_sums([p.branches for p in parts]),
        rejected=sum(p.rejected for p in parts),
        refused=_union(p.refused for p in parts),
        drawn={path: value for p in parts for path, value in p.drawn.items()},
        void=sum(p.void for p in parts),
        doubts=_union(p.doubts for p in parts),
        broken=_union(p.broken for p in parts),
        references=tuple(reference for p in parts for reference in p.references),
        counts=add_counts([p.counts for p in parts]),
    )
    # what was left out above must not make the whole better than its parts
    worst = worst_of([p.verdict for p in parts])
    if _GRAVITY[worst] > _GRAVITY[whole.verdict]:
        doubts = [f"{p.verdict} at seed {p.seed}" for p in parts if p.verdict != "agree"]
        whole = replace(whole, doubts=(*whole.doubts, *doubts))
    return whole


# -- names -------------------------------------------------------------------------------------


def _named(part: Verification) -> Verification:
    """Return a part whose states, and random values, are named with its seed."""
    suffix = f" of seed {part.seed}"

    def with_seed(error: Error) -> Error:
        return replace(error, state=error.state + suffix) if error.state else error

    def maybe(error: Error | None) -> Error | None:
        return None if error is None else with_seed(error)

    def all_of(errors: Mapping[str, Error]) -> dict[str, Error]:
        return {key: with_seed(error) for key, error in errors.items()}

    oracle = part.oracle
    return replace(
        part,
        pairs=tuple(
            replace(
                pair,
                ud=maybe(pair.ud),
                Fc=maybe(pair.Fc),
                bodies=maybe(pair.bodies),
                reactions=maybe(pair.reactions),
            )
            for pair in part.pairs
        ),
        own=all_of(part.own),
        invariants=all_of(part.invariants),
        results=all_of(part.results),
        power=all_of(part.power),
        levels=all_of(part.levels),
        routes=all_of(part.routes),
        linear=all_of(part.linear),
        information=all_of(part.information),
        oracle=None
        if oracle is None
        else replace(
            oracle,
            states=tuple(name + suffix for name in oracle.states),
            ud=all_of(oracle.ud),
            Fc=all_of(oracle.Fc),
            bodies=all_of(oracle.bodies),
            reactions=all_of(oracle.reactions),
            invariants=maybe(oracle.invariants),
        ),
        states=tuple(replace(row, name=row.name + suffix) for row in part.states),
        points=tuple(replace(point, name=point.name + suffix) for point in part.points),
        drawn={path + suffix: value for path, value in part.drawn.items()},
        doubts=tuple(f"{doubt}, seed {part.seed}" for doubt in part.doubts),
    )


# -- the worst of many -------------------------------------------------------------------------


def _worst(errors: Iterable[Error | None]) -> Error | None:
    """Return the error with the worst verdict and, of these, the largest."""
    known = [error for error in errors if error is not None]
    return max(known, key=_weight, default=None)


def _weight(error: Error) -> tuple[int, float]:
    return _GRAVITY[judge(error)], inf if isnan(error.value) else error.value


def _errors(
    parts: Sequence[Verification], of: Callable[[Verification], Mapping[str, Error]]
) -> dict[str, Error]:
    return _worst_of([of(part) for part in parts])


def _worst_of(tables: Sequence[Mapping[str, Error]]) -> dict[str, Error]:
    errors = {}
    for key in _union(tables):
        worst = _worst(table.get(key) for table in tables)
        if worst is not None:
            errors[key] = worst
    return errors


def _pair(parts: Sequence[Verification], a: str, b: str) -> Pair:
    """Return two forms in all parts; never compared, they are undecided."""
    known = [pair for part in parts for pair in part.pairs if set(pair.forms) == {a, b}]
    return Pair(
        (a, b),
        sum(pair.states for pair in known),
        _worst(pair.ud for pair in known),
        _worst(pair.Fc for pair in known),
        any(pair.via for pair in known),
        _worst(pair.bodies for pair in known),
        _worst(pair.reactions for pair in known),
    )


def _merge_oracle(answers: Sequence[OracleComparison]) -> OracleComparison | None:
    """Return the errors against the oracle in all parts where it answered."""
    if not answers:
        return None
    return OracleComparison(
        tuple(name for answer in answers for name in answer.states),
        next((answer.refused for answer in answers if answer.refused), ""),
        _worst_of([answer.ud for answer in answers]),
        _worst_of([answer.Fc for answer in answers]),
        _worst_of([answer.bodies for answer in answers]),
        _worst_of([answer.reactions for answer in answers]),
        _worst(answer.invariants for answer in answers),
    )


def _excluded(parts: Sequence[Verification], forms: Sequence[str]) -> tuple[Excluded, ...]:
    """Return the forms that are out of all parts, and those that failed or were late in any."""
    excluded: dict[str, Excluded] = {}
    every = [form for part in parts for form in part.excluded]
    for status in ("failed", OUT_OF_TIME):
        for form in every:
            if form.status == status:
                excluded.setdefault(form.name, form)
    for form in every:
        if form.name not in forms:
            excluded.setdefault(form.name, form)
    return tuple(
        excluded[name] for name in dict.fromkeys(form.name for form in every) if name in excluded
    )


def _largest(tables: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {
        key: max((t[key] for t in tables if key in t), key=lambda x: inf if isnan(x) else x)
        for key in _union(tables)
    }


def _sums(tables: Sequence[Mapping[str, int]]) -> dict[str, int]:
    return {key: sum(table.get(key, 0) for table in tables) for key in _union(tables)}


def _union(collections: Iterable[Iterable[T]]) -> tuple[T, ...]:
    """Return everything once, in the order in which it is met."""
    return tuple(dict.fromkeys(item for each in collections for item in each))
