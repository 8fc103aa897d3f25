"""How far results are from those that they must be, relative to the terms of the equations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.guard import Fault
from mbx.numerics.execute.execute import REGULAR
from mbx.verify.agreement.mutual_residuals import NOISE, PASS, force_errors, residual_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from mbx.analyses.guard import Clock
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.kinetics import Kinetics
    from mbx.verify.derived_forms import Result
    from mbx.verify.oracle import Answer
    from self_test.metamorphic.evaluate_relation import Results

__all__ = ["ORACLE", "Claim", "Gap", "Sizes", "Spoken", "claim_of", "gaps"]

ORACLE: Final = "oracle"
_THREE: Final = 3
_SIX: Final = 6


@dataclass(frozen=True, slots=True)
class Gap:
    """An error: of which form or of the oracle, of what, at which state, and perhaps why."""

    form: str
    what: str
    state: str
    error: float
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Spoken:
    """What the oracle says at a state: by path, in the names and the world of the first model."""

    status: str
    ud: Mapping[str, float]
    Fc: Mapping[str, float] | None
    bodies: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Claim:
    """Results that must be those of the first model, in its names, its order and its world."""

    forms: Mapping[str, Result]
    missing: Mapping[str, str]
    bodies: Array | None
    oracle: Sequence[Spoken]


@dataclass(frozen=True, eq=False)
class Sizes:
    """How many times larger things are after a change of scale.

    `speeds` are factors of the speeds and of their rates, in the order of the first model, `forces`
    those of the forces on them, and `length` is that of accelerations of points.
    """

    speeds: Array
    forces: Array
    length: float


class OtherSpeedsError(Exception):
    """A changed model that has other speeds."""


def claim_of(
    base: Results,
    other: Results,
    names: Callable[[str], str],
    turn: Array | None,
    added: Collection[str] = (),
    sizes: Sizes | None = None,
) -> Claim:
    """Return the results of a changed model in the names and the world of the first one.

    Of speeds that were `added`, nothing is said. What is larger after the change is brought back.
    """
    known = {path: k for k, path in enumerate(other.speeds)}
    wanted = [names(path) for path in base.speeds]
    if set(wanted) != set(known) - set(added):
        differ = sorted(set(wanted) ^ (set(known) - set(added)))
        raise OtherSpeedsError(f"its speeds are others: {', '.join(differ)}")
    order = [known[path] for path in wanted]
    ones = np.ones(len(order))
    sizes = Sizes(ones, ones, 1.0) if sizes is None else sizes
    forms = {
        name: replace(
            r,
            ud=r.ud[:, order] / sizes.speeds,
            Fc=None if r.Fc is None else r.Fc[:, order] / sizes.forces,
            terms=None,
        )
        for name, r in other.forms.items()
    }
    missing = {**other.prepared.excluded, **other.failed}
    back = {names(path): path for path in base.speeds}
    oracle = [_spoken(a, back, _elements(base, names), turn) for a in other.answers]
    if (sizes.speeds != 1).any() or (sizes.forces != 1).any():
        oracle = [_brought_back(one, base.speeds, sizes) for one in oracle]
    return Claim(forms, missing, _bodies(base, other, order, names, turn, sizes), oracle)


def _elements(base: Results, names: Callable[[str], str]) -> dict[str, tuple[str, bool]]:
    """Return by the new path of each mass element its old one, and whether it has axes."""
    return {names(e.path): (e.path, e.frame is not None) for e in base.manifold.system.elements}


def _spoken(
    answer: Answer,
    back: Mapping[str, str],
    elements: Mapping[str, tuple[str, bool]],
    turn: Array | None,
) -> Spoken:
    bodies = {}
    for path, values in answer.bodies.items():
        if path in elements:
            old, axes = elements[path]
            bodies[old] = _turned_back(np.array([float(x) for x in values]), turn, axes=axes)
    Fc = answer.Fc
    return Spoken(
        answer.status,
        {back[path]: float(x) for path, x in answer.ud.items() if path in back},
        None if Fc is None else {back[p]: float(x) for p, x in Fc.items() if p in back},
        bodies,
    )


def _brought_back(said: Spoken, speeds: Sequence[str], sizes: Sizes) -> Spoken:
    """Return what the oracle says, in the sizes of the first model."""
    by_speed = dict(zip(speeds, sizes.speeds, strict=True))
    by_force = dict(zip(speeds, sizes.forces, strict=True))
    points = np.array([1.0] * _THREE + [sizes.length] * _THREE)
    return Spoken(
        said.status,
        {path: x / by_speed[path] for path, x in said.ud.items()},
        None if said.Fc is None else {path: x / by_force[path] for path, x in said.Fc.items()},
        {path: six / points for path, six in said.bodies.items()},
    )


def _turned_back(six: Array, turn: Array | None, *, axes: bool) -> Array:
    """Return (alpha, a) of an element, or of all its states (N, 6), in the first world.

    The alpha of a body without axes is in components of its own.
    """
    if turn is None:
        return six
    alpha, a = six[..., :_THREE], six[..., _THREE:]
    return np.concatenate([alpha @ turn if axes else alpha, a @ turn], axis=-1)


def _bodies(
    base: Results,
    other: Results,
    order: Sequence[int],
    names: Callable[[str], str],
    turn: Array | None,
    sizes: Sizes,
) -> Array | None:
    """Return accelerations of elements under those of the first form of the first model.

    Both models get the same ones, so that no condition number makes the error larger.
    """
    mine, theirs = base.kinetics, other.kinetics
    if mine is None or theirs is None or not base.forms:
        return None
    ud = np.zeros((len(first_ud(base)), len(other.speeds)))
    ud[:, order] = first_ud(base) * sizes.speeds
    found = theirs.accelerations(ud)[0]
    place = {path: k for k, path in enumerate(theirs.paths)}
    parts = []
    for path, (_, axes) in zip(mine.paths, _elements(base, names).values(), strict=True):
        k = place[names(path)]
        six = found[:, _SIX * k : _SIX * (k + 1)] / ([1.0] * _THREE + [sizes.length] * _THREE)
        parts.append(_turned_back(six, turn, axes=axes))
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(ud), 0))


def first_ud(base: Results) -> Array:
    """Return the accelerations of the first form, zero where it has none."""
    first = next(iter(base.forms.values()))
    return np.where((first.status == REGULAR)[:, None], first.ud, 0.0)


def gaps(base: Results, claim: Claim, clock: Clock) -> Iterator[Gap]:
    """Yield the largest error of each form, of the oracle, and of the bodies."""
    for name, mine in base.forms.items():
        if name not in claim.forms:
            reason = claim.missing.get(name, "it is not there")
            yield Gap(name, "applies", "", np.inf, f"it applies no more: {reason}")
        else:
            yield from _form_gaps(base, name, mine, claim.forms[name], clock)
    for name in claim.forms:
        if name not in base.forms:
            yield Gap(name, "applies", "", np.inf, "it applies only after the change")
    if claim.bodies is not None and base.kinetics is not None:
        yield from _body_gaps(base, base.kinetics, claim.bodies)
    for state, said, theirs in zip(base.names, base.answers, claim.oracle, strict=False):
        yield from _oracle_gaps(base, state, said, theirs)


def _form_gaps(
    base: Results, name: str, mine: Result, theirs: Result, clock: Clock
) -> Iterator[Gap]:
    here, there = mine.status == REGULAR, theirs.status == REGULAR
    if (here != there).any():
        k = int(np.flatnonzero(here != there)[0])
        reason = f"it is {mine.status[k]} before and {theirs.status[k]} after the change"
        yield Gap(name, "status", base.names[k], np.inf, reason)
    both = here & there
    if not both.any():
        return
    if mine.Fc is not None and theirs.Fc is not None:
        force = force_errors(base.manifold, base.points, [mine, theirs], base.sizes)
        yield from _largest(name, "Fc", force.certain[1], both, base.names)
    forms = base.prepared.forms
    implicit = [other for other in (name, *base.forms) if forms[other].equations.residuals]
    if not implicit:
        gap = np.array(
            [_relative(x - y, np.abs(x)) for x, y in zip(mine.ud, theirs.ud, strict=True)]
        )
        yield from _largest(name, "ud", gap, both, base.names)
        return
    judge = implicit[0]
    errors = residual_errors(
        forms[judge],
        0,
        [base.forms[judge], theirs],
        base.manifold.values,
        base.points,
        base.higher,
        base.sizes,
        clock,
    )
    if isinstance(errors, Fault):
        yield Gap(name, "ud", "", np.inf, errors.reason)
        return
    both &= base.forms[judge].status == REGULAR
    for one in errors:
        yield from _largest(name, "ud", one.certain[1], both, base.names)


def _largest(
    form: str, what: str, values: Array, where: Any, names: Sequence[str]
) -> Iterator[Gap]:
    values = np.where(where, np.where(np.isnan(values), np.inf, values), -1.0)
    if where.any():
        k = int(values.argmax())
        yield Gap(form, what, names[k], float(values[k]))


def _body_gaps(base: Results, kinetics: Kinetics, theirs: Array) -> Iterator[Gap]:
    value, size = kinetics.accelerations(first_ud(base))
    where = np.isfinite(value).all(axis=1)
    for k in np.flatnonzero(where):
        yield Gap("bodies", "a", base.names[k], _relative(value[k] - theirs[k], size[k]))


def _relative(gap: Array, size: Array) -> float:
    """Return the largest error of a row; what is rounding of the largest is relative to that."""
    r, most = np.abs(gap), size.max(initial=0.0)
    size = np.where(r <= NOISE * most, most, size)
    found = np.where(size > 0, r / np.where(size > 0, size, 1.0), np.where(r > 0, np.inf, 0.0))
    return float(found.max(initial=0.0))


def _oracle_gaps(base: Results, state: str, mine: Answer, theirs: Spoken) -> Iterator[Gap]:
    if mine.status != theirs.status:
        reason = f"it is {mine.status} before and {theirs.status} after the change"
        yield Gap(ORACLE, "status", state, np.inf, reason)
        return
    if mine.status != REGULAR:
        return
    yield Gap(ORACLE, "ud", state, _residual(mine, theirs.ud))
    if mine.Fc is not None and theirs.Fc is not None:
        pairs = np.array([[float(x), theirs.Fc[path]] for path, x in mine.Fc.items()])
        pairs = pairs.reshape(-1, 2)
        k = base.names.index(state)
        size = np.abs(pairs).max(axis=1)
        if base.sizes.terms is not None:
            by_path = dict(zip(base.speeds, base.sizes.terms[k], strict=True))
            size = np.maximum(size, [by_path.get(path, 0.0) for path in mine.Fc])
        yield Gap(ORACLE, "Fc", state, _relative(pairs[:, 0] - pairs[:, 1], size))
    for path, values in mine.bodies.items():
        own = np.array([float(x) for x in values])
        size = np.full(_SIX, np.abs(own).max(initial=1.0))
        yield Gap(ORACLE, "a", state, _relative(own - theirs.bodies[path], size))


def _residual(answer: Answer, ud: Mapping[str, float]) -> float:
    """Return the largest part that accelerations leave of a row of the oracle's equations."""
    scale = max([1.0, *(abs(float(x)) for x in answer.ud.values())])
    full: dict[str, float] = {}
    for label, _, size in answer.residuals(dict.fromkeys(ud, scale)):
        full[label] = max(float(size), full.get(label, 0.0))
    found = [0.0]
    for label, residual, size in answer.residuals(dict(ud)):
        r, magnitude = abs(float(residual)), float(size)
        if r <= PASS * full.get(label, 0.0):
            magnitude = max(magnitude, full[label])
        found.append(r / magnitude if magnitude > 0 else (np.inf if r > 0 else 0.0))
    return float(max(found))
