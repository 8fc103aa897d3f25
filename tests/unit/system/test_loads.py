"""Loads against virtual power by hand: forces times the velocities of the points they act on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mbx.expr.derivatives import gradient
from mbx.mechanics import loads, motion
from mbx.mechanics.energy import dissipation, potential
from unit.system.oracle import Array, close, first, moved, numbers, path_of, system, turned

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.system.system import System

_T = 0.4
_MOTION = {name: path_of(k) for k, name in enumerate(("a", "b", "x", "y"))}
_MODEL = """
param k: N/m = 7, l0: m = 0.2, c: N*s/m = 3
coordinate a, b: rad
coordinate x, y: m
body A { mass 1 kg com [0.1 m, 0, 0.2 m] inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])
  joint revolute(ground at [1 m, 2 m, 0], axis = [1, 1, 0], angle = a) }
body B { mass 2 kg com [0, 0.1 m, 0.3 m] inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])
  joint cylindrical(A at [0, 0, 0.4 m], own at [0, 0.2 m, 0], axis = x, angle = b, distance = x) }
particle Q { mass 3 kg at [x, y, x + y] }
"""


def _q(t: float) -> dict[str, float]:
    return {name: f(t) for name, f in _MOTION.items()}


def _A(q: dict[str, float]) -> Array:
    return moved(1, 2, 0) @ turned((1, 1, 0), q["a"])


def _B(q: dict[str, float]) -> Array:
    cylinder = moved(q["x"], 0, 0) @ turned((1, 0, 0), q["b"])
    return _A(q) @ moved(0, 0, 0.4) @ cylinder @ moved(0, -0.2, 0)


def _on(T: Callable[[dict[str, float]], Array], *r: float) -> Callable[[dict[str, float]], Array]:
    return lambda q: (T(q) @ np.array([*r, 1]))[:3]


def _Q(q: dict[str, float]) -> Array:
    return np.array([q["x"], q["y"], q["x"] + q["y"]])


def _still(q: dict[str, float]) -> Array:  # noqa: ARG001  as its neighbours
    return np.array([0.5, 0.6, 0.7])


def _slopes(f: Callable[[dict[str, float]], Any]) -> list[Any]:
    """Return the derivatives by each coordinate, all others fixed."""
    at = _q(_T)

    def along(name: str, e: float) -> Any:
        return f({**at, name: at[name] + e})

    return [first(partial(along, name), 0.0) for name in at]


def _generalized(found: System) -> Array:
    """Return all generalized forces of the loads in the rates of a, b, x, y."""
    moving = motion.in_speeds(found)
    assert [u.path for u in found.u] == ["a'", "b'", "x'", "y'"]
    wrench = loads.project(moving, loads.wrenches(moving))
    total = [*wrench, *loads.generalized(moving), *loads.non_ideal(moving)]
    return numbers(total, _MOTION, _T, found=found).reshape(3, 4).sum(axis=0)


def _by_energies(found: System) -> Array:
    """Return the same by potential and dissipation, as forms of energies take them."""
    moving = motion.in_rates(found)
    V = gradient(potential(moving), [q.symbol for q in found.q])
    D = gradient(dissipation(moving), moving.u)
    rest = loads.project(moving, loads.wrenches_without_energy(moving))
    more = [*loads.generalized_loads(moving), *loads.non_ideal(moving)]
    values = numbers([*V, *D, *rest, *more], _MOTION, _T, found=found).reshape(5, 4)
    return values[2:].sum(axis=0) - values[:2].sum(axis=0)


def _power(force: Array, *points: Callable[[dict[str, float]], Array]) -> Array:
    """Return a force on the first point, and its opposite on the second if there is one."""
    total = np.array([force @ s for s in _slopes(points[0])])
    for point in points[1:]:
        total = total - np.array([force @ s for s in _slopes(point)])
    return total


def _turning(T: Callable[[dict[str, float]], Array], torque: Array) -> Array:
    at = T(_q(_T))[:3, :3]
    rates = _slopes(lambda q: T(q)[:3, :3])
    skew = [dR @ at.T for dR in rates]
    return np.array([torque @ [S[2, 1], S[0, 2], S[1, 0]] for S in skew])


_G = np.array([1.0, -2.0, 3.0])
_COM_A, _COM_B = _on(_A, 0.1, 0, 0.2), _on(_B, 0, 0.1, 0.3)
_FORCES: dict[str, Callable[[], Array]] = {
    "force [1 N, -2 N, 3 N] on A": lambda: _power(_G, _COM_A),
    "force [1 N, -2 N, 3 N] on B": lambda: _power(_G, _COM_B),
    "force [1 N, -2 N, 3 N] on Q": lambda: _power(_G, _Q),
    "force [1 N, -2 N, 3 N] on B at B.origin": lambda: _power(_G, _on(_B, 0, 0, 0)),
    "force [1 N, -2 N, 3 N] on B from ground": lambda: _power(_G, _COM_B),
    "force [1 N, -2 N, 3 N] on B from Q": lambda: _power(_G, _COM_B, _Q),
    "force [1 N, -2 N, 3 N] on Q from B": lambda: (
        _power(_G, _Q) - _power(_G, _fixed(_B, _Q))  # the opposite at the same place
    ),
    "force [1 N, -2 N, 3 N] on B at Q from A": lambda: (
        _power(_G, _fixed(_B, _Q)) - _power(_G, _fixed(_A, _Q))
    ),
    "force [1 N, -2 N, 3 N] on A at [0.5 m, 0.6 m, 0.7 m]": lambda: _power(_G, _fixed(_A, _still)),
    "force 2 N*B.z on B at B.origin + x*B.y": lambda: _power(
        2 * _B(_q(_T))[:3, 2], _on(_B, 0, _q(_T)["x"], 0)
    ),
    "force -c*velocity(Q) on Q": lambda: _power(-3 * first(lambda t: _Q(_q(t)), _T), _Q),
    "torque [1 [N*m], -2 [N*m], 3 [N*m]] on B": lambda: _turning(_B, _G),
    "torque [1 [N*m], -2 [N*m], 3 [N*m]] on B from A": lambda: _turning(_B, _G) - _turning(_A, _G),
    "torque 2 [N*m]*A.y on A from ground": lambda: _turning(_A, 2 * _A(_q(_T))[:3, 1]),
    "load on a': 3 [N*m]": lambda: np.array([3, 0, 0, 0]),
    "load on x': -2 [N*s/m]*x'": lambda: np.array([0, 0, -2 * first(_MOTION["x"], _T), 0]),
    "invariant i: x = y\nload on x' of i: 2 N": lambda: np.array([0, 0, 2, 0]),
    "gravity [1 [m/s^2], -2 [m/s^2], 3 [m/s^2]]": lambda: (
        _power(_G, _COM_A) + _power(2 * _G, _COM_B) + _power(3 * _G, _Q)
    ),
    "gravity -9.81 [m/s^2]*A.z": lambda: sum(
        _power(-9.81 * m * _A(_q(_T))[:3, 2], p) for m, p in ((1, _COM_A), (2, _COM_B), (3, _Q))
    ),
    "gravity [0, 0, -5 [m/s^3]*t]": lambda: sum(
        _power(np.array([0, 0, -2.0 * m]), p) for m, p in ((1, _COM_A), (2, _COM_B), (3, _Q))
    ),
}


def _fixed(
    T: Callable[[dict[str, float]], Array], place: Callable[[dict[str, float]], Array]
) -> Callable[[dict[str, float]], Array]:
    """Return the material point of a body that is at a place now."""
    r = np.linalg.inv(T(_q(_T))) @ np.array([*place(_q(_T)), 1])
    return lambda q: (T(q) @ r)[:3]


@pytest.mark.parametrize("written", _FORCES)
def test_a_load_has_the_power_of_its_force(written: str) -> None:
    expected = _FORCES[written]()
    found = system(f"{_MODEL}\n{written}")
    close(_generalized(found), expected, 1e-8)
    close(_by_energies(found), expected, 1e-8)


_ENDS: dict[str, tuple[str, str, Callable[..., Array], Callable[..., Array]]] = {
    "two bodies": ("A.com", "B.origin", _COM_A, _on(_B, 0, 0, 0)),
    "body and ground": (
        "B.com",
        "ground.origin + 0.5 m*ground.x",
        _COM_B,
        lambda q: np.array([0.5, 0, 0]),
    ),
    "bracket": ("[0.5 m, 0.6 m, 0.7 m]", "Q", _still, _Q),
    "particle and body": ("Q", "A.origin", _Q, _on(_A, 0, 0, 0)),
    "a point that moves along a body": (
        "S.origin",
        "ground.origin",
        lambda q: _on(_A, 0, q["y"], 0)(q),
        lambda q: np.zeros(3),
    ),
    "a moving point": ("[y, 0, 0]", "B.com", lambda q: np.array([q["y"], 0, 0]), _COM_B),
    "a sum": ("A.origin + 2*y*A.z", "Q", lambda q: _on(_A, 0, 0, 2 * q["y"])(q), _Q),
}


def _ends(name: str) -> tuple[str, Callable[..., Array], Callable[..., Array]]:
    p, q, P, Q = _ENDS[name]
    return f"frame S = A at [0, y, 0]\nKIND between {p} and {q}", P, Q


@pytest.mark.parametrize("name", _ENDS)
@pytest.mark.parametrize("rest", [0.0, 0.2])
def test_a_spring_pulls_by_its_energy(name: str, rest: float) -> None:
    text, P, Q = _ends(name)
    more = " rest l0" if rest else ""
    found = system(f"{_MODEL}\n{text.replace('KIND', 'spring')} stiffness k{more}")

    def V(q: dict[str, float]) -> float:
        return 3.5 * float(np.linalg.norm(Q(q) - P(q)) - rest) ** 2

    close(_generalized(found), [-s for s in _slopes(V)], 1e-8)
    close(_by_energies(found), [-s for s in _slopes(V)], 1e-8)


@pytest.mark.parametrize("name", _ENDS)
def test_a_damper_brakes_by_the_rate_of_its_length(name: str) -> None:
    text, P, Q = _ends(name)
    found = system(f"{_MODEL}\n{text.replace('KIND', 'damper')} damping c")

    def length(q: dict[str, float]) -> float:
        return float(np.linalg.norm(Q(q) - P(q)))

    rate = first(lambda t: length(_q(t)), _T)
    close(_generalized(found), [-3 * rate * s for s in _slopes(length)], 1e-8)
    close(_by_energies(found), [-3 * rate * s for s in _slopes(length)], 1e-8)


@pytest.mark.parametrize(
    ("name", "on"),
    [
        ("two bodies", {"A", "B"}),
        ("body and ground", {"B"}),
        ("bracket", {"Q"}),
        ("particle and body", {"Q", "A"}),
        ("a point that moves along a body", None),
        ("a moving point", None),
        ("a sum", None),
    ],
)
def test_a_spring_is_a_wrench_only_between_points_of_known_elements(
    name: str, on: set[str] | None
) -> None:
    text, _, _ = _ends(name)
    found = system(f"{_MODEL}\n{text.replace('KIND', 'spring')} stiffness k rest l0")
    forces = found.potentials[0].forces
    assert (None if forces is None else {f.on for f in forces}) == on


def test_springs_and_dampers_on_coordinates_and_energies_act_on_the_rates() -> None:
    found = system(
        f"""{_MODEL}
        spring on x stiffness k rest l0
        damper on y damping c
        potential 2 [N/m]*x*y + 3 J*cos(a)
        dissipation 1 [N*s/m]*x'*y' + 2 [N*m*s]*b'^2"""
    )
    q, d = _q(_T), {n: first(f, _T) for n, f in _MOTION.items()}
    expected = [
        3 * np.sin(q["a"]),
        -4 * d["b"],
        -7 * (q["x"] - 0.2) - 2 * q["y"] - d["y"],
        -3 * d["y"] - 2 * q["x"] - d["x"],
    ]
    close(_generalized(found), expected)
    close(_by_energies(found), expected)


