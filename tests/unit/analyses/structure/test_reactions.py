"""Which reactions are unique, against statics by hand."""

from __future__ import annotations

from unit.analyses.structure.models import library, structure

OUT_OF_PLANE = ("fz", "tx", "ty")
IN_PLANE = ("fx", "fy")


def _open(name: str) -> dict[str, tuple[str, ...]]:
    return {one.path: one.open for one in library(name).reactions}


def test_a_planar_loop_of_hinges_is_open_out_of_its_plane() -> None:
    # 4 hinges, 3 bars: 20 reactions, 18 balances, 1 freedom: 3 open, all out of the plane
    found = library("four_bar")
    assert found.idle == ("tip.z", "tip.tilt1", "tip.tilt2")
    assert found.freedoms is not None
    assert found.freedoms.counted == 6 * 3 - 5 * 4
    assert _open("four_bar") == dict.fromkeys(
        ("crank.joint", "coupler.joint", "rocker.joint", "R"), OUT_OF_PLANE
    )


def test_a_redundant_crank_opens_the_reactions_in_the_plane_too() -> None:
    every = {path: set(parts) for path, parts in _open("parallelogram").items()}
    assert every["pin3"] == every["coupler.joint"] == {*IN_PLANE, *OUT_OF_PLANE}


def test_no_hinge_takes_a_torque_about_its_axis() -> None:
    # the first axis of Bennett's linkage is the ground's z
    assert _open("bennett_linkage")["crank.joint"] == ("fx", "fy", "fz", "tx", "ty")


def test_ball_joints_of_a_stewart_platform_leave_nothing_open() -> None:
    assert not any(_open("stewart_platform").values())


def test_a_tree_has_unique_reactions() -> None:
    assert _open("simple_pendulum") != {}
    assert not any(_open("simple_pendulum").values())


def test_a_joint_that_carries_what_the_model_does_not_say_is_left_out() -> None:
    arm = """
    coordinate th: rad = 0
    body arm { mass 1 kg  inertia 1 [kg*m^2] about z  joint revolute(ground, axis = z, angle = th) }
    particle Q { mass 1 kg  at [cos(th)*(1 m), sin(th)*(1 m), 0] }
    """
    assert structure(arm, "").reactions == ()


BEAM = """
coordinate s: m = 0, d: m = 0
body slider {
  mass 1 kg  inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])
  joint prismatic(ground, axis = x, distance = s)
}
body rider {
  mass 1 kg  inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])
  joint prismatic(slider, axis = x, distance = d)
}
joint clamp: fixed(rider, ground at [2 m, 0, 0]) cut
"""


def test_a_beam_clamped_at_both_ends_is_open_but_for_the_force_along_its_guides() -> None:
    # along x the guides carry nothing, and the clamp all that drives the rider
    found = {one.path: one.open for one in structure(BEAM, "").reactions}
    assert found["slider.joint"] == found["rider.joint"] == ("fy", "fz", "tx", "ty", "tz")
    assert found["clamp"] == ("fy", "fz", "tx", "ty", "tz")


def test_a_load_that_names_a_reaction_that_is_not_unique_is_told() -> None:
    loop = """
    coordinate s: m = 0
    body rail { mass 1 kg  inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])
      joint prismatic(ground, axis = x, distance = s) }
    invariant stop: s = 1 m reaction N
    invariant again: 2*s = 2 m
    force drag: -0.1*abs(N)*ground.x on rail at rail.com
    """
    (warned,) = structure(loop, "").warnings
    assert warned.element == "stop"
    assert "not unique" in warned.text


def test_inertia_and_invariants_may_leave_an_acceleration_open() -> None:
    loose = """
    coordinate x: m = 0, y: m = 0, z: m = 0
    particle P { mass 1 kg  at [x, 0, 0] }
    invariant tie: y = x
    effective z': 0 N
    effective y': 0 N
    """
    found = structure(loose, "")
    assert found.accelerations is not None
    assert not found.accelerations.unique
    assert found.accelerations.open == ("z'",)
    assert [one.element for one in found.warnings] == ["z'"]


def test_a_massless_angle_is_determined_by_the_invariants() -> None:
    # Orsino, Example 4.2: M has rank 6 of 7, with the invariants 7
    found = library("ring_and_disc").accelerations
    assert found is not None
    assert found.unique
