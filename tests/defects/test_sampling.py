"""States: over the whole range that a model allows, at the sizes of the model, and enough."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbx
from mbx.numerics.states.complete import separate_parts
from mbx.numerics.states.manifold import Manifold
from mbx.numerics.states.sample import draw_values
from mbx.numerics.states.spread import Spread

HERE = Path(__file__).parent
FORMS = ("kane", "lagrange")


def spread(text: str, seed: int = 1) -> Spread:
    system = mbx.elaborate(mbx.link(mbx.loads(text)))
    return Spread(Manifold(system, draw_values(system, np.random.default_rng(seed))), seed)


PENDULUM = """
mbx 1
model Pendulum {{
  param m: kg = {mass}, l: m = {length}, g: m/s^2 = {gravity}
  coordinate th: rad = 0.1{range}, z: m = 0
  body rod {{ mass m  com [l/2, 0, 0]  inertia m*l^2/12 about y
             joint cylindrical(ground, axis = y, angle = th, distance = z) }}
  gravity [g, 0, 0]
}}
"""


def pendulum(
    *, mass: float = 1.0, length: float = 1.0, gravity: float = 9.81, bounds: str = ""
) -> str:
    return PENDULUM.format(mass=mass, length=length, gravity=gravity, range=bounds)


# -- where states are drawn ----------------------------------------------------------------------


def test_an_angle_without_a_range_is_drawn_on_the_whole_circle() -> None:
    th = spread(pendulum()).draw(200).points.q[:, 0] - 0.1
    assert np.abs(th).max() <= np.pi
    counts, _ = np.histogram(th, bins=8, range=(-np.pi, np.pi))
    assert counts.min() >= 10  # 25 are expected in each eighth of the circle


@pytest.mark.parametrize("length", [1e-6, 1e-3, 1.0, 1e4, 1e11])
def test_lengths_and_speeds_are_drawn_at_the_scales_of_the_model(length: float) -> None:
    """The length is l, and the rate of the pendulum sqrt(g/l), whatever the units are."""
    points = spread(pendulum(length=length)).draw(400).points
    z = np.abs(points.q[:, 1]) / length
    assert 1e-3 < z.min() < 0.1
    assert 1.0 < z.max() < 10.0
    rate = np.abs(points.u[:, 0]) / np.sqrt(9.81 / length)
    assert 0.1 < np.median(rate) < 10.0
    assert rate.max() > 5.0


def test_states_scale_with_the_model_and_not_with_its_units() -> None:
    one, other = (spread(pendulum(length=x, gravity=9.81 * x)) for x in (1.0, 2.0**30))
    assert other.draw(5).points.q[:, 1] == pytest.approx(2.0**30 * one.draw(5).points.q[:, 1])


def test_start_values_and_geometry_tell_the_scale_where_no_parameter_does() -> None:
    planets = spread((HERE / "planets.mb").read_text("utf-8"))
    assert 1e10 < planets.sizes.q.min() <= planets.sizes.q.max() < 1e12
    assert 1e2 < planets.sizes.u.min() <= planets.sizes.u.max() < 1e6
    literal = spread(
        "mbx 1\nmodel M { coordinate th: rad, z: m\n"
        "body b { mass 1e-9 kg com [4e-6 m, 0, 0] inertia 1e-20 [kg*m^2] about z\n"
        "joint cylindrical(ground, axis = z, angle = th, distance = z) } }"
    )
    assert 1e-6 < literal.sizes.q[1] < 1e-5


def test_what_stands_beside_a_mechanism_does_not_change_its_sizes() -> None:
    alone = spread(pendulum())
    fast = "particle p { mass 1e-25 kg at [s, 0, 0] }  spring on s stiffness 1e9 [N/m]\n  gravity"
    text = pendulum().replace("z: m = 0", "z: m = 0, s: m = 0.1").replace("gravity [", fast + " [")
    beside = spread(text)
    assert (beside.sizes.q[:2] == alone.sizes.q).all()
    assert (beside.sizes.u[:2] == alone.sizes.u).all()
    assert beside.sizes.u[2] > 1e3 * alone.sizes.u[1]


def test_a_load_between_two_mechanisms_makes_one_of_them() -> None:
    system = mbx.elaborate(
        mbx.link(
            mbx.loads(
                "mbx 1\nmodel M { param a: kg = 1, b: kg = 2, k: N/m = 3\n"
                "coordinate x: m = 1, y: m = 2, z: m = 3\n"
                "particle p { mass a at [x, 0, 0] }  particle q { mass b at [0, y, 0] }\n"
                "particle r { mass b at [0, 0, z] }\npotential k*x*y }"
            )
        )
    )
    x, y, z = (v.symbol for v in system.q)
    a, b, k = (p.symbol for p in system.parameters)
    one, two = sorted(separate_parts(system), key=lambda part: z in part.variables)
    assert {x, y} <= one.variables
    assert {a, b, k} <= one.symbols
    assert z in two.variables
    assert two.symbols.isdisjoint({x, y, a, k})


def test_the_same_seed_draws_the_same_states_and_more_of_them_change_none() -> None:
    text = pendulum()
    few, many = spread(text).draw(3).points, spread(text).draw(9).points
    assert (few.q == many.q[:3]).all()
    assert (few.u == many.u[:3]).all()
    assert (few.t == many.t[:3]).all()
    assert (spread(text, 2).draw(3).points.q != few.q).all()


def test_a_range_is_filled_and_not_left() -> None:
    q = spread(pendulum(bounds=" in [0.05, 0.25]")).draw(200).points.q[:, 0]
    assert 0.05 <= q.min() < 0.06
    assert 0.24 < q.max() <= 0.25


LOOP = """
mbx 1
model Loop {
  param a: m = {a}, b: m = {b}, c: m = {c}, d: m = {d}
  coordinate th1: rad = 1.0, th2: rad = -0.4, th3: rad = 1.5
  body crank   { mass 1 kg  com [a/2, 0, 0]  inertia a^2*(1 kg) about z
                 joint revolute(ground, axis = z, angle = th1) }
  body coupler { mass 1 kg  com [b/2, 0, 0]  inertia b^2*(1 kg) about z
                 joint revolute(crank at [a, 0, 0], axis = z, angle = th2) }
  body rocker  { mass 1 kg  com [c/2, 0, 0]  inertia c^2*(1 kg) about z
                 joint revolute(ground at [d, 0, 0], axis = z, angle = th3) }
  joint tip: revolute(coupler at [b, 0, 0], rocker at [c, 0, 0], axis = z) cut
}
"""


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_most_draws_far_from_the_start_of_a_closed_loop_are_kept(scale: float) -> None:
    text = LOOP
    for name, value in {"a": 0.1, "b": 0.3, "c": 0.25, "d": 0.3}.items():
        text = text.replace(f"{{{name}}}", str(scale * value))
    found = spread(text).draw(64)
    assert len(found.names) == 64
    assert len(found.nearer) <= 4
    assert found.rejected <= 64
    turns = found.points.q[:, 0] - 1.0
    assert turns.max() - turns.min() > 5.0  # the crank goes round: b + c > a + d


# -- ranges that say nothing ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "bounds",
    [
        " in [-1e300, 1e300]",
        " in [0, 1e300]",
        " in [-1e300, 1]",
        " in [0.1, 0.10000000000000002]",
        " in [-1e20, 1e20]",
        " in [0, 1]",
    ],
)
def test_any_range_that_holds_the_start_is_no_alarm(bounds: str) -> None:
    found = mbx.verify(mbx.loads(pendulum(bounds=bounds)), forms=FORMS, states=6)
    assert found.verdict == "agree", found.doubts
    assert found.counts.kinds["random"] >= 6


CIRCLE = """
mbx 1
model Circle {{
  coordinate x: m in {x}, y: m in {y}
  particle p {{ mass 1 kg  at [x, y, 0] }}
  invariant x^2 + y^2 = {squared} [m^2]
  gravity [0, -9.81 [m/s^2], 0]
}}
"""


@pytest.mark.parametrize(
    ("x", "y", "radius"),
    [
        ("[-1e300, 1e300]", "[-1e300, 1e300]", 2.0),
        ("[0, 1e300]", "[-1e300, 1e300]", 2.0),
        ("[-1e300, 1]", "[-1e18, 1e300]", 1e-3),
        ("[-1e12, 1e12]", "[-1e12, 1e12]", 2.0),
        ("[-1e8, 1e8]", "[0, 1e8]", 0.5),
    ],
)
def test_states_keep_an_invariant_however_wide_ranges_are(x: str, y: str, radius: float) -> None:
    text = CIRCLE.format(x=x, y=y, squared=repr(radius**2))
    points = spread(text).draw(16).points
    assert len(points) == 16
    assert np.hypot(points.q[:, 0], points.q[:, 1]) == pytest.approx(radius, rel=1e-13)
    assert mbx.verify(mbx.loads(text), forms=FORMS, states=6).verdict == "agree"


def test_parameters_and_inputs_of_a_vast_range_are_drawn_where_others_are() -> None:
    system = mbx.elaborate(
        mbx.link(
            mbx.loads(
                "mbx 1\nmodel M { param m: kg in [1e-300, 1e300]\n"
                "input f: N in [-1e300, 1e300]\ncoordinate x: m\n"
                "particle p { mass m at [x, 0, 0] }\nload on x': f }"
            )
        )
    )
    values = draw_values(system, np.random.default_rng(1))
    assert 0.5 <= values.parameters["m"] <= 1.5
    assert abs(values.inputs["f"]) <= 1


def test_a_range_in_which_nothing_is_finite_is_undecided_and_not_disagreement() -> None:
    text = pendulum().replace("z: m = 0", "z: m = 1e200 in [1e200, 1e250]")
    text = text.replace("gravity", "potential (1 [N/m^2])*z^3\n  gravity")
    found = mbx.verify(mbx.loads(text), forms=FORMS, states=4)
    assert found.verdict == "undecided"


# -- enough states -------------------------------------------------------------------------------


def test_states_without_a_real_value_leave_it_undecided_and_the_expression_is_named() -> None:
    found = mbx.verify(mbx.read(HERE / "one_state.mb"), forms=FORMS, states=8)
    assert found.verdict == "undecided"
    (doubt,) = found.doubts
    assert doubt.startswith("0 of 8 random states could be compared: ")
    assert "sqrt(-a + 1)" in doubt
    assert "one_state.mb:7:3 is not real with a = 2." in doubt
    counts = found.as_json()["counts"]
    assert (counts["asked"], counts["compared"], counts["moving"]) == (8, 1, 0)
    assert counts["kinds"] == {"start": 1}


@pytest.mark.parametrize(
    ("load", "culprit"),
    [
        ("load on z': (1 N)*log(1 - z/(1 m))", "log("),
        ("load on z': (1 N)*asin(z/(1 m))", "asin("),
        ("load on th': (1 [N*m])*sqrt(-z/(1 m))", "sqrt("),
    ],
)
def test_any_expression_that_has_no_value_is_named(load: str, culprit: str) -> None:
    text = (
        pendulum().replace("z: m = 0", "z: m = 0 in [2, 3]").replace("gravity", load + "\n gravity")
    )
    found = mbx.verify(mbx.loads(text), forms=FORMS, states=4)
    assert found.verdict == "undecided"
    assert any(culprit in doubt for doubt in found.doubts)


def test_an_expression_with_a_value_near_the_start_alone_is_verified_there() -> None:
    """With sqrt(1 - z) no state beyond 1 m is real, and a length of 1 m reaches to 3 m."""
    text = pendulum().replace("gravity", "potential (1 J)*sqrt(1 - z/(1 m))\n  gravity")
    found = mbx.verify(mbx.loads(text), forms=FORMS, states=16)
    assert found.verdict == "agree", found.doubts
    assert found.counts.kinds["random"] >= 16
    assert found.as_json()["counts"]["random_moving"] >= 9


def test_a_model_without_freedom_needs_no_state_that_moves() -> None:
    text = """
