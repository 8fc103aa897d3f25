"""Whole models: names, parts, starts, and sizes that are asked for too much."""

from __future__ import annotations

import pytest

from mbx.mechanics import loads, motion
from unit.system.oracle import close, numbers, system

_INERTIA = "inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])"


def test_a_model_without_variables_is_a_system() -> None:
    found = system(f"body B {{ mass 1 kg {_INERTIA} joint fixed(ground at [1 m, 2 m, 3 m]) }}")
    assert (found.q, found.u, found.rows) == ((), (), ())
    close(numbers(found.elements[0].com.p, {}, 0.0), [1, 2, 3])
    moving = motion.in_speeds(found)
    assert loads.project(moving, loads.wrenches(moving)) == []


def test_names_that_look_like_others_stay_apart() -> None:
    found = system(
        """coordinate x, y, z, t2, tt: m
        coordinate a[1], a[2]: rad
        frame F = ground rotated x by a[1] rotated z by a[2]
        particle P { mass 1 kg at F.origin + x*F.x + t2*F.y + tt*F.z }
        particle Q { mass 1 kg at [y, z, 0] }"""
    )
    assert [v.path for v in found.q] == ["x", "y", "z", "t2", "tt", "a[1]", "a[2]"]
    values = {"x": 1.0, "t2": 2.0, "tt": 3.0, "a[1]": 0.0, "a[2]": 0.0, "y": 4.0, "z": 5.0}
    close(numbers(found.elements[0].com.p, {}, 0.0, values), [1, 2, 3])
    close(numbers(found.elements[1].com.p, {}, 0.0, values), [4, 5, 0])


def test_parts_of_parts_have_paths_and_one_ground() -> None:
    found = system(
        """mbx 1
        model Leaf { coordinate x: m = 1
          particle P { mass 1 kg at [x, 0, 0] } }
        model Branch { subsystem L: Leaf, M: Leaf
          invariant tie: L.x = M.x
          initial L.x = 2 m }
        model T { subsystem B[1]: Branch, B[2]: Branch
          spring between B[1].L.P and B[2].M.P stiffness 1 [N/m]
          initial B[2].L.x = 3 m, B[2].L.x' = 4 [m/s] }"""
    )
    assert found.parts == ("", "B[1].", "B[1].L.", "B[1].M.", "B[2].", "B[2].L.", "B[2].M.")
    assert [row.path for row in found.rows] == ["B[1].tie", "B[2].tie"]
    starts = {v.path: v.start for v in (*found.q, *found.u)}
    assert starts == {
        "B[1].L.x": 2,
        "B[1].M.x": 1,
        "B[2].L.x": 3,
        "B[2].M.x": 1,
        "B[1].L.x'": None,
        "B[1].M.x'": None,
        "B[2].L.x'": 4,
        "B[2].M.x'": None,
    }
    assert {f.on for f in found.potentials[0].forces or ()} == {"B[1].L.P", "B[2].M.P"}


def test_frames_may_sit_on_particles_and_mass_centres() -> None:
    found = system(
        f"""coordinate a: rad
        coordinate x, y: m
        particle Q {{ mass 1 kg at [x, y, 0] }}
        frame F = ground at Q rotated z by a
        body B {{ mass 1 kg com [0, 1 m, 0] {_INERTIA} joint fixed(F at [1 m, 0, 0]) }}
        body C {{ mass 1 kg com B.com {_INERTIA} frame F }}"""
    )
    values = {"x": 0.1, "y": 0.2, "a": 0.0, "x'": 1.0, "y'": 2.0, "a'": 3.0}
    _, b, c = found.elements
    close(numbers(b.com.p, {}, 0.0, values), [1.1, 1.2, 0])
    close(numbers(b.com.v, {}, 0.0, values), [1 - 3, 2 + 3, 0])
    close(numbers(c.com.v, {}, 0.0, values), [1 - 3, 2 + 3, 0])
    close(numbers(c.origin.p, {}, 0.0, values), [1.1, 1.2, 0])


_CHAIN = """param n: integer = {n}
coordinate a[1..n]: rad
for i in 1..n {{
  if i == 1 {{ frame F[i] = ground rotated x by 0.1 }}
  else {{ frame F[i] = L[i-1] at [1 m, 0, 0] rotated x by 0.1 }}
  body L[i] {{ mass 1 kg com [0.5 m, 0, 0] {inertia} joint revolute(F[i], axis = z, angle = a[i]) }}
}}
"""


@pytest.mark.parametrize(
    "load",
    [
        "force -1 [N*s/m]*velocity(L[n].com) on L[n]",
        "torque -1 [N*m*s]*omega(L[n]) on L[n]",
        "invariant dot(acceleration(L[n].com), ground.x) = 0",
        "damper between L[n].com and ground.origin damping 1 [N*s/m]",
    ],
)
def test_the_motion_of_the_last_of_many_bodies_is_found(load: str) -> None:
    found = system(_CHAIN.format(n=40, inertia=_INERTIA) + load.replace("n]", "40]"))
    last = found.elements[-1]
    values = {f"a[{k}]{d}": 0.0 if d else 1e-3 for k in range(1, 41) for d in ("", "'", "''")}
    close(numbers(last.com.v, {}, 0.0, values), [0, 0, 0])
    assert len(found.u) == 40


def test_a_chain_that_is_as_long_as_may_be_needs_no_deep_calls() -> None:
    """Two frames for each body; the calls of a test may nest 1,000 deep at most."""
    found = system(_CHAIN.format(n=120, inertia=_INERTIA))
    last = found.elements[-1]
    values = {f"a[{k}]": 0.0 for k in range(1, 121)} | {f"a[{k}]'": 0.0 for k in range(1, 121)}
    values["a[120]'"] = 2.0
    close(numbers(last.w_local, {}, 0.0, values), [0, 0, 2])
