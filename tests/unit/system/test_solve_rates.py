"""Definitions solved for the rates, against the rates that they were made of."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mbx.expr.evaluate import free_symbols
from mbx.mechanics import energy, loads, motion
from unit.system.oracle import (
    Array,
    close,
    euler,
    first,
    numbers,
    path_of,
    quaternion,
    system,
    unskew,
)

_BODY = """body B { mass 2 kg com [0.1 m, 0, 0.2 m]
  inertia diag(0.2 [kg*m^2], 0.3 [kg*m^2], 0.4 [kg*m^2]) joint JOINT }"""


def _speeds(text: str) -> tuple[list[str], dict[str, str], list[str]]:
    """Return the speeds, which rates are solved, and the invariants that are left."""
    found = system(text)
    solved = {r.value: found.qd[r] for r in found.qd if found.qd[r] is not r}
    names = {k: " ".join(sorted(s.value for s in free_symbols([v]))) for k, v in solved.items()}
    return [u.path for u in found.u], names, [row.path for row in found.rows]


_XY = "coordinate x, y: m\nparticle P { mass 1 kg at [x, y, 0] }\n"


@pytest.mark.parametrize(
    ("definitions", "speeds", "solved", "left"),
    [
        ("", ["x'", "y'"], {}, []),
        ("speed w: m/s\ndefine x' = w", ["y'", "w"], {"x'": "w"}, []),
        ("speed w: m/s\ndefine 0 = w - 2*x'", ["y'", "w"], {"x'": "w"}, []),
        ("speed w: m/s\ndefine w = x' + y'", ["y'", "w"], {"x'": "w y'"}, []),
        (
            "speed w, v: m/s\ndefine w = x' + y'\ndefine v = x' - y'",
            ["w", "v"],
            {"x'": "v w", "y'": "v w"},
            [],
        ),
        (
            "speed w, v: m/s\ndefine w = x'\ndefine v = 2*x'",
            ["y'", "w", "v"],
            {"x'": "w"},
            ["definition(2)"],
        ),
        (
            "speed w: m/s\nspeed x'\ndefine w = 2*x'",
            ["x'", "y'", "w"],
            {},
            ["definition(1)"],
        ),
        (
            "speed w: m/s\nspeed x'\ndefine w = x' + y'",
            ["x'", "w"],
            {"y'": "w x'"},
            [],
        ),
        (
            "speed w: m^2/s^2\ndefine w = x'^2 + y'^2",
            ["x'", "y'", "w"],
            {},
            ["definition(1)"],
        ),
        (
            "speed w, v: m/s\ndefine w = x'\ndefine v = w",
            ["y'", "w", "v"],
            {"x'": "w"},
            ["definition(2)"],
        ),
        ("define x' = 3 [m/s]", ["y'"], {"x'": ""}, []),
        ("define x' = 3 [m/s]*sin(1 Hz*t)", ["y'"], {"x'": "t"}, []),
        (
            "param R: m = 2\nspeed w: m^2/s\ndefine w = x'*sqrt(R^2 - 4*x^2)",
            ["y'", "w"],
            {"x'": "R w x"},
            [],
        ),
    ],
)
def test_definitions_give_the_rates_they_determine(
    definitions: str, speeds: list[str], solved: dict[str, str], left: list[str]
) -> None:
    assert _speeds(_XY + definitions) == (speeds, solved, left)


_COORDINATES = {
    "sleigh": (
        """coordinate x, y: m
        coordinate a: rad
        speed v, s: m/s, w: rad/s
        define v = x'*cos(a) + y'*sin(a)
        define s = y'*cos(a) - x'*sin(a)
        define w = a' + 0.5 Hz"""
        "\n" + _BODY.replace("JOINT", "planar(ground, axis = z, x = x, y = y, angle = a)"),
        ("x", "y", "a"),
    ),
    "euler": (
        """coordinate a, b, c: rad
        speed w1, w2, w3: rad/s
        define omega(B) = [w1, w2, w3] in B"""
        "\n" + _BODY.replace("JOINT", "spherical(ground, euler zxz by (a, b, c))"),
        ("a", "b", "c"),
    ),
    "tait-bryan": (
        """coordinate a, b, c: rad
        speed w1, w2, w3: rad/s
        define omega(B) = [w1, w2, w3] in B"""
        "\n" + _BODY.replace("JOINT", "spherical(ground, euler zyx by (a, b, c))"),
        ("a", "b", "c"),
    ),
    "ground components": (
        """coordinate a, b, c: rad
        coordinate x, y, z: m
        speed w1, w2, w3: rad/s, v1, v2, v3: m/s
        define omega(B) = [w1, w2, w3]
        define velocity(B.com) = [v1, v2, v3] in B"""
        "\n" + _BODY.replace("JOINT", "free(ground, move = [x, y, z], euler xyz by (a, b, c))"),
        ("a", "b", "c", "x", "y", "z"),
    ),
}


