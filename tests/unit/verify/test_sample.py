"""Random states, the start, rest, and named states."""

from __future__ import annotations

import numpy as np
import pytest

from mbx.numerics.states.complete import StatePoint
from mbx.numerics.states.manifold import Manifold, Points
from mbx.numerics.states.sample import draw, draw_values, given, special
from mbx.numerics.states.spread import Spread
from unit.verify.models import DRIVEN, PENDULUM, system


def manifold(text: str = PENDULUM) -> Manifold:
    here = system(text)
    return Manifold(here, draw_values(here, np.random.default_rng(1)))


def test_random_states_keep_the_invariants() -> None:
    found = draw(manifold(), np.random.default_rng(2), 20)
    q, u = found.points.q, found.points.u
    assert len(found.names) == 20
    assert np.abs(np.hypot(q[:, 0], q[:, 1]) - 2).max() < 1e-14
    assert np.abs((q * u).sum(axis=1)).max() < 1e-14
    assert np.abs(u).max() > 0.1


FAR = """mbx 1
model Tether {
  coordinate r: m = 7.6e6 in [7.4e6, 7.8e6]
  coordinate s: m = 2e6 in [1.9e6, 2.1e6]
  particle lower { mass 600 kg  at [r - s/2, 0, 0] }
  particle upper { mass 400 kg  at [r + s/2, 0, 0] }
  invariant tight: s = 2e6 m
}
"""


def test_states_of_satellites_are_found_by_steps_of_their_own_sizes() -> None:
    found = draw(manifold(FAR), np.random.default_rng(2), 5)
    assert len(found.names) == 5
    assert np.abs(found.points.q[:, 1] - 2e6).max() < 1e-8


def test_the_same_seed_gives_the_same_states() -> None:
    one, other = (draw(manifold(), np.random.default_rng(3), 5).points for _ in range(2))
    assert (one.q == other.q).all()
    assert (one.u == other.u).all()


def test_a_parameter_without_a_value_is_drawn_and_recorded() -> None:
    values = draw_values(system(PENDULUM), np.random.default_rng(1))
    assert list(values.parameters) == ["m"]
    assert 0.5 <= values.parameters["m"] <= 1.5


def test_an_input_without_a_value_is_drawn_with_its_rates() -> None:
    values = draw_values(system(DRIVEN), np.random.default_rng(1))
    assert list(values.inputs) == ["f", "f'", "f''"]


def test_an_input_that_is_zero_is_drawn_without_rates_and_another_is_not() -> None:
    text = DRIVEN.replace("input f: N", "input f: N = 0, g: N = 2")
    assert text != DRIVEN
    values = draw_values(system(text), np.random.default_rng(1))
    assert list(values.inputs) == ["f"]
    assert values.inputs["f"] != 0


def test_coordinates_are_drawn_in_their_ranges() -> None:
    q = draw(manifold(DRIVEN), np.random.default_rng(1), 50).points.q
    assert q.min() >= 3
    assert q.max() <= 4


def test_the_start_rest_and_named_states_are_among_the_special_ones() -> None:
    found = special(manifold(), np.random.default_rng(1))
    assert found.names == ("start", "rest", "state level", "state above", "state long")
    start, rest, level, above, _ = zip(found.points.q, found.points.u, strict=True)
    assert start[0] == pytest.approx([0, -2])
    assert rest[1] == pytest.approx([0, 0])
    assert level[0] == pytest.approx([2, 0], abs=1e-7)
    assert above[0] == pytest.approx([0, 2])
    assert above[1] == pytest.approx([3, 0])


def test_what_a_named_state_says_is_changed_only_where_it_must_be_and_noted() -> None:
    found = special(manifold(), np.random.default_rng(1))
    notes = dict(zip(found.names, found.notes, strict=True))
    assert notes["state above"] == ""
    assert notes["state long"] == "coordinates moved to be consistent"


