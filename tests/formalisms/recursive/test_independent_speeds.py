"""The choice of independent speeds where the model has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx
from formalisms.recursive.semi_recursive import BOTH
from mbx.numerics.states.manifold import Manifold, Values
from mbx.numerics.states.sample import draw

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMS: Final = tuple(f"{form}:partitioned" for form in BOTH)

# three equal cranks under one coupler: one pin more than needed
CRANKS: Final = """\
mbx 1
model Cranks {
  coordinate a: rad = -1.2, b: rad = -1.2, c: rad = -1.2, d: rad = 1.2
  body first { mass 0.5 kg  com [0.2 m, 0, 0]  inertia 0.01 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a) }
  body second { mass 0.6 kg  com [0.2 m, 0, 0]  inertia 0.01 [kg*m^2] about z
    joint revolute(ground at [0.5 m, 0, 0], axis = z, angle = b) }
  body third { mass 0.7 kg  com [0.2 m, 0, 0]  inertia 0.01 [kg*m^2] about z
    joint revolute(ground at [1 m, 0, 0], axis = z, angle = c) }
  body coupler { mass 2 kg  com [0.5 m, 0, 0]  inertia 0.2 [kg*m^2] about z
    joint revolute(first at [0.4 m, 0, 0], axis = z, angle = d) }
  joint pin: revolute(coupler at [0.5 m, 0, 0], second at [0.4 m, 0, 0], axis = z) cut
  joint other: revolute(coupler at [1 m, 0, 0], third at [0.4 m, 0, 0], axis = z) cut
%s
  gravity [0, -9.81 [m/s^2], 0]
}
"""
PARTICLE: Final = """\
  coordinate x: m
  particle far { mass 2 kg  at [x, 3 m, 0] }
  force (x*10 [N/m])*ground.x on far"""
# the same mechanism a second time, without a start
SECOND: Final = """\
  coordinate e: rad, f: rad, g: rad
  body left { mass 0.5 kg  com [0.2 m, 0, 0]  inertia 0.01 [kg*m^2] about z
    joint revolute(ground at [3 m, 0, 0], axis = z, angle = e) }
  body right { mass 0.6 kg  com [0.2 m, 0, 0]  inertia 0.01 [kg*m^2] about z
    joint revolute(ground at [3.5 m, 0, 0], axis = z, angle = f) }
  body bar { mass 2 kg  com [0.25 m, 0, 0]  inertia 0.2 [kg*m^2] about z
    joint revolute(left at [0.4 m, 0, 0], axis = z, angle = g) }
  joint third_pin: revolute(bar at [0.5 m, 0, 0], right at [0.4 m, 0, 0], axis = z) cut"""
AT: Final = {"a": -1.2, "b": -1.2, "c": -1.2, "d": 1.2, "a'": 0.7, "b'": 0.7, "c'": 0.7, "d'": -0.7}
ADDED: Final = {
    "a particle": (PARTICLE, {"x": 0.25, "x'": 0.25}),
    "a mechanism": (SECOND, {"e": 0.9, "f": 0.9, "g": -0.9, "e'": 0.3, "f'": 0.3, "g'": -0.3}),
}

# two of the rod's three angles have one axis where the second is a right angle, or zero
LOOP: Final = """\
mbx 1
model Loop {{
  coordinate q: rad, x: m, y: m, z: m, a: rad, b: rad, c: rad{measured}
  body arm {{ mass 1.5 kg  com [0.2 m, 0.03 m, 0]
    inertia diag(0.02 [kg*m^2], 0.05 [kg*m^2], 0.05 [kg*m^2])
    joint revolute(ground, axis = z, angle = q) }}
  body rod {{ mass 0.7 kg  com [0.05 m, 0.1 m, 0]
    inertia diag(0.05 [kg*m^2], 0.03 [kg*m^2], 0.04 [kg*m^2])
    joint free(ground, move = [x, y, z], euler {angles} by (a, b, c)) }}
  joint closing: {kind}(arm at [0.4 m, 0, 0], rod at [0.1 m, 0, 0.05 m], axis = {axis}{pitch}
  gravity [0, -9.81 [m/s^2], 0]
}}
"""


def _same_as_kane(text: str, form: str, states: Sequence[dict[str, float]]) -> list[str]:
    """Check that a form is regular where Kane's equations are, and equal; return the statuses."""
    model = mbx.loads(text)
    kane, other = (mbx.convert(model, one) for one in ("kane", form))
    found = []
    for state in states:
        right, one = kane.evaluate(state), other.evaluate(state)
        assert one.status == right.status
        if right.status == "regular":
            assert one.ud == pytest.approx(right.ud, rel=1e-9, abs=1e-9 * np.abs(right.ud).max())
        found.append(right.status)
    return found


@pytest.mark.parametrize("added", ADDED)
@pytest.mark.parametrize("form", FORMS)
def test_what_stands_next_to_a_mechanism_does_not_change_its_choice(form: str, added: str) -> None:
    """What is added has no start, and the mechanism has one."""
    text, more = ADDED[added]
    alone, both = (mbx.convert(mbx.loads(CRANKS % one), form) for one in ("", text))
    assert set(_dependent(alone)) <= set(_dependent(both))
    assert _same_as_kane(CRANKS % text, form, [AT | more]) == ["regular"]


def _dependent(equations: mbx.Equations) -> list[str]:
    return equations.step("Adt").meaning.removeprefix("columns of ").split(", ")


@pytest.mark.parametrize(
    ("kind", "axis", "angles", "regular"),
    [
        ("screw", "y", "zyx", 6),
        ("revolute", "y", "zyx", 6),
        ("cylindrical", "y", "zyx", 6),
        ("revolute", "x", "zxz", 3),
    ],
)
def test_states_whose_angles_are_locked_do_not_choose(
    kind: str, axis: str, angles: str, regular: int
) -> None:
    """Most assemblies that are found from random coordinates have the second angle locked.

    There the choice that suits the others is singular, and one that is singular at all of them
    is not.
    """
    screw = kind == "screw"
    measured, pitch = (", e: rad", ", pitch = 40 mm) measure e") if screw else ("", ")")
    text = LOOP.format(kind=kind, axis=axis, angles=angles, measured=measured, pitch=pitch)
    manifold = Manifold(mbx.elaborate(mbx.link(mbx.loads(text))), Values())
    sample = draw(manifold, np.random.default_rng(3), 6)
    paths = [v.path for v in (*manifold.system.q, *manifold.system.u)]
    rows = np.hstack([sample.points.q, sample.points.u]).tolist()
    states = [dict(zip(paths, row, strict=True)) for row in rows]
    statuses = _same_as_kane(text, FORMS[0], states)
    assert statuses.count("regular") == regular