@pytest.mark.parametrize("name", _COORDINATES)
@pytest.mark.parametrize("shift", [0.0, math.pi / 2, math.pi, 2.0])
def test_the_rates_come_back_from_the_speeds(name: str, shift: float) -> None:
    """Also where a sine or cosine in the definitions is zero, unless the map itself is singular."""
    text, names = _COORDINATES[name]
    found = system(text)
    draw = np.random.default_rng(3)
    values = dict.fromkeys(names, shift) | {"b": shift + 0.4, "t": 0.0}
    values |= {f"{n}'": float(draw.normal()) for n in names}
    assert not found.rows
    assert all(u.base is None for u in found.u)
    speeds = numbers([found.defined[u.symbol] for u in found.u], {}, 0.0, values)
    values |= dict(zip([u.path for u in found.u], speeds, strict=True))
    back = numbers([found.qd[v.rate] for v in found.q], {}, 0.0, values)
    close(back, [values[f"{n}'"] for n in names])
    # and the kinetic energy is the same in both
    T = [energy.kinetic(f(found)) for f in (motion.in_speeds, motion.in_rates)]
    one, other = numbers(T, {}, 0.0, values)
    assert one == pytest.approx(other)


def test_declared_components_of_an_angular_velocity_are_those_of_the_matrix() -> None:
    text, names = _COORDINATES["euler"]
    found = system(text)
    path = {n: path_of(k) for k, n in enumerate(names)}

    def R(t: float) -> Array:
        return euler("zxz", [path[n](t) for n in names])

    w = unskew(R(0.4).T @ first(R, 0.4))
    close(numbers([found.defined[u.symbol] for u in found.u], path, 0.4), w)
    moving = motion.in_speeds(found)
    assert moving.elements[0].w == tuple(u.symbol for u in found.u) or np.allclose(
        numbers(moving.elements[0].w, path, 0.4, dict(zip(("w1", "w2", "w3"), w, strict=True))), w
    )


_QUATERNION = """coordinate qw, qx, qy, qz: 1
    speed w1, w2, w3: rad/s
    define omega(B) = [w1, w2, w3] in B
    """ + _BODY.replace("JOINT", "spherical(ground, quaternion(w = qw, x = qx, y = qy, z = qz))")


def test_a_quaternion_with_speeds_keeps_its_norm_by_kinematics() -> None:
    found = system(_QUATERNION)
    assert [u.path for u in found.u] == ["w1", "w2", "w3"]
    assert [row.kind for row in found.closed] == ["norm"]
    assert not found.rows

    def e(t: float) -> Array:
        v = np.array([1 + 0.1 * t, 0.3 + 0.4 * t, -0.2 + np.sin(t), 0.5 * t * t])
        return v / np.linalg.norm(v)

    def R(t: float) -> Array:
        return quaternion(*e(t))

    w = unskew(R(0.4).T @ first(R, 0.4))
    values = dict(zip(("qw", "qx", "qy", "qz"), e(0.4), strict=True))
    values |= dict(zip(("w1", "w2", "w3"), w, strict=True))
    close(numbers([found.qd[v.rate] for v in found.q], {}, 0.0, values), first(e, 0.4))


