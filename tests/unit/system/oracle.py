"""Kinematics by hand, in NumPy: matrices and finite differences, nothing of mbx in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import mbx
from mbx.expr.evaluate import evaluate, free_symbols
from mbx.expr.nodes import Node, symbol
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from mbx.system.system import System

__all__ = [
    "NO_MOVE",
    "Array",
    "Motion",
    "close",
    "euler",
    "first",
    "inverse",
    "moved",
    "numbers",
    "path_of",
    "pose",
    "quaternion",
    "rotation",
    "second",
    "system",
    "turned",
    "unskew",
]

Array = Any
Motion = Mapping[str, Callable[[float], float]]
"""A function of time for every coordinate or input."""

NO_MOVE = np.zeros(3)
_STEP = 0.02
# central differences of order 8
_FIRST = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
_SECOND = {0: -205 / 72, 1: 8 / 5, 2: -1 / 5, 3: 8 / 315, 4: -1 / 560}


@cache
def system(text: str) -> System:
    """Return the system of a model, or of statements of one."""
    if not text.lstrip().startswith("mbx 1"):
        text = f"mbx 1\nmodel T {{\n{text}\n}}\n"
    return elaborate(mbx.link(mbx.loads(text)))


# -- time -----------------------------------------------------------------------------------


def first(f: Callable[[float], Any], t: float) -> Any:
    """Return the first derivative of a function of time."""
    return sum(c * (f(t + k * _STEP) - f(t - k * _STEP)) for k, c in _FIRST.items()) / _STEP


def second(f: Callable[[float], Any], t: float) -> Any:
    """Return the second derivative of a function of time."""
    total = _SECOND[0] * f(t)
    for k in range(1, 5):
        total = total + _SECOND[k] * (f(t + k * _STEP) + f(t - k * _STEP))
    return total / _STEP**2


def path_of(k: int) -> Callable[[float], float]:
    """Return a smooth motion that is like no other one."""
    return lambda t: 0.3 + 0.1 * k + (0.7 - 0.15 * k) * t + 0.2 * np.sin((1 + 0.3 * k) * t + k)


def numbers(
    nodes: Sequence[Node] | None,
    motion: Motion,
    t: float,
    values: Mapping[str, float] | None = None,
    found: System | None = None,
) -> Array:
    """Return the values of raw expressions along a motion; parameters have their own."""
    assert nodes is not None
    known: dict[str, Any] = {"t": t}
    for name, f in motion.items():
        known |= {name: f(t), f"{name}'": first(f, t), f"{name}''": second(f, t)}
    known |= dict(values or {})
    if found is not None:
        for one in (*found.parameters, *found.inputs):
            if one.path not in known and one.value is not None:
                (known[one.path],) = evaluate([one.value], _symbols([one.value], known))
    return np.array([float(x) for x in evaluate(nodes, _symbols(nodes, known))])


def _symbols(nodes: Sequence[Node], known: Mapping[str, float]) -> dict[Node, float]:
    named = {symbol(name): value for name, value in known.items()}
    missing = [s for s in free_symbols(nodes) if s not in named]
    assert not missing, missing
    return {node: float(value) for node, value in named.items()}


# -- space ----------------------------------------------------------------------------------


def skew(v: Any) -> Array:
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def unskew(S: Array) -> Array:
    """Return the vector of the skew part of a matrix."""
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2


def rotation(axis: Any, angle: float) -> Array:
    """Return Rodrigues's matrix."""
    K = skew(np.asarray(axis, float) / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def euler(sequence: str, angles: Sequence[float]) -> Array:
    """Return body-fixed rotations, read from left to right."""
    R = np.eye(3)
    for letter, angle in zip(sequence, angles, strict=True):
        R = R @ rotation(np.eye(3)["xyz".index(letter)], angle)
    return R


def quaternion(w: float, x: float, y: float, z: float) -> Array:
    """Return the matrix whose columns are R e = e + 2 w (v x e) + 2 v x (v x e)."""
    v = np.array([x, y, z])
    columns = [e + 2 * w * np.cross(v, e) + 2 * np.cross(v, np.cross(v, e)) for e in np.eye(3)]
    return np.array(columns).T


def pose(R: Array, p: Any = NO_MOVE) -> Array:
    """Return a homogeneous matrix."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def moved(*p: float) -> Array:
    """Return a pose that is moved only."""
    return pose(np.eye(3), p)


def turned(axis: Any, angle: float) -> Array:
    """Return a pose that is turned only."""
    return pose(rotation(axis, angle))


def inverse(T: Array) -> Array:
    """Return the inverse of a pose."""
    return pose(T[:3, :3].T, -T[:3, :3].T @ T[:3, 3])


def close(a: Any, b: Any, tolerance: float = 1e-9) -> None:
    """Fail unless two arrays are equal to a tolerance."""
    np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=0, atol=tolerance)
