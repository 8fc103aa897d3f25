"""Every form that accepts a model gives what Orsino's thesis prints: accelerations, reactions."""

from __future__ import annotations

from math import asin, cos, hypot, pi, sin, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from formalisms.cases import Point, at, completed, folder, forms, system, system_of
from formalisms.closed_forms import (
    ALL,
    IN_SPEEDS,
    ON_TREES,
    RECURSIVE,
    UDWADIA_KALABA,
    Values,
    agree,
    scattered,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.papers


# -- spherical pendulum, thesis Example 4.1 ------------------------------------------------------

_R, _G, _M = 1.3, 9.8, 0.7


def _on_the_sphere(n: int = 4) -> Iterator[Values]:
    draw = np.random.default_rng(3)
    for _ in range(n):
        p = draw.normal(size=3)
        p *= _R / np.linalg.norm(p)
        v = draw.normal(size=3)
        v -= p * (p @ v) / _R**2
        yield dict(zip(("x", "y", "z", "x'", "y'", "z'"), map(float, (*p, *v)), strict=True))


def _cartesian(p: Point) -> Values:
    """Return Orsino, thesis, Example 4.1 (l); the multiplier from Fc = A^T lam."""
    x, y, z = (p.state[v] for v in "xyz")
    pull = (sum(p.state[v] ** 2 for v in ("x'", "y'", "z'")) + _G * x) / _R**2
    return {"x''": _G - x * pull, "y''": -y * pull, "z''": -z * pull, "lam": -_M * pull / 2}


def test_a_spherical_pendulum_in_angles() -> None:
    """Orsino, thesis, Example 4.1 (e)."""
    one = system("spherical_pendulum_angles")

    def closed(p: Point) -> Values:
        th, thd, phid = (p.state[v] for v in ("th", "th'", "phi'"))
        return {
            "phi''": -2 * cos(th) * phid * thd / sin(th),
            "th''": sin(th) * (cos(th) * phid**2 - _G / _R),
        }

    ranges = {"th": (0.3, 2.8), "phi": (-3.0, 3.0), "th'": (-2.0, 2.0), "phi'": (-2.0, 2.0)}
    agree(one, scattered(one, ranges), closed, ALL)


def test_a_spherical_pendulum_in_cartesian_coordinates() -> None:
    """Orsino, thesis, Example 4.1 (l)."""
    points = [Point(state) for state in _on_the_sphere()]
    agree(system("spherical_pendulum_cartesian"), points, _cartesian, ALL)


def test_a_spherical_pendulum_with_a_nonlinear_quasi_velocity() -> None:
    """Orsino, thesis, Example 4.1 (o): ups' = 2 g x'."""
    points = [
        Point(state | {"ups": sum(state[v] ** 2 for v in ("x'", "y'", "z'"))})
        for state in _on_the_sphere()
    ]
    accepting = ALL - {"boltzmann_hamel", "hamilton", "kane", "gibbs_appell"}
    accepting -= {"tzenoff", "udwadia_kalaba:positive"}

    def closed(p: Point) -> Values:
        return _cartesian(p) | {"ups'": 2 * _G * p.state["x'"]}

    agree(system("spherical_pendulum_quasivelocity"), points, closed, accepting)


@pytest.mark.parametrize(
    ("state", "slopes"),
    [
        ("hanging", {("y''", "y"): -1, ("z''", "z"): -1, ("x''", "x"): 0, ("y''", "x"): 0}),
        (
            "raised",
            {
                ("x''", "x"): -72 / 125,
                ("x''", "y"): 96 / 125,
                ("y''", "x"): 21 / 125,
                ("y''", "y"): -28 / 125,
                ("z''", "z"): -4 / 5,
                ("ups'", "x'"): 18 / 25 * _R,
                ("ups'", "y'"): -24 / 25 * _R,
            },
        ),
    ],
)
def test_a_spherical_pendulum_near_a_rest(state: str, slopes: dict[tuple[str, str], float]) -> None:
    """Orsino, thesis, Example 4.6 (k), in units of g/r; by central differences."""
    one = system("spherical_pendulum_quasivelocity")
    rest = dict(one.states[state])
    step = 1e-4
    for name, form in forms(one).items():
        # feedback acts against the very steps taken here, and a partition may be singular there
        if name.endswith((":baumgarte", ":partitioned")):
            continue
        for (wanted, variable), slope in slopes.items():
            ends = [
                at(one, form, Point(rest | {variable: rest[variable] + d})).of(wanted)
                for d in (step, -step)
            ]
            found = (ends[0] - ends[1]) / (2 * step)
            assert found == pytest.approx(slope * _G / _R, abs=1e-6), (name, wanted, variable)


# -- ring and disc, thesis Example 4.2 -----------------------------------------------------------


def _ring_and_disc(p: Point) -> Values:
    """Return the rates: thesis Example 4.2 (g), its misprints set right, and (e) differentiated."""
    m1, r1, r2, g = 0.67, 1.0, 0.3, 9.8
    m2, xi = p.parameters.get("m2", 0.08), p.parameters.get("xi", asin(4 / 5))
    th, thd = p.state["theta"], p.state["theta'"]
    C, S = cos(xi - th), sin(xi - th)
    slip = r1 * p.state["R.w"] - r2 * p.state["D.w"]
    # unknowns: theta'', u1', v1', w1', u2', v2', w2'
    rows = [
        [0, -m1, 0, m1 * r1, m2 * (C - 1), m2 * S, 0],
        [0, -2 * m1, 0, 2 * m1 * r1, -2 * m2, 0, m2 * r2],
        [0, 1, 0, r1, 0, 0, 0],
        [0, 0, 1, 0, 0, 0, 0],
        [0, 1, 0, C * r1, -1, 0, -C * r2],
        [0, 0, 1, S * r1, 0, -1, -S * r2],
        [(r1 - r2) * C, -1, 0, 0, 1, 0, 0],
    ]
    right = [
        -m2 * g * (sin(xi) - sin(th)) - m1 * g * sin(xi),
        -2 * m1 * g * sin(xi) - 2 * m2 * g * sin(xi),
        0,
        0,
        -S * thd * slip,
        C * thd * slip,
        -(r1 - r2) * S * thd**2,
    ]
    names = ("theta''", "R.u'", "R.v'", "R.w'", "D.u'", "D.v'", "D.w'")
    return dict(
        zip(names, map(float, np.linalg.solve(np.array(rows), np.array(right))), strict=True)
    )


_WITHOUT_RATES: Final = {"gauss", "gibbs_appell", "jourdain", "kane", "modular", "newton_euler"}
_TWISTS: Final = (
    _WITHOUT_RATES | RECURSIVE | {"udwadia_kalaba:singular", "udwadia_kalaba:augmented"}
)


def test_a_disc_in_a_ring() -> None:
    """Orsino, thesis, Example 4.2 (e), (g); theta has no inertia."""
    one = system("ring_and_disc")
    ranges = {"theta": (-0.4, 1.4), "theta'": (-2.0, 2.0), "D.w": (-4.0, 4.0)}
    agree(one, scattered(one, ranges), _ring_and_disc, _TWISTS)


def test_a_disc_in_a_ring_in_coordinates() -> None:
    """Orsino, thesis, Example 4.2 (e), (g)."""
    one = system("ring_and_disc_coordinates")
    ranges = {"theta": (-0.4, 1.4), "theta'": (-2.0, 2.0), "beta'": (-4.0, 4.0)}

    def closed(p: Point) -> Values:
        state = {**p.state, "R.w": p.state["alpha'"], "D.w": p.state["beta'"]}
        found = _ring_and_disc(Point(state))
        names = {"theta''": "theta''", "s''": "R.u'", "alpha''": "R.w'", "beta''": "D.w'"}
        return {ours: found[theirs] for ours, theirs in names.items()}

    agree(one, scattered(one, ranges), closed, ALL)


@pytest.mark.parametrize(("slope", "angle"), [(30, 23), (50, 38), (70, 45)])
def test_a_disc_in_a_ring_keeps_its_angle(slope: float, angle: float) -> None:
    """Orsino, thesis, Example 4.2 (h): the ratio of masses that keeps the angle."""
    one = system("ring_and_disc")
    slope, angle = slope * pi / 180, angle * pi / 180
    ratio = sin(angle) / (2 * sin(slope) * cos(angle - slope) - 3 * sin(angle) + sin(slope)) - 1
    assert ratio > 0
    parameters = {"xi": slope, "m2": 0.67 * ratio}
    state = dict.fromkeys((v.path for v in (*one.q, *one.u)), 0.0) | {"theta": angle}
    down = 2 * 9.8 * sin(angle) / (2 * cos(angle - slope) + 1)

    def closed(_: Point) -> Values:
        return {"theta''": 0, "R.u'": down, "D.u'": down, "R.w'": -down, "D.w'": -down / 0.3}

    agree(one, [Point(state, parameters)], closed, _TWISTS)


# -- sphere in a trough, thesis Example 4.4 ------------------------------------------------------


def test_a_charged_sphere_in_a_trough() -> None:
    """Orsino, thesis, Example 4.4 (c), with rolling v = w x r n differentiated."""
    one = system("sphere_in_trough")
    r, m, g, kappa = 0.01, 0.05, 9.8, 5e-6
    J = 2 / 5 * m * r**2

    def closed(p: Point) -> Values:
        y = p.state["y"]
        qx, qy, qz, qt = (p.state[v] for v in ("qx", "qy", "qz", "qt"))
        w = np.array([p.state[v] for v in ("wx", "wy", "wz")])
        root = sqrt(1 + y * y)  # mu = 1/2
        ny, nz = -y / root, 1 / root
        yd = p.state["vy"] / (1 - r / root**3)
        nyd, nzd = -yd / root**3, -y * yd / root**3
        f = kappa * 1e4 * sin(pi * p.t / 2)
        # unknowns: wx', wy', wz', vx', vy', vz'
        rows = np.zeros((6, 6))
        rows[0] = [-J, 0, 0, 0, m * r * nz, -m * r * ny]
        rows[1] = [0, -J, 0, -m * r * nz, 0, 0]
        rows[2] = [0, 0, -J, m * r * ny, 0, 0]
        n = np.array([[0, -nz, ny], [nz, 0, 0], [-ny, 0, 0]])  # n x
        rows[3:, :3] = r * n
        rows[3:, 3:] = np.eye(3)
        right = [
            m * g * r * ny,
            -r * nz * f - f * r * (2 * qx**2 + 2 * qy**2 - 1),
            r * ny * f - f * r * (2 * qy * qz - 2 * qt * qx),
            *(r * np.cross(w, [0, nyd, nzd])),
        ]
        names = ("wx'", "wy'", "wz'", "vx'", "vy'", "vz'")
        return dict(zip(names, map(float, np.linalg.solve(rows, right)), strict=True))

    ranges = {"y": (-0.1, 0.1), "wx": (-20.0, 20.0), "wy": (-20.0, 20.0), "wz": (-20.0, 20.0)}
    ranges |= dict.fromkeys(("qx", "qy", "qz"), (-0.7, 0.7))
    # (1 - A^P A) M of a sphere of 2e-6 kg m^2 has rows that are next to nothing
    agree(one, scattered(one, ranges), closed, ALL - {"hamilton"})


# -- motor, friction -----------------------------------------------------------------------------


def test_a_motor_with_a_flywheel() -> None:
    """Orsino, thesis, Example 4.3 (a): J w' = k i - b w, L i' = v - R i - kappa w."""
    one = system("dc_motor")

    def closed(p: Point) -> Values:
        w, i = p.state["motor.w"], p.state["motor.i"]
        turn = (0.05 * i - 1e-4 * w) / 5e-4
        current = (6 - 0.8 * i - 0.05 * w) / 2e-3
        return {"motor.w'": turn, "theta''": turn, "motor.i'": current, "T": 4e-4 * turn}

    agree(
        one,
        scattered(one, {"motor.w": (-50, 50), "motor.i": (-3, 3)}),
        closed,
        IN_SPEEDS | ON_TREES | UDWADIA_KALABA,
    )


_FRICTION: Final = "-mu*sign(B3.vx)*sqrt(ystar^2 + zstar^2)"
_WITH_FRICTION: Final = _TWISTS - {"newton_euler"}


def _slider_crank(t: float) -> dict[str, float]:
    """Return the motion of the slider, thesis Example 4.5, with its first two rates."""
    size = (1 - sqrt(2) / 2) * sqrt(2) / 10
    return {
        "s": -size * (1 + 8 * sin(2 * pi * t) ** 2),
        "s'": -size * 16 * pi * sin(4 * pi * t),
        "s''": -size * 64 * pi**2 * cos(4 * pi * t),
    }


def _friction_point(t: float, chi: float, **inputs: float) -> Point:
    one = system("slider_crank_3d_friction")
    moved = _slider_crank(t)
    phi = -asin(0.5 * sin(chi) / sqrt(2))  # the loop, y and z
    psi = -asin(0.5 * (1 - cos(chi)) / (sqrt(2) * cos(phi)))
    said = {"B1.chi": chi, "B2.phi": phi, "B2.psi": psi}
    said |= {"B3.s": moved["s"], "B3.vx": moved["s'"]}
    state = completed(one, said, held=["B3.s", "B3.vx"])
    return Point(state, inputs=inputs)


def _normal_force(r0: np.ndarray, r1: np.ndarray, mu: float, s: float) -> float:
    """Return the root N >= 0 of (mu^2 |r1|^2 - 1) N^2 - 2 mu s (r0 . r1) N + |r0|^2 = 0."""
    a, b, c = mu**2 * r1 @ r1 - 1, -2 * mu * s * (r0 @ r1), r0 @ r0
    roots = np.roots([a, b, c])
    (root,) = roots[roots >= 0]
    return float(root)


def _affine(point: Point) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return r0 and r1 of each form: reactions with a push f along the guide are r0 + r1 f."""
    text = (folder("slider_crank_3d_friction") / "model.mb").read_text("utf-8")
    text = text.replace(_FRICTION, "push")
    one = system_of(text.replace("  input u1:", '  input push: N = 0 "push"\n  input u1:'))
    found = {}
    for name, form in forms(one).items():
        ends = []
        for push in (0.0, 1.0):
            pushed = at(one, form, Point(point.state, inputs={**point.inputs, "push": push}))
            ends.append(np.array([pushed.of("ystar"), pushed.of("zstar")]))
        found[name] = (ends[0], ends[1] - ends[0])
    return found


@pytest.mark.parametrize(("t", "chi"), [(0.1, 1.4), (0.3, 2.34)])
def test_friction_solves_its_quadratic(t: float, chi: float) -> None:
    """Reactions are affine in the friction force, r = r0 + r1 f, and f = -mu s N, N = |r|."""
    one = system("slider_crank_3d_friction")
    point = _friction_point(t, chi, u1=5.0)
    s = float(np.sign(point.state["B3.vx"]))
    affine = _affine(point)
    equations = forms(one)
    assert set(equations) == _WITH_FRICTION
    for name, form in equations.items():
        r0, r1 = affine[name]
        for mu in (0.5, float(0.9 / np.linalg.norm(r1))):
            N = _normal_force(r0, r1, mu, s)
            found = at(one, form, Point(point.state, {"mu": mu}, point.inputs))
            reaction = np.array([found.of("ystar"), found.of("zstar")])
            np.testing.assert_allclose(reaction, r0 - mu * s * N * r1, rtol=1e-8, err_msg=name)


def test_friction_without_one_solution_jams() -> None:
    """Where mu |r1| >= 1 the quadratic has no root N >= 0, or two."""
    point = _friction_point(0.1, 1.4, u1=5.0)
    equations = forms(system("slider_crank_3d_friction"))
    affine = _affine(point)
    assert set(affine) == _WITH_FRICTION
    for name, (_, r1) in affine.items():
        mu = 1.1 / np.linalg.norm(r1)
        found = equations[name].evaluate(point.state, {"mu": mu}, point.inputs)
        assert found.status == "jamming", name


@pytest.mark.parametrize(
    ("t", "chi", "u1", "ystar", "zstar"),
    [
        (0.05, 0.9305888467263275, 27.44448949948493, -5.803696608264542, 17.388695572846903),
        (0.1, 1.4033449091300998, 6.939012594532749, -8.005200738746392, 12.925718329841109),
        (0.2, 2.342092714008353, -24.31862630933874, 24.937016312672945, -12.148161586805168),
        (0.3, 2.342092714008353, -32.43321062031901, 63.349383771722, -28.3773302087657),
        (0.45, 0.9305888467263277, 25.09192533360462, -3.441438860852129, 12.683567241345148),
    ],
)
def test_the_torque_of_example_4_5_moves_the_slider(
    t: float, chi: float, u1: float, ystar: float, zstar: float
) -> None:
    """Orsino, thesis, Example 4.5 (h), evaluated by a separate program: inverse dynamics."""
    one = system("slider_crank_3d_friction")
    friction = -0.5 * np.sign(_slider_crank(t)["s'"]) * hypot(ystar, zstar)
    assert abs(friction) > 1

    def closed(_: Point) -> Values:
        return {"B3.vx'": _slider_crank(t)["s''"], "ystar": ystar, "zstar": zstar}

    agree(one, [_friction_point(t, chi, u1=u1)], closed, _WITH_FRICTION, 1e-8)
