"""How many states a verification has: requested, compared at, moving, and of which kind."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.numerics.execute.execute import REGULAR
from mbx.verify.agreement.unreal import unreal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.numerics.states.sample import Sizes
    from mbx.verify.findings import StateRow
    from mbx.verify.verification_work import Work

__all__ = ["COMPARED", "Counts", "add_counts", "count_states", "kind_of", "shortfalls"]

COMPARED: Final = "compared"
KINDS: Final = ("start", "rest", "named", "random", "branch", "given")
AT_REST: Final = 1e-9
"""Part of its usual size below which a speed is none."""
NOT_FINITE: Final = "not finite"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many states there are.

    Attributes:
        asked: Random states that were requested.
        compared: States at which forms were compared, of every kind.
        moving: Those of them in which something moves.
        kinds: How many were compared of each kind: start, rest, named, random, branch, given.
        random_moving: Random states that were compared, and move.
        nearer: Random states that were compared, and drawn nearer to the start, because no
            state in the whole range was consistent.
        oracle: States at which the oracle was to answer.
        forms: At how many states each form was compared.
        mobile: Whether the invariants leave any speed free.
    """

    asked: int = 0
    compared: int = 0
    moving: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict)
    random_moving: int = 0
    nearer: int = 0
    oracle: int = 0
    forms: Mapping[str, int] = field(default_factory=dict)
    mobile: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return the counts as data, without the oracle's, which belong to its answers."""
        return {key: value for key, value in asdict(self).items() if key != "oracle"}


def kind_of(name: str) -> str:
    """Return the kind of a state by its name."""
    if name in {"start", "rest"}:
        return name
    first, _, rest = name.partition(" ")
    if first == "state":
        return "named"
    if first == "random":
        return "random" if rest.isdigit() else "branch"
    return "given"


def count_states(
    work: Work,
    sizes: Sizes,
    states: Sequence[StateRow],
    forms: Sequence[str],
    requested: int,
    oracle: int,
) -> Counts:
    """Count the states of a verification that has been compared."""
    names = work.sample.names
    compared = np.array([row.status == COMPARED for row in states], dtype=bool)
    moves = _moving(work, sizes) & compared
    kinds = [kind_of(name) for name in names]
    random = np.array([kind == "random" for kind in kinds], dtype=bool)
    near = np.array([name in work.sample.nearer for name in names], dtype=bool)
    counts = Counter(kind for kind, ok in zip(kinds, compared, strict=True) if ok)
    at = {
        form.name: int((compared & (result.status == REGULAR)).sum())
        for form, result in zip(work.forms, work.results, strict=True)
        if form.name in forms
    }
    return Counts(
        requested,
        int(compared.sum()),
        int(moves.sum()),
        {kind: counts[kind] for kind in KINDS if counts[kind]},
        int((moves & random).sum()),
        int((compared & random & near).sum()),
        oracle,
        at,
        _mobile(work),
    )


def add_counts(parts: Sequence[Counts]) -> Counts:
    """Return the counts of all parts together."""
    kinds: Counter[str] = Counter()
    forms: Counter[str] = Counter()
    for part in parts:
        kinds.update(part.kinds)
        forms.update(part.forms)
    return Counts(
        sum(part.asked for part in parts),
        sum(part.compared for part in parts),
        sum(part.moving for part in parts),
        {kind: kinds[kind] for kind in KINDS if kinds[kind]},
        sum(part.random_moving for part in parts),
        sum(part.nearer for part in parts),
        sum(part.oracle for part in parts),
        dict(forms),
        any(part.mobile for part in parts),
    )


def shortfalls(work: Work, states: Sequence[StateRow], counts: Counts) -> list[str]:
    """Return why there are too few states to decide by; nothing if there are enough."""
    random = counts.kinds.get("random", 0)
    if random < counts.asked:
        became = _what_became(work, states)
        return [f"{random} of {counts.asked} random states could be compared: {became}"]
    if counts.mobile and 2 * counts.random_moving <= random:
        return [f"{counts.random_moving} of {random} random states move, less than most"]
    return []


def _what_became(work: Work, states: Sequence[StateRow]) -> str:
    rest = [
        (k, row)
        for k, row in enumerate(states)
        if kind_of(row.name) == "random" and row.status != COMPARED
    ]
    became = [f"{n} {status}" for status, n in Counter(row.status for _, row in rest).items()]
    if work.sample.rejected:
        became.append(f"{work.sample.rejected} rejected, as no consistent state was near")
    for k, row in rest:
        if row.status == NOT_FINITE:
            reason = unreal(work.manifold, work.sample.points, k)
            if reason:
                became.append(f"{reason} at {row.name}")
            break
    return "; ".join(became) or "no more were found"


def _moving(work: Work, sizes: Sizes) -> NDArray[np.bool_]:
    u = work.sample.points.u
    return np.asarray((np.abs(u) > AT_REST * sizes.u).any(axis=1))


def _mobile(work: Work) -> bool:
    """Return whether the invariants leave any speed free, at any state."""
    ranks = work.manifold.ranks(work.sample.points)
    known = ranks[ranks >= 0]
    return bool(len(known) == 0 or (known < len(work.manifold.system.u)).any())
