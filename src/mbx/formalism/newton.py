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

from mbx.formalism.numerics import EPS, Array, Faults, pinv

__all__ = ["Function", "fixed_point"]

Index = NDArray[np.intp]
Function = Callable[[Index, Array], tuple[Array, Faults]]
"""From positions of states and y there, (K, n), to g there and a status for each."""

LIMIT: Final = 50
CONVERGED: Final = 1e-10
"""Of the magnitudes of y and F."""
KEEP: Final = 1e-6
"""Below it the Jacobian is kept: nearer the root differences gain nothing."""
HALVINGS: Final = 10
FAR: Final = 1e6
ROUNDS: Final = 20
JAMS: Final = 1 - 1e-5
"""A growth above it is no contraction; a constant part of F is still felt in the sixth digit."""


def fixed_point(g: Function, start: Array) -> tuple[Array, Faults]:
    """Return y with g(y) = 0, and where there is none, or more than one, why."""
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
    """Return the magnitudes of y and F(y); a small one counts as a thousandth of the largest."""
    scale = np.abs(y) + np.abs(y - value)
    scale = np.maximum(scale, 1e-3 * scale.max(axis=-1, keepdims=True))
    return np.where(scale > 0, scale, 1.0)


def _size(value: Array, scale: Array) -> Array:
    """Return the largest residual in relation to the magnitudes; infinite if it is no number."""
    size = np.abs(value / scale).max(axis=-1)
    return np.where(np.isfinite(size), size, np.inf)


def _jacobian(g: Function, at: Index, y: Array, value: Array) -> Array:
    """Return the derivatives of g by central differences; all shifted states are one batch."""
    K, n = y.shape
    scale = np.maximum(np.abs(y), np.abs(value))
    largest = scale.max(axis=-1, keepdims=True)
    h = EPS ** (1 / 3) * np.where(scale > 0, scale, np.where(largest > 0, largest, 1.0))
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
        good = _size(found, scale[left]) < _size(value[left], scale[left])
        y_new[left[good]], value_new[left[good]] = trial[good], found[good]
        left = left[~good]
    value_new[left] = g(at[left], y_new[left])[0]
    return y_new, value_new


def _bends(g: Function, at: Index, y: Array, value: Array) -> NDArray[np.bool_]:
    """Return whether F fails to contract at a root."""
    slopes = np.eye(y.shape[-1]) - _jacobian(g, at, y, value)
    return np.asarray(np.abs(np.linalg.eigvals(slopes)).max(axis=-1) >= JAMS)


def _grows(g: Function, at: Index, y: Array, value: Array) -> NDArray[np.bool_]:
    """Return whether F fails to contract far from y.

    There F of Coulomb friction is F(k y) = k F(y), and a growth of 1 or more means two roots
    or none, even where the slope at one of them is small.
    """
    size = np.maximum(np.abs(y), np.abs(y - value)).max(axis=-1, keepdims=True)
    reach = FAR * np.where((size > 0) & np.isfinite(size), size, 1.0)
    grows = np.zeros(len(y), dtype=bool)
    for sign in (1.0, -1.0):
        z = sign * np.where((np.abs(y) > 0).any(axis=-1, keepdims=True), y, 1.0)
        z = z / np.abs(z).max(axis=-1, keepdims=True)
        rates = np.zeros((ROUNDS, len(y)))
        for k in range(ROUNDS):
            image = z - g(at, reach * z)[0] / reach
            rates[k] = np.abs(image).max(axis=-1)
            z = np.where(rates[k, :, None] > 0, image / rates[k, :, None], z)
        late = rates[ROUNDS // 2 :]
        mean = np.exp(np.log(np.maximum(late, np.finfo(float).tiny)).mean(axis=0))
        grows |= mean >= JAMS  # a rate that is no number says nothing
    return grows
