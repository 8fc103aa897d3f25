"""The forms against the oracle, at a few states: their accelerations in its equations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.guard import Fault, attempt
from mbx.numerics.execute.execute import REGULAR
from mbx.numerics.execute.stacked_algebra import EPS
from mbx.verify.agreement.joint_names import oracle_names
from mbx.verify.agreement.mutual_residuals import EMPTY, NOISE, PASS, worst_rows
from mbx.verify.agreement.quantities import unique_multipliers
from mbx.verify.agreement.reference.term_sizes import even_out
from mbx.verify.findings import Error, OracleComparison, weight

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.kinetics import Kinetics
    from mbx.verify.derived_forms import Result
    from mbx.verify.findings import StateRow
    from mbx.verify.oracle import Answer
    from mbx.verify.verification_work import Work

__all__ = ["compare_with_oracle", "rounding"]

INCONSISTENT: Final = "inconsistent"
"""What the oracle calls a state that is far from its invariants."""
EXACT: Final = 1e-30
"""Part of the full size of a row below which the digits of the oracle end."""
CALM: Final = 1e-5
"""Part of the terms of a row at other states below which a state shows what these hide."""
ALWAYS: Final = 1e-30
"""Times its rounding that a row is at least where it counts: any row but a row of zeros."""
_SIX: Final = 6


def compare_with_oracle(
    work: Work,
    linked: Linked,
    states: Sequence[StateRow],
    count: int,
    kinetics: Kinetics | None,
    disputed: Sequence[str] = (),
) -> OracleComparison:
    """Compare with the oracle at some of the states that were compared at, random states first.

    It also answers at `disputed` states, where forms disagree: it decides who is wrong.
    """
    chosen = _chosen(work, states, count)
    calm = _calm(work, states, chosen)
    chosen += [k for k in calm if k not in chosen]
    chosen += [k for k, n in enumerate(work.sample.names) if n in disputed and k not in chosen]
    if not chosen:
        return OracleComparison(refused="there is no state to ask it at")
    from mbx.verify.oracle import Oracle  # its numbers load only where they count

    oracle = attempt(lambda: Oracle(linked), work.clock.left)
    if isinstance(oracle, Fault):
        return OracleComparison(refused=oracle.reason)
    errors = _WorstErrors()
    names = oracle_names(linked)
    unique = unique_multipliers(work.manifold, work.sample.points)
    with_reactions = kinetics is not None and _has_comparable_reactions(work)
    answered = []
    for k in chosen:
        answer = attempt(
            lambda k=k: oracle.at(
                *_oracle_state(work, k), reactions=with_reactions and bool(unique[k])
            ),  # type: ignore[misc]
            work.clock.left,
        )
        name = work.sample.names[k]
        if isinstance(answer, Fault):
            return OracleComparison(refused=f"at {name}: {answer.reason}")
        _note_invariants(answer, name, errors)
        if answer.status == INCONSISTENT:
            return OracleComparison((name,), invariants=errors.invariants)
        if answer.status != REGULAR:
            return OracleComparison(
                refused=f"it calls {name} {answer.status}, where forms are regular"
            )
        answered.append(name)
        # what is usual at other states excuses nothing where it is calm: the arbiter decides
        _compare_state(work, k, answer, kinetics, errors, empty=ALWAYS if k in calm else EMPTY)
        if with_reactions and unique[k] and kinetics is not None:
            _reactions(work, k, answer, kinetics, names, errors)
    return OracleComparison(
        tuple(answered),
        "",
        errors.ud,
        errors.Fc,
        errors.bodies,
        errors.reactions,
        errors.invariants,
    )


def _has_comparable_reactions(work: Work) -> bool:
    """Return whether reactions can be compared: a form gives them, and joints alone constrain.

    What keeps another invariant, or an element that hangs on no frame, may act on the bodies in
    more ways than one (decision 0013).
    """
    system = work.manifold.system
    plain = all(row.kind in {"loop", "norm"} for row in (*system.rows, *system.closed))
    hung = all(e.joint is not None or e.carrier is not None for e in system.elements)
    return plain and hung and not system.effective and any(r.reactions for r in work.results)


def _chosen(work: Work, states: Sequence[StateRow], count: int) -> list[int]:
    """Return the states to compare at: where most forms are regular, random states first."""
    regular = np.array([r.status == REGULAR for r in work.results]).sum(axis=0)
    usable = [k for k, row in enumerate(states) if row.status == "compared"]
    usable.sort(key=lambda k: (-regular[k], not work.sample.names[k].startswith("random"), k))
    # a fault may act on one side of zero only: the states differ in as many signs as can be
    points = work.sample.points
    signs = np.sign(np.concatenate([points.q, points.u], axis=1))
    chosen = usable[:1]
    while len(chosen) < min(count, len(usable)):
        rest = [k for k in usable if k not in chosen]
        rest = [k for k in rest if work.sample.names[k].startswith("random")] or rest
        apart = {k: min(int((signs[k] != signs[j]).sum()) for j in chosen) for k in rest}
        chosen.append(max(rest, key=apart.__getitem__))
    return chosen


def _calm(work: Work, states: Sequence[StateRow], chosen: Sequence[int]) -> list[int]:
    """Return a state where a row has terms that are far smaller than at the states chosen.

    A stiff bearing is unloaded at the start, and hides at every random state what else acts on
    the mechanism: gravity with the wrong sign is a part of 1e-13 of a bearing of 1e15 N/m.
    """
    known = [result.terms for result in work.results if result.terms is not None]
    if not known or not chosen or not work.manifold.system.u:
        return []
    terms = np.median(known, axis=0)
    # where a row vanishes, its terms are rounding of what they are elsewhere
    terms = np.where(terms > 16 * EPS * np.median(terms, axis=0), terms, np.inf)
    seen = terms[list(chosen)].min(axis=0)
    part = np.divide(terms, seen, out=np.ones_like(terms), where=np.isfinite(seen)).min(axis=1)
    usable = [k for k, row in enumerate(states) if row.status == "compared"]
    calmest = min(usable, key=lambda k: float(part[k]))
    return [calmest] if part[calmest] < CALM else []


def _oracle_state(
    work: Work, k: int
) -> tuple[dict[str, float], float, Mapping[str, float], Mapping[str, float]]:
    """Return a state as the oracle takes it: variables by path, time, parameters, inputs."""
    values = work.manifold.values
    return work.state(k), float(work.sample.points.t[k]), values.parameters, values.inputs


@dataclass(slots=True)
class _WorstErrors:
    """The worst errors so far."""

    ud: dict[str, Error] = field(default_factory=dict)
    Fc: dict[str, Error] = field(default_factory=dict)
    bodies: dict[str, Error] = field(default_factory=dict)
    reactions: dict[str, Error] = field(default_factory=dict)
    invariants: Error | None = None


def _keep(known: dict[str, Error], form: str, error: Error) -> None:
    """Keep the worse of two errors; a certain error is worse than any that may be rounding."""
    old = known.get(form)
    if old is None or weight(error) > weight(old):
        known[form] = error


def _compare_state(
    work: Work,
    k: int,
    answer: Answer,
    kinetics: Kinetics | None,
    errors: _WorstErrors,
    *,
    empty: float,
) -> None:
    name = work.sample.names[k]
    paths = [v.path for v in work.manifold.system.u]
    uds = [r.ud[k] for r in work.results if r.status[k] == REGULAR]
    scale = float(np.median([np.abs(ud).max(initial=1.0) for ud in uds]))
    scale = max(scale, float((work.sample.points.u[k] ** 2).max(initial=0.0)))
    full: dict[str, float] = {}
    for label, _, size in answer.residuals(dict.fromkeys(paths, scale)):
        full[label] = max(float(size), full.get(label, 0.0))
    bound = rounding(answer, paths, work.sizes.ud[k])
    for form, result in zip(work.forms, work.results, strict=True):
        if result.status[k] != REGULAR or form.witness:
            continue
        rows = answer.residuals(_unknowns(result, paths, k))
        _keep(errors.ud, form.name, replace(_row_error(rows, full, bound, empty), state=name))
        if result.Fc is not None and answer.Fc is not None:
            error = _force_error(work, k, result.Fc[k], answer.Fc)
            _keep(errors.Fc, form.name, replace(error, state=name))
        if kinetics is not None:
            error = _body_error(work, kinetics, k, result.ud, answer)
            _keep(errors.bodies, form.name, replace(error, state=name, forward=True))


def _unknowns(result: Result, paths: Sequence[str], k: int) -> dict[str, float]:
    """Return the accelerations of a form at a state, and declared variables of order 2 and more."""
    unknowns = dict(zip(paths, map(float, result.ud[k]), strict=True))
    return unknowns | {path: float(value[k]) for path, value in result.quasi.items()}


def _reactions(
    work: Work,
    k: int,
    answer: Answer,
    kinetics: Kinetics,
    names: Mapping[str, str],
    errors: _WorstErrors,
) -> None:
    """Compare the reactions that forms give with those of the oracle, joint by joint."""
    state = work.sample.names[k]
    ud = work.results[0].ud
    for form, result in zip(work.forms, work.results, strict=True):
        if result.status[k] != REGULAR or form.witness:
            continue
        for path, values in result.reactions.items():
            theirs = answer.reactions.get(names.get(path, ""))
            mine = values[k]
            if theirs is None or len(mine) != _SIX or not np.isfinite(mine).any():
                continue
            gap = np.nan_to_num(mine - np.array([float(x) for x in theirs]))
            loads = np.repeat([float(x[k]) for x in kinetics.loads(ud, path)], _SIX // 2)
            size = np.maximum(np.abs(np.nan_to_num(mine)), loads)
            # where nothing acts, what is left is rounding of what acts when it moves
            even = even_out(ud, work.sample.points)
            full = np.repeat([float(x[k]) for x in kinetics.loads(even, path)], _SIX // 2)
            labels = tuple(f"{path}.{what}.{c}" for what in ("force", "torque") for c in "xyz")
            error = _worst(gap, size, full, np.zeros(_SIX), labels)
            _keep(errors.reactions, form.name, replace(error, state=state, forward=True))


def _note_invariants(answer: Answer, name: str, errors: _WorstErrors) -> None:
    """Keep what a state leaves of the invariants as the oracle reads them, if it is worse."""
    worst = Error(0.0, name)
    for path, levels in answer.invariants.items():
        for level in levels:
            if not abs(float(level)) <= worst.value:
                worst = Error(abs(float(level)), name, path)
    if worst.value > PASS:  # the state was brought onto the invariants as the forms read them
        worst = replace(worst, arbiter="different")
    if errors.invariants is None or not errors.invariants.value >= worst.value:
        errors.invariants = worst


def rounding(answer: Answer, paths: Sequence[str], moved: Array) -> dict[str, float]:
    """Return how far each of the oracle's equations moves with the accelerations, by label."""
    still = dict.fromkeys(paths, 0.0)
    before = {label: float(size) for label, _, size in answer.residuals(still)}
    rows = answer.residuals(dict(zip(paths, map(float, moved), strict=True)))
    return {label: max(0.0, float(size) - before.get(label, 0.0)) for label, _, size in rows}


