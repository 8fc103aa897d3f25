"""The structure of every model of the library, and what is said where there is none."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

import mbx
from mbx.analyses.structure.structure_matrices import skeleton_of
from mbx.analyses.structure.structure_warnings import warnings_of
from mbx.linking.library import cases
from unit.analyses.structure.models import PLANE, library, structure

if TYPE_CHECKING:
    from pathlib import Path

FREEDOMS: Final = {
    "bennett_linkage": 1,  # its README
    "chaplygin_sleigh": 2,  # three coordinates, one blade
    "five_bar_motors": 4,  # its README
    "four_bar": 1,  # its README
    "four_bar_scalable": 1,  # its README
    "mosspack_pendulum": 5,  # its README
    "n_pendulum": 4,  # one hinge a link
    "nonlinear_nonholonomic": 2,  # a particle in space, one cone
    "parallelogram": 1,  # the cranks swing together
    "pipelayer": 6,  # its case.toml
    "quick_return": 1,  # its case.toml
    "ring_and_disc": 2,  # Orsino, Example 4.2: # = (th', w2)
    "ring_twist": 1,  # it rolls
    "rolling_disc": 3,  # its README
    "rrr_platform": 3,  # three motors
    "rssp_loop": 2,  # its README
    "slider_crank_3d_friction": 1,  # its README
    "sphere_in_trough": 3,  # Orsino, Example 2.5: S is 6 by 3
    "spherical_pendulum_cartesian": 2,  # Orsino, section 4.1
    "spherical_pendulum_quasivelocity": 2,  # Orsino, section 4.1
    "stewart_platform": 6,  # its README
    "tricycle_wheel": 3,  # Orsino (5.9): S has three columns
    "whitworth": 1,  # one crank
}
QUICK: Final = {"chaplygin_sleigh", "four_bar", "rolling_disc", "rssp_loop", "ring_and_disc"}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(c, id=c.name, marks=() if c.name in QUICK else pytest.mark.slow)
        for c in cases()
    ],
)
def test_the_structure_of_a_library_model_is_found(case: Path) -> None:
    found = library(case.name)
    assert found.freedoms is not None
    assert found.freedoms.velocity == FREEDOMS.get(case.name, found.freedoms.velocity)
    assert found.accelerations is not None
    assert found.accelerations.unique
    assert found.refused == ()
    assert found.integrability.undecided == ""
    json.dumps(found.as_json(), allow_nan=False)
    assert all(len(line) < 130 for line in found.lines())
    # the freedoms of position are those of velocity and those that rolling leaves; quaternions
    # with speeds and speeds without coordinates have their own count
    if found.coordinates == found.speeds:
        facts = found.integrability
        first = facts.integrable_count + facts.nonholonomic_count + len(facts.nonlinear)
        assert found.freedoms.position - found.freedoms.velocity == first


def test_no_case_with_a_known_count_is_missing() -> None:
    assert set(FREEDOMS) <= {case.name for case in cases()}


def test_without_a_consistent_state_nothing_is_claimed() -> None:
    found = structure("invariant a: x = 1 m\ninvariant b: x^2 = 4 [m^2]", PLANE)
    assert (found.freedoms, found.rank, found.accelerations) == (None, None, None)
    (warned,) = found.warnings
    assert warned.text.startswith("no consistent state was found")
    shown = "\n".join(found.lines())
    assert "degrees of freedom" not in shown
    assert "no consistent state was found" in shown
    json.dumps(found.as_json(), allow_nan=False)


def test_a_named_state_that_cannot_be_is_told() -> None:
    found = replace(
        structure("invariant rod: x^2 + y^2 = 1 [m^2]", PLANE),
        refused=("state far: no consistent state is near it",),
    )
    system = mbx.elaborate(mbx.loads(f"mbx 1\nmodel M {{ {PLANE} }}"))
    (warned,) = warnings_of(system, skeleton_of(system), found).warnings
    assert (warned.element, warned.text) == ("state far", "no consistent state is near it")


def test_a_model_without_coordinates_has_freedoms_of_velocity_alone() -> None:
    found = library("ring_twist")
    assert found.freedoms is not None
    assert (found.freedoms.position, found.freedoms.velocity) == (0, 1)
    assert "no coordinates" in "\n".join(found.lines())


def test_an_invariant_of_order_3_frees_the_velocities() -> None:
    found = library("programme_order_3").freedoms
    assert found is not None
    assert (found.velocity, found.acceleration) == (2, 1)


def test_the_same_seed_gives_the_same_structure() -> None:
    document = mbx.read(next(c for c in cases() if c.name == "four_bar") / "model.mb")
    assert mbx.structure(document).as_json() == library("four_bar").as_json()
