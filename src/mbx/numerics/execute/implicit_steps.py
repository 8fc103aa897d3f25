"""The unknown of an implicit step: y with g(y) = y - F(y) = 0, for many states at once.

Loads that name reactions lead to it: the reactions are affine in the load, and the load takes
magnitudes of the reactions. There is one solution if F contracts (Orsino, section 4.4); if it
does not, the state jams, whether Newton's method finds a root or not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mbx.numerics.execute.stacked_algebra import EPS, Array, Faults, pinv

__all__ = ["Function", "Index", "fixed_point"]

Index = NDArray[np.intp]
Function = Callable[[Index, Array], tuple[Array, Faults]]
"""From positions of states and y there, (K, n), to g there and a status for each."""

LIMIT: Final = 50
CONVERGED: Final = 1e-10
"""Of the magnitudes of y and F."""
LEAST: Final = 1e-4
"""Least magnitude of a reaction that a residual is taken relative to, in SI units."""
KEEP: Final = 1e-6
"""Below it the Jacobian is kept: nearer the root differences gain nothing."""
HALVINGS: Final = 10
FAR: Final = 1e6
ROUNDS: Final = 20
STEADY: Final = 1e-7
"""A direction that moves less does not move any more."""
TINY: Final = float(np.finfo(float).tiny)
JAMS: Final = 1 - 1e-5
"""A growth above it is no contraction; a constant part of F is still felt in the sixth digit."""


def fixed_point(g: Function, start: Array) -> tuple[Array, Faults]:
    """Return y with g(y) = 0, and where there is none, or more than one, why.

    The steps are damped by halving, unlike those of `gauss_newton`: F has kinks, and where a step
    of any length gains nothing, F(y) itself may.
    """
    every = np.arange(len(start))
    y = start.copy()
    value, faults = g(every, y)
    faults = np.where(faults == "regular", "", faults).astype(object)
    if not y.size:
        return y, faults
    active = faults == ""
    J = np.zeros((*y.shape, y.shape[-1]))
    known = np.zeros(len(y), dtype=bool)
    for _ in range(LIMIT):
        at = np.flatnonzero(active)
        if not at.size:
            break
        scale = _scale(y[at], value[at])
        size = _size(value[at], scale)
        stale = at[(size > KEEP) | ~known[at]]
        J[stale] = _jacobian(g, stale, y[stale], value[stale])
        known[stale] = True
        step = -(pinv(J[at]) @ value[at, :, None])[..., 0]
        y_new, value_new = _damped(g, at, y[at], step, value[at])
        size_new = _size(value_new, scale)
        move = (size_new < size) | (size > CONVERGED)
        y[at[move]], value[at[move]] = y_new[move], value_new[move]
        # at rounding level the residual does not shrink any more
        least = _size(value[at], _scale(y[at], value[at]))
        ends = (least <= CONVERGED) & ~(size_new < size / 2)
        active[at[ends | (least == 0)]] = False
    sound = np.flatnonzero(faults == "")
    faults[active] = "no convergence"
    found = sound[~active[sound]]
    faults[found[_bends(g, found, y[found], value[found])]] = "jamming"
    faults[sound[_grows(g, sound, y[sound], value[sound])]] = "jamming"
    return y, faults


def _scale(y: Array, value: Array) -> Array:
    """Return the magnitudes of y and F(y); a small one counts as a thousandth of the largest.

    Where all are zero, rounding is left, and counts by its size in SI units.
    """
    scale = np.abs(y) + np.abs(y - value)
    least = np.maximum(1e-3 * scale.max(axis=-1, keepdims=True), LEAST)
    return np.asarray(np.maximum(scale, least))


def _size(value: Array, scale: Array) -> Array:
    """Return the largest residual in relation to the magnitudes; infinite if it is no number."""
    size = np.abs(value / scale).max(axis=-1)
    return np.where(np.isfinite(size), size, np.inf)


def _jacobian(g: Function, at: Index, y: Array, value: Array) -> Array:
    """Return the derivatives of g by central differences; all shifted states are one batch."""
    K, n = y.shape
    scale = np.maximum(np.abs(y), np.abs(value))
    largest = scale.max(axis=-1, keepdims=True)
    # no less than what rounding would drown
    scale = np.maximum(np.where(scale > 0, scale, largest), 1e-3 * LEAST)
    h = EPS ** (1 / 3) * np.where(largest > 0, scale, 1.0)
    shift = h[:, :, None] * np.eye(n)
    both = np.concatenate([y[:, None] + shift, y[:, None] - shift], axis=1).reshape(-1, n)
    found = g(np.repeat(at, 2 * n), both)[0].reshape(K, 2, n, n)
    J = np.swapaxes((found[:, 0] - found[:, 1]) / (2 * h[:, :, None]), 1, 2)
    return np.where(np.isfinite(J).all(axis=(1, 2), keepdims=True), J, np.eye(n))


def _damped(g: Function, at: Index, y: Array, step: Array, value: Array) -> tuple[Array, Array]:
    """Return a better y and g there, on the way of the step; if there is none, F(y) = y - g."""
    scale = _scale(y, value)
    y_new, value_new = y - value, np.full_like(value, np.inf)
    left = np.arange(len(y))
    for k in range(HALVINGS):
        trial = y[left] + 0.5**k * step[left]
        found = g(at[left], trial)[0]
        before = _size(value[left], scale[left])
        good = _size(found, scale[left]) < before
        # at rounding level half a step is no better than a whole one
        y_new[left[good]], value_new[left[good]] = trial[good], found[good]
        left = left[~good & (before > CONVERGED)]
        if not left.size:
            return y_new, value_new
    value_new[left] = g(at[left], y_new[left])[0]
    return y_new, value_new


def _bends(g: Function, at: Index, y: Array, value: Array) -> NDArray[np.bool_]:
    """Return whether F fails to contract at a root."""
    slopes = np.eye(y.shape[-1]) - _jacobian(g, at, y, value)
    return np.asarray(np.abs(np.linalg.eigvals(slopes)).max(axis=-1) >= JAMS)


def _grows(g: Function, at: Index, y: Array, value: Array) -> NDArray[np.bool_]:
    """Return whether F fails to contract far from y.

    There F of Coulomb friction is F(k y) = k F(y), and a growth of 1 or more means two roots
    or none, even where the slope at one of them is small. The growth is that of directions
    which F takes to themselves, or to and fro. Where unknowns enter through one norm, F takes
    all directions to one, and few steps find it.
    """
    K, n = y.shape
    size = np.maximum(np.abs(y), np.abs(y - value)).max(axis=-1, keepdims=True)
    reach = FAR * np.where((size > 0) & np.isfinite(size), size, 1.0)
    start = np.where((np.abs(y) > 0).any(axis=-1, keepdims=True), y, 1.0)
    z = np.concatenate([start, -start])
    z = z / np.abs(z).max(axis=-1, keepdims=True)
    far, states, before = np.tile(reach, (2, 1)), np.tile(at, 2), np.full((2 * K, n), np.nan)
    rates = np.full((ROUNDS, 2 * K), np.nan)
    growth = np.zeros(2 * K)
    left = np.arange(2 * K)
    for k in range(ROUNDS):
        here, was = z[left], before[left]
        image = here - g(states[left], far[left] * here)[0] / far[left]
        rate = np.abs(image).max(axis=-1)
        rates[k, left] = rate
        before[left] = here
        z[left] = np.where(rate[:, None] > 0, image / np.where(rate > 0, rate, 1.0)[:, None], here)
        stays, returns = (np.abs(z[left] - x).max(axis=-1) <= STEADY for x in (here, was))
        last = np.maximum(rates[[max(k - 1, 0), k]][:, left], TINY)
        growth[left] = np.where(stays, rate, np.sqrt(last.prod(axis=0)))
        # a rate that is no number says nothing
        left = left[~stays & ~returns & np.isfinite(rate) & (rate > 0)]
        if not left.size:
            break
    late = np.maximum(rates[ROUNDS // 2 :, left], TINY)
    growth[left] = np.exp(np.log(late).mean(axis=0))
    return np.asarray((growth >= JAMS).reshape(2, K).any(axis=0))