def _row_error(
    rows: Sequence[tuple[str, Any, Any]],
    full: Mapping[str, float],
    bound: Mapping[str, float],
    empty: float,
) -> Error:
    """Return the largest quotient of residual and magnitude, as chapter 7.2 has it."""
    r, size = (np.array([abs(float(row[k])) for row in rows]) for k in (1, 2))
    labels = tuple(row[0] for row in rows)
    whole, moved = (np.array([of.get(label, 0.0) for label in labels]) for of in (full, bound))
    return _worst(r, size, whole, moved, labels, empty)


def _force_error(work: Work, k: int, mine: Array, theirs: Mapping[str, Any]) -> Error:
    """Return the largest difference of constraint forces, relative to the terms of the row."""
    labels = tuple(v.path for v in work.manifold.system.u)
    other = np.array([float(theirs[path]) for path in labels])
    sizes = work.sizes
    terms = np.abs(other) if sizes.terms is None else np.maximum(sizes.terms[k], np.abs(other))
    gap = work.without_norms(k, mine - other)
    full = np.full(len(labels), NOISE / PASS * max(terms.max(initial=0.0), sizes.largest[k]))
    return _worst(gap, terms, full, sizes.Fc[k], labels)


def _body_error(work: Work, kinetics: Kinetics, k: int, ud: Array, answer: Answer) -> Error:
    """Return the largest difference of accelerations of bodies, relative to their terms."""
    value, size = (x[k] for x in kinetics.accelerations(ud))
    full = kinetics.accelerations(even_out(ud, work.sample.points))[1][k]
    theirs = np.full(len(value), np.nan)
    for j, path in enumerate(kinetics.paths):
        if path in answer.bodies:  # else it has no inertia
            theirs[_SIX * j : _SIX * (j + 1)] = [float(x) for x in answer.bodies[path]]
    known = np.isfinite(theirs)
    labels = tuple(str(label) for label in np.array(kinetics.labels)[known])
    moved = kinetics.moved(work.sizes.ud, ud)[k]
    full = np.full(len(full), NOISE / PASS * full.max(initial=0.0))
    gap, size, full, moved = (row[known] for row in (value - theirs, size, full, moved))
    return _worst(gap, size, full, moved, labels, empty=np.inf)


def _worst(
    gap: Array,
    size: Array,
    full: Array,
    bound: Array,
    labels: tuple[str, ...],
    empty: float = EMPTY,
) -> Error:
    """Return the worst of the rows, by the rules for those between forms."""
    # the oracle is exact, but not to all of its digits; where rounding in doubles is known, that
    # is more, and depends on nothing that the row is not connected with
    bound = np.where(bound > 0, bound, EXACT * full)
    arrays = np.abs(gap)[None, None], size[None, None], full[None], bound[None]
    errors = worst_rows(*arrays, np.ones((1, 1), dtype=bool), labels, empty)
    label = errors.label(0, 0) if labels else ""
    return Error(float(errors.value[0, 0]), row=label, excusable=bool(errors.excusable[0, 0]))
