"""Coordinate partitioning: dependent speeds from independent ones, ud = H ud_i + g.

    A_d ud_d + A_i ud_i + b = 0,    H = [-A_d^-1 A_i; 1],  g = [-A_d^-1 b; 0]        (6) to (8)
    H^T M H ud_i = H^T (Q - M g)

The choice is that of the model where it has one, and by pivots otherwise. It holds for all
states; where A_d is singular, the state is. Near such a state, H is large and the condition
number of H^T M H has its square: what is left of the equations, H^T (Q - M ud), which is known
better, corrects ud (iterative refinement; N. J. Higham, Accuracy and Stability of Numerical
Algorithms, 2nd ed., SIAM 2002, chapter 12).
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.nodes import ZERO
from mbx.expr.walk import free_symbols
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.system.system import Variable

__all__ = ["choose", "prepare"]

ROUNDS: Final = 3
"""How often ud is corrected: near a state where A_d is singular, a round gains three digits."""
_STATES: Final = 4
_ANYWHERE: Final = 24
"""How many states are tried where the model does not say where to begin."""
_WIDE: Final = 3.0
"""How far from zero these are, in rad and m."""
_VAST: Final = 1e9
"""Width of a range that says nothing about where a variable is."""
_STEPS: Final = 40
_NEAR: Final = 0.2
_OPEN: Final = (0.5, 1.5)
"""What a value is drawn from that the model leaves open."""
_CLOSE: Final = 1e-10
_POLISH: Final = 2
"""Steps after the invariants are kept so far."""
_STATE: Final = 64 * 2.0**-52
"""Part of the size of its coordinates by which a state may be off its invariants."""
_EQUAL: Final = 0.999
"""Part of the largest one from which on a pivot is as good."""
_ZERO: Final = 1e-9
"""Part of the largest singular value of slopes below which a step does not follow one."""


def prepare(
    program: NamedProgram, motion: Motion, levels: Levels
) -> Callable[[NamedProgram, str], tuple[str, str]]:
    """Add H and g, and return what adds the equations of the independent speeds."""
    independent = choose(motion, levels)
    n = len(motion.u)
    dependent = tuple(k for k in range(n) if k not in independent)
    names = [s.path for s in motion.speeds]
    back = [(*dependent, *independent).index(k) for k in range(n)]
    program.rows("Adt", "At", dependent, f"columns of {', '.join(names[k] for k in dependent)}")
    program.transpose("Ad", "Adt")
    # rows scaled as one: at a singular state one of them may be rounding only
    m = len(levels.rows)
    program.solve("gd", "Ad", "bm", "least_squares", unique=len(dependent), together=m)
    program.pinv("Atp", "At")
    if independent:
        program.rows("Ait", "At", independent, "columns of the independent speeds")
        program.transpose("Ai", "Ait")
        program.solve("X", "Ad", "Ai", "least_squares", unique=len(dependent), together=m)
        program.sum("Xm", "X", signs=(-1,))
        program.identity("one", len(independent))
        program.block("Hdi", [["Xm"], ["one"]])
        program.rows("H", "Hdi", back, "speeds by the independent ones, (8)")
        program.transpose("Ht", "H")
        program.product("MH", "M", "H")
        program.product("Mi", "Ht", "MH", meaning="inertia of the independent speeds")
        zero = [[ZERO] for _ in independent]
        program.define("zero", zero)
        program.block("gdi", [["gd"], ["zero"]])
        program.rows("g", "gdi", back, "accelerations without those of the independent speeds")
    else:
        program.rows("g", "gd", back, "all accelerations, as the invariants say")
    program.product("Mg", "M", "g")

    def steps(p: NamedProgram, Q: str) -> tuple[str, str]:
        if independent:
            p.sum("Qg", Q, "Mg", signs=(1, -1))
            p.product("Qi", "Ht", "Qg")
            p.solve("udi", "Mi", "Qi", "general", meaning="rates of the independent speeds")
            p.product("Hu", "H", "udi")
            last = p.sum("ud_0", "Hu", "g")
            for k in range(1, ROUNDS + 1):
                p.product(f"Mu_{k}", "M", last)
                p.sum(f"r_{k}", Q, f"Mu_{k}", signs=(1, -1), meaning="forces left")
                p.product(f"ri_{k}", "Ht", f"r_{k}")
                p.solve(f"dui_{k}", "Mi", f"ri_{k}", "general", meaning="correction of udi")
                p.product(f"du_{k}", "H", f"dui_{k}")
                name = "ud" if k == ROUNDS else f"ud_{k}"
                last = p.sum(name, last, f"du_{k}", meaning="rates of the speeds")
        else:
            p.sum("ud", "g", meaning="rates of the speeds")
        p.product("Mud", "M", "ud")
        p.sum("open", "Mud", Q, signs=(1, -1))
        p.product("lam", "Atp", "open", meaning="multipliers")
        return "ud", "lam"

    return steps


def choose(motion: Motion, levels: Levels) -> tuple[int, ...]:
    """Return the independent speeds; refuse a choice of the model's whose A_d is singular."""
    names = [s.path for s in motion.speeds]
    found = _samples(motion, levels)
    ranks = [_rank(A, noise) for A, noise in found]
    # without a start, a mechanism may be assembled in ways that move and in ways that do not
    moving = [k for k in ranks if ranks.count(k) > 1 and k < len(names)]
    started = _started(motion)
    r = max(ranks) if started else max(moving or ranks)
    full = [one for one, k in zip(found, ranks, strict=True) if k == r]
    # far from each other, states have one scale, so that a column that nearly vanishes is small
    scaled = [one for some in ([[x] for x in full] if started else [full]) for one in _scaled(some)]
    pivots = sorted({_pivots(A, r) for A in scaled})
    least = [min(_least(A[:, list(some)]) for A in scaled) for some in pivots]
    # of choices that are equally good but for rounding, the first
    best = next(one for one, x in zip(pivots, least, strict=True) if x >= _EQUAL * max(least))
    proposed = tuple(k for k in range(len(names)) if k not in best)
    chosen = motion.independent
    if chosen is None:
        return proposed
    dependent = [k for k in range(len(names)) if k not in chosen]
    regular = max(_rank(A[:, dependent], noise[:, dependent]) for A, noise in full)
    if len(dependent) == r and regular == r:
        return chosen
    said, others, can = (
        ", ".join(names[k] for k in some) or "none" for some in (chosen, dependent, proposed)
    )
    raise NotApplicableError(
        f"{said} cannot be the independent speeds: the invariants have rank {r} of "
        f"{len(levels.rows)}, and rank {regular} in the {len(dependent)} speeds left "
        f"({others}); {can} can be"
    )