mbx 1
model Held {
  coordinate x: m = 1, y: m = 0
  particle p { mass 1 kg  at [x, y, 0] }
  invariant one: x = 1 m
  invariant two: y = 0 m
  gravity [0, -9.81 [m/s^2], 0]
}
"""
    found = mbx.verify(mbx.loads(text), forms=FORMS, states=4)
    assert found.counts.mobile is False
    assert found.counts.moving == 0
    assert found.verdict == "agree", found.doubts


def test_the_counts_of_a_verification_are_among_its_data() -> None:
    data = mbx.verify(mbx.loads(pendulum()), forms=FORMS, states=5, oracle=1).as_json()
    counts = data["counts"]
    assert counts["asked"] == 5
    assert counts["compared"] == data["compared"] == sum(counts["kinds"].values())
    assert counts["kinds"] == {"start": 1, "rest": 1, "random": 5}
    assert (counts["moving"], counts["random_moving"], counts["nearer"]) == (5, 5, 0)
    assert counts["oracle"] == {"asked": 1, "compared": 1}
    assert counts["forms"] == {"kane": 7, "lagrange": 7}
    assert counts["arbitrated"] == 0


def test_the_counts_of_parts_are_added() -> None:
    counts = mbx.verify(mbx.loads(pendulum()), forms=FORMS, states=70, oracle=0).counts
    assert (counts.asked, counts.kinds["random"], counts.kinds["start"]) == (70, 70, 2)
    assert counts.forms["kane"] == counts.compared == 74
