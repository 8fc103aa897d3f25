"""Free rates of recursive forward dynamics in the structure of a model."""

from __future__ import annotations

import pytest

import mbx
from formalisms.cases import linked, system, system_of
from mbx.analyses.costs.limit_systems import model_text
from mbx.analyses.costs.topologies import Tree
from mbx.analyses.structure.recursive_rates import LARGEST, recursive_rates


def _chain(n: int) -> str:
    return model_text(Tree(parents=tuple(range(n)), freedoms=(1,) * n))


@pytest.mark.parametrize(
    ("case", "line"),
    [
        ("revolute_pair", "recursive rates     thetak' not integrable"),
        ("featherstone_sliders", "recursive rates     sy' exact"),
    ],
)
def test_the_structure_tells_what_the_rates_are(case: str, line: str) -> None:
    model = "Sliders" if case == "featherstone_sliders" else None
    found = mbx.structure(linked(case, model))
    assert line in str(found)
    assert found.as_json()["recursive"] == [
        {"hinge": line.split()[2], "kind": " ".join(line.split()[3:])}
    ]


@pytest.mark.parametrize("case", ["four_bar", "heavy_top", "dc_motor", "programme_order_3"])
def test_loops_single_bodies_and_programmes_have_none(case: str) -> None:
    assert recursive_rates(system(case)) == ()


def test_large_trees_are_not_looked_at() -> None:
    assert len(recursive_rates(system_of(_chain(2)))) == 1
    assert recursive_rates(system_of(_chain(LARGEST + 1))) == ()


def test_a_rate_may_be_integrable_with_a_factor_only() -> None:
    # one freedom below, two coordinates in all: omega ^ d omega has no room, d omega is not zero
    text = """mbx 1
    model M { coordinate x: m = 0, a: rad = 0.3
      body cart { mass 2 kg  joint prismatic(ground, axis = x, distance = x) }
      body pole { mass 1 kg  com [0.5 m, 0, 0]  inertia 0.1 [kg*m^2] about z
        joint revolute(cart, axis = z, angle = a) } }"""
    assert [(r.hinge, r.kind) for r in recursive_rates(system_of(text))] == [("a'", "integrable")]


def test_time_is_a_coordinate_like_any_other() -> None:
    # the anchor moves along x by itself: omega has a part along dt that the angle changes
    text = """mbx 1
    model M { coordinate a: rad = 0.1, b: rad = 0.3
      body arm { mass 1 kg  inertia 0.2 [kg*m^2] about z
        joint revolute(ground, axis = z, angle = a) }
      body pole { mass 1 kg  com [0.5 m, 0, 0]  inertia 0.1 [kg*m^2] about z
        joint revolute(arm at [0.1 m*t*(1 [1/s]), 0, 0], axis = z, angle = b) } }"""
    assert [r.kind for r in recursive_rates(system_of(text))] == ["not integrable"]
