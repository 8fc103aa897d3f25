"""The arbiter: whether a difference is rounding, decided by more and more digits.

A difference that is rounding shrinks with the digits; a difference of equations stays. Both are
looked at with 50 and 100 digits; where that does not decide, with twice as many, up to 400.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from mbx.numerics.multiprecision.algebra import pinv, rounding
from mbx.numerics.multiprecision.digit_numbers import largest, numbers_of
from mbx.numerics.multiprecision.digit_results import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.formalism.equations import Equations
    from mbx.numerics.multiprecision.digit_numbers import Exact, Numbers
    from mbx.numerics.states.manifold import Manifold, Points

__all__ = [
    "DIGITS",
    "Answer",
    "Gap",
    "answer",
    "difference",
    "equal_at",
    "in_invariants",
    "in_power",
    "residual",
    "settle",
]

Answer = Literal["rounding", "different", "undecided"]

DIGITS: Final = (50, 100, 200, 400)
SHRUNK: Final = 1e-40
"""Part of the terms, or of the difference in half of the digits, that rounding may leave."""
STEADY: Final = 1e-3
"""Part by which a difference that stays may change with the digits."""
_REACTION: Final = "reaction:"
_OPEN: Final = "open:"


@dataclass(frozen=True, slots=True)
class Gap:
    """How far two things are from each other: bounds, and how large they are themselves."""

    lower: float
    upper: float
    size: float


def settle(less: Gap, more: Gap) -> Answer:
    """Decide by a difference in some digits and in twice as many."""
    if more.upper <= SHRUNK * max(more.size, less.upper):
        return "rounding"
    stays = abs(more.upper - less.upper) <= STEADY * more.upper
    apart = less.lower > 0 and more.lower >= (1 - STEADY) * more.upper
    return "different" if stays and apart and more.lower > SHRUNK * more.size else "undecided"


def answer(gap: Callable[[int], Gap | None], *, enough: bool = False) -> Answer:
    """Return whether a difference, which depends on the digits, is rounding.

    Where there is none in some digits, more are tried. Once may be `enough`: what is left in
    100 digits is then looked at first, for it may decide without that in 50.
    """
    if enough:
        first = gap(DIGITS[1])
        if first is not None and first.upper <= SHRUNK * first.size:
            return "rounding"
    before = None
    for digits in DIGITS:
        here = gap(digits)
        if before is not None and here is not None:
            verdict = settle(before, here)
            if verdict != "undecided":
                return verdict
        before = here
    return "undecided"


def equal_at(
    first: Equations,
    second: Equations,
    manifold: Manifold,
    point: Points,
    higher: Mapping[str, float] | None = None,
) -> Answer:
    """Return whether two equations give the same accelerations at a state."""

    def gap(digits: int) -> Gap:
        numbers = numbers_of(digits)
        exact_state = Place(manifold, point, numbers, first, higher or {})
        mine, theirs = (exact_state.results(each, ["ud"]) for each in (first, second))
        return difference(exact_state, mine, theirs, "ud")

    return answer(gap)


def difference(
    exact_state: Place, first: Mapping[str, Exact], second: Mapping[str, Exact], what: str
) -> Gap:
    """Return the difference of two results: `ud`, `Fc`, or all reactions that are unique."""
    numbers = exact_state.numbers
    with numbers.within():
        if what == "reactions":
            pairs = [_reactions(numbers, first, second, meaning) for meaning in first]
            parts = [pair for pair in pairs if pair is not None]
            mine, theirs = (
                np.concatenate([part[k] for part in parts] or [first["ud"][:0]]) for k in (0, 1)
            )
        else:
            mine, theirs = first[what], second[what]
        gap = mine - theirs
        if what == "Fc":
            gap = _without_norms(exact_state, gap)
        return _gap(numbers, gap, max(largest(numbers, mine), largest(numbers, theirs)))


def _reactions(
    numbers: Numbers, first: Mapping[str, Exact], second: Mapping[str, Exact], meaning: str
) -> tuple[Exact, Exact] | None:
    """Return the rows of a reaction that both have, and that are unique."""
    if not meaning.startswith(_REACTION) or meaning not in second:
        return None
    unique = np.ones(len(first[meaning]), dtype=bool)
    for each in (first, second):
        free = each.get(_OPEN + meaning.removeprefix(_REACTION))
        if free is not None:
            unique &= [bool(largest(numbers, row) <= rounding(numbers)) for row in free]
    return first[meaning][unique], second[meaning][unique]


def _without_norms(exact_state: Place, force: Exact) -> Exact:
    """Return a force without what keeps quaternions at unit length."""
    G = exact_state.matrices(exact_state.manifold.equations, ["G"])["G"]
    if not G.size:
        return force
    product = exact_state.numbers.product
    along = product(pinv(exact_state.numbers, G), product(G, force))
    return np.asarray(force - along)


def in_invariants(exact_state: Place, ud: Exact) -> Gap:
    """Return what accelerations leave of the invariants, A ud + b = 0."""
    matrices = exact_state.matrices(exact_state.manifold.equations, ["A", "b"])
    numbers = exact_state.numbers
    with numbers.within():
        Aud = numbers.product(matrices["A"], ud)
        terms = numbers.product(np.abs(matrices["A"]), np.abs(ud)) + np.abs(matrices["b"])
        return _gap(numbers, Aud + matrices["b"], largest(numbers, terms))


def in_power(exact_state: Place, kinetics: Equations, ud: Exact, Fc: Exact) -> Gap:
    """Return what accelerations and constraint forces leave of the balance of power."""
    matrices = exact_state.matrices(kinetics, [step.name for step in kinetics.steps])
    numbers = exact_state.numbers
    product = numbers.product
    speeds = [exact_state.state[v.symbol] for v in exact_state.manifold.system.u]
    u = np.array(speeds, dtype=object).reshape(-1, 1)

    def affine(name: str) -> tuple[Exact, Exact]:
        slope, rest = matrices[name], matrices[f"{name}0"]
        return product(slope, ud) + rest, product(np.abs(slope), np.abs(ud)) + np.abs(rest)

    with numbers.within():
        (Td, size_T), (W, size_W), (F, size_F), (Q, size_Q) = map(affine, "TWFQ")
        tw = matrices["tw"]
        j0 = tw - product(matrices["K"], u)
        power = product(tw.T, F) + product(u.T, Q + Fc) + product(j0.T, W - F)
        size = size_T + product(np.abs(tw.T), size_F) + product(np.abs(j0.T), size_W + size_F)
        size = size + product(np.abs(u.T), size_Q + np.abs(Fc))
        return _gap(numbers, Td - power, largest(numbers, size))


def residual(exact_state: Place, equations: Equations, k: int, ud: Exact) -> Gap:
    """Return what accelerations leave of a residual of equations."""
    value, magnitude = exact_state.residual(equations, equations.residuals[k], ud)
    with exact_state.numbers.within():
        return _gap(exact_state.numbers, value, largest(exact_state.numbers, magnitude))


def _gap(numbers: Numbers, gap: Exact, size: object) -> Gap:
    entries = gap.ravel().tolist()
    lower = max((float(numbers.lower(x)) for x in entries), default=0.0)
    upper = max((float(numbers.upper(x)) for x in entries), default=0.0)
    return Gap(lower, upper, float(size))  # type: ignore[arg-type]
