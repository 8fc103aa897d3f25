"""What the changes of metamorphic checks make of a model."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mbx
from mbx.formalism import registry
from mbx.system.elaborate import elaborate
from self_test.metamorphic.check_relation import checks
from self_test.metamorphic.edit import (
    NotApplicableHereError,
    bare_model,
    context_of,
)
from self_test.metamorphic.gravity import require_linear, weighted
from self_test.metamorphic.hint_relation import without_hints, without_setup
from self_test.metamorphic.permute import renamed, reversed_order, shuffled_order
from self_test.metamorphic.relations import METAMORPHIC
from self_test.metamorphic.rescale import in_degrees, in_other_units
from self_test.metamorphic.rotate import rotated, turn

if TYPE_CHECKING:
    from mbx.linking.link import Linked

SLIDE = """
mbx 1
model Slide {
  param M: kg = 2, l: m = 0.25, mu: 1 = 0.5
  coordinate x: cm = 5 in [-10, 10], th: rad = 0.5
  body a { mass M  joint prismatic(ground, axis = x, distance = x) }
  body b {
    mass 300 g
    com [l, 0, 0]
    inertia 2 [g*m^2] about z
    joint revolute(a, axis = z, angle = th - 30 deg)
  }
  spring on x stiffness 40 [N/m] rest mu*l
  initial th = 0.4, x' = 20 [mm/s]
  state far { x = 8, th = 45 deg }
  independent th'
}
"""


def linked(text: str) -> Linked:
    """Return the last model of a text."""
    return mbx.link(mbx.loads(text))


def model(statements: str) -> Linked:
    """Return a model of some statements."""
    return linked(f"mbx 1\nmodel M {{\n{statements}\n}}\n")


def text(one: Linked) -> str:
    """Return a model as text, on one line."""
    return re.sub(r"\s+", " ", mbx.dumps(one.document))


def test_other_units_say_the_same_quantities() -> None:
    new = in_other_units(linked(SLIDE)).linked
    shown = text(new)
    for part in (
        "M: g = 2000",
        "l: mm = 250",
        "mu: percent = 50",
        "x: m = 0.05 in",
        "mass 0.3 kg",
        "inertia 2000 [kg*mm^2]",
        "stiffness 40 [mN/mm]",
        "th - 30 deg",
        "th = 0.4",
        "x' = 0.00002 [m/ms]",
        "state far { x = 0.08,",
    ):
        assert part in shown, (part, shown)
    elaborate(new)
    before, after = elaborate(linked(SLIDE)), elaborate(new)
    assert [v.start for v in after.q] == pytest.approx([v.start for v in before.q], rel=1e-15)
    assert after.q[0].range == pytest.approx((-0.1, 0.1), rel=1e-15)
    assert after.states["far"] == pytest.approx(before.states["far"], rel=1e-15)


def test_other_units_keep_identity_and_setup_where_numbers_are_fractions() -> None:
    old, variant = bare_model(linked(SLIDE)), in_other_units(linked(SLIDE))
    assert variant.identity
    assert variant.linked.hash == old.hash
    assert variant.linked.experiment_hash == old.experiment_hash
    irrational = in_other_units(model("param l: m = sqrt(2)\ncoordinate x: m"))
    assert not irrational.identity
    assert "l: mm = ((sqrt(2))*1000)" in text(irrational.linked)


def test_degrees_become_radians_and_the_other_way_round() -> None:
    variant = in_degrees(linked(SLIDE))
    assert not variant.identity
    shown = text(variant.linked)
    assert "th: deg = ((0.5)*180/pi)" in shown
    assert "angle = th - ((30 rad)/180*pi)" in shown
    assert "coordinate x: m = 0.05" in shown  # and all else is in other units, too
    elaborate(variant.linked)
    after = elaborate(variant.linked)
    assert [v.start for v in after.q] == pytest.approx([0.05, 0.4], rel=1e-15)
    assert after.states["far"]["th"] == pytest.approx(math.pi / 4, rel=1e-15)


def test_bound_values_are_rescaled_in_the_unit_of_the_part() -> None:
    part = """
