"""The arbiter: whether a difference is rounding, decided by more and more digits.

A difference that is rounding shrinks with the digits; one between equations stays. Both are
looked at with 50 and 100 digits; where that does not tell, with twice as many, up to 400.
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
    "settled",
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


def settled(less: Gap, more: Gap) -> Answer:
    """Return what a difference in some digits and in twice as many says."""
    if more.upper <= SHRUNK * max(more.size, less.upper):
        return "rounding"
    stays = abs(more.upper - less.upper) <= STEADY * more.upper
    apart = less.lower > 0 and more.lower >= (1 - STEADY) * more.upper
    return "different" if stays and apart and more.lower > SHRUNK * more.size else "undecided"


def answer(gap: Callable[[int], Gap | None], *, enough: bool = False) -> Answer:
    """Return whether a difference, which depends on the digits, is rounding.

    Where there is none in some digits, more are tried. Once may be `enough`: what is left in
    100 digits is then looked at first, for it may tell without that in 50.
    """
    if enough:
        first = gap(DIGITS[1])
        if first is not None and first.upper <= SHRUNK * first.size:
            return "rounding"
    before = None
    for digits in DIGITS:
        here = gap(digits)
        if before is not None and here is not None:
            found = settled(before, here)
            if found != "undecided":
                return found
        before = here
    return "undecided"


def equal_at(
    one: Equations,
    other: Equations,
    manifold: Manifold,
    point: Points,
    higher: Mapping[str, float] | None = None,
) -> Answer:
    """Return whether two equations give the same accelerations at a state."""

    def gap(digits: int) -> Gap:
        numbers = numbers_of(digits)
        place = Place(manifold, point, numbers, one, higher or {})
        mine, theirs = (place.results(each, ["ud"]) for each in (one, other))
        return difference(place, mine, theirs, "ud")

    return answer(gap)


def difference(
    place: Place, one: Mapping[str, Exact], other: Mapping[str, Exact], what: str
) -> Gap:
    """Return the difference of two results: `ud`, `Fc`, or all reactions that are unique."""
    numbers = place.numbers
    with numbers.within():
        if what == "reactions":
            pairs = [_reactions(numbers, one, other, meaning) for meaning in one]
            parts = [pair for pair in pairs if pair is not None]
            mine, theirs = (
                np.concatenate([part[k] for part in parts] or [one["ud"][:0]]) for k in (0, 1)
            )
        else:
            mine, theirs = one[what], other[what]
        gap = mine - theirs
        if what == "Fc":
            gap = _without_norms(place, gap)
        return _gap(numbers, gap, max(largest(numbers, mine), largest(numbers, theirs)))


def _reactions(
    numbers: Numbers, one: Mapping[str, Exact], other: Mapping[str, Exact], meaning: str
) -> tuple[Exact, Exact] | None:
    """Return the rows of a reaction that both have, and that are unique."""
    if not meaning.startswith(_REACTION) or meaning not in other:
        return None
    unique = np.ones(len(one[meaning]), dtype=bool)
    for each in (one, other):
        free = each.get(_OPEN + meaning.removeprefix(_REACTION))
        if free is not None:
            unique &= [bool(largest(numbers, row) <= rounding(numbers)) for row in free]
    return one[meaning][unique], other[meaning][unique]


def _without_norms(place: Place, force: Exact) -> Exact:
    """Return a force without what keeps quaternions at unit length."""
    G = place.matrices(place.manifold.equations, ["G"])["G"]
    if not G.size:
        return force
    product = place.numbers.product
    along = product(pinv(place.numbers, G), product(G, force))
    return np.asarray(force - along)


def in_invariants(place: Place, ud: Exact) -> Gap:
    """Return what accelerations leave of the invariants, A ud + b = 0."""
    found = place.matrices(place.manifold.equations, ["A", "b"])
    numbers = place.numbers
    with numbers.within():
        Aud = numbers.product(found["A"], ud)
        terms = numbers.product(np.abs(found["A"]), np.abs(ud)) + np.abs(found["b"])
        return _gap(numbers, Aud + found["b"], largest(numbers, terms))


def in_power(place: Place, kinetics: Equations, ud: Exact, Fc: Exact) -> Gap:
    """Return what accelerations and constraint forces leave of the balance of power."""
    found = place.matrices(kinetics, [step.name for step in kinetics.steps])
    numbers = place.numbers
    product = numbers.product
    speeds = [place.state[v.symbol] for v in place.manifold.system.u]
    u = np.array(speeds, dtype=object).reshape(-1, 1)

    def affine(name: str) -> tuple[Exact, Exact]:
        slope, rest = found[name], found[f"{name}0"]
        return product(slope, ud) + rest, product(np.abs(slope), np.abs(ud)) + np.abs(rest)

    with numbers.within():
        (Td, size_T), (W, size_W), (F, size_F), (Q, size_Q) = map(affine, "TWFQ")
        tw = found["tw"]
        j0 = tw - product(found["K"], u)
        power = product(tw.T, F) + product(u.T, Q + Fc) + product(j0.T, W - F)
        size = size_T + product(np.abs(tw.T), size_F) + product(np.abs(j0.T), size_W + size_F)
        size = size + product(np.abs(u.T), size_Q + np.abs(Fc))
        return _gap(numbers, Td - power, largest(numbers, size))


def residual(place: Place, equations: Equations, k: int, ud: Exact) -> Gap:
    """Return what accelerations leave of one of the residuals of equations."""
    value, magnitude = place.residual(equations, equations.residuals[k], ud)
    with place.numbers.within():
        return _gap(place.numbers, value, largest(place.numbers, magnitude))


def _gap(numbers: Numbers, gap: Exact, size: object) -> Gap:
    entries = gap.ravel().tolist()
    lower = max((float(numbers.lower(x)) for x in entries), default=0.0)
    upper = max((float(numbers.upper(x)) for x in entries), default=0.0)
    return Gap(lower, upper, float(size))  # type: ignore[arg-type]
