"""Matrices and energy of a model in numbers, to compare those that a text prints with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mbx.expr.derivatives import gradient, jacobian
from mbx.expr.evaluate import evaluate_arrays
from mbx.formalism.builder import Program
from mbx.mechanics import energy, invariants, motion
from mbx.numerics.execute.evaluate_equations import values_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.system.system import System

__all__ = ["Matrix", "columns", "constraint_matrix", "energy_of", "mass_matrix"]

Matrix = np.ndarray[Any, np.dtype[np.float64]]


def _numbers(one: System, state: Mapping[str, float], rows: Sequence[Sequence[Node]]) -> Matrix:
    """Return the values of a matrix at a state; rates of speeds are zero."""
    bare = Program().equations(one, "", "", "", {})
    higher = {x.path: 0.0 for x in bare.signature.higher}
    values = values_of(bare, {**higher, **state}, None, None, 0.0)
    flat = [float(x) for x in evaluate_arrays([x for row in rows for x in row], values)]
    return np.array(flat, float).reshape(len(rows), -1)


def constraint_matrix(one: System, state: Mapping[str, float]) -> Matrix:
    """Return A of A ud + b = 0; its columns are the speeds, in their order."""
    return _numbers(one, state, invariants.levels(motion.in_speeds(one)).A)


def mass_matrix(one: System, state: Mapping[str, float]) -> Matrix:
    """Return the Hessian of the kinetic energy in the speeds, in their order."""
    moving = motion.in_speeds(one)
    return _numbers(one, state, jacobian(gradient(energy.kinetic(moving), moving.u), moving.u))


def energy_of(one: System, state: Mapping[str, float]) -> float:
    """Return the kinetic and the potential energy together."""
    moving = motion.in_speeds(one)
    return float(_numbers(one, state, [[energy.kinetic(moving), energy.potential(moving)]]).sum())


def columns(one: System, S: Mapping[str, Sequence[float]]) -> Matrix:
    """Return a matrix with the rows of a text, named by speeds, in the order of the speeds."""
    paths = [v.path for v in one.u]
    assert set(S) == set(paths), sorted(set(S) ^ set(paths))
    return np.array([S[path] for path in paths], float)
