"""The whole of a verification: forms, states, comparisons."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.guard import Clock, Fault, attempt
from mbx.formalism import registry
from mbx.numerics.execute.execute import REGULAR
from mbx.numerics.states.manifold import Manifold
from mbx.numerics.states.sample import draw_values, given, special
from mbx.numerics.states.spread import NEAREST, Spread
from mbx.verify.agreement.compare_forms import compare
from mbx.verify.agreement.reference.reference_numbers import Doubles, Reference
from mbx.verify.agreement.state_counts import count_states, kind_of, shortfalls
from mbx.verify.derived_forms import (
    Candidate,
    Excluded,
    Form,
    Result,
    candidates,
    complete_states,
    derive,
    derive_all,
    evaluate,
)
from mbx.verify.findings import StateRow
from mbx.verify.verification_work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.formalism.equations import Equations
    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.complete import StatePoint
    from mbx.numerics.states.sample import Sample
    from mbx.system.system import System
    from mbx.verify.verification import Verification

__all__ = ["EACH", "Options", "verify_system"]

EACH: Final = 120.0
"""Seconds that a form may take for a piece of work."""
BRANCH: Final = 8
"""How many states each assembly needs that the model distinguishes."""
ROUNDS: Final = 3
"""How often singular random states are replaced."""
WITNESSES: Final = ("lagrange", "newton_euler")
"""Forms with residuals, to judge by where the requested forms have too few."""
ENOUGH: Final = 2
"""How many formalisms must be there, and have residuals."""
_BLOCKED: Final = frozenset({"singular", "jamming"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The request of a verification.

    Attributes:
        forms: Which forms; all, if none is named.
        states: How many random states.
        oracle: At how many states the oracle answers.
        seed: Where random numbers start.
        timeout: How many seconds of CPU time it may take.
        points: States to compare at, instead of random states.
        references: Whether the experiments of the model are run, for what they expect.
        progress: Hears what is done.
    """

    forms: tuple[str, ...] = ()
    states: int = 16
    oracle: int = 2
    seed: int = 1
    timeout: float = 300.0
    points: tuple[StatePoint, ...] = ()
    references: bool = True
    progress: Callable[[str], None] = field(default=lambda _: None)


def verify_system(system: System, options: Options, linked: Linked | None = None) -> Verification:
    """Compare the forms of a system, and with the oracle if the linked model is given."""
    clock = Clock.of(options.timeout, EACH)
    chosen = candidates(system, options.forms, clock)
    derived = derive_all(system, chosen, clock, options.progress)
    forms = [form for form in derived if isinstance(form, Form)]
    excluded = [form for form in derived if isinstance(form, Excluded)]
    forms += _witnesses(system, forms, clock)
    rng = np.random.default_rng(options.seed)
    manifold = Manifold(system, draw_values(system, rng))
    options.progress("drawing states")
    spread = Spread(manifold, options.seed)
    if options.points:
        sample = given(manifold, options.points)
    else:
        sample = special(manifold, rng, spread.rest()).and_then(spread.draw(options.states))
        sample = spread.branches(sample, min(BRANCH, options.states))
    work = Work(manifold, sample, clock, options.seed, forms, excluded)
    work.given_higher = _given_higher(work, options.points)
    options.progress("comparing")
    requested = 0 if options.points else options.states
    states = _settle(work, spread, requested)
    whole = compare(work, states, linked, options.oracle)
    if clock.left <= 0:
        late = f"it takes more than {options.timeout:g} s of CPU time"
        whole = replace(whole, doubts=(*whole.doubts, late))
    counts = count_states(work, spread.sizes, states, whole.forms, requested, options.oracle)
    if whole.forms and not options.points:
        doubts = shortfalls(work, states, counts)
        whole = replace(whole, doubts=(*whole.doubts, *doubts))
    whole = replace(whole, counts=counts)
    if linked is None or not options.references or not whole.forms:
        return whole
    options.progress("running experiments")
    known = {form.name: form.equations for form in work.forms if form.name in whole.forms}
    return with_references(whole, linked, system, known, clock, named=bool(options.forms))


def _given_higher(work: Work, points: Sequence[StatePoint]) -> dict[str, Array]:
    """Return the accelerations that belong to given states, by path, where these have such."""
    known = {point.name: point.values for point in points}
    system = work.manifold.system
    lower = {v.path for v in (*system.q, *system.u)}
    paths = [path for path in next(iter(known.values()), {}) if path not in lower]
    return {p: np.array([known[name][p] for name in work.sample.names]) for p in paths}


def _witnesses(system: System, forms: Sequence[Form], clock: Clock) -> list[Form]:
    """Return forms to judge by: equations must be confirmed by those of another formalism."""
    known = {form.formalism for form in forms if form.equations.residuals}
    witnesses: list[Form] = []
    if len({form.formalism for form in forms}) < ENOUGH:
        return witnesses
    for name in registry.names():
        if name in WITNESSES and name not in known and len(known) < ENOUGH:
            form = _derived(system, name, clock)
            if form is not None:
                witnesses.append(form)
                known.add(name)
    return witnesses


def _derived(system: System, name: str, clock: Clock) -> Form | None:
    (candidate,) = candidates(system, (name,), clock)
    form = derive(system, candidate, clock) if isinstance(candidate, Candidate) else candidate
    return replace(form, witness=True) if isinstance(form, Form) else None


