"""Random states, the start, rest, and named states."""

from __future__ import annotations

import numpy as np
import pytest

from mbx.verify.manifold import Manifold
from mbx.verify.sample import draw, draw_values, special
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
    assert found.rejected == 30
