"""The comparison of forms that have been run: every two of them, each with itself."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.guard import Fault, attempt
from mbx.numerics.execute.execute import REGULAR
from mbx.verify.agreement import mutual_residuals
from mbx.verify.agreement.against_oracle import compare_with_oracle
from mbx.verify.agreement.kinetics import kinetics_of
from mbx.verify.agreement.quantities import (
    body_errors,
    level_errors,
    power_errors,
    reaction_errors,
    unique_multipliers,
)
from mbx.verify.agreement.reference.rounding_sizes import sizes_of
from mbx.verify.agreement.routes import check_routes
from mbx.verify.agreement.small_motions import check_linearisation
from mbx.verify.agreement.state_findings import branches_of, broken_of, conditions_of, points_of
from mbx.verify.arbitration.decide import Arbiter
from mbx.verify.arbitration.judge_errors import Judge, largest_at, worst_error
from mbx.verify.derived_forms import Excluded
from mbx.verify.findings import Error, Pair, judge
from mbx.verify.verification import Verification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.kinetics import Kinetics
    from mbx.verify.findings import OracleComparison, StateRow
    from mbx.verify.verification_work import Work

__all__ = ["compare"]

ENOUGH: Final = 2
"""How many formalisms make an agreement."""
DISPUTED: Final = 2
"""At how many states where forms disagree the oracle answers."""
SKIPPED: Final = 0.2
"""Part of the states at which a form may be singular where others are not."""


def compare(
    work: Work, states: Sequence[StateRow], linked: Linked | None, count: int
) -> Verification:
    """Compare forms that have been run with each other, and at `count` states with the oracle."""
    manifold, points = work.manifold, work.sample.points
    kinetics = work.kinetics = kinetics_of(manifold, points, work.clock) if work.forms else None
    work.sizes = sizes_of(manifold, points, work.results, kinetics, work.clock)
    judges, gone, void = _judges(work)
    witnesses = [k for k, form in enumerate(work.forms) if form.witness and k not in gone]
    kept = [k for k, form in enumerate(work.forms) if not form.witness and k not in gone]
    regular = [r.status == REGULAR for r in work.results]
    compared = np.array([s.status == "compared" for s in states], dtype=bool)
    work.compared = compared
    between = _between(work, kinetics) if kept else {}
    F = len(work.forms)
    pairs = []
    open_at: dict[tuple[str, str, str], Array] = {}
    for a, b in combinations(kept, 2):
        both = compared & regular[a] & regular[b]
        by = [(c, x) for c, x in ((a, b), (b, a)) if c in judges]
        via = not by
        if via:
            by = [(c, x) for c in judges for x in (a, b)]
        else:
            by += [(c, x) for c in witnesses if c in judges for x in (a, b)]
        have_forces = work.results[a].Fc is not None and work.results[b].Fc is not None
        worst = {what: judge.worst(F * a + b, both) for what, judge in between.items()}
        names = work.forms[a].name, work.forms[b].name
        open_at |= {
            (*names, what): judge.at_states(F * a + b, both) for what, judge in between.items()
        }
        errors = [judges[c].at_states(x, both & regular[c]) for c, x in by]
        open_at[*names, "ud"] = np.max([np.zeros(len(both)), *errors], axis=0)
        pairs.append(
            Pair(
                names,
                int(both.sum()),
                _judged(judges, by, both, regular),
                worst["Fc"] if have_forces else None,
                via,
                worst.get("bodies"),
                worst.get("reactions"),
            )
        )
    singles = _singles(work, kinetics) if kept else {}
    single = {
        what: _known({work.forms[k].name: judge.worst(k, compared & regular[k]) for k in kept})
        for what, judge in singles.items()
    }
    self_errors = _known(
        {work.forms[k].name: judges[k].worst(k, compared & regular[k]) for k in kept if k in judges}
    )
    arbiter = Arbiter(work, open_at)
    pairs, self_errors, invariants = arbiter.decide(
        pairs, self_errors, single.get("invariants", {})
    )
    alone = len({work.forms[k].formalism for k in kept}) < ENOUGH
    oracle = None
    if linked is not None and count and kept:
        oracle_states = len(states) if alone else count
        oracle = compare_with_oracle(
            work, linked, states, oracle_states, kinetics, _disputed(pairs)
        )
        if not oracle.refused:
            from mbx.verify.arbitration.arbitration import arbitrate  # where the oracle is used

            oracle = arbitrate(arbiter, linked, oracle)
    doubts = _doubts(work, kept, judges, regular, compared, oracle)
    if any(judge(error) == "undecided" for pair in pairs for _, error in pair.errors()):
        doubts += [f"the arbiter has no result for {reason}" for reason in arbiter.reasons]
    return Verification(
        model=manifold.system.name,
        hash="" if linked is None else linked.hash,
        seed=work.seed,
        forms=tuple(work.forms[k].name for k in kept),
        witnesses=tuple(work.forms[k].name for k in witnesses),
        excluded=(
            *work.excluded,
            *(why for k, why in gone.items() if not work.forms[k].witness),
        ),
        pairs=tuple(pairs),
        own=self_errors,
        invariants=invariants,
        results=arbiter.results(_fitting(work, kept, compared, regular)),
        power=arbiter.power(single.get("power", {})),
        oracle=oracle,
        levels=_levels(work, compared),
        routes=_routes(work, compared),
        linear=check_linearisation(work, [work.forms[k] for k in kept], compared),
        information=_information(work, kept, compared),
        states=tuple(states),
        points=points_of(work, compared),
        conditions=conditions_of(work, kept, compared),
        branches=branches_of(work, compared),
        broken=broken_of(work),
        rejected=work.sample.rejected,
        refused=work.sample.refused,
        drawn={**manifold.values.parameters, **manifold.values.inputs},
        void=void,
        doubts=tuple(doubts),
    )


def _disputed(pairs: Sequence[Pair]) -> list[str]:
    """Return the states with the largest disagreements, a few of them."""
    errors = [e for pair in pairs for _, e in pair.errors() if judge(e) == "disagree"]
    errors.sort(key=lambda e: np.inf if np.isnan(e.value) else e.value, reverse=True)
    return list(dict.fromkeys(e.state for e in errors))[:DISPUTED]


def _judged(
    judges: dict[int, Judge],
    by: Sequence[tuple[int, int]],
    both: NDArray[np.bool_],
    regular: Sequence[NDArray[np.bool_]],
) -> Error | None:
    """Return the worst error of a pair by its judges, each where the judge's equations are regular.

    A state at which none of them is leaves the pair undecided.
    """
    errors = [judges[c].worst(x, both & regular[c]) for c, x in by]
    seen = np.logical_or.reduce([regular[c] for c, _ in by]) if by else both
    errors += [judges[c].worst(x, both & ~seen) for c, x in by]
    return worst_error(errors)


def _judges(work: Work) -> tuple[dict[int, Judge], dict[int, Excluded], int]:
    """Return the forms that judge by residuals, those that fail, and the number of void rows."""
    points, names = work.sample.points, work.sample.names
    judges: dict[int, Judge] = {}
    gone: dict[int, Excluded] = {}
    for k, form in enumerate(work.forms):
        errors = mutual_residuals.residual_errors(
            form, k, work.results, work.manifold.values, points, work.higher, work.sizes, work.clock
        )
        if isinstance(errors, Fault):
            gone[k] = Excluded(form.name, errors.status, f"its residual: {errors.reason}")
        elif errors:
            judges[k] = Judge(errors, names)
    void = sum(e.nothing for judge in judges.values() for e in judge.errors)
    return judges, gone, void


def _between(work: Work, kinetics: Kinetics | None) -> dict[str, Judge]:
    """Return differences between all forms, by what they are of."""
    manifold, points, names = work.manifold, work.sample.points, work.sample.names
    judges = {
        "Fc": Judge(
            [mutual_residuals.force_errors(manifold, points, work.results, work.sizes)], names
        )
    }
    if kinetics is None or not kinetics.paths:
        return judges
    judges["bodies"] = Judge(
        [body_errors(kinetics, points, work.results, work.sizes)], names, forward=True
    )
    paths = sorted({path for result in work.results for path in result.reactions})
    unique = unique_multipliers(manifold, points)
    if paths and unique.any():
        errors = reaction_errors(paths, work.results, kinetics, unique)
        judges["reactions"] = Judge([errors], names, forward=True, partial=True)
    return judges


def _singles(work: Work, kinetics: Kinetics | None) -> dict[str, Judge]:
    """Return errors of each form by itself, by what they are of."""
    manifold, points, names = work.manifold, work.sample.points, work.sample.names
    judges = {}
    if not work.higher:
        errors = mutual_residuals.invariant_errors(manifold, points, work.results, work.sizes)
        judges["invariants"] = Judge([errors], names)
    if kinetics is not None and kinetics.balanced:
        judges["power"] = Judge(
            [power_errors(kinetics, points, work.results, work.sizes)], names, partial=True
        )
    return judges


def _fitting(
    work: Work,
    kept: Sequence[int],
    compared: NDArray[np.bool_],
    regular: Sequence[NDArray[np.bool_]],
) -> dict[str, Error]:
    """Return the largest error of each form's results in each other, where it has results."""
    worst: dict[str, Error | None] = {}
    for k in kept:
        errors = []
        for checked in work.results[k].checked:
            where = compared & regular[k]
            certain = where & ~checked.excusable & ~(checked.value <= mutual_residuals.PASS)
            at = largest_at(checked.value, certain if certain.any() else where)
            if at is not None:
                value, state = float(checked.value[at]), work.sample.names[at]
                excusable = bool(checked.excusable[at])
                errors.append(Error(value, state, checked.label(at), excusable=excusable))
        worst[work.forms[k].name] = worst_error(errors)
    return _known(worst)