def _settle(work: Work, spread: Spread, count: int) -> list[StateRow]:
    """Run all forms; replace random states that are singular by nearer states, a few times."""
    last = count
    for k in range(ROUNDS + 1):
        _run_forms(work)
        usable, states = _classified(work)
        random = np.array([kind_of(n) == "random" for n in work.sample.names], dtype=bool)
        missing = count - int((usable & random).sum())
        if missing <= 0 or k == ROUNDS or not work.forms:
            break
        more = spread.draw(missing, first=last + 1, reach=min(k, NEAREST))
        last += missing
        if not more.names:
            break
        work.sample = work.sample.and_then(more)
    return states


def _run_forms(work: Work) -> None:
    values, points, clock = work.manifold.values, work.sample.points, work.clock
    work.higher = work.given_higher or complete_states(work.forms, values, points, work.seed, clock)
    forms, work.forms, work.results = work.forms, [], []
    reference = Reference(work.programs, work.manifold, Doubles(work.manifold, points, work.higher))
    for form in forms:
        result = evaluate(
            form,
            values,
            points,
            work.higher,
            clock,
            None if form.witness else reference,
        )
        if not isinstance(result, Excluded):
            work.forms.append(form)
            work.results.append(result)
        elif not form.witness:
            work.excluded.append(result)


def _classified(work: Work) -> tuple[NDArray[np.bool_], list[StateRow]]:
    """Return at which states forms can be compared, and what becomes of each state.

    A form that is singular everywhere takes no part. A form that fails where another formalism
    has a result is out, for a missing result is no agreement.
    """
    sample = work.sample
    sound = _full_rank(work.manifold, sample)
    gone: dict[int, Excluded] = {}
    regular = _regular(work)
    for k, (form, result) in enumerate(zip(work.forms, work.results, strict=True)):
        rivals = [j for j, f in enumerate(work.forms) if f.formalism != form.formalism]
        expected = sound & regular[rivals].any(axis=0)
        missed = expected & ~regular[k]
        kinds = set(result.status[missed])
        if kinds - _BLOCKED:
            at = np.flatnonzero(missed & ~np.isin(result.status, list(_BLOCKED)))
            gone[k] = Excluded(
                form.name, "failed", f"{result.status[at[0]]} at {sample.names[at[0]]}"
            )
        elif missed.any() and not regular[k].any():
            gone[k] = Excluded(form.name, "singular", f"at all {len(sample.names)} states")
    work.drop(gone)
    regular = _regular(work)
    usable = sound & (regular.any(axis=0) if len(regular) else False)
    states = []
    branches = list(work.manifold.system.branches)
    member = work.manifold.belongs(sample.points)
    for k, name in enumerate(sample.names):
        note = sample.notes[k]
        if not usable[k]:
            status = "singular" if not sound[k] else _common(work.results, k)
        else:
            status = "compared"
            blocked = [
                form.name
                for form, ok in zip(work.forms, regular[:, k], strict=True)
                if not ok and not form.witness
            ]
            if blocked:
                note = "; ".join(x for x in (note, f"singular for {', '.join(blocked)}") if x)
        branch = ", ".join(b for b, ok in zip(branches, member[k], strict=True) if ok)
        states.append(StateRow(name, status, note, branch))
    every = usable & (regular.all(axis=0) if len(regular) else False)
    return every if every.any() else usable, states


def _regular(work: Work) -> NDArray[np.bool_]:
    """Return where each form is regular, (forms, states); there may be none of either."""
    shape = len(work.results), len(work.sample.names)
    return np.array([r.status == REGULAR for r in work.results], dtype=bool).reshape(shape)


def _common(results: Sequence[Result], k: int) -> str:
    return str(results[0].status[k]) if results else "not compared"


def _full_rank(manifold: Manifold, sample: Sample) -> NDArray[np.bool_]:
    """Return where the invariants have the rank that they have at most."""
    ranks = manifold.ranks(sample.points)
    return np.asarray((ranks >= 0) & (ranks == ranks.max(initial=0)))


def with_references(
    verification: Verification,
    linked: Linked,
    system: System,
    forms: Mapping[str, Equations],
    clock: Clock,
    *,
    named: bool = False,
) -> Verification:
    """Return a verification with the references of the model, as far as the time allows.

    Of forms that were `named` by the user, nothing is required that none of them gives. A run that
    ends before its time is a doubt, whether something is expected of it or not.
    """
    from mbx.analyses.experiments.judge_expectations import (
        NOT_GIVEN,  # only where there are experiments
    )
    from mbx.analyses.experiments.run_references import outcome_of

    left = clock.end - time.process_time()
    run = attempt(lambda: outcome_of(linked, forms, system=system, total=left), left)
    if isinstance(run, Fault):
        return replace(verification, doubts=(*verification.doubts, f"experiments: {run.reason}"))
    references = tuple(
        reference for reference in run.references if not (named and reference.reason == NOT_GIVEN)
    )
    reasons = {reference.reason for reference in references}
    doubts = [
        f"experiment '{name}': {why}" for name, why in run.ended.items() if why not in reasons
    ]
    return replace(verification, references=references, doubts=(*verification.doubts, *doubts))