def _samples(motion: Motion, levels: Levels) -> list[tuple[Any, Any]]:
    """Return A at a few states near the start, or anywhere, that keep the invariants of order 0.

    With A come bounds of its rounding errors.
    """
    import numpy as np  # noqa: PLC0415  only this variant needs numbers

    from mbx.numerics.bounds import bounds_of  # noqa: PLC0415  likewise

    system = motion.system
    q = [v.symbol for v in system.q]
    slopes = [x for row in jacobian(levels.position, q) for x in row]
    entries = [x for row in levels.A for x in row]
    known = _values(motion, [*levels.position, *slopes, *entries])

    def numbers(nodes: Sequence[Node]) -> Any:
        with np.errstate(all="ignore"):
            return np.array([float(x) for x in evaluate_arrays(nodes, known)])

    found: list[Any] = []
    others: list[Any] = []
    draw = Random(0)  # noqa: S311  no secret
    states = _STATES if _started(motion) else _ANYWHERE
    for k in range(states):
        for v in (*system.q, *system.u):
            near = k * _NEAR * draw.uniform(-1, 1) / (states - 1)
            anywhere = draw.uniform(*_span(v))
            known[v.symbol] = anywhere if v.start is None else v.start + near
        polished = 0
        for _ in range(_STEPS):
            C = numbers(levels.position)
            if not C.size or not np.isfinite(C).all():
                break
            polished += bool(np.abs(C).max() < _CLOSE)
            if polished > _POLISH:
                break
            step = np.linalg.pinv(numbers(slopes).reshape(len(C), len(q)), rcond=_ZERO) @ C
            step *= min(1.0, 1 / max(np.abs(step).max(), 1.0))
            known |= {s: known[s] - float(x) for s, x in zip(q, step, strict=True)}
        size = max((abs(known[s]) for s in q), default=0.0)
        errors = dict.fromkeys(q, _STATE * max(size, 1.0))
        A, noise = (
            one.reshape(len(levels.rows), len(motion.u))
            for one in bounds_of(entries).run(known, errors, 1)
        )
        if np.isfinite(A).all():
            off = np.abs(numbers(levels.position)).max(initial=0.0)
            (found if off < _CLOSE else others).append((A, noise))
    # values that the model leaves open may not allow any assembly; then A is what it is anywhere
    none = np.zeros((len(levels.rows), len(motion.u)))
    return found or others or [(none, none)]


def _span(v: Variable) -> tuple[float, float]:
    """Return where a variable is drawn: in its range, unless that is vast."""
    usual = -_WIDE, _WIDE
    return usual if v.range is None or v.range[1] - v.range[0] > _VAST else v.range


def _started(motion: Motion) -> bool:
    """Return whether the model says where to begin."""
    return all(v.start is not None for v in motion.system.q)


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
