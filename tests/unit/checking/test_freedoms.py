"""The count of freedoms, variables that nothing depends on, and gravities above gravities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

import mbx
from mbx.language.joints import JOINTS

if TYPE_CHECKING:
    from mbx.base.diagnostics import Report

FREEDOMS: Final = {
    "fixed": 0,
    "revolute": 1,
    "prismatic": 1,
    "screw": 1,
    "cylindrical": 2,
    "universal": 2,
    "spherical": 3,
    "planar": 3,
}
SHAPE: Final = {"axis": "z", "axis2": "x", "pitch": "1 mm"}
SPATIAL: Final = (
    "mass 1 kg  inertia diag(k, k, k)  joint free(ground, move = [x{0}, y{0}, z{0}], "
    "euler zxy by (a{0}, b{0}, c{0}))"
)
PLANAR: Final = (
    "mass 1 kg  inertia k about z  joint planar(ground, axis = z, x = x{0}, y = y{0}, angle = a{0})"
)


def report(body: str, head: str = "") -> Report:
    return mbx.check(mbx.loads(f"mbx 1\n{head}\nmodel M {{\n{body}\n}}\n"))


def counts(bodies: str, kind: str, variables: str, stops: int) -> list[str]:
    """Return what is said of two bodies, one joint between them, and some more equations."""
    arguments = "".join(f", {name} = {SHAPE[name]}" for name in JOINTS[kind].shape)
    units = {name: "rad" if name in "abc" else "m" for name in variables}
    names = [f"{name}{side}: {unit}" for side in "12" for name, unit in units.items()]
    text = (
        f"param k: kg*m^2 = 1\ncoordinate {', '.join(names)}\n"
        f"body B1 {{ {bodies.format(1)} }}\nbody B2 {{ {bodies.format(2)} }}\n"
        f"joint J: {kind}(B1, B2{arguments})\n"
        + "\n".join(f"invariant x1 = {stop} m" for stop in range(stops))
    )
    found = report(text)
    assert found.ok
    return [one.message for one in found if one.code == "MBX4013"]


@pytest.mark.parametrize("kind", FREEDOMS)
def test_a_joint_takes_what_it_does_not_leave(kind: str) -> None:
    rows = 6 - FREEDOMS[kind]
    assert counts(SPATIAL, kind, "xyzabc", 12 - rows) == []
    (note,) = counts(SPATIAL, kind, "xyzabc", 13 - rows)
    assert "12 variables and 13 equations between them leave -1 freedoms" in note


@pytest.mark.parametrize(("kind", "rows"), [("fixed", 3), ("revolute", 2), ("prismatic", 2)])
def test_a_joint_in_the_plane_takes_less(kind: str, rows: int) -> None:
    assert counts(PLANAR, kind, "xya", 6 - rows) == []
    (note,) = counts(PLANAR, kind, "xya", 7 - rows)
    assert "6 variables and 7 equations between them leave -1 freedoms" in note


def test_more_equations_than_variables_are_noted() -> None:
    found = report("coordinate p: m, q: m\ninvariant p = 1 m\ninvariant q = p\ninvariant q = 2*p")
    (note,) = found
    assert note.code == "MBX4013"
    assert note.severity == "note"
    assert "2 variables and 3 equations between them leave -1 freedoms" in note.message


def test_a_vector_equation_counts_as_three() -> None:
    text = "coordinate p: m, q: m\ninvariant [p, q, 0 m] = [1 m, 2 m, 0 m]"
    (note,) = report(text)
    assert "2 variables and 3 equations" in note.message


def test_a_value_given_to_a_subsystem_is_used() -> None:
    part = "model Part { param a: m = 1\nparticle P { mass 1 kg  at [a, 0, 0] } }"
    inner = "subsystem s(a = 1 m) { param a: m = 1\nparticle P { mass 1 kg  at [a, 0, 0] } }"
    assert list(report("subsystem s: Part(a = 2 m)", part)) == []
    assert list(report(inner)) == []
    given = report("coordinate q: m\nsubsystem s: Part(a = q)", part.replace("param", "input"))
    assert list(given) == []
    idle = report("coordinate q: m\nsubsystem s: Part", part)
    assert [one.code for one in idle] == ["MBX4012"]
    assert [one.severity for one in idle] == ["warning"]


@pytest.mark.parametrize(
    "statement",
    [
        "state s { q = 1 m }",
        "initial q = 1 m",
        "branch b: q > 0",
        "independent q'",
    ],
)
def test_what_says_nothing_of_the_motion_does_not_use_a_variable(statement: str) -> None:
    assert [one.code for one in report(f"coordinate q: m\n{statement}")] == ["MBX4012"]


def test_one_gravity_is_enough_on_each_way_down() -> None:
    gravity = "gravity [0, 0, -9.81 [m/s^2]]"
    part = "mbx 1\nmodel A { particle P { mass 1 kg  at [0, 0, 0] }\nGRAVITY }\nmodel M { "

    def codes(inner: str, outer: str) -> list[str]:
        text = part.replace("GRAVITY", inner) + f"subsystem a: A, b: A\n{outer} }}"
        return [one.code for one in mbx.check(mbx.loads(text)).errors]

    assert codes("", gravity) == []
    assert codes(gravity, "") == []
    assert set(codes(gravity, gravity)) == {"MBX4015"}
