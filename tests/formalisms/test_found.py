"""Small models that random ones were reduced to, each with what it must give."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Final

import numpy as np
import pytest

import mbx
from formalisms.cases import Point, at, completed, forms, system_of
from formalisms.closed_forms import ALL
from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.nodes import symbol
from mbx.numerics.execute.implicit_steps import fixed_point
from mbx.numerics.newton import gauss_newton

pytestmark = pytest.mark.papers

# -- verdicts where there is little to compare -------------------------------------------------

ROTOR: Final = """
mbx 1
model Rotor {
  coordinate a: rad, x: m
  body rotor {
    mass 0.436 kg  com [0.311 m, -0.269 m, 0]  inertia 0.536 [kg*m^2] about z
    joint revolute(ground at [0.289 m, 0.415 m, 0] rotated z by 0.686, axis = z, angle = -a)
  }
  body slide {
    mass 0.987 kg  inertia diag(0.4 [kg*m^2], 0.3 [kg*m^2], 0.3 [kg*m^2])
    joint prismatic(ground rotated z by 0.877, axis = x, distance = x)
  }
}
"""


def test_forms_agree_where_nothing_accelerates() -> None:
    found = mbx.verify(mbx.loads(ROTOR), states=4)
    assert found.verdict == "agree", "\n".join(found.lines())
    one = system_of(ROTOR)
    state = {"a": 0.4, "x": 0.1, "a'": 1.3, "x'": -0.8}
    for name, equations in forms(one).items():
        assert at(one, equations, Point(state)).evaluation.ud == pytest.approx(0, abs=1e-14), name


STANDING: Final = """
mbx 1
model Standing {
  body post {
    mass 0.95 kg  com [-0.3 m, 0.1 m, 0]
    inertia diag(0.4 [kg*m^2], 0.3 [kg*m^2], 0.3 [kg*m^2])
    joint fixed(ground) reaction R
  }
  force -0.05 [N*s/m]*norm(R.force)/(1 N)*velocity(post.com) on post
  gravity [8.3 [m/s^2], -9.9 [m/s^2], -2.8 [m/s^2]]
}
"""


def test_forms_agree_on_a_body_that_stands_and_names_its_reaction() -> None:
    found = mbx.verify(mbx.loads(STANDING), states=4)
    assert found.verdict == "agree", "\n".join(found.lines())
    one = system_of(STANDING)
    state = {v.path: 0.0 for v in (*one.q, *one.u)}
    held = at(one, forms(one)["newton_euler"], Point(state)).evaluation.reactions["R"]
    assert held[:3] == pytest.approx(-0.95 * np.array([8.3, -9.9, -2.8]))


def test_a_model_without_variables_can_be_verified() -> None:
    text = (
        "mbx 1 model M { body b { mass 1 kg  joint fixed(ground) }  gravity [0, 0, 9.8 [m/s^2]] }"
    )
    assert mbx.verify(mbx.loads(text), states=4).verdict == "agree"


def test_a_model_without_a_consistent_state_is_undecided() -> None:
    text = """mbx 1 model M {
      coordinate x, y: m
      particle p { mass 1 kg  at [x, y, 0] }
      invariant never: x^2 + y^2 = -(1 [m^2])
    }"""
    found = mbx.verify(mbx.loads(text), states=4)
    assert found.verdict == "undecided"
    assert found.states == ()


ROD: Final = """
mbx 1
model Rod {
  param m: kg = 1.01, J: kg*m^2 = 1.45
  coordinate psi, phi, th: rad in [-1, 1]
  speed vx, vy, vz: m/s
  speed wy, wz: rad/s
  define wy = cos(phi)*sin(th)*psi' + cos(th)*phi'
  define wz = cos(phi)*cos(th)*psi' - sin(th)*phi'
  invariant no_spin: th' = psi'*sin(phi)
  body rod { mass m  inertia diag(0, J, J)  velocity [vx, vy, vz]  omega [0, wy, wz] }
}
"""


def test_forms_agree_where_constraint_forces_and_all_their_terms_are_rounding() -> None:
    found = mbx.verify(mbx.loads(ROD), states=8)
    assert found.verdict == "agree", "\n".join(found.lines())


# -- particles ---------------------------------------------------------------------------------

BEAD: Final = """
mbx 1
model Bead {
  coordinate a: rad, x: m
  body arm { mass 3 kg  inertia 0.7 [kg*m^2] about z  joint revolute(ground, axis = z, angle = a) }
  particle bead { mass 2 kg  at ground.origin + x*arm.x }
  force push: 4 N*arm.y on arm at bead.com from bead
  force added: -0.5 kg*acceleration(bead.com) on bead
}
"""


def test_a_particle_may_be_named_by_its_mass_centre() -> None:
    one = system_of(BEAD)
    x, v, w = 0.6, 0.3, 1.2
    # the push is internal, and the bead has 0.5 kg more: polar coordinates
    expected = [-2 * 2.5 * x * v * w / (0.7 + 2.5 * x**2), x * w**2]
    assert len(forms(one)) >= 7
    for name, equations in forms(one).items():
        found = at(one, equations, Point({"a": 0.4, "x": x, "a'": w, "x'": v}))
        assert found.evaluation.ud == pytest.approx(expected), name
    assert mbx.verify(mbx.loads(BEAD), states=4).verdict == "agree"


# -- subsystems --------------------------------------------------------------------------------

MOUNTED: Final = """
mbx 1
model Mounted {
  subsystem base {
    body post { mass 2 kg  com [0.1 m, 0, 0]  joint fixed(ground rotated z by 0.4) }
  }
  coordinate a: rad
  body arm {
    mass 1.5 kg  com [0.4 m, 0, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(base.post, axis = z, angle = a - 0.4 rad)
  }
  gravity [0, -9.81 [m/s^2], 0]
}
"""


def test_a_subsystem_may_have_no_variables() -> None:
    one = system_of(MOUNTED)
    assert "modular" in forms(one)
    expected = -1.5 * 9.81 * 0.4 * cos(0.7) / (0.1 + 1.5 * 0.4**2)  # a physical pendulum
    for name, equations in forms(one).items():
        found = at(one, equations, Point({"a": 0.7, "a'": 1.1}))
        assert found.evaluation.ud == pytest.approx([expected]), name


COUPLED: Final = """
mbx 1
model Coupled {
  subsystem A {
    coordinate x: m
    body box { mass 2 kg  joint prismatic(ground, axis = x, distance = x) }
  }
  subsystem B {
    coordinate x: m
    body box { mass 3 kg  joint prismatic(ground, axis = x, distance = x) }
  }
  force [6 N, 0, 0] on B.box
  force -0.5 kg*acceleration(B.box.com) on A.box
}
"""


def test_a_force_in_one_subsystem_may_depend_on_accelerations_of_another() -> None:
    one = system_of(COUPLED)
    assert "modular" in forms(one)
    state = {"A.x": 0.1, "B.x": 0.2, "A.x'": 0.3, "B.x'": -0.4}
    for name, equations in forms(one).items():
        found = at(one, equations, Point(state))
        assert found.evaluation.ud == pytest.approx([-0.5 * 2 / 2, 6 / 3]), name


# -- joints that close loops -------------------------------------------------------------------

SCREW: Final = """
mbx 1
model Screw {
  param p: m = 0.07, m: kg = 2, J: kg*m^2 = 0.3
  coordinate a: rad, s: m, w: rad
  body rotor { mass 1 kg  inertia J about z  joint revolute(ground, axis = z, angle = a) }
  body nut { mass m  joint prismatic(ground, axis = z, distance = s) }
  joint thread: screw(nut, rotor, axis = z, pitch = p)
  body disc { mass 1 kg  inertia J about z  joint revolute(ground, axis = z, angle = -a/2) }
  joint turn: revolute(disc, rotor, axis = z) measure w
  torque [0, 0, 4 [N*m]] on rotor
}
"""


def _row(path: str, **state: float) -> float:
    one = system_of(SCREW)
    (value,) = [row.value for row in one.rows if row.path == path]
    known = {symbol(name): np.asarray(x) for name, x in {"p": 0.07, **state}.items()}
    return float(evaluate_arrays([value], known)[0])


@pytest.mark.parametrize("turns", [-1, 0, 2])
def test_a_screw_is_closed_at_whole_turns_only(turns: int) -> None:
    a = 0.4
    assert _row("thread.pitch", a=a, s=-0.07 * (a + 2 * pi * turns)) == pytest.approx(0, abs=1e-15)
    half = _row("thread.pitch", a=a, s=-0.07 * (a + 2 * pi * turns + 0.9 * pi))
    assert half == pytest.approx(0.07 * 0.9 * pi)


def test_a_measured_angle_is_right_at_whole_turns_only() -> None:
    assert _row("turn.measure", a=0.4, w=0.6 + 2 * pi) == pytest.approx(0, abs=1e-14)
    assert _row("turn.measure", a=0.4, w=0.6 + 0.9 * pi) == pytest.approx(0.9 * pi)


def test_all_forms_have_the_constraint_forces_of_a_screw() -> None:
    one = system_of(SCREW)
    state = completed(one, {"a": 0.4, "a'": 1.2})
    assert state["s"] == pytest.approx(-0.07 * 0.4)
    # (J + J/4 + m p^2) a'' = T; the nut is driven by the thread alone
    acceleration = 4 / (0.3 * 1.25 + 2 * 0.07**2)
    assert len(forms(one)) >= 7
    for name, equations in forms(one).items():
        found = at(one, equations, Point(state)).evaluation
        assert found.ud == pytest.approx(np.array([1, -0.07, 1.5]) * acceleration), name
        assert found.Fc[1] == pytest.approx(-2 * 0.07 * acceleration), name


def _four_bar(frame: str, gravity: str) -> str:
    inertia = "inertia diag(0.001 [kg*m^2], 0.001 [kg*m^2], 0.002 [kg*m^2])"
    return f"""
    mbx 1
    model FourBar {{
      param a: m = 0.1, b: m = 0.3, c: m = 0.25, d: m = 0.3
      coordinate th1: rad = 1.0, th2: rad = -0.4, th3: rad = 1.5
      frame F = {frame}
      body crank {{ mass 0.2 kg  com [a/2, 0, 0]  {inertia}
        joint revolute(F, axis = z, angle = th1) }}
      body coupler {{ mass 0.5 kg  com [b/2, 0, 0]  {inertia}
        joint revolute(crank at [a, 0, 0], axis = z, angle = th2) }}
      body rocker {{ mass 0.4 kg  com [c/2, 0, 0]  {inertia}
        joint revolute(F at [d, 0, 0], axis = z, angle = th3) }}
      joint tip: revolute(coupler at [b, 0, 0], rocker at [c, 0, 0], axis = z)
      gravity {gravity}
    }}
    """


LEVEL: Final = _four_bar("ground", "[0, -9.81 [m/s^2], 0]")
OBLIQUE: Final = _four_bar("ground rotated x by 0.4 rotated y by 0.7", "-9.81 [m/s^2]*F.y")


def test_a_planar_loop_in_an_oblique_plane_is_planar() -> None:
    one, level = system_of(OBLIQUE), system_of(LEVEL)
    assert [row.path for row in one.rows] == ["tip.x", "tip.y"]
    state = completed(level, {"th1": 1.0, "th1'": 2.0})
    expected = at(level, forms(level)["kane"], Point(state)).evaluation.ud
    assert set(forms(one)) == ALL
    for name, equations in forms(one).items():
        found = at(one, equations, Point(state)).evaluation
        assert found.ud == pytest.approx(expected, rel=1e-10), name


def test_a_reaction_that_is_zero_converges() -> None:
    def g(at: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rounding = np.where(y <= 0, 1e-17, -1e-17)  # never the same twice
        return y - rounding, np.full(len(at), "regular", dtype=object)

    y, faults = fixed_point(g, np.zeros((1, 3)))
    assert list(faults) == [""]
    assert y == pytest.approx(0, abs=1e-16)


def test_a_row_that_is_rounding_does_not_disturb_an_assembly() -> None:
    def f(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        c = np.stack([x[:, 0] ** 2 - 2, np.full(len(x), 3e-17)], axis=1)
        J = np.stack([np.array([[2 * v], [1e-17]]) for v in x[:, 0]])
        return c, J

    found, error = gauss_newton(f, np.array([[1.2], [2.0]]), np.array([True]), 0.5)
    assert found == pytest.approx(np.sqrt(2), rel=1e-14)
    assert (error < 1e-15).all()


# -- reactions ---------------------------------------------------------------------------------

GUIDED: Final = """
mbx 1
model Guided {
  param m: kg = 1.5, g: m/s^2 = 9.81, mu: 1 = 0.2, c: m = 0.3, w: rad/s = 2
  coordinate x: m
  body cart { mass m  joint prismatic(ground, axis = x, distance = x) reaction R }
  invariant drive: dot(cart.com - ground.origin, ground.x) = c*sin(w*t) reaction F
  force friction: [-mu*abs(dot(R.force, ground.y)), 0, 0] on cart
  gravity [0, -g, 0]
}
"""


def test_a_reaction_is_reported_as_loads_know_it() -> None:
    one = system_of(GUIDED)
    t = 0.4
    state = completed(one, {}, t=t)
    acceleration = -0.3 * 4 * sin(2 * t)
    for name, equations in forms(one).items():
        found = at(one, equations, Point(state, t=t))
        assert found.evaluation.ud[0] == pytest.approx(acceleration), name
        assert found.of("F") == pytest.approx(1.5 * acceleration + 0.2 * 1.5 * 9.81), name
    # the drive acts on the cart, and the guide carries nothing along its own axis
    held = at(one, forms(one)["newton_euler"], Point(state, t=t)).evaluation.reactions["R"]
    assert held[:3] == pytest.approx([0, 1.5 * 9.81, 0], abs=1e-12)


# -- invariants that hold by themselves --------------------------------------------------------

VACUOUS: Final = """
mbx 1
model Vacuous {
  coordinate y, z: m
  frame F = ground rotated [0.296, 0.309, 0.294] by 0.232 rotated [-0.157, -0.25, -0.387] by -0.618
  body box { mass 2 kg  joint general(F, move = [0, y, z]) }
  invariant flat: dot(velocity(box.com), F.x) = 0
  force 3 N*F.y + 5 N*F.z on box
}
"""


def test_an_invariant_that_holds_by_itself_constrains_nothing() -> None:
    one = system_of(VACUOUS)
    assert len(forms(one)) >= 7
    for name, equations in forms(one).items():
        found = at(one, equations, Point({"y": 0.3, "z": -0.2, "y'": 1.1, "z'": 0.7}))
        assert found.evaluation.ud == pytest.approx([3 / 2, 5 / 2]), name


# -- reactions ---------------------------------------------------------------------------------

HANGING: Final = """
mbx 1
model Hanging {
  coordinate th: rad = 0.3, ph: rad = 0.8
  body upper {
    mass 1 kg  com [0.2 m, 0, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = th)
  }
  body lower {
    mass 1 kg  com [0.2 m, 0, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(upper at [0.4 m, 0, 0], axis = z, angle = ph - th)
  }
  body aside { mass 1 kg  joint prismatic(ground, axis = x, distance = s) }
  coordinate s: m = 0
  particle load { mass 5 kg  at lower.origin + 0.4 m*upper.y }
  gravity [0, -9.81 [m/s^2], 0]
}
"""


def test_joints_that_carry_what_no_frame_of_theirs_places_have_no_reaction() -> None:
    """The load is fixed to neither body, so nothing tells which of the bearings carries it."""
    found = forms(system_of(HANGING))["newton_euler"]
    known = {key for key in found.results if key.startswith("reaction:")}
    assert known == {"reaction:aside.joint", "reaction:load.placement"}