@pytest.mark.parametrize("zero", ["qw", "qx", "qy", "qz", "qx qy qz", "qw qx qy"])
def test_the_rates_of_a_quaternion_are_regular_everywhere(zero: str) -> None:
    found = system(_QUATERNION)
    e = np.array([0.0 if n in zero.split() else 1.0 for n in ("qw", "qx", "qy", "qz")])
    e /= np.linalg.norm(e)
    w = np.array([0.3, -0.7, 0.5])
    values = dict(zip(("qw", "qx", "qy", "qz", "w1", "w2", "w3"), [*e, *w], strict=True))
    # 2 e' = e (0, w), the product of quaternions
    expected = np.array([-e[1:] @ w, *(e[0] * w + np.cross(e[1:], w))]) / 2
    close(numbers([found.qd[v.rate] for v in found.q], {}, 0.0, values), expected)


def test_an_invariant_completes_what_definitions_leave_open() -> None:
    found = system(
        """param l: m = 0.5
        coordinate x, y: m
        speed w: rad/s
        define w = (x*y' - y*x')/l^2
        invariant c: x^2 + y^2 = l^2
        particle P { mass 2 kg at [x, y, 0] }"""
    )
    assert ([u.path for u in found.u], len(found.rows)) == (["w"], 0)
    for angle in (0.0, 0.3, math.pi / 2, math.pi):
        x, y, w = 0.5 * math.cos(angle), 0.5 * math.sin(angle), 1.7
        values = {"x": x, "y": y, "w": w, "l": 0.5}
        close(numbers([found.qd[v.rate] for v in found.q], {}, 0.0, values), [-w * y, w * x])


def test_a_load_on_a_rate_that_is_no_speed_acts_on_the_speeds() -> None:
    found = system(
        """coordinate x, y: m
        coordinate a: rad
        speed v, s: m/s
        define v = x'*cos(a) + y'*sin(a)
        define s = y'*cos(a) - x'*sin(a)
        load on x': 3 N
        load on v: 5 N
        potential 2 N*y
        dissipation 0.5 [N*s/m]*x'^2 + 1 [N*s/m]*s^2
        """
        + _BODY.replace("JOINT", "planar(ground, axis = z, x = x, y = y, angle = a)")
    )
    assert [u.path for u in found.u] == ["a'", "v", "s"]
    moving = motion.in_speeds(found)
    a, v, s = 0.6, 0.7, -0.4
    c, si = math.cos(a), math.sin(a)
    x1 = v * c - s * si  # x' by hand
    values = {"a": a, "v": v, "s": s, "x": 0.0, "y": 0.0, "a'": 0.0}
    expected = [0, 3 * c + 5 - 2 * si - x1 * c, -3 * si - 2 * c + x1 * si - 2 * s]
    close(numbers(loads.generalized(moving), {}, 0.0, values), expected)


def test_a_long_chain_of_definitions_is_solved_from_its_start() -> None:
    n = 100
    lines = [f"coordinate {', '.join(f'q{i}' for i in range(n))}: rad"]
    lines += [f"speed {', '.join(f'w{i}' for i in range(n))}: rad/s", "define w0 = q0'"]
    lines += [f"define w{i} = q{i}'*cos(q{i - 1}) + q{i - 1}'" for i in range(1, n)]
    found = system("\n".join(lines))
    assert [u.path for u in found.u] == [f"w{i}" for i in range(n)]
    q = [0.3 * math.sin(i) for i in range(n)]
    w = [math.cos(2 * i) for i in range(n)]
    rates = [w[0]]
    for i in range(1, n):
        rates.append((w[i] - rates[-1]) / math.cos(q[i - 1]))
    values = {f"q{i}": q[i] for i in range(n)} | {f"w{i}": w[i] for i in range(n)}
    solved = numbers([found.qd[v.rate] for v in found.q], {}, 0.0, values)
    close(solved, rates)