def test_a_spring_without_rest_is_smooth_where_its_ends_meet() -> None:
    found = system(
        """coordinate x: m
        particle P { mass 1 kg at [x, 0, 0] }
        spring between P and ground.origin stiffness 1 [N/m]"""
    )
    moving = motion.in_speeds(found)
    (force,) = loads.project(moving, loads.wrenches(moving))
    close(numbers([force], {"x": lambda _: 0.0}, 0.0), [0])


def test_loads_reach_elements_known_by_their_twist() -> None:
    found = system(
        """speed v: m/s, w: rad/s
        body B { mass 2 kg inertia diag(2 [kg*m^2], 2 [kg*m^2], 3 [kg*m^2])
          velocity [v, 0, 0] omega [0, 0, 2*w] }
        particle P { mass 3 kg velocity [0, v, 0] }
        force [5 N, 7 N, 0] on B
        torque [1 [N*m], 1 [N*m], 4 [N*m]] on B
        torque -0.5 [N*m*s]*omega(B) on B
        force [1 N, 11 N, 0] on P
        gravity [0, -10 [m/s^2], 0]"""
    )
    moving = motion.in_speeds(found)
    force = loads.project(moving, loads.wrenches(moving))
    values = numbers(force, {}, 0.0, {"v": 0.3, "w": 0.5})
    close(values, [5 + 11 - 30, 2 * 4 - 2 * 0.5 * 2 * 0.5])
    rest = loads.project(moving, loads.wrenches_without_energy(moving))
    close(numbers(rest, {}, 0.0, {"v": 0.3, "w": 0.5}), values)  # no place, so no potential


def test_each_level_has_its_own_gravity() -> None:
    found = system(
        """mbx 1
        model Leaf { coordinate h: m
          particle P { mass 1 kg at [0, 0, h] } }
        model Falls { gravity [0, 0, -1 [m/s^2]]
          subsystem L: Leaf }
        model T { subsystem F: Falls, M: Leaf
          subsystem N { coordinate h: m
            particle P { mass 1 kg at [0, 0, h] }
            gravity [0, 0, -2 [m/s^2]] } }"""
    )
    g = {e.path: e.gravity and numbers(e.gravity, {}, 0.0)[2] for e in found.elements}
    assert g == {"F.L.P": -1, "M.P": None, "N.P": -2}