def _levels(work: Work, compared: NDArray[np.bool_]) -> dict[str, Error]:
    by_level = level_errors(work.manifold, work.sample.points) if len(work.sample.names) else {}
    judges = {level: Judge([errors], work.sample.names) for level, errors in by_level.items()}
    return _known({level: judge.worst(0, compared) for level, judge in judges.items()})


def _routes(work: Work, compared: NDArray[np.bool_]) -> dict[str, Error]:
    """Return the errors of the inertia forces by every route of Orsino's appendix A."""
    manifold = work.manifold
    if manifold.system.order > 2 or not compared.any():  # noqa: PLR2004
        return {}
    points = work.sample.points.some(compared)
    names = [name for name, ok in zip(work.sample.names, compared, strict=True) if ok]
    route_errors = attempt(
        lambda: check_routes(manifold.system, manifold.values, points), work.clock.left
    )
    if isinstance(route_errors, Fault):
        return {}
    return {error.name: Error(error.value, names[error.state], error.row) for error in route_errors}


def _known(errors: dict[str, Error | None]) -> dict[str, Error]:
    return {name: error for name, error in errors.items() if error is not None}


def _doubts(
    work: Work,
    kept: Sequence[int],
    judges: dict[int, Judge],
    regular: Sequence[NDArray[np.bool_]],
    compared: NDArray[np.bool_],
    oracle: OracleComparison | None,
) -> list[str]:
    """Return why the whole is undecided, whatever the verdicts on the pairs."""
    doubts = []
    judged = oracle is not None and not oracle.refused
    if oracle is not None and oracle.refused:
        doubts.append("the oracle has no answer")
    if not kept or (len({work.forms[k].formalism for k in kept}) < ENOUGH and not judged):
        doubts.append("fewer than two formalisms can be compared")
    elif not judged:
        known = {work.forms[k].formalism for k in judges}
        alone = [k for k in kept if not known - {work.forms[k].formalism}]
        names = [work.forms[k].name for k in alone if not _confirmed(work, k, kept, compared)]
        if names:
            doubts.append(f"no equations of another formalism to judge {', '.join(names)} by")
    doubts += [
        f"result '{meaning}' of form '{work.forms[k].name}' is not checked"
        + (f": {reason}" if reason else "")
        for k in kept
        for meaning, reason in work.results[k].unchecked.items()
    ]
    doubts += [
        f"{x.name} is singular at every state" for x in work.excluded if x.status == "singular"
    ]
    if kept and not compared.any():
        doubts.append("there is no state to compare at")
    for k in kept:
        # a variant that is singular where another of its formalism is not is named at the state
        same_formalism = [
            regular[c] for c in kept if work.forms[c].formalism == work.forms[k].formalism
        ]
        missed = int((compared & ~np.logical_or.reduce(same_formalism)).sum())
        if missed > SKIPPED * compared.sum():
            doubts.append(
                f"{work.forms[k].name} is singular at {missed} of {compared.sum()} states"
            )
    return doubts


