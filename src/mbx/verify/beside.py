"""The forms beside the oracle, at a few states: their accelerations in its equations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.formalism.execute import REGULAR
from mbx.verify.agree import NOISE, PASS, even_out
from mbx.verify.findings import Beside, Error
from mbx.verify.guard import Fault, attempt
from mbx.verify.joints import oracle_names
from mbx.verify.quantities import unique_multipliers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.assembly.manifold import Points
    from mbx.formalism.numerics import Array
    from mbx.link.linked import Linked
    from mbx.verify.findings import StateRow
    from mbx.verify.kinetics import Kinetics
    from mbx.verify.oracle import Answer
    from mbx.verify.work import Work

__all__ = ["ask"]

INCONSISTENT: Final = "inconsistent"
"""What the oracle calls a state that is far from its invariants."""
_SIX: Final = 6


def ask(
    work: Work, linked: Linked, states: Sequence[StateRow], count: int, kinetics: Kinetics | None
) -> Beside:
    """Ask the oracle at some of the states that were compared at, random ones first."""
    chosen = _chosen(work, states, count)
    if not chosen:
        return Beside(refused="there is no state to ask it at")
    from mbx.verify.oracle import Oracle  # noqa: PLC0415  its numbers load only where they count

    oracle = attempt(lambda: Oracle(linked), work.clock.left)
    if isinstance(oracle, Fault):
        return Beside(refused=oracle.reason)
    found = _Found()
    names = oracle_names(linked)
    unique = unique_multipliers(work.manifold, work.sample.points)
    given = kinetics is not None and _held_by_joints(work)
    asked = []
    for k in chosen:
        answer = attempt(
            lambda k=k: oracle.at(*_given(work, k), reactions=given and bool(unique[k])),  # type: ignore[misc]
            work.clock.left,
        )
        name = work.sample.names[k]
        if isinstance(answer, Fault):
            return Beside(refused=f"at {name}: {answer.reason}")
        _note_invariants(answer, name, found)
        if answer.status == INCONSISTENT:
            return Beside((name,), invariants=found.invariants)
        if answer.status != REGULAR:
            return Beside(refused=f"it calls {name} {answer.status}, where forms are regular")
        asked.append(name)
        _beside(work, k, answer, kinetics, found)
        if given and unique[k] and kinetics is not None:
            _reactions(work, k, answer, kinetics, names, found)
    return Beside(
        tuple(asked), "", found.ud, found.Fc, found.bodies, found.reactions, found.invariants
    )


def _held_by_joints(work: Work) -> bool:
    """Return whether reactions can be compared: some form gives them, and joints alone hold.

    What keeps another invariant, or an element that hangs on no frame, may act on the bodies in
    more ways than one (decision 0013).
    """
    system = work.manifold.system
    plain = all(row.kind in {"loop", "norm"} for row in (*system.rows, *system.closed))
    hung = all(e.joint is not None or e.carrier is not None for e in system.elements)
    return plain and hung and not system.effective and any(r.reactions for r in work.results)


def _chosen(work: Work, states: Sequence[StateRow], count: int) -> list[int]:
    """Return the states to ask at: where most forms are regular, random ones first."""
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


def _given(
    work: Work, k: int
) -> tuple[dict[str, float], float, Mapping[str, float], Mapping[str, float]]:
    """Return a state as the oracle takes it: variables by path, time, parameters, inputs."""
    values = work.manifold.values
    return work.state(k), float(work.sample.points.t[k]), values.parameters, values.inputs


@dataclass(slots=True)
class _Found:
    """The worst errors so far."""

    ud: dict[str, Error] = field(default_factory=dict)
    Fc: dict[str, Error] = field(default_factory=dict)
    bodies: dict[str, Error] = field(default_factory=dict)
    reactions: dict[str, Error] = field(default_factory=dict)
    invariants: Error | None = None


def _keep(known: dict[str, Error], form: str, error: Error) -> None:
    """Keep the worse of two errors; what is no number is worst."""
    old = known.get(form)
    if old is None or not old.value >= error.value:
        known[form] = error


def _beside(work: Work, k: int, answer: Answer, kinetics: Kinetics | None, found: _Found) -> None:
    name = work.sample.names[k]
    paths = [v.path for v in work.manifold.system.u]
    found_ud = [r.ud[k] for r in work.results if r.status[k] == REGULAR]
    scale = float(np.median([np.abs(ud).max(initial=1.0) for ud in found_ud]))
    scale = max(scale, float((work.sample.points.u[k] ** 2).max(initial=0.0)))
    full: dict[str, float] = {}
    for label, _, size in answer.residuals(dict.fromkeys(paths, scale)):
        full[label] = max(float(size), full.get(label, 0.0))
    for form, result in zip(work.forms, work.results, strict=True):
        if result.status[k] != REGULAR or form.witness:
            continue
        rows = answer.residuals(dict(zip(paths, map(float, result.ud[k]), strict=True)))
        error = _row_error(rows, full)
        _keep(found.ud, form.name, Error(error.value, name, error.row))
        if result.Fc is not None and answer.Fc is not None:
            value = _force_error(work, k, result.Fc[k], answer.Fc)
            _keep(found.Fc, form.name, Error(value.value, name, value.row))
        if kinetics is not None:
            value = _body_error(kinetics, work.sample.points, k, result.ud, answer)
            _keep(found.bodies, form.name, Error(value.value, name, value.row, forward=True))


def _reactions(
    work: Work,
    k: int,
    answer: Answer,
    kinetics: Kinetics,
    names: Mapping[str, str],
    found: _Found,
) -> None:
    """Compare the reactions that forms give with those of the oracle, joint by joint."""
    state = work.sample.names[k]
    force, torque = (float(x[k]) for x in kinetics.loads(work.results[0].ud))
    reach = float(kinetics.reach[k])
    # where nothing acts, what is left is rounding of what acts when it moves
    even = even_out(work.results[0].ud, work.sample.points)
    full = [float(x[k]) for x in kinetics.loads(even)]
    whole = full[0] * max(reach, 1.0) + full[1] / min(reach, 1.0)
    for form, result in zip(work.forms, work.results, strict=True):
        if result.status[k] != REGULAR or form.witness:
            continue
        for path, values in result.reactions.items():
            theirs = answer.reactions.get(names.get(path, ""))
            mine = values[k]
            if theirs is None or len(mine) != _SIX or not np.isfinite(mine).any():
                continue
            gap = np.nan_to_num(mine - np.array([float(x) for x in theirs]))
            loads = [force + torque / reach] * 3 + [torque + force * reach] * 3
            size = np.maximum(np.abs(np.nan_to_num(mine)), loads)
            labels = [f"{path}.{what}.{c}" for what in ("force", "torque") for c in "xyz"]
            error = _largest(gap, size, labels, whole)
            _keep(found.reactions, form.name, Error(error.value, state, error.row, forward=True))


def _note_invariants(answer: Answer, name: str, found: _Found) -> None:
    """Keep what a state leaves of the invariants as the oracle reads them, if it is worse."""
    worst = Error(0.0, name)
    for path, levels in answer.invariants.items():
        for level in levels:
            if not abs(float(level)) <= worst.value:
                worst = Error(abs(float(level)), name, path)
    if worst.value > PASS:  # the state was brought onto the invariants as the forms read them
        worst = replace(worst, arbiter="different")
    if found.invariants is None or not found.invariants.value >= worst.value:
        found.invariants = worst


def _row_error(rows: Sequence[tuple[str, Any, Any]], full: Mapping[str, float]) -> Error:
    """Return the largest quotient of residual and magnitude, as chapter 7.2 has it."""
    worst = Error(0.0)
    for label, residual, size in rows:
        r, magnitude, whole = abs(float(residual)), float(size), full.get(label, 0.0)
        if r <= PASS * whole:
            magnitude = max(magnitude, whole)
        value = r / magnitude if magnitude > 0 else (np.inf if r > 0 else 0.0)
        if not value <= worst.value:
            worst = Error(float(value), "", label)
    return worst


def _force_error(work: Work, k: int, mine: Array, theirs: Mapping[str, Any]) -> Error:
    """Return the largest difference of constraint forces, relative to the terms of the row."""
    labels = tuple(v.path for v in work.manifold.system.u)
    other = np.array([float(theirs[path]) for path in labels])
    terms = np.abs(other) if work.terms is None else work.terms[k]
    return _largest(work.without_norms(k, mine - other), np.maximum(terms, np.abs(other)), labels)


def _body_error(kinetics: Kinetics, points: Points, k: int, ud: Array, answer: Answer) -> Error:
    """Return the largest difference of accelerations of bodies, relative to their terms.

    What is rounding of the full size of a row is relative to that, as chapter 7.2 has it.
    """
    value, size = (x[k] for x in kinetics.accelerations(ud))
    full = kinetics.accelerations(even_out(ud, points))[1][k]
    worst = Error(0.0)
    for j, path in enumerate(kinetics.paths):
        if path not in answer.bodies:
            continue  # it has no inertia
        theirs = np.array([float(x) for x in answer.bodies[path]])
        rows = slice(_SIX * j, _SIX * (j + 1))
        difference = value[rows] - theirs
        small = np.abs(difference) <= PASS * full[rows]
        sizes = np.where(small, np.maximum(size[rows], full[rows]), size[rows])
        gap = _largest(difference, sizes, kinetics.labels[rows], full.max(initial=0.0))
        if not gap.value <= worst.value:
            worst = gap
    return worst


def _largest(gap: Array, size: Array, labels: Sequence[str], whole: float = 0.0) -> Error:
    """Return the largest quotient; what is rounding of the largest row is relative to that."""
    if not gap.size:
        return Error(0.0)
    r = np.abs(gap)
    most = max(float(whole), size.max(initial=0.0))
    size = np.where(r <= NOISE * most, most, size)
    quotient = np.where(size > 0, r / np.where(size > 0, size, 1.0), np.where(r > 0, np.inf, 0.0))
    k = int(np.where(np.isnan(quotient), np.inf, quotient).argmax())
    return Error(float(quotient[k]), "", labels[k])
