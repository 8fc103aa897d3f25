"""Scalars along a motion: truncated Taylor series in time.

A jet of length n has the coefficients c[0] .. c[n-1] of a series in time. The last of them is
affine in the unknown x, the highest rates of the variables: its full value is

    c[n-1] + (g . x) / (n-1)!

where g, by columns, is the gradient with respect to the highest rates in it. So the product and
chain rules of gradients are those of the values c[0]. What is shorter has seen a higher rate; a
sum or product is as long as the shorter part, and the gradients of longer parts do not count.
Coefficients beyond those that are stored are zero. (A. Griewank and A. Walther, Evaluating
Derivatives, 2nd ed., SIAM 2008, chapter 13.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.verify.oracle.numbers.number_fields import Number

__all__ = [
    "ENDLESS",
    "Jet",
    "NonlinearError",
    "OrderError",
    "ddt",
    "integral",
    "power",
    "series_exp",
    "series_sin_cos",
]

ENDLESS: Final = 1 << 20
"""Length of a constant."""


class NonlinearError(ArithmeticError):
    """Something is not affine in the highest rates."""


class OrderError(ArithmeticError):
    """Something has a higher order than the rates go."""


@dataclass(frozen=True, slots=True)
class Jet:
    """A scalar along a motion."""

    c: tuple[Number, ...]
    n: int = ENDLESS
    g: Mapping[int, Number] = field(default_factory=dict)

    def __add__(self, other: Any) -> Any:
        """Add."""
        if not isinstance(other, Jet):
            return NotImplemented
        n, a, b = _common(self, other)
        short, long = (a, b) if len(a) <= len(b) else (b, a)
        c = (*(x + y for x, y in zip(short, long, strict=False)), *long[len(short) :])
        if self.n == other.n and self.g and other.g:
            g = dict(self.g)
            for k, y in other.g.items():
                g[k] = g[k] + y if k in g else y
            return Jet(c, n, g)
        return Jet(c, n, _kept(self, n) or _kept(other, n))

    def __neg__(self) -> Jet:
        """Negate."""
        return Jet(tuple(-x for x in self.c), self.n, {k: -x for k, x in self.g.items()})

    def __sub__(self, other: Any) -> Any:
        """Subtract."""
        return self + (-other)

    def __mul__(self, other: Any) -> Any:
        """Multiply."""
        if not isinstance(other, Jet):
            return NotImplemented
        n, a, b = _common(self, other)
        ga, gb = _kept(self, n), _kept(other, n)
        if n == 1 and ga and gb:
            raise NonlinearError
        size = min(n, len(a) + len(b) - 1)
        c = tuple(_dot(a, b, k, max(0, k - len(b) + 1), min(k, len(a) - 1)) for k in range(size))
        return Jet(c, n, _combined(ga, b[0], gb, a[0]))

    def __truediv__(self, other: Any) -> Any:
        """Divide."""
        if not isinstance(other, Jet):
            return NotImplemented
        n, a, b = _common(self, other)
        ga, gb = _kept(self, n), _kept(other, n)
        if n == 1 and gb:
            raise NonlinearError
        if b[0] == 0:
            raise ZeroDivisionError
        inverse = 1 / b[0]
        size = len(a) if len(b) == 1 else min(n, _longest(self, other))
        c: list[Number] = []
        for k in range(size):
            rest = a[k] if k < len(a) else 0 * inverse
            for j in range(1, min(k, len(b) - 1) + 1):
                rest -= b[j] * c[k - j]
            c.append(rest * inverse)
        return Jet(tuple(c), n, _combined(ga, inverse, gb, -c[0] * inverse))

    def scaled(self, x: Number) -> Jet:
        """Return a multiple."""
        return Jet(tuple(y * x for y in self.c), self.n, {k: y * x for k, y in self.g.items()})


def _longest(a: Jet, b: Jet) -> int:
    """Return how many coefficients matter of an endless series that does not end by itself."""
    return SERIES if a.n == b.n == ENDLESS else ENDLESS


SERIES: Final = 10
"""Coefficients of a series of t alone: more than the highest rate that the language has."""


def _common(a: Jet, b: Jet) -> tuple[int, tuple[Number, ...], tuple[Number, ...]]:
    n = min(a.n, b.n)
    return n, a.c[:n], b.c[:n]


def _kept(a: Jet, n: int) -> Mapping[int, Number]:
    return a.g if a.n == n else {}


def _dot(a: Sequence[Number], b: Sequence[Number], k: int, first: int, last: int) -> Number:
    total = a[first] * b[k - first]
    for j in range(first + 1, last + 1):
        total += a[j] * b[k - j]
    return total


def _combined(
    ga: Mapping[int, Number], x: Number, gb: Mapping[int, Number], y: Number
) -> dict[int, Number]:
    """Return x ga + y gb."""
    g = {k: v * x for k, v in ga.items()}
    for k, v in gb.items():
        g[k] = g[k] + v * y if k in g else v * y
    return g


def ddt(a: Jet) -> Jet:
    """Return the rate of a scalar."""
    if a.n == 1:
        raise OrderError
    c = tuple(k * x for k, x in enumerate(a.c[1:], start=1))
    return Jet(c or (0 * a.c[0],), a.n if a.n == ENDLESS else a.n - 1, a.g)


def integral(start: Number, slope: Jet, n: int) -> Jet:
    """Return the scalar that begins at a value and has this rate."""
    c = [start, *(x / k for k, x in enumerate(slope.c, start=1))]
    return Jet(tuple(c[:n]), n, slope.g)


def _moving(a: Jet) -> int:
    """Return how many coefficients a function of a scalar has."""
    if a.n == 1 and a.g:
        raise NonlinearError
    if len(a.c) == 1:
        return 1
    return SERIES if a.n == ENDLESS else a.n


def series_exp(a: Jet, start: Number) -> Jet:
    """Return exp(a), where `start` is its value: E' = E a'."""
    size = _moving(a)
    e = [start]
    for k in range(1, size):
        total = sum(j * a.c[j] * e[k - j] for j in range(1, min(k, len(a.c) - 1) + 1))
        e.append(total / k)
    return Jet(tuple(e), a.n, {k: x * start for k, x in a.g.items()})


def series_sin_cos(a: Jet, sine: Number, cosine: Number, sign: int) -> tuple[Jet, Jet]:
    """Return sine and cosine: S' = C a', C' = sign S a'; sign +1: the hyperbolic functions."""
    size = _moving(a)
    s, c = [sine], [cosine]
    for k in range(1, size):
        last = min(k, len(a.c) - 1)
        s.append(sum(j * a.c[j] * c[k - j] for j in range(1, last + 1)) / k)
        c.append(sign * sum(j * a.c[j] * s[k - j] for j in range(1, last + 1)) / k)
    gs = {k: x * cosine for k, x in a.g.items()}
    gc = {k: sign * x * sine for k, x in a.g.items()}
    return Jet(tuple(s), a.n, gs), Jet(tuple(c), a.n, gc)


def power(a: Jet, p: Number, start: Number) -> Jet:
    """Return a^p for a constant p, where `start` is its value: a P' = p P a'."""
    size = _moving(a)
    if a.c[0] == 0:
        raise ZeroDivisionError
    inverse = 1 / a.c[0]
    c = [start]
    for k in range(1, size):
        total = sum(
            (p * j - (k - j)) * a.c[j] * c[k - j] for j in range(1, min(k, len(a.c) - 1) + 1)
        )
        c.append(total * inverse / k)
    slope = p * start * inverse
    return Jet(tuple(c), a.n, {k: x * slope for k, x in a.g.items()})
