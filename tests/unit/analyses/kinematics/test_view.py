"""Models in natural coordinates, and back: shapes, constraints that hold, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from mbx.analyses.kinematics.groups.decompose import decompose
from mbx.analyses.kinematics.natural.mechanism import mechanism_of
from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError
from mbx.analyses.kinematics.natural.natural_view import view_of
from mbx.analyses.kinematics.solve_motion import solution_of
from mbx.expr.evaluate import evaluate
from mbx.system.symbol_names import TIME
from mechanisms import MECHANISMS, evenly, library, mechanism, start_of, written

TILTED = """mbx 1
model Tilted "The paper's spatial case with nothing along an axis of the ground" {
  param J: kg*m^2 = 1
  coordinate th: rad = 0.4, s: m = 5.5, a: rad = 2.5, b: rad = 0.3, c: rad = 0.1
  frame base = ground rotated [1, 2, 3] by 0.7 rad
  body crank { mass 1 kg  inertia diag(J, J, J)
    joint revolute(base, axis = [0.1, -0.2, 1], angle = th) }
  body slider { mass 1 kg  inertia diag(J, J, J)
    joint prismatic(base, axis = [1, 0.3, 0.2], distance = s) }
  body rod { mass 1 kg  inertia diag(J, J, J)
    joint spherical(slider, euler zyx by (a, b, c)) }
  joint ball: spherical(crank at [2 m, 0, 0], rod at [6 m, 0, 0]) cut
  invariant spin: dot(rod.y, ground.z) = 0
}
"""
SHAKEN = """mbx 1
model Shaken "A dyad whose last pin is moved by the model" {
  param J: kg*m^2 = 1
  coordinate a: rad = 0.3, b: rad = 1
  body one { mass 1 kg  inertia J about z  joint revolute(ground, axis = z, angle = a) }
  body two { mass 1 kg  inertia J about z
    joint revolute(one at [1 m, 0, 0], axis = z, angle = b) }
  joint pin: revolute(ground at [1 m*t/(1 s), 0, 0], two at [1 m, 0, 0], axis = z) cut
}
"""
SCREW = """mbx 1
model Nut {
  param J: kg*m^2 = 1
  coordinate a: rad = 0.3
  body nut { mass 1 kg  inertia diag(J, J, J)
    joint screw(ground, axis = z, pitch = 0.01 [m/rad], angle = a) }
}
"""


def test_the_groups_of_the_paper_have_its_shapes_in_general_position() -> None:
    # source: Saura et al., (51a) to (51d): 9 x 6 and 9 x 8; ranks 6 and 8
    linked, system = written(TILTED)
    one = mechanism_of(linked, system, {"th": TIME}, {})
    solution = solution_of(one, "td", readouts=False)
    assert [g.name for g in solution.groups] == ["1R3D", "2E1P"]
    assert [(len(g.rows), len(g.phi)) for g in solution.groups] == [(9, 6), (9, 8)]
    generator = np.random.default_rng(1)
    for solver in solution.solvers:
        phi = generator.standard_normal(len(solver.group.phi))
        h = generator.standard_normal(len(solver.group.h))
        assert np.linalg.matrix_rank(solver.kernels.position(phi, h, 0.0)[1]) == len(phi)


@pytest.mark.parametrize("name", MECHANISMS)
def test_constraints_hold_at_the_start_of_the_model(name: str) -> None:
    _, system = library(name)
    one = mechanism(name, evenly(system, MECHANISMS[name]))
    view = view_of(one, decompose(one.graph))
    state = start_of(system)
    values = view.natural(state, 0.0) | {TIME: 0.0}
    values |= {v.symbol: state[v.path] for v in system.q}
    values |= dict(view.frozen)
    left = evaluate([e.value for e in view.equations], values)
    assert np.abs(np.array(left, dtype=float)).max() < 1e-9


def test_a_screw_that_places_a_body_is_said() -> None:
    # source: the nut goes by pitch times angle
    linked, system = written(SCREW)
    solution = solution_of(mechanism_of(linked, system, {"a": TIME}, {}), "td")
    found = solution.at(0.5, solution.start({"a": 0.3}, 0.0))
    place = [solution.place[s] for s in solution.symbols if str(s.value) == "nut@z"]
    assert found.x[place] == pytest.approx([0.005])
    assert found.xd[place] == pytest.approx([0.01])


def test_what_points_and_vectors_do_not_say_is_refused_by_name() -> None:
    linked, system = written(SHAKEN)
    with pytest.raises(NotNaturalError, match="a side of a joint on 'ground' moves with 't'"):
        mechanism_of(linked, system, {}, {})


def test_planar_mechanisms_are_seen_to_be_planar() -> None:
    for name, dimension in (("four_bar", 2), ("oldham_coupling", 2), ("rssr_linkage", 3)):
        assert mechanism(name, []).space.dimension == dimension