mbx 1
model Part { param m: kg  coordinate x: m  particle P { mass m  at [x, 0, 0] } }
model Whole { subsystem U: Part(m = 3)  initial U.x = 2 }
"""
    shown = text(in_other_units(linked(part)).linked)
    assert "subsystem U(m = 3000)" in shown
    assert "initial U.x = 2000" in shown


@pytest.mark.parametrize(
    ("change", "statements", "reason"),
    [
        (in_other_units, "coordinate q: rad", "no units"),
        (in_degrees, "coordinate x: m", "no angles"),
        (without_hints, "coordinate x: m", "no hints"),
    ],
)
def test_a_change_that_finds_nothing_is_not_applicable(
    change: object, statements: str, reason: str
) -> None:
    with pytest.raises(NotApplicableHereError, match=reason):
        change(model(statements))  # type: ignore[operator]


def test_statements_clauses_and_lists_are_reversed_but_not_whole_numbers() -> None:
    old = model("""
  param n: integer = 2
  param k: integer = n
  coordinate x, y: m
  particle P { mass 1 kg  at [x, y, 0] }
  gravity [0, 1 [m/s^2], 0]
""")
    new = reversed_order(old).linked
    kinds = [one.kind for one in new.model.body]
    assert kinds[-3:] == ["gravity", "particle", "coordinate"]
    assert "n: integer = 2 param k: integer = 2" in text(new)
    shown = text(new)
    assert shown.index(" y: m") < shown.index(" x: m")
    assert "{ at [x, y, 0] mass 1 kg }" in shown
    elaborate(new)


def test_a_shuffled_model_has_the_same_statements() -> None:
    old, new = linked(SLIDE), shuffled_order(linked(SLIDE)).linked
    assert sorted(one.kind for one in old.model.body) == sorted(one.kind for one in new.model.body)
    assert [one.kind for one in old.model.body] != [one.kind for one in new.model.body]


def test_renamed_models_have_other_names_in_another_order() -> None:
    variant = renamed(linked(SLIDE))
    known = [s.name for s in context_of(variant.linked).root.all_symbols()]
    assert {"M", "l", "a", "b", "th", "far"} & set(known) == set()
    assert "x" in known  # it could be an axis
    assert sorted(["a", "th"], key=variant.names) == ["th", "a"]
    assert variant.names("th'") == variant.names("th") + "'"
    elaborate(variant.linked)


def test_hints_and_setup_are_removed_and_the_identity_stays() -> None:
    old = linked(SLIDE)
    assert "independent" not in text(without_hints(old).linked)
    assert "initial" in text(without_hints(old).linked)
    new = without_setup(old).linked
    assert new.hash == old.hash
    assert [v.start for v in elaborate(new).q] == [None, None]
    assert [v.range for v in elaborate(new).q] == [None, None]
    assert not elaborate(new).states
    loop = """
  coordinate p: rad
  body A { mass 1 kg  inertia 1 [kg*m^2] about z  joint revolute(ground, axis = z, angle = p) }
  joint J: revolute(ground, A, axis = z) cut