def _confirmed(work: Work, k: int, kept: Sequence[int], compared: NDArray[np.bool_]) -> bool:
    """Return whether another formalism gives the very accelerations of a form.

    This decides where no other form's equations can judge it. Accelerations that are not well
    conditioned are not confirmed this way.
    """
    ud = work.results[k].ud[compared]
    for c in kept:
        if work.forms[c].formalism != work.forms[k].formalism:
            other_ud = work.results[c].ud[compared]
            size = np.maximum(np.abs(ud), np.abs(other_ud))
            size = np.maximum(size, np.median(size, axis=0)) if len(size) else size
            if (np.abs(ud - other_ud) <= mutual_residuals.PASS * size).all():
                return True
    return False


def _information(work: Work, kept: Sequence[int], compared: NDArray[np.bool_]) -> dict[str, Error]:
    """Return differences of reactions, relative to the largest entry; they decide nothing.

    Reactions of dependent constraints are not unique.
    """
    differences: dict[str, Error] = {}
    for a, b in combinations(kept, 2):
        first, second = work.results[a].reactions, work.results[b].reactions
        for path in [p for p in first if p in second and first[p].shape == second[p].shape]:
            size = np.maximum(np.abs(first[path]), np.abs(second[path])).max(axis=1, initial=0.0)
            gap = np.abs(first[path] - second[path]).max(axis=1, initial=0.0)
            error = np.where(size > 0, gap / np.where(size > 0, size, 1.0), 0.0)
            k = largest_at(error, compared)
            if k is not None:
                key = f"reaction {path}: {work.forms[a].name}, {work.forms[b].name}"
                differences[key] = Error(float(error[k]), work.sample.names[k])
    return differences
