"""Random values: distributions by name, and points of the unit cube that are put into them.

A point has one number between 0 and 1 for each random name; the inverse of the distribution
function makes a value of it. So random, Latin hypercube and Sobol points serve all
distributions, and all of them are known before any run is made.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from math import isfinite, log
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.study.study_errors import StudyError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["DISTRIBUTIONS", "SAMPLINGS", "Chance", "chance_of", "unit_points"]

SAMPLINGS: Final = ("random", "latin", "sobol", "halton")
_CALL: Final = re.compile(r"\s*([a-z]+)\s*\(([^()]*)\)\s*")
_LEAST: Final = 2.0**-54
"""Numbers of a point are kept that far from 0, and from 1 by the last digit."""


@dataclass(frozen=True, slots=True)
class _Distribution:
    """A distribution: names of its numbers, what they must be, and the inverse of its function."""

    numbers: tuple[str, ...]
    sound: Callable[..., bool]
    must: str
    inverse: Callable[..., Array]


def _normal(p: Array, mean: float, sd: float) -> Array:
    from scipy.special import ndtri  # only for random values

    return np.asarray(mean + sd * ndtri(p))


def _lognormal(p: Array, median: float, sigma: float) -> Array:
    return np.asarray(np.exp(_normal(p, log(median), sigma)))


def _triangular(p: Array, low: float, mode: float, high: float) -> Array:
    whole, rising = high - low, mode - low
    below = low + np.sqrt(p * whole * rising)
    above = high - np.sqrt((1 - p) * whole * (high - mode))
    return np.where(p * whole < rising, below, above)


DISTRIBUTIONS: Final = {
    "normal": _Distribution(("MEAN", "SD"), lambda _, s: s > 0, "SD more than 0", _normal),
    "uniform": _Distribution(
        ("LOW", "HIGH"), lambda a, b: a < b, "LOW below HIGH", lambda p, a, b: a + (b - a) * p
    ),
    "loguniform": _Distribution(
        ("LOW", "HIGH"),
        lambda a, b: 0 < a < b,
        "LOW more than 0 and below HIGH",
        lambda p, a, b: a * (b / a) ** p,
    ),
    "lognormal": _Distribution(
        ("MEDIAN", "SIGMA"), lambda m, s: m > 0 and s > 0, "both more than 0", _lognormal
    ),
    "triangular": _Distribution(
        ("LOW", "MODE", "HIGH"),
        lambda a, c, b: a <= c <= b and a < b,
        "them in rising order",
        _triangular,
    ),
}


@dataclass(frozen=True, slots=True)
class Chance:
    """A random value: its distribution, with numbers in SI units."""

    name: str
    numbers: tuple[float, ...]

    def at(self, p: Array) -> Array:
        """Return the values below which parts `p` of all values lie."""
        inside = np.clip(p, _LEAST, 1 - 2 * _LEAST)
        return DISTRIBUTIONS[self.name].inverse(inside, *self.numbers)


def chance_of(text: str) -> Chance:
    """Return the distribution that a text names, such as `normal(1, 0.1)`."""
    call = _CALL.fullmatch(text)
    if call is None:
        forms = ", ".join(f"{n}({','.join(d.numbers)})" for n, d in DISTRIBUTIONS.items())
        raise StudyError(f"'{text}' is no distribution: expected one of {forms}")
    name = call[1]
    if name not in DISTRIBUTIONS:
        raise unknown("distribution", name, DISTRIBUTIONS)
    known = DISTRIBUTIONS[name]
    try:
        numbers = tuple(float(part) for part in call[2].split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != len(known.numbers) or not all(isfinite(x) for x in numbers):
        raise StudyError(f"'{text}': {name} takes {', '.join(known.numbers)}, numbers in SI units")
    if not known.sound(*numbers):
        raise StudyError(f"'{text}': {name} needs {known.must}")
    return Chance(name, numbers)


def unit_points(sampling: str, samples: int, width: int, seed: int) -> Array:
    """Return points of the unit cube, a row for each; they follow from the seed alone."""
    if sampling not in SAMPLINGS:
        raise unknown("sampling", sampling, SAMPLINGS)
    if sampling == "random":
        return np.random.default_rng(seed).random((samples, width))
    from scipy.stats import qmc  # only for these

    engine = {"latin": qmc.LatinHypercube, "sobol": qmc.Sobol, "halton": qmc.Halton}[sampling]
    with warnings.catch_warnings():
        # of a number that is no power of two, Sobol's points are merely less balanced
        warnings.simplefilter("ignore", UserWarning)
        # `rng` has this name since SciPy 1.15 only
        return np.asarray(engine(d=width, seed=np.random.default_rng(seed)).random(samples))
