"""Inertia about one axis, display names, and what a model consists of."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

import mbx
from mbx.checking.describe_model import Description, describe
from mbx.language.display_names import display_fault

LIBRARY: Final = Path(__file__).parents[3] / "library"
HEAD: Final = """mbx 1
model M {
  coordinate a: rad, b: rad, c: rad, x: m, y: m, z: m
  speed w: rad/s, v: m/s
  param J: kg*m^2 = 1, half: rad = 1
"""


def codes(*bodies: str) -> list[str]:
    lines = "\n".join(
        f"  body B{k} {{ mass 1 kg  {text} }}" for k, text in enumerate(bodies, start=1)
    )
    return [one.code for one in mbx.check(mbx.loads(f"{HEAD}{lines}\n}}\n")).errors]


ABOUT: Final = "inertia J about z  "


@pytest.mark.parametrize(
    "placing",
    [
        "joint revolute(ground, axis = z, angle = a)",
        "joint revolute(ground at [x, 0, 0], axis = z, angle = a)",
        "joint revolute(ground rotated x by half, axis = z, angle = a)",
        "joint prismatic(ground, axis = x, distance = x)",
        "joint fixed(ground)",
        "joint screw(ground, axis = z, pitch = 1 mm, angle = a)",
        "joint cylindrical(ground, axis = z, angle = a, distance = x)",
        "joint planar(ground, axis = z, x = x, y = y, angle = a)",
        "joint general(ground, move = [x, y, z], rotated z by a, rotated z by b)",
        "frame ground rotated z by a  com [0, 0, 0]",
        "frame ground rotated x by half rotated z by a  com [0, 0, 0]",
        "velocity [v, 0, 0]  omega [0, 0, w]",
    ],
)
def test_one_moment_of_inertia_is_enough_for_a_body_that_turns_about_it(placing: str) -> None:
    assert codes(ABOUT + placing) == []


@pytest.mark.parametrize(
    "placing",
    [
        "joint revolute(ground, axis = x, angle = a)",
        "joint revolute(ground, axis = [1, 0, 1], angle = a)",
        "joint revolute(ground, own rotated x by half, axis = z, angle = a)",
        "joint revolute(ground rotated x by b, axis = z, angle = a)",
        "joint revolute(ground rotated x by (1 [rad/s])*t, axis = z, angle = a)",
        "joint planar(ground, axis = y, x = x, y = y, angle = a)",
        "joint spherical(ground, euler zxy by (a, b, c))",
        "joint universal(ground, axis = x, axis2 = y, angle = a, angle2 = b)",
        "joint free(ground, move = [x, y, z], euler zxy by (a, b, c))",
        "joint general(ground, move = [x, y, z], rotated z by a, rotated x by b)",
        "frame ground rotated x by a  com [0, 0, 0]",
        "frame ground rotated z by a rotated x by half  com [0, 0, 0]",
        "frame ground euler zxz by (a, b, c)  com [0, 0, 0]",
        "velocity [v, 0, 0]  omega [w, 0, 0]",
        "velocity [v, 0, 0]  omega [0, w, w]",
    ],
)
def test_one_moment_of_inertia_is_too_little_for_a_body_that_turns_otherwise(placing: str) -> None:
    assert codes(ABOUT + placing) == ["MBX4008"]


@pytest.mark.parametrize(
    ("axis", "expected"),
    [("z", []), ("x", ["MBX4008"])],
)
def test_a_body_turns_with_the_one_before_it(axis: str, expected: list[str]) -> None:
    first = ABOUT + "joint revolute(ground, axis = z, angle = a)"
    second = ABOUT + f"joint revolute(B1 at [1 m, 0, 0], axis = {axis}, angle = b)"
    assert codes(first, second) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("joint prismatic(ground, axis = x, distance = x)", []),
        ("joint revolute(ground, axis = z, angle = a)", ["MBX4007"]),
        ("joint revolute(ground, axis = z, angle = a)  inertia diag(1, 1, 1)", ["MBX4116"]),
        ("joint revolute(ground, axis = z, angle = a)  inertia diag(J, J, 3*J)", ["MBX4003"]),
        ("joint revolute(ground, axis = z, angle = a)  inertia diag(J, J, 2*J)", []),
        ("joint revolute(ground, axis = z, angle = a)  inertia diag(-J, J, J)", ["MBX4002"]),
        ("joint revolute(ground, axis = z, angle = a)  inertia -J about z", ["MBX4002"]),
        (
            "joint revolute(ground, axis = z, angle = a)  inertia tensor(J, J, J, 2*J, 0, 0)",
            ["MBX4002"],
        ),
        (
            "joint revolute(ground, axis = z, angle = a) inertia [[J, J, 0], [0, J, 0], [0, 0, J]]",
            ["MBX4009"],
        ),
    ],
)
def test_an_inertia_is_one_that_a_body_can_have(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "x_1",
        "x_{12}",
        "x^2",
        "x_1^2",
        "x^{2}_{1}",
        "x'",
        "x''_1",
        "\\theta",
        "\\theta_1",
        "\\Omega^{AB}",
        "\\dot{x}",
        "\\ddot{\\theta}_1",
        "\\vec{F}_{AB}",
        "\\mathrm{max}",
        "x_\\alpha",
        "x_{\\mathrm{max}}",
        "p_{1x}",
        "AB",
        "x_{a_{b}}",
    ],
)
def test_a_display_name_is_accepted(text: str) -> None:
    assert display_fault(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "_1",
        "^2",
        "'",
        "x_",
        "x__1",
        "x_1_2",
        "x_{1}_{2}",
        "x_{1}_2",
        "x^{1}^2",
        "x_\\alpha_1",
        "x_\\dot{a}",
        "x_1'_2",
        "x^2'",
        "{x}",
        "x}",
        "\\dot{x",
        "\\dot x",
        "\\dot{}",
        "x_{}",
        "\\dot",
        "\\frac{a}{b}",
        "\\href{a}",
        "\\input{file}",
        "\\def\\a{b}",
        "$x$",
        "x%",
        "x&y",
        "x\\\\y",
        "<b>x</b>",
        "θ",
        "x_{" * 9 + "a" + "}" * 9,
    ],
)
def test_a_display_name_is_refused(text: str) -> None:
    assert display_fault(text) is not None


def described(case: str) -> Description:
    return describe(mbx.link(mbx.read(LIBRARY / case / "model.mb")))


def test_the_four_bar_is_described() -> None:
    found = described("four_bar")
    assert (found.name, found.title) == ("FourBar", "Planar four-bar on a fixed base")
    assert [(v.path, v.order, v.unit) for v in found.variables] == [
        ("th1", 0, "rad"),
        ("th2", 0, "rad"),
        ("th3", 0, "rad"),
    ]
    assert [(b.path, b.kind, b.placed) for b in found.bodies] == [
        ("crank", "body", "joint"),
        ("coupler", "body", "joint"),
        ("rocker", "body", "joint"),
    ]
    assert [(j.path, j.kind, j.loop) for j in found.joints] == [
        ("crank", "revolute", False),
        ("coupler", "revolute", False),
        ("rocker", "revolute", False),
        ("tip", "revolute", True),
    ]
    assert found.parameters == ("a", "b", "c", "d", "m1", "m2", "m3", "g")
    assert found.inputs == ("u1",)
    assert found.loads == ("torque drive", "gravity")
    assert found.invariants == ()
    assert found.tree.children == ()
    assert found.experiments == ("assemble", "swing", "drive")


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("rolling_disc", [("roll_x", 1, 1), ("roll_y", 1, 1)]),
        ("spherical_pendulum_quasivelocity", [("sphere", 0, 1)]),
        ("programme_order_3", [("programme", 3, 1)]),
    ],
)
def test_invariants_have_the_order_they_are_written_at(
    case: str, expected: list[tuple[str, int, int]]
) -> None:
    assert [(i.path, i.order, i.rows) for i in described(case).invariants] == expected


def test_particles_frames_and_speeds_are_described() -> None:
    disc, pendulum = described("rolling_disc"), described("spherical_pendulum_quasivelocity")
    assert [(b.path, b.kind, b.placed) for b in disc.bodies] == [("disc", "body", "frame")]
    assert disc.joints == ()
    assert [(v.path, v.order) for v in pendulum.variables] == [
        ("x", 0),
        ("y", 0),
        ("z", 0),
        ("ups", 1),
    ]
    assert pendulum.bodies[0].kind == "particle"
