"""Whether two models mean the same physics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

import mbx
from mbx.linking.library import root
from mbx.verify.difference.changes import changes

if TYPE_CHECKING:
    from mbx.verify.difference.compare_models import ModelDiff

ANGLE: Final = """
mbx 1
model Angle {
  param m: kg = 2, l: m = 1.5
  coordinate th: rad = 0.4
  particle bob { mass m  at [l*sin(th), -l*cos(th), 0] }
  gravity [0, -9.81 [m/s^2], 0]
}
"""

PLACE: Final = """
mbx 1
model Place {
  param m: kg = 2, l: m = 1.5
  coordinate x: m = 0.6, y: m = -1.4
  particle bob { mass m  at [x, y, 0] }
  gravity [0, -9.81 [m/s^2], 0]
  invariant rod: x^2 + y^2 = l^2
}
"""


def diff(first: str, second: str, **options: object) -> ModelDiff:
    return mbx.diff(mbx.loads(first), mbx.loads(second), **{"states": 4, **options})  # type: ignore[arg-type]


def test_a_pendulum_is_the_same_by_its_angle_and_by_its_place() -> None:
    found = diff(ANGLE, PLACE)
    assert found.verdict == "same"
    assert found.bodies == (("bob", "bob"),)
    assert found.freedom == (1, 1)
    assert found.states == 8  # four that were drawn for each of them
    assert found.missed == 0
    assert max(found.acceleration[0], found.energy) < 1e-12
    assert diff(PLACE, ANGLE).verdict == "same"


@pytest.mark.parametrize("first", ["spherical_pendulum_angles", "spherical_pendulum_quasivelocity"])
def test_models_of_the_library_are_the_same_in_other_variables(first: str) -> None:
    one, other = (
        mbx.read(root() / name / "model.mb") for name in (first, "spherical_pendulum_cartesian")
    )
    assert mbx.diff(one, other, states=4).verdict == "same"


def test_another_layout_is_the_same_without_any_numbers() -> None:
    found = diff(ANGLE, ANGLE.replace("l: m = 1.5", "l: m = 1.50  // metres"))
    assert found.identical
    assert found.verdict == "same"
    assert found.states == 0
    assert list(found.lines())[-1] == "Angle, Angle: same"


def test_gravity_in_another_sixth_digit_is_another_physics() -> None:
    found = diff(ANGLE, PLACE.replace("9.81", "9.81004"))
    assert found.verdict == "different"
    assert found.acceleration[0] == pytest.approx(4e-6, rel=0.5)
    assert found.acceleration[1].startswith("bob.a.")


def test_masses_that_gravity_hides_differ_in_their_energy() -> None:
    found = diff(ANGLE, PLACE.replace("m: kg = 2", "m: kg = 3"))
    assert found.acceleration[0] < 1e-12
    assert found.energy == pytest.approx(1 / 3)
    assert found.verdict == "different"


def test_other_freedoms_are_another_physics() -> None:
    found = diff(ANGLE, PLACE.replace("  invariant rod: x^2 + y^2 = l^2\n", ""))
    assert found.verdict == "different"
    assert found.freedom == (1, 2)
    assert "degrees of freedom: 1 and 2" in list(found.lines())


def test_places_that_cannot_be_met_are_not_compared() -> None:
    found = diff(ANGLE, PLACE.replace("l: m = 1.5", "l: m = 1.7").replace("-1.4", "-1.6"))
    assert found.verdict == "not comparable"
    assert found.reason.startswith("no state of the second")


def test_bodies_of_other_names_are_matched_where_that_is_said() -> None:
    two = "\n  particle wall { mass 1 kg  at [3 m, 0, 0] }\n}"
    first = ANGLE.rstrip().removesuffix("}") + two
    second = (PLACE.rstrip().removesuffix("}") + two).replace("bob", "weight").replace("wall", "w")
    assert diff(first, second).verdict == "not comparable"
    assert diff(first, second, same={"bob": "weight", "wall": "w"}).verdict == "same"


def test_what_is_said_differently_is_listed() -> None:
    one, other = (
        mbx.link(mbx.loads(text))
        for text in (ANGLE, ANGLE.replace("m: kg = 2", "m: g = 2500").replace("gravity", "//"))
    )
    assert [str(one) for one in changes(one, other)] == [
        "param m: 2 -> 2.5",
        "gravity (unnamed): only in the first",
    ]


def test_everything_is_data_too() -> None:
    found = diff(ANGLE, PLACE).as_json()
    assert found["verdict"] == "same"
    assert found["bodies"] == [["bob", "bob"]]
    assert {c["kind"] for c in found["changes"]} == {"coordinate", "particle", "invariant"}


FREE: Final = """
mbx 1
model Free {
  coordinate x: m, y: m
  particle p { mass 1 kg  at [x, y, 0] }
  gravity [0, -9.81 [m/s^2], 0]
}
"""


def with_(line: str, text: str = FREE) -> str:
    return text.rstrip().removesuffix("}") + f"  {line}\n}}\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("invariant c: y = x", "invariant c: y = abs(x)"),  # alike on one side only
        ("invariant c: x = 0", "invariant c: x' = 0"),  # any x in the second
    ],
)
def test_models_that_move_alike_only_where_both_can_be_are_not_the_same(
    one: str, other: str
) -> None:
    for found in (diff(with_(one), with_(other)), diff(with_(other), with_(one))):
        assert found.acceleration[0] < 1e-12
        assert found.missed > 0
        assert found.verdict == "undecided"
        assert any(line.startswith("states that only one of them") for line in found.lines())


def test_states_are_drawn_for_both() -> None:
    stop = "force max(0, y - 5 m)*100 [N/m]*ground.y on p at p.com"
    high = with_(stop).replace("y: m", "y: m = 10")
    assert diff(FREE, high).verdict == "different"
    assert diff(high, FREE).verdict == "different"


def test_a_body_that_is_not_shared_and_moves_by_itself_is_not_compared() -> None:
    more = "coordinate z: m\n  particle s { mass 1 kg  at [0, 0, z] }"
    first, second = with_(more), with_(more.replace("particle s", "particle r"))
    found = diff(first, second)
    assert found.verdict == "not comparable"
    assert found.reason == "the bodies that they share do not tell z of the first"
    assert diff(first, second, same={"s": "r"}).verdict == "same"
    for wrong, said in (({"s": "q"}, "the second has no body q"), ({"q": "r"}, "the first has")):
        assert said in diff(first, second, same=wrong).reason


def test_a_value_that_only_one_was_given_is_no_difference() -> None:
    spring = "param k: N/m\n  spring on x stiffness k rest 0 m"
    found = diff(with_(spring), with_(spring.replace("k:", "c:").replace("ss k", "ss c")))
    assert found.verdict == "not comparable"
    assert found.reason.startswith("k has no value, and only one of them has it")


def test_an_angle_is_found_in_the_same_turn() -> None:
    wound = """
