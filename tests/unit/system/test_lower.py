"""Expressions as written, against the same said in NumPy along a motion."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mbx.base.errors import MbxError
from mbx.expr.show import show
from unit.system.oracle import (
    Array,
    Motion,
    close,
    first,
    moved,
    numbers,
    path_of,
    second,
    system,
    turned,
    unskew,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_T = 0.4
_MOTION = {name: path_of(k) for k, name in enumerate(("a", "b", "x", "y"))}
_MODEL = """
coordinate a, b: rad
coordinate x, y: m
body A { mass 1 kg com [0.1 m, 0, 0.2 m] inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])
  joint revolute(ground at [1 m, 2 m, 0], axis = [1, 1, 0], angle = a) }
frame L = A at [0, x, 0] rotated y by b
point P = L.origin + y*L.z
particle Q { mass 1 kg at [x, y, x + y] }
"""


def _q(t: float) -> dict[str, float]:
    return {name: f(t) for name, f in _MOTION.items()}


def _A(t: float) -> Array:
    return moved(1, 2, 0) @ turned((1, 1, 0), _q(t)["a"])


def _L(t: float) -> Array:
    return _A(t) @ moved(0, _q(t)["x"], 0) @ turned((0, 1, 0), _q(t)["b"])


def _P(t: float) -> Array:
    return (_L(t) @ np.array([0, 0, _q(t)["y"], 1]))[:3]


def _w(T: Callable[[float], Array]) -> Callable[[float], Array]:
    def at(t: float) -> Array:
        R = T(t)[:3, :3]
        return R @ unskew(R.T @ first(lambda s: T(s)[:3, :3], t))

    return at


def _com(t: float) -> Array:
    return (_A(t) @ np.array([0.1, 0, 0.2, 1]))[:3]


def _material(t: float) -> Array:
    r = np.linalg.inv(_A(_T)) @ np.array([*_P(_T), 1])  # fixed to A where P is at _T
    return (_A(t) @ r)[:3]


_VECTORS: dict[str, Callable[[], Any]] = {
    "velocity(P)": lambda: first(_P, _T),
    "velocity(Q)": lambda: first(_Q, _T),
    "velocity(Q.com)": lambda: first(_Q, _T),
    "acceleration(Q.com)": lambda: second(_Q, _T),
    "cross(P - Q.com, L.x)": lambda: np.cross(_P(_T) - _Q(_T), _L(_T)[:3, 0]),
    "velocity(P of A)": lambda: first(_material, _T),
    "velocity(A.com)": lambda: first(_com, _T),
    "velocity([x, 0, y])": lambda: np.array([first(_MOTION["x"], _T), 0, first(_MOTION["y"], _T)]),
    "acceleration(P)": lambda: second(_P, _T),
    "acceleration(P of A)": lambda: second(_material, _T),
    "acceleration(A.origin + x*A.x)": lambda: second(
        lambda t: (_A(t) @ np.array([_q(t)["x"], 0, 0, 1]))[:3], _T
    ),
    "omega(A)": lambda: _w(_A)(_T),
    "omega(L)": lambda: _w(_L)(_T),
    "omega(L) - omega(ground)": lambda: _w(_L)(_T),
    "ddt(omega(L))": lambda: first(_w(_L), _T),
    "ddt(L.x)": lambda: first(lambda t: _L(t)[:3, 0], _T),
    "ddt(velocity(P))": lambda: second(_P, _T),
    "ddt(P - A.com)": lambda: first(lambda t: _P(t) - _com(t), _T),
    "diff(x^2*L.x, b)": lambda: -(_q(_T)["x"] ** 2) * _L(_T)[:3, 2],
    "diff(x*omega(A), a')": lambda: _q(_T)["x"] * np.array([1, 1, 0]) / math.sqrt(2),
    "unit(P - Q)": lambda: _unit(_P(_T) - _Q(_T)),
    "cross(P - Q, L.y)": lambda: np.cross(_P(_T) - _Q(_T), _L(_T)[:3, 1]),
    "if a > 0.5 then L.x else A.y": lambda: _L(_T)[:3, 0] if _q(_T)["a"] > 0.5 else _A(_T)[:3, 1],
    "-(2*L.x - A.y)/4": lambda: -(2 * _L(_T)[:3, 0] - _A(_T)[:3, 1]) / 4,
}


def _unit(v: Array) -> Array:
    return v / np.linalg.norm(v)


def _Q(t: float) -> Array:
    q = _q(t)
    return np.array([q["x"], q["y"], q["x"] + q["y"]])


@pytest.mark.parametrize("written", _VECTORS)
@pytest.mark.parametrize("frame", ["", " in L"])
def test_a_vector_has_the_components_of_the_frame_of_its_equation(written: str, frame: str) -> None:
    found = system(f"{_MODEL}\ninvariant e: {written} = 0{frame}")
    R = _L(_T)[:3, :3].T if frame else np.eye(3)
    values = numbers([row.value for row in found.rows], _MOTION, _T)
    close(values, R @ _VECTORS[written](), 1e-8)
    assert [row.path for row in found.rows] == ["e.x", "e.y", "e.z"]


_SCALARS: dict[str, Callable[[dict[str, float]], Any]] = {
    "norm(velocity(P))": lambda q: np.linalg.norm(first(_P, _T)),
    "dot(velocity(P), L.y)": lambda q: first(_P, _T) @ _L(_T)[:3, 1],
    "min(x, y, 2*x - y)": lambda q: min(q["x"], q["y"], 2 * q["x"] - q["y"]),
    "max(x, y, 0.3 m)": lambda q: max(q["x"], q["y"], 0.3),
    "if x > y and not (y < 0) or a == b then x else -y": lambda q: (
        q["x"] if q["x"] > q["y"] else -q["y"]
    ),
    "if x <= y then x else y": lambda q: min(q["x"], q["y"]),
    "if x >= y then x else y": lambda q: max(q["x"], q["y"]),
    "if a != b then 2*x else y": lambda q: 2 * q["x"],
    "ddt(x^2*y)": lambda q: first(lambda t: _q(t)["x"] ** 2 * _q(t)["y"], _T),
    "ddt(ddt(sin(a)*x))": lambda q: second(lambda t: np.sin(_q(t)["a"]) * _q(t)["x"], _T),
    "diff(ddt(x^2*y), x)": lambda q: (
        2 * first(_MOTION["x"], _T) * q["y"] + 2 * q["x"] * first(_MOTION["y"], _T)
    ),
    "diff(ddt(x^2*y), y')": lambda q: q["x"] ** 2,
    "diff(x*sin(2 Hz*t), t)": lambda q: 2 * q["x"] * math.cos(2 * _T),
    "sqrt(x^2 + y^2) + (x^4)^(1/4) + (x^2)^0.5": lambda q: (
        math.hypot(q["x"], q["y"]) + 2 * abs(q["x"])
    ),
    "-x^2/(1 m) - -x": lambda q: -(q["x"] ** 2) + q["x"],
    "2^3^2*x/2^-1": lambda q: 512 * q["x"] * 2,
    "a + 90 deg + 1 rev + 500 mrad + 10 percent": lambda q: (
        q["a"] + math.pi / 2 + 2 * math.pi + 0.5 + 0.1
    ),
    "x' + 60 rpm*x + 36 [m/min] + 1 cm/(2 s)": lambda q: (
        first(_MOTION["x"], _T) + 2 * math.pi * q["x"] + 0.6 + 0.005
    ),
    "atan2(y, x) + asin(x/(2 m)) + abs(-a) + sign(-b)": lambda q: (
        math.atan2(q["y"], q["x"]) + math.asin(q["x"] / 2) + abs(q["a"]) - 1
    ),
}


@pytest.mark.parametrize("written", _SCALARS)
def test_a_scalar_has_its_value_in_si(written: str) -> None:
    found = system(f"{_MODEL}\ninvariant e: {written} = 0")
    (value,) = numbers([found.rows[0].value], _MOTION, _T)
    assert value == pytest.approx(_SCALARS[written](_q(_T)), abs=1e-8)


def test_an_equation_of_points_counts_from_the_origin_of_its_frame() -> None:
    found = system(f"{_MODEL}\ninvariant e: P = [0.1 m, 0.2 m, 0.3 m] in A")
    values = numbers([row.value for row in found.rows], _MOTION, _T)
    close(values, (np.linalg.inv(_A(_T)) @ [*_P(_T), 1])[:3] - [0.1, 0.2, 0.3])


def test_the_two_sides_of_an_equation_may_be_points() -> None:
    found = system(f"{_MODEL}\ninvariant e: Q = P\ninvariant f: [1 m, x, 0] = Q in L")
    values = numbers([row.value for row in found.rows], _MOTION, _T)
    bracket = (_L(_T) @ [1, _q(_T)["x"], 0, 1])[:3]
    close(values[:3], _Q(_T) - _P(_T))
    close(values[3:], _L(_T)[:3, :3].T @ (bracket - _Q(_T)))


def test_a_bracket_of_a_vector_equation_has_the_components_of_its_frame() -> None:
    found = system(f"{_MODEL}\ninvariant e: velocity(P) = [1 [m/s], x', 0] in L")
    values = numbers([row.value for row in found.rows], _MOTION, _T)
    close(values, _L(_T)[:3, :3].T @ first(_P, _T) - [1, first(_MOTION["x"], _T), 0])


# -- values ---------------------------------------------------------------------------------


def test_numbers_alone_are_in_the_declared_unit() -> None:
    found = system(
        """param l: mm = 250, h: mm = 0.25 m, al: deg = 180/6, be: deg = pi/6*(1 rad)
        let d: cm = 3, e: cm = 3 m
        coordinate x: cm = 5 in [-10, 10]
        particle P { mass 1 kg at [x + d, e, l + h] }
        potential 1 J*(al + be)"""
    )
    values = numbers([p.value for p in found.parameters if p.value is not None], {}, 0.0)
    close(values, [0.25, 0.25, math.pi / 6, math.pi / 6])
    assert found.q[0].start == pytest.approx(0.05)
    assert found.q[0].range == pytest.approx((-0.1, 0.1))
    close(numbers(found.elements[0].com.p, {"x": lambda _: 0.0}, 0.0, found=found), [0.03, 3, 0.5])


_PART = """mbx 1
model Part {
  param n: integer = 1
  param l: mm = 100, k[1..2]: N/m = [1, 2]
  input h: m = 0
  coordinate q: rad
  particle P { mass 1 kg at [l*cos(q), l*sin(q), h] }
  potential k[1]*l^2*q + n*k[2]*h^2
}
"""


@pytest.mark.parametrize(
    ("bindings", "place", "energy"),
    [
        ("", [0.1, 0, 0.0], 0.0),
        ("l = 20", [0.02, 0, 0], 0.0),
        ("l = 20 cm", [0.2, 0, 0], 0.0),
        ("l = 2*c", [6, 0, 0], 0.0),
        ("h = 5", [0.1, 0, 5], 50.0),
        ("h = z", [0.1, 0, 0.5], 0.5),
        ("h = z^2*2/(1 m), n = 3", [0.1, 0, 0.5], 3 * 2 * 0.25),
        ("h = 1, k = [3, 4]", [0.1, 0, 1], 4.0),
        ("h = 1, k = 7 [N/m], n = 2", [0.1, 0, 1], 14.0),
    ],
)
def test_what_a_parent_binds_stands_for_it(
    bindings: str, place: list[float], energy: float
) -> None:
    found = system(
        f"{_PART}model T {{ param c: m = 3\ncoordinate z: m\npotential 1 N*z\n"
        f"subsystem U: Part({bindings}) }}".replace("Part()", "Part")
    )
    motion = {"z": lambda t: 0.5 + t, "U.q": lambda _: 0.0}
    values = numbers(found.elements[0].com.p, motion, 0.0, found=found)
    close(values, place)
    part = next(e for e in found.potentials if e.part == "U.")
    close(numbers([part.value], motion, 0.0, found=found), [energy])


def test_an_input_bound_to_a_coordinate_moves_with_it() -> None:
    found = system(
        f"{_PART}model T {{ coordinate z: m\npotential 1 N*z\nsubsystem U: Part(h = z^2/(1 m)) }}"
    )

    def z(t: float) -> float:
        return 0.5 + t + t * t

    motion: Motion = {"z": z, "U.q": lambda _: 0.0}
    p = found.elements[0].com
    close(numbers(p.v, motion, 0.2, found=found), [0, 0, first(lambda t: z(t) ** 2, 0.2)])
    close(numbers(p.a, motion, 0.2, found=found), [0, 0, second(lambda t: z(t) ** 2, 0.2)])


def test_an_input_in_a_place_moves_it_by_its_rates() -> None:
    found = system(
        """input h: m = 0.1
        coordinate a: rad
        frame F = ground at [0, h, 0] rotated z by a*h/(1 m)
        particle P { mass 1 kg at F.origin + 2 m*F.x }"""
    )
    motion = {"h": lambda t: 0.3 + np.sin(t), "a": path_of(1)}

    def p(t: float) -> Array:
        turn = motion["a"](t) * motion["h"](t)
        return np.array([2 * np.cos(turn), motion["h"](t) + 2 * np.sin(turn), 0])

    close(numbers(found.elements[0].com.v, motion, _T), first(p, _T))
    close(numbers(found.elements[0].com.a, motion, _T), second(p, _T), 1e-8)


def test_a_partial_derivative_by_a_bound_parameter_is_no_zero() -> None:
    found = system(
        """mbx 1
        model Part { param l: m
          coordinate q: rad
          let f = l^2*cos(q)
          particle P { mass 1 kg at [l*cos(q), 0, 0] }
          potential diff(f, l)*1 N }
        model T { param c: m = 3
          subsystem U: Part(l = 2*c) }"""
    )
    (value,) = numbers([found.potentials[0].value], {"U.q": lambda _: 0.0}, 0.0, found=found)
    assert value == pytest.approx(12)


def test_rows_functions_and_repetition_are_put_in_place() -> None:
    found = system(
        """param n: integer = 3
        param l[1..n]: m = [0.1, 0.2, 0.3]
        function f(s, k) = s^2 + k*s*l[2]
        coordinate q[1..n]: m
        for i in 1..n {
          if i == 2 { particle P[i] { mass 1 kg at [q[i], i*l[i], 0] } }
          else { particle P[i] { mass 1 kg at [0, q[i] + l[n + 1 - i], 0] } }
        }
        potential 1 [N/m]*f(q[1], n) """
    )
    motion = {f"q[{k}]": lambda _, k=k: float(k) for k in (1, 2, 3)}
    values = [numbers(e.com.p, motion, 0.0, found=found) for e in found.elements]
    close(values, [[0, 1.3, 0], [2, 0.4, 0], [0, 3.1, 0]])
    close(numbers([found.potentials[0].value], motion, 0.0, found=found), [1 + 3 * 0.2])


@pytest.mark.parametrize(
    ("written", "order", "value"),
    [
        ("dot(ddt(ddt(acceleration(P))), ground.x) = 0", 4, "x''''"),
        ("j = 0", 4, "x''''"),
        ("ddt(x'') = 0", 3, "x'''"),
        ("dot(velocity(P), ground.x) = 0", 1, "x'"),
    ],
)
def test_an_order_is_as_high_as_what_is_differentiated(
    written: str, order: int, value: str
) -> None:
    found = system(
        f"""coordinate x: m
        particle P {{ mass 1 kg at [x, 0, 0] }}
        let j = ddt(x''')
        invariant {written}"""
    )
    assert (found.rows[0].order, show(found.rows[0].value)) == (order, value)
    below = found.q[0].symbol
    for _ in range(order + 1):  # one more rate than named, for what differentiates it
        below = found.rates.direction[below]


def test_the_rows_of_a_tensor_are_in_the_axes_of_the_body() -> None:
    found = system(
        f"""{_MODEL}
        body B {{ mass 1 kg joint revolute(L, axis = z, angle = a)
          inertia [[0.2 [kg*m^2], 10 [kg*cm^2], 0], [10 [kg*cm^2], 0.3 [kg*m^2], 0],
            [0, 0, 0.4 [kg*m^2]]] }}"""
    )
    inertia = next(e for e in found.elements if e.path == "B").inertia
    assert inertia is not None
    values = numbers([x for row in inertia for x in row], {}, 0.0)
    close(values.reshape(3, 3), [[0.2, 0.001, 0], [0.001, 0.3, 0], [0, 0, 0.4]])


def test_a_derivative_by_an_input_that_stands_for_an_expression_is_refused() -> None:
    with pytest.raises(MbxError, match="no derivative by an input"):
        system(
            """mbx 1
            model Part { input h: m
              coordinate q: m
              particle P { mass 1 kg at [q, 0, 0] }
              load on q': diff(h^2*q, h)*1 [N/m^2] }
            model T { coordinate z: m
              potential 1 N*z
              subsystem U: Part(h = 2*z) }"""
        )
