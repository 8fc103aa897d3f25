"""The comparison of forms that have been run: every two of them, each with itself."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.formalism.execute import REGULAR
from mbx.verify import agree
from mbx.verify.decide import Arbiter
from mbx.verify.forms import Excluded
from mbx.verify.guard import Fault
from mbx.verify.report import Error, Pair, Verification
from mbx.verify.terms import terms_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.formalism.numerics import Array
    from mbx.verify.report import StateRow
    from mbx.verify.work import Work

__all__ = ["compare"]

SKIPPED: Final = 0.2
"""Part of the states at which a form may be singular where others are not."""


def compare(work: Work, states: Sequence[StateRow], identity: str) -> Verification:
    """Compare forms that have been run."""
    manifold, points, names = work.manifold, work.sample.points, work.sample.names
    terms = terms_of(manifold, points, work.results, work.clock)
    largest = np.zeros(len(points)) if terms is None else terms.max(axis=1, initial=0.0)
    found: list[list[agree.Errors]] = []
    gone: dict[int, Excluded] = {}
    for k, form in enumerate(work.forms):
        errors = agree.residual_errors(
            form, k, work.results, manifold.values, points, work.higher, largest, work.clock
        )
        if isinstance(errors, Fault):
            gone[k] = Excluded(form.name, "failed", f"its residual: {errors.reason}")
            errors = []
        found.append(errors)
    witnesses = [k for k, form in enumerate(work.forms) if form.witness and k not in gone]
    kept = [k for k, form in enumerate(work.forms) if not form.witness and k not in gone]
    judges = {k: _Judge(found[k], names) for k in (*kept, *witnesses) if found[k]}
    regular = [r.status == REGULAR for r in work.results]
    compared = np.array([s.status == "compared" for s in states], dtype=bool)
    forces = _Judge(
        [agree.force_errors(manifold, points, work.results, terms)] if kept else [], names
    )
    F = len(work.forms)
    pairs = []
    for a, b in combinations(kept, 2):
        both = compared & regular[a] & regular[b]
        by = [(c, x) for c, x in ((a, b), (b, a)) if c in judges]
        via = not by
        if via:
            by = [(c, x) for c in judges for x in (a, b)]
        else:
            by += [(c, x) for c in witnesses if c in judges for x in (a, b)]
        given = work.results[a].Fc is not None and work.results[b].Fc is not None
        pairs.append(
            Pair(
                (work.forms[a].name, work.forms[b].name),
                int(both.sum()),
                _worst([judges[c].worst(x, both) for c, x in by]),
                forces.worst(F * a + b, both) if given else None,
                via,
            )
        )
    own = {
        work.forms[k].name: judges[k].worst(k, compared & regular[k]) for k in kept if k in judges
    }
    invariants: dict[str, Error] = {}
    if kept and not any(work.forms[k].equations.signature.higher for k in kept):
        judge = _Judge([agree.invariant_errors(manifold, points, work.results)], names)
        for k in kept:
            error = judge.worst(k, compared & regular[k])
            if error is not None:
                invariants[work.forms[k].name] = error
    known_own = {name: error for name, error in own.items() if error is not None}
    arbiter = Arbiter(work)
    pairs, known_own, invariants = arbiter.decide(pairs, known_own, invariants)
    doubts = _doubts(work, kept, judges, regular, compared)
    return Verification(
        model=manifold.system.name,
        hash=identity,
        seed=work.seed,
        forms=tuple(work.forms[k].name for k in kept),
        witnesses=tuple(work.forms[k].name for k in witnesses),
        excluded=(
            *work.excluded,
            *(why for k, why in gone.items() if not work.forms[k].witness),
        ),
        pairs=tuple(pairs),
        own=known_own,
        invariants=invariants,
        information=_information(work, kept, compared),
        states=tuple(states),
        rejected=work.sample.rejected,
        refused=work.sample.refused,
        drawn={**manifold.values.parameters, **manifold.values.inputs},
        void=sum(e.void for k in judges for e in found[k]),
        doubts=tuple(doubts),
    )


def _doubts(
    work: Work,
    kept: Sequence[int],
    judges: dict[int, _Judge],
    regular: Sequence[NDArray[np.bool_]],
    compared: NDArray[np.bool_],
) -> list[str]:
    """Return why the whole is undecided, whatever the pairs say."""
    doubts = []
    if len({work.forms[k].formalism for k in kept}) < 2:  # noqa: PLR2004
        doubts.append("fewer than two formalisms can be compared")
    else:
        known = {work.forms[k].formalism for k in judges}
        alone = [k for k in kept if not known - {work.forms[k].formalism}]
        names = [work.forms[k].name for k in alone if not _confirmed(work, k, kept, compared)]
        if names:
            doubts.append(f"no equations of another formalism to judge {', '.join(names)} by")
    if kept and not compared.any():
        doubts.append("there is no state to compare at")
    for k in kept:
        missed = int((compared & ~regular[k]).sum())
        if missed > SKIPPED * compared.sum():
            doubts.append(
                f"{work.forms[k].name} is singular at {missed} of {compared.sum()} states"
            )
    return doubts


def _confirmed(work: Work, k: int, kept: Sequence[int], compared: NDArray[np.bool_]) -> bool:
    """Return whether another formalism gives the very accelerations of a form.

    That is asked where nobody else's equations can judge it. Accelerations that are not well
    conditioned are not confirmed this way.
    """
    own = work.results[k].ud[compared]
    for c in kept:
        if work.forms[c].formalism != work.forms[k].formalism:
            other = work.results[c].ud[compared]
            size = np.maximum(np.abs(own), np.abs(other))
            size = np.maximum(size, np.median(size, axis=0)) if len(size) else size
            if (np.abs(own - other) <= agree.PASS * size).all():
                return True
    return False


@dataclass(frozen=True, slots=True)
class _Judge:
    """The errors of all forms in the residuals of one."""

    errors: list[agree.Errors]
    names: tuple[str, ...]

    def worst(self, form: int, where: NDArray[np.bool_]) -> Error | None:
        """Return the largest error of a form at some states; None if there are none."""
        found = []
        for errors in self.errors:
            k = _largest(errors.value[form], where)
            if k is not None:
                value = float(errors.value[form, k])
                found.append(Error(value, self.names[k], errors.label(form, k)))
        return _worst(found)


def _largest(values: Array, where: NDArray[np.bool_]) -> int | None:
    """Return where the largest value is; NaN is larger than any."""
    if not where.any():
        return None
    key = np.where(np.isnan(values), np.inf, values)
    missing = where & np.isnan(values)
    return (
        int(np.flatnonzero(missing)[0]) if missing.any() else int(np.where(where, key, -1).argmax())
    )


def _worst(errors: Sequence[Error | None]) -> Error | None:
    known = [e for e in errors if e is not None]
    if not known:
        return None
    return max(known, key=lambda e: np.inf if np.isnan(e.value) else e.value)


def _information(work: Work, kept: Sequence[int], compared: NDArray[np.bool_]) -> dict[str, Error]:
    """Return differences of reactions, relative to the largest entry; they decide nothing.

    Reactions of dependent constraints are not unique.
    """
    found: dict[str, Error] = {}
    for a, b in combinations(kept, 2):
        one, other = work.results[a].reactions, work.results[b].reactions
        for path in [p for p in one if p in other and one[p].shape == other[p].shape]:
            size = np.maximum(np.abs(one[path]), np.abs(other[path])).max(axis=1, initial=0.0)
            gap = np.abs(one[path] - other[path]).max(axis=1, initial=0.0)
            error = np.where(size > 0, gap / np.where(size > 0, size, 1.0), 0.0)
            k = _largest(error, compared)
            if k is not None:
                key = f"reaction {path}: {work.forms[a].name}, {work.forms[b].name}"
                found[key] = Error(float(error[k]), work.sample.names[k])
    return found