mbx 1
model Wound {
  coordinate th: rad = 20
  body b { com [0, 0, 0]  inertia 1 [kg*m^2] about z  joint revolute(ground, axis = z, angle = th) }
  torque -5 [N*m]*th*ground.z on b from ground
}
"""
    half = (
        wound.replace("rad = 20", "rad = 0")
        .replace("model Wound {", "model Wound {\n  param a: rad = 0")
        .replace("*th*", "*(th + a)*")
    )
    found = diff(wound, half)
    assert found.changes
    assert found.verdict == "same"


PROGRAMME: Final = """
mbx 1
model Programme {
  param w: rad/s = 2, k: 1/s = 0.5
  coordinate x: m = 0, y: m = 0
  particle bob { mass 1 kg  at [x, y, 0] }
  invariant decay: (x''' + k*x'')*cos(w*t) + (y''' + k*y'')*sin(w*t) = 0
}
"""
ALONG: Final = (
    PROGRAMME.replace("x: m = 0, y: m = 0", "r: m = 1, s: m = 0.2")
    .replace("particle bob", "let x = r + 2*s, y = s - r\n  particle bob")
    .replace("x'''", "ddt(ddt(ddt(x)))")
    .replace("y'''", "ddt(ddt(ddt(y)))")
)
ALONG_TOO: Final = ALONG.replace("x''", "ddt(ddt(x))").replace("y''", "ddt(ddt(y))")


def test_models_of_order_3_are_compared_by_the_rates_of_accelerations() -> None:
    found = diff(PROGRAMME, ALONG_TOO)
    assert (found.verdict, found.order) == ("same", 3)
    assert "rates of order 3 of bodies" in str(found)
    other = diff(PROGRAMME, ALONG_TOO.replace("k: 1/s = 0.5", "k: 1/s = 0.51"))
    assert other.verdict == "different"


def test_models_of_different_orders_are_not_compared() -> None:
    found = diff(PROGRAMME, PLACE)
    assert found.verdict == "not comparable"
    assert found.reason == "their unknowns have the orders 3 and 2"
