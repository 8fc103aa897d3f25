"""The tree of a model, and limit systems as models."""

from __future__ import annotations

import pytest

import mbx
from mbx.analyses.costs.cheapest import SHAPES
from mbx.analyses.costs.limit_systems import model_text
from mbx.analyses.costs.model_hinges import tree_of
from mbx.analyses.costs.topologies import Tree, limit_system
from mbx.linking.library import cases


def tree(name: str) -> Tree | str:
    """Return the tree of a case of the library."""
    (folder,) = (case for case in cases() if case.name == name)
    return tree_of(mbx.elaborate(mbx.read(folder / "model.mb")))


def written(body: str) -> Tree | str:
    """Return the tree of a model that has these statements."""
    return tree_of(mbx.elaborate(mbx.loads(f"mbx 1\nmodel M {{\n{body}\n}}\n")))


# -- models of trees -------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("shape", SHAPES)
def test_s2_11_a_limit_system_is_a_model(shape: str, n: int) -> None:
    wanted = limit_system(shape, 3, n)  # type: ignore[arg-type]
    document = mbx.loads(model_text(wanted))
    assert len(mbx.check(document)) == 0
    assert tree_of(mbx.elaborate(document)) == wanted


def test_s2_11_hinges_of_a_model_may_differ() -> None:
    wanted = Tree((0, 1, 1, 2, 2, 3, 6), (6, 1, 2, 3, 2, 1, 1))
    assert tree_of(mbx.elaborate(mbx.loads(model_text(wanted)))) == wanted


# -- trees of models -------------------------------------------------------------------------


def test_s2_11_the_pipelayer_is_the_tree_of_the_paper() -> None:
    # Ivanov and Shimanovskiy 2023, section 6
    assert tree("pipelayer") == Tree((0, 1, 2, 3), (3, 1, 1, 1))


def test_a_quaternion_has_three_freedoms() -> None:
    assert tree("heavy_top_quaternion") == Tree((0,), (3,))
    assert tree("free_body_quaternion") == Tree((0,), (6,))


def test_a_driven_hinge_has_no_freedom() -> None:
    rigid = "mass 1 kg  inertia 1 [kg*m^2] about z"
    found = written(f"""
        coordinate a: rad = 0
        body B {{ {rigid}  joint revolute(ground, axis = z, angle = 2 [rad/s]*t) }}
        body C {{ {rigid}  joint revolute(B, axis = z, angle = a) }}
    """)
    assert found == Tree((0, 1), (0, 1))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("four_bar", "'tip.x' constrains the hinges"),
        ("chaplygin_sleigh", "'blade' constrains the hinges"),
        ("spherical_pendulum_angles", "'P' is no rigid body in a known place"),
        ("cam_follower", "hinges share coordinates"),
    ],
)
def test_what_is_no_tree_of_hinges_says_why(name: str, reason: str) -> None:
    assert tree(name) == reason