def test_a_named_state_that_nothing_makes_consistent_is_refused_by_name() -> None:
    text = PENDULUM.replace("x^2 + y^2 = l^2", "x^2 + y^2 = 0*l^2 - 1 [m^2]")
    found = special(manifold(text), np.random.default_rng(1))
    assert found.names == ()
    assert "state level: no consistent state is near it" in found.refused


def test_states_that_are_rejected_are_counted() -> None:
    text = PENDULUM.replace("x^2 + y^2 = l^2", "x^2 + y^2 = 0*l^2 - 1 [m^2]")
    found = draw(manifold(text), np.random.default_rng(1), 3)
    assert found.names == ()
    assert found.rejected == 60


TWO_WAYS = """
mbx 1
model Rod {
  coordinate x: m = 1 in [-1, 1]
  coordinate y: m = 0.2 in [-1, 1]
  particle p { mass 1 kg  at [x, y, 0] }
  invariant rod: x^2 + y^2 = 1 [m^2]
  branch above: y > 0 m
  branch below: y < 0 m
}
"""


def test_every_assembly_that_is_told_apart_gets_its_states() -> None:
    here = manifold(TWO_WAYS)
    spread = Spread(here, 1)
    found = spread.branches(spread.draw(0), 5)
    member = here.belongs(found.points)
    assert (member.sum(axis=0) >= 5).all()
    assert (member[:, 0] == (found.points.q[:, 1] > 0)).all()
    assert (member[:, 1] == (found.points.q[:, 1] < 0)).all()
    assert np.hypot(*found.points.q.T) == pytest.approx(1.0, rel=1e-14)


def test_states_in_numbers_are_taken_as_they_are_if_they_are_consistent() -> None:
    here = manifold(TWO_WAYS)
    good = StatePoint("one", 0.5, {"x": 0.6, "y": 0.8, "x'": 4.0, "y'": -3.0})
    bad = StatePoint("two", 0.0, {"x": 0.6, "y": 0.8, "x'": 4.0, "y'": 3.0})
    found = given(here, [good, bad])
    assert found.names == ("one",)
    assert found.refused == ("two: it is not consistent",)
    assert found.points.q.tolist() == [[0.6, 0.8]]
    assert found.points.u.tolist() == [[4.0, -3.0]]
    assert found.points.t.tolist() == [0.5]


HELD = """
mbx 1
model Held {
  coordinate a: 1 = 1 in [-1, 1], b: 1 = 0 in [-1, 1], c: 1 = 0 in [-1, 1], d: 1 = 0 in [-1, 1]
  body B {
    mass 1 kg  inertia diag(1 [kg*m^2], 2 [kg*m^2], 2.5 [kg*m^2])
    joint spherical(ground, quaternion(w = a, x = b, y = c, z = d))
  }
  body C { mass 1 kg  joint fixed(ground) }
  joint j: KIND
}
"""


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("fixed(C, B)", [[0.5, 0.5, 0.5, 0.5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
        ("revolute(C, B, axis = z)", [[0, 1, 0, 0], [0, 0.6, 0.8, 0]]),
    ],
)
def test_joints_are_assembled_in_the_sense_of_their_axes_alone(
    kind: str, wrong: list[list[float]]
) -> None:
    """Right angles between axes hold at turns of a third and of a half, too."""
    here = manifold(HELD.replace("KIND", kind))
    for q in wrong:
        points = Points(np.zeros(1), np.array([q], dtype=float), np.zeros((1, len(here.system.u))))
        (c,) = here.at(points, "c")
        assert np.abs(c).max() < 1e-15
        assert not here.assembled(points)[0]
    found = draw(here, np.random.default_rng(3), 30)
    assert len(found.names) >= 10
    a, b, c, d = found.points.q.T
    cosine = a * a - b * b - c * c + d * d  # of the angle between the two axes z
    assert cosine == pytest.approx(1.0, abs=1e-12)
