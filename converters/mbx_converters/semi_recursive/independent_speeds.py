"""The choice of independent speeds for coordinate partitioning.

The dependent ones are the columns of A that pivots choose, at a few states that keep the
invariants: near the start of the model, or anywhere where it has none. A part of the model that
nothing connects to the rest has a choice of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import evaluate_arrays, free_symbols
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.system.system import Variable

__all__ = ["choose"]

_STATES: Final = 4
_ANYWHERE: Final = 24
"""How many states are tried where the model does not say where to begin."""
_WIDE: Final = 3.0
"""How far from zero these are, in rad and m."""
_VAST: Final = 1e9
"""Width of a range that says nothing about where a variable is."""
_NEAR: Final = 0.2
_OPEN: Final = (0.5, 1.5)
"""What a value is drawn from that the model leaves open."""
_CLOSE: Final = 1e-10
_REACH: Final = 1.0
"""Longest step of a coordinate, in rad and m."""
_STATE: Final = 64 * 2.0**-52
"""Part of the size of its coordinates by which a state may be off its invariants."""
_EQUAL: Final = 0.999
"""Part of the largest one from which on a pivot is as good."""


def choose(motion: Motion, levels: Levels) -> tuple[int, ...]:
    """Return the independent speeds; refuse a choice of the model's whose A_d is singular."""
    names = [s.path for s in motion.speeds]
    parts = [_choose(part, _samples(motion, part)) for part in _parts(motion, levels)]
    best = {k for part in parts for k in part.dependent}
    proposed = tuple(k for k in range(len(names)) if k not in best)
    chosen = motion.independent
    if chosen is None:
        return proposed
    dependent = [k for k in range(len(names)) if k not in chosen]
    r, regular = len(best), sum(part.rank_of(dependent) for part in parts)
    if len(dependent) == r and regular == r:
        return chosen
    given, others, can = (
        ", ".join(names[k] for k in some) or "none" for some in (chosen, dependent, proposed)
    )
    raise NotApplicableError(
        f"{given} cannot be the independent speeds: the invariants have rank {r} of "
        f"{len(levels.rows)}, and rank {regular} in the {len(dependent)} speeds left "
        f"({others}); {can} can be"
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the model that nothing connects to the rest.

    Attributes:
        q: Its coordinates.
        u: The places of its speeds among those of the motion.
        variables: Its coordinates and speeds.
        position: Its invariants of order 0.
        A: The rows and columns of A that are its own.
        J: The rates of its speeds in the velocities of mass elements.
    """

    q: tuple[Variable, ...]
    u: tuple[int, ...]
    variables: tuple[Variable, ...]
    position: tuple[Node, ...]
    A: list[list[Node]]
    J: list[list[Node]]

    @property
    def started(self) -> bool:
        """Whether the model says where it begins."""
        return all(v.start is not None for v in self.q)


@dataclass(frozen=True, slots=True)
class _Choice:
    """The dependent speeds of a part, and A with its bounds at the states of full rank."""

    part: _Part
    dependent: tuple[int, ...]
    full: list[tuple[Any, Any]]

    def rank_of(self, speeds: Sequence[int]) -> int:
        """Return the rank of A in some speeds of the model."""
        columns = [j for j, k in enumerate(self.part.u) if k in speeds]
        return max(_rank(A[:, columns], noise[:, columns]) for A, noise in self.full)


def _parts(motion: Motion, levels: Levels) -> list[_Part]:
    """Return the parts that have invariants.

    Each begins, and is assembled, by itself: what stands next to a mechanism, with or without a
    start, has no part in its choice.
    """
    from mbx.numerics.states.complete import separate_parts  # noqa: PLC0415  as below

    system, found = motion.system, []
    velocities = [x for m in motion.elements for x in (*m.v, *(m.w if m.turns else ()))]
    for part in separate_parts(system):
        rows = [k for k, value in enumerate(levels.acceleration) if part.has([value])]
        if not rows:
            continue
        u = tuple(k for k, s in enumerate(motion.u) if s in part.variables)
        q = tuple(v for v in system.q if v.symbol in part.variables)
        found.append(
            _Part(
                q,
                u,
                (*q, *(v for v in system.u if v.symbol in part.variables)),
                tuple(x for x in levels.position if part.has([x])),
                [[levels.A[i][k] for k in u] for i in rows],
                jacobian([x for x in velocities if part.has([x])], [motion.u[k] for k in u]),
            )
        )
    return found


def _choose(part: _Part, found: list[tuple[Any, Any]]) -> _Choice:
    ranks = [_rank(A, noise) for A, noise in found]
    # without a start, a mechanism may be assembled in ways that move and in ways that do not
    moving = [k for k in ranks if ranks.count(k) > 1 and k < len(part.u)]
    r = max(ranks) if part.started else max(moving or ranks)
    full = [one for one, k in zip(found, ranks, strict=True) if k == r]
    # far from each other, states have one scale, so that a column that nearly vanishes is small
    groups = [[x] for x in full] if part.started else [full]
    scaled = [one for some in groups for one in _scaled(some)]
    pivots = sorted({_pivots(A, r) for A in scaled})
    least = [min(_least(A[:, list(some)]) for A in scaled) for some in pivots]
    # of choices that are equally good but for rounding, the first
    best = next(one for one, x in zip(pivots, least, strict=True) if x >= _EQUAL * max(least))
    return _Choice(part, tuple(part.u[k] for k in best), full)


def _samples(motion: Motion, part: _Part) -> list[tuple[Any, Any]]:
    """Return A at a few states near the start, or anywhere, that keep the invariants of order 0.

    With A come bounds of its rounding errors. A state at which some rates of the speeds move no
    mass, as two of three angles do where their axes fall together, is singular whatever the
    choice is: A says nothing there about the states that are not.
    """
    import numpy as np  # noqa: PLC0415  only this variant needs numbers

    from mbx.numerics.bounds import bounds_of  # noqa: PLC0415  likewise
    from mbx.numerics.newton import gauss_newton  # noqa: PLC0415  likewise
    from mbx.numerics.states.manifold import without_identities  # noqa: PLC0415  likewise

    q, m, n = [v.symbol for v in part.q], len(part.A), len(part.u)
    slopes = [x for row in jacobian(part.position, q) for x in row]
    entries = [x for row in (*part.A, *part.J) for x in row]
    known = _values(motion, [*part.position, *slopes, *entries])

    def numbers(nodes: Sequence[Node]) -> Any:
        with np.errstate(all="ignore"):
            return np.array([float(x) for x in evaluate_arrays(nodes, known)])

    def residual(x: Any) -> tuple[Any, Any]:
        here = {**known, **dict(zip(q, map(float, x[0]), strict=True))}
        k, both = len(part.position), bounds_of([*part.position, *slopes]).run(here, {}, 1)
        c, c_error = (x[:k, 0][None] for x in both)
        J, J_error = (x[k:, 0].reshape(1, k, len(q)) for x in both)
        return without_identities(c, c_error, J, J_error)

    found: dict[tuple[bool, bool], list[Any]] = {}
    draw = Random(0)  # noqa: S311  no secret
    states = _STATES if part.started else _ANYWHERE
    for k in range(states):
        for v in part.variables:
            near = k * _NEAR * draw.uniform(-1, 1) / (states - 1)
            anywhere = draw.uniform(*_span(v))
            known[v.symbol] = anywhere if v.start is None else v.start + near
        if part.position:
            start = np.array([[known[s] for s in q]])
            with np.errstate(all="ignore"):
                closed, _ = gauss_newton(residual, start, np.ones(len(q), dtype=bool), _REACH)
            known |= dict(zip(q, map(float, closed[0]), strict=True))
        size = max((abs(known[s]) for s in q), default=0.0)
        errors = dict.fromkeys(q, _STATE * max(size, 1.0))
        both, noise = (one.reshape(-1, n) for one in bounds_of(entries).run(known, errors, 1))
        if np.isfinite(both).all():
            kept = bool(np.abs(numbers(part.position)).max(initial=0.0) < _CLOSE)
            moves = _rank(both, noise) == n
            found.setdefault((kept, moves), []).append((both[:m], noise[:m]))
    # values that the model leaves open may not allow any assembly; then A is what it is anywhere
    none = np.zeros((m, n))
    return found[max(found)] if found else [(none, none)]


def _span(v: Variable) -> tuple[float, float]:
    """Return where a variable is drawn: in its range, unless that is vast."""
    usual = -_WIDE, _WIDE
    return usual if v.range is None or v.range[1] - v.range[0] > _VAST else v.range


def _values(motion: Motion, nodes: Sequence[Node]) -> dict[Node, float]:
    """Return values of everything that is no variable; what the model leaves open is drawn."""
    system = motion.system
    draw = Random(1)  # noqa: S311  no secret
    known: dict[Node, float] = {TIME: 0.0}
    pending = [*system.parameters, *system.inputs]
    while pending:
        left = []
        for one in pending:
            if one.value is None:
                known[one.symbol] = draw.uniform(*(one.range or _OPEN))
            elif all(s in known for s in free_symbols([one.value])):
                known[one.symbol] = float(evaluate_arrays([one.value], known)[0])
            else:
                left.append(one)
        if len(left) == len(pending):
            break
        pending = left
    for each in free_symbols(nodes):  # variables for now, and rates of inputs
        known.setdefault(each, draw.uniform(*_OPEN))
    return known


def _scaled(found: Sequence[tuple[Any, Any]]) -> list[Any]:
    """Return A at some states with rows and columns of size 1 at most, by the same scales."""
    import numpy as np  # noqa: PLC0415  only this variant needs numbers

    from mbx.numerics.ranks import cleaned, equilibrate  # noqa: PLC0415  likewise

    every = np.array([cleaned(A, noise) for A, noise in found])
    _, r, c = equilibrate(np.abs(every).max(axis=0)[None])
    return list(r * every * c)


def _rank(A: Any, noise: Any) -> int:
    from mbx.numerics.ranks import rank  # noqa: PLC0415  NumPy

    return int(rank(A[None], noise[None])[0])


def _least(A: Any) -> float:
    """Return the least singular value of all columns of A."""
    import numpy as np  # noqa: PLC0415  only this variant needs numbers

    return float(np.linalg.svd(A, compute_uv=False).min(initial=1.0)) if A.size else 1.0


def _pivots(A: Any, r: int) -> tuple[int, ...]:
    """Return r columns by Gaussian elimination with complete pivoting."""
    import numpy as np  # noqa: PLC0415  only this variant needs numbers

    A = A.copy()
    columns = list(range(A.shape[1]))
    for k in range(r):
        size = np.abs(A[k:, k:])
        i, j = np.argwhere(size >= _EQUAL * size.max())[0]
        A[[k, k + i]] = A[[k + i, k]]
        A[:, [k, k + j]] = A[:, [k + j, k]]
        columns[k], columns[k + j] = columns[k + j], columns[k]
        A[k + 1 :, k:] -= np.outer(A[k + 1 :, k] / A[k, k], A[k, k:])
    return tuple(sorted(columns[:r]))