"""
    assert "cut" not in text(without_hints(model(loop)).linked)


def test_the_turn_of_the_world_is_three_rotations_from_left_to_right() -> None:
    def about(axis: int, angle: float) -> Any:
        K = np.zeros((3, 3))  # Rodrigues: R = I + sin K + (1 - cos) K^2
        i, j = (axis + 1) % 3, (axis + 2) % 3
        K[j, i], K[i, j] = 1.0, -1.0
        return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K

    expected = about(2, 0.7) @ about(0, -0.4) @ about(1, 1.1)
    assert turn() == pytest.approx(expected, abs=1e-15)


WORLD = """
mbx 1
model World {
  param m: kg = 2, J: kg*m^2 = 0.1, k: N/m = 30
  coordinate a: rad = 0.3, x: m = 0.1, y: m = 0.2, z: m = -0.4, b: rad = 0.1
  speed p: m/s, q: m/s, w: rad/s, vx: m/s, vy: m/s, vz: m/s
  let shift = [0.1 m, 0.2 m, 0.3 m]
  let far = if a > 10 then [1 m, 0, 0] else [0, 1 m, 0]
  point fixed = [0.5 m, 0, x]
  point moved = ground.origin + shift
  frame base = ground at [0.1 m, 0, 0] rotated [0, 0, 1] by 0.3
  body bar { mass m  inertia J about z  joint revolute(base, axis = z, angle = a) }
  body link {
    mass m
    com [0.3 m, 0, 0]
    inertia J about z
    joint revolute(bar at [0.2 m, 0, 0], axis = z, angle = b)
  }
  coordinate c: rad
  body wheel { inertia J about z  joint revolute(ground, axis = z, angle = c) }
  particle P { mass m  at [x, y, z] }
  define [vx, vy, vz] = velocity(P)
  body puck { mass m  inertia diag(J, J, J)  velocity [p, q, 0]  omega [0, 0, w] }
  torque [0, 0, 0.3 [N*m]] on puck from ground
  force [1 N, 2 N, 3 N] on link at [0.1 m, 0.2 m, 0] from ground
  torque 0.2 [N*m]*ground.z + cross(shift, [3 N, 0, 1 N]) on link
  force dot(velocity(P), [1, 0, 0])*(2 [N*s/m])*ground.y on P
  force 1 [N/m]*far on P
  spring between [0, 0.1 m, 0] and link.com stiffness k rest 0.1 m
  spring between ground.origin + shift and P stiffness k
  damper between fixed and moved damping 1 [N*s/m]
  invariant slip: p = 0.2 m*w
  invariant plane: P - ground.origin = [x, y, 0.1*y] in ground
  gravity [0, -9.81 [m/s^2], 1 [m/s^2]]
}
"""


def test_all_that_can_be_said_of_the_world_turns_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "names", lambda: ("gauss", "kane", "newton_euler"))
    (relation,) = (one for one in METAMORPHIC if one.name == "rotate")
    (found,) = checks(mbx.loads(WORLD), wanted=[relation])
    assert (found.status, found.reason) == ("holds", "")
    assert 0 < found.error < 1e-13
    assert found.form


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        ("torque cross([0, 0, 1 m], [1 N, 0, 0]) on B", "torque"),
        ("torque [0, 0, 1 [N*m]] on B from C", "torque"),
        ("define v = dot(omega(B), ground.z)\nspeed v: rad/s", "omega"),
    ],
)
def test_components_of_a_body_without_axes_cannot_be_turned(statements: str, reason: str) -> None:
    bodies = """
  speed w: rad/s  coordinate c: rad
  body B { inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])  omega [0, 0, w] }
  body C { inertia 1 [kg*m^2] about z  joint revolute(ground, axis = z, angle = c) }
"""
    with pytest.raises(NotApplicableHereError, match=reason):
        rotated(model(bodies + statements))


def test_gravity_gets_a_second_field_where_it_stands_or_at_the_top() -> None:
    part = "coordinate x: m\nparticle P { mass 1 kg  at [x, 0, 0] }"
    new, weights = weighted(model(part))
    assert weights == [("first_field", "second_field")]
    elaborate(new)
    nested = f"subsystem U {{\n{part}\ngravity [0, 0, 2 [m/s^2]]\n}}\nlet first_field = 1"
    new, weights = weighted(model(nested))
    assert weights == [("U.first_field_", "U.second_field")]
    assert "gravity first_field_*([0, 0, 2 [m/s^2]]) + second_field*(" in text(new)
    elaborate(new)


def test_a_load_that_depends_on_a_reaction_is_not_linear_in_gravity() -> None:
    friction = """
  coordinate x: m, y: m
  particle P { mass 1 kg  at [x, y, 0] }
  invariant floor: y = 0 reaction N
  load on x': -0.1*abs(N)*sign(x')
"""
    with pytest.raises(NotApplicableHereError, match=r"load \(line 7\) depends on a reaction"):
        require_linear(model(friction))
