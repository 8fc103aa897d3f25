"""The motion that tests of kinematics share, and the comparison with poses by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unit.system.oracle import (
    Array,
    close,
    first,
    numbers,
    path_of,
    second,
    unskew,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.system.system import System

INERTIA = "inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])"
AT = 0.4
COM = np.array([0.3, -0.2, 0.5])


def unit_quaternion(t: float) -> Array:
    e = np.array([1 + 0.1 * t, 0.3 + 0.4 * t, -0.2 + np.sin(t), 0.5 * t * t])
    return e / np.linalg.norm(e)


def _part(k: int) -> Callable[[float], float]:
    return lambda t: unit_quaternion(t)[k]


MOTION = {name: path_of(k) for k, name in enumerate(("a", "b", "c", "r", "s", "u"))}
MOTION |= {name: _part(k) for k, name in enumerate(("qw", "qx", "qy", "qz"))}
ANGLES, LENGTHS = ("a", "b", "c"), ("r", "s", "u")


def declared(names: str) -> str:
    units = dict.fromkeys(ANGLES, "rad") | dict.fromkeys(LENGTHS, "m")
    return "\n".join(f"coordinate {n}: {units.get(n, '1')}" for n in names.split())


def assert_moves(found: System, path: str, T: Callable[[float], Array], com: Array) -> None:
    """Compare a body with poses by hand: R, place, velocity, acceleration, w and its rates."""
    body = next(e for e in found.elements if e.path == path)

    def values(nodes: Any) -> Array:
        return numbers(nodes, MOTION, AT, found=found)

    def place(t: float) -> Array:
        return (T(t) @ np.array([*com, 1]))[:3]

    def R(t: float) -> Array:
        return T(t)[:3, :3]

    w = unskew(R(AT).T @ first(R, AT))
    wd = unskew(R(AT).T @ second(R, AT))  # [wd] + [w]^2, and the latter is symmetric
    close(values(tuple(x for row in body.R for x in row)).reshape(3, 3), R(AT))
    close(values(body.com.p), place(AT))
    close(values(body.com.v), first(place, AT))
    close(values(body.com.a), second(place, AT), 1e-8)
    close(values(body.w_local), w)
    close(values(body.wd_local), wd, 1e-8)
    close(values(body.w), R(AT) @ w)
    close(values(body.al), R(AT) @ wd, 1e-8)  # R' w = w x w = 0


def motions_at(t: float) -> dict[str, float]:
    return {name: f(t) for name, f in MOTION.items()}
