"""What modules of the target `jax` need: unknowns that are sought, with their derivatives."""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003  as copied
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import lax

__all__ = ["require_doubles", "root"]

LIMIT: Final = 400
"""Most rounds."""
NEWTON: Final = 20
"""Rounds before it take Newton's steps, but for the first, for the norm of a reaction has no slope
at zero; then y = F(y), which is slow and ends wherever F contracts."""
TOLERANCE: Final = 1e-13
"""Part of the largest unknown, or of LEAST, that the last step may have."""
LEAST: Final = 1e-4
"""In SI units."""


def require_doubles() -> None:
    """Raise an error unless JAX computes with doubles."""
    if not jnp.zeros(0).dtype == jnp.float64:
        raise ImportError('these equations need doubles: jax.config.update("jax_enable_x64", True)')


def root(g: Callable[[Any], tuple[Any, Any]], start: Any) -> Any:
    """Return y with g(y) = 0; NaN if it is not found. `g` gives its value and Newton's step.

    Derivatives are those of the implicit function, whatever way led to y.
    """

    def solve(_: Any, y: Any) -> Any:
        def goes_on(state: Any) -> Any:
            k, y, move = state
            return (k < LIMIT) & (move > TOLERANCE * jnp.maximum(jnp.max(jnp.abs(y)), LEAST))

        def round_of(state: Any) -> Any:
            k, y, _ = state
            value, step = g(y)
            sound = (k > 0) & (k < NEWTON) & jnp.isfinite(step).all()
            step = jnp.where(sound, step, -value)
            return k + 1, y + step, jnp.max(jnp.abs(step))

        _, found, move = lax.while_loop(goes_on, round_of, (0, y, jnp.inf))
        size = jnp.maximum(jnp.max(jnp.abs(found)), LEAST)
        return jnp.where(move <= TOLERANCE * size, found, jnp.nan)

    def tangent(linear: Callable[[Any], Any], right: Any) -> Any:
        return jnp.linalg.solve(jax.jacobian(linear)(right), right)

    return lax.custom_root(lambda y: g(y)[0], start, solve, tangent)
