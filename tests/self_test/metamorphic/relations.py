"""The metamorphic relations: what is changed, and what must hold afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.execute.execute import REGULAR
from mbx.numerics.states.manifold import Values
from mbx.numerics.states.sample import sizes_of
from mbx.verify.agreement.mutual_residuals import PASS
from self_test.metamorphic.decoy import PARTICLE, SPRING, beside
from self_test.metamorphic.edit import (
    NotApplicableHereError,
    Variant,
    bare_model,
)
from self_test.metamorphic.evaluate_relation import Results, prepare, results_at
from self_test.metamorphic.gravity import require_linear, weighted
from self_test.metamorphic.hint_relation import without_hints, without_setup
from self_test.metamorphic.measure_relation import Claim, Gap, Spoken, claim_of, gaps
from self_test.metamorphic.parity import require_reversible
from self_test.metamorphic.permute import renamed, reversed_order, shuffled_order
from self_test.metamorphic.question import ORACLE
from self_test.metamorphic.rescale import in_degrees, in_other_units
from self_test.metamorphic.rotate import rotated
from self_test.metamorphic.similar import similar
from self_test.metamorphic.writing import as_json, as_text, backwards, flattened
from self_test.mutants import FEW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.linking.link import Linked
    from mbx.verify.derived_forms import Result
    from self_test.metamorphic.question import Question

__all__ = ["METAMORPHIC", "Metamorphic", "same"]

_PLAIN: Final = 2


@dataclass(frozen=True, slots=True)
class Metamorphic:
    """A change with its name, what must hold, and what looks whether it does."""

    name: str
    holds: str
    gaps: Callable[[Question], Iterator[Gap]]
    bound: float = PASS


# -- changes of the model -------------------------------------------------------------------------


def same(make: Callable[[Question], Variant]) -> Callable[[Question], Iterator[Gap]]:
    """Return a check that a changed model gives the same results."""

    def look(question: Question) -> Iterator[Gap]:
        return _compared(question, make(question))

    return look


def _linked(change: Callable[[Linked], Variant]) -> Callable[[Question], Iterator[Gap]]:
    return same(lambda question: change(question.linked))


def _turned_world(question: Question) -> Variant:
    return rotated(question.linked, sizes_of(question.results.manifold).length)


def _compared(question: Question, variant: Variant) -> Iterator[Gap]:
    if variant.identity:
        yield from _identity(question.linked, variant.linked)
    base = question.results.only(FEW) if variant.written else question.results
    known = base.forms if variant.written else None
    other = question.at(prepare(variant.linked, question.clock, known), variant.names)
    claim = claim_of(base, other, variant.names, variant.turn)
    yield from gaps(base, claim, question.clock)


def _identity(linked: Linked, other: Linked) -> Iterator[Gap]:
    one, two = bare_model(linked), bare_model(other)
    if one.canonical != two.canonical:
        yield Gap("", "identity", "", np.inf, "its canonical form is another one")
    if one.experiment_hash != two.experiment_hash:
        yield Gap("", "identity", "", np.inf, "its start values, ranges or states are others")


def _nothing(question: Question) -> Iterator[Gap]:
    """Derive and run everything a second time: nothing at all may change."""
    other = question.at(prepare(question.linked, question.clock), _itself)
    base = question.results
    yield from gaps(base, claim_of(base, other, _itself, None), question.clock)
    for name, mine in base.forms.items():
        theirs = other.forms.get(name)
        if theirs is not None and not _identical(mine, theirs):
            yield Gap(name, "ud", "", np.inf, "the same once more gives other numbers")
    for said, again in zip(base.answers, other.answers, strict=True):
        if {p: float(x) for p, x in said.ud.items()} != {p: float(x) for p, x in again.ud.items()}:
            yield Gap("oracle", "ud", "", np.inf, "the same once more gives other numbers")


def _identical(one: Result, other: Result) -> bool:
    same = np.array_equal(one.ud, other.ud, equal_nan=True)
    if one.Fc is None or other.Fc is None:
        return same and one.Fc is other.Fc
    return same and np.array_equal(one.Fc, other.Fc, equal_nan=True)


# -- changes of what is asked ---------------------------------------------------------------------


def _backwards(question: Question) -> Iterator[Gap]:
    """Reverse all speeds: where the motion can be reversed, accelerations stay the same."""
    base = question.results
    if base.manifold.system.order > _PLAIN:
        raise NotApplicableHereError("it is a programme, whose state has accelerations")
    require_reversible(question.linked)
    speeds = set(base.speeds)
    states = [
        replace(one, values={p: -x if p in speeds else x for p, x in one.values.items()})
        for one in question.states
    ]
    inputs = {p: -x if p.count("'") % 2 else x for p, x in question.values.inputs.items()}
    values = Values(question.values.parameters, inputs)
    other = results_at(base.prepared, values, states, question.clock, oracle=ORACLE, higher={})
    claim = claim_of(base, other, _itself, None)
    yield from gaps(base, claim, question.clock)


def _superposed(question: Question) -> Iterator[Gap]:
    """Add a second field of gravity: accelerations are affine in both."""
    system = question.results.manifold.system
    if system.order > _PLAIN:
        raise NotApplicableHereError("it is a programme, whose unknowns are no accelerations")
    if not system.elements:
        raise NotApplicableHereError("gravity has nothing to act on")
    require_linear(question.linked)
    linked, weights = weighted(question.linked)
    prepared = prepare(linked, question.clock)

    def under(first: float, second: float) -> Results:
        chosen = {one: first for one, _ in weights} | {other: second for _, other in weights}
        values = Values({**question.values.parameters, **chosen}, question.values.inputs)
        return results_at(
            prepared, values, question.states, question.clock, oracle=ORACLE, higher={}
        )

    none, one, other, both = (under(a, b) for a, b in ((0, 0), (1, 0), (0, 1), (1, 1)))
    pulled = any(element.gravity is not None for element in system.elements)
    before, same_again = question.results, one if pulled else none
    yield from gaps(before, claim_of(before, same_again, _itself, None), question.clock)
    yield from gaps(both, _sum(both, one, other, none), question.clock)


def _itself(path: str) -> str:
    return path


def _sum(both: Results, one: Results, other: Results, none: Results) -> Claim:
    """Return one plus other minus none, of all results."""
    forms = {}
    for name in both.forms:
        a, b, c = (r.forms.get(name) for r in (one, other, none))
        if a is not None and b is not None and c is not None:
            Fc = None if a.Fc is None or b.Fc is None or c.Fc is None else a.Fc + b.Fc - c.Fc
            status = np.where(a.status == REGULAR, b.status, a.status)
            status = np.where(status == REGULAR, c.status, status)
            forms[name] = replace(a, status=status, ud=a.ud + b.ud - c.ud, Fc=Fc)
    said = [claim_of(both, r, _itself, None).oracle for r in (one, other, none)]
    oracle = [_sum_spoken(*three) for three in zip(*said, strict=True)]
    return Claim(forms, {}, None, oracle)


def _sum_spoken(a: Spoken, b: Spoken, c: Spoken) -> Spoken:
    wrong = [x.status for x in (a, b, c) if x.status != REGULAR]
    if wrong:
        return Spoken(wrong[0], {}, None, {})
    Fc = None
    if a.Fc is not None and b.Fc is not None and c.Fc is not None:
        Fc = {p: a.Fc[p] + b.Fc[p] - c.Fc[p] for p in a.Fc}
    ud = {p: a.ud[p] + b.ud[p] - c.ud[p] for p in a.ud}
    return Spoken(REGULAR, ud, Fc, {p: a.bodies[p] + b.bodies[p] - c.bodies[p] for p in a.bodies})


METAMORPHIC: Final = (
    Metamorphic("null", "the same model once more gives the same numbers", _nothing),
    Metamorphic(
        "reverse",
        "statements backwards: the same accelerations and forces, by path",
        _linked(reversed_order),
    ),
    Metamorphic("shuffle", "statements shuffled: likewise", _linked(shuffled_order)),
    Metamorphic("rename", "other names: likewise, by the new names", _linked(renamed)),
    Metamorphic(
        "units",
        "mm, g, ms: the same in SI, and the same identity where all numbers are fractions",
        _linked(in_other_units),
    ),
    Metamorphic(
        "degrees", "mm, g, ms, and degrees for radians: the same in SI", _linked(in_degrees)
    ),
    Metamorphic(
        "rotate",
        "the world shifted and turned: the same for all speeds, bodies turned along",
        same(_turned_world),
    ),
    Metamorphic("hints", "no hints: the same", _linked(without_hints)),
    Metamorphic("setup", "no hints, starts, ranges, states: the same", _linked(without_setup)),
    Metamorphic(
        "json",
        "written as JSON: the same bytes of identity, the same results",
        same(lambda q: as_json(q.document, q.name)),
    ),
    Metamorphic("text", "written as text: likewise", same(lambda q: as_text(q.document, q.name))),
    Metamorphic("flatten", "flattened first: likewise", _linked(flattened)),
    Metamorphic(
        "file",
        "models, experiments and statements of the file backwards: the same, by path",
        same(lambda q: backwards(q.document, q.name)),
    ),
    Metamorphic("time", "speeds reversed: the same accelerations and forces", _backwards),
    Metamorphic(
        "particle",
        "1e-12 kg pushed by 1000 N beside it: the same, and errors are judged to be as large",
        beside(PARTICLE),
    ),
    Metamorphic("spring", "100 g on 1e9 N/m beside it: likewise", beside(SPRING)),
    Metamorphic(
        "small",
        "masses times 1e-9: the same but for this factor",
        similar(Fraction(1, 10**9), Fraction(1)),
    ),
    Metamorphic(
        "large",
        "masses times 1e24: likewise",
        similar(Fraction(10**24), Fraction(1)),
    ),
    Metamorphic(
        "gravity", "a sum of two fields of gravity: the sum of what each does", _superposed
    ),
)
"""All checks, the simplest first."""
