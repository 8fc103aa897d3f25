"""Every model of the library, verified: all forms that apply agree."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

import mbx
from formalisms.closed_forms import ALL, IN_TREE_MOMENTA
from representative import FOLDERS, REPRESENTATIVE, marked

if TYPE_CHECKING:
    from collections.abc import Collection

    from mbx.verify.verification import Verification

MANY = 5
STATES = 3


@cache
def verified(name: str) -> Verification:
    return mbx.verify(mbx.read(FOLDERS[name] / "model.mb"), states=STATES)


@pytest.mark.sample(
    0,
    "four_bar",
    "simple_pendulum",
    "chaplygin_sleigh",
    "programme_order_3",
    "ring_twist",
    "five_node_tree",
)
@pytest.mark.parametrize("name", marked())
def test_all_forms_that_apply_agree(name: str) -> None:
    found = verified(name)
    assert found.verdict == "agree", "\n".join(found.lines())
    assert not [one for one in found.excluded if one.status == "failed"]
    assert sum(one.status == "compared" for one in found.states) >= STATES


@pytest.mark.full
@pytest.mark.parametrize(
    "names", [pytest.param(FOLDERS, marks=pytest.mark.slow, id="all"), REPRESENTATIVE]
)
def test_all_forms_agree_to_twelve_digits_on_most_models(names: Collection[str]) -> None:
    exact = [name for name in names if _worst(verified(name)) <= 1e-12]
    assert len(exact) >= 0.9 * len(names)
    assert sum(len(verified(name).forms) >= MANY for name in exact) >= 0.8 * len(names)


def _worst(found: Verification) -> float:
    """Return the largest error of a pair, in accelerations or constraint forces."""
    errors = [error for pair in found.pairs for error in (pair.ud, pair.Fc) if error is not None]
    return max(error.value for error in errors)


ADDED_MASS = """
mbx 1
model AddedMass {
  param k: kg = 0.7, c: kg*m = 0.3
  coordinate x: m, th: rad in [-1, 1]
  body cart { mass 2 kg joint prismatic(ground, axis = x, distance = x) }
  body pole {
    mass 1 kg  com [0, -0.5 m, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(cart, axis = z, angle = th)
  }
  force drag: -k*acceleration(pole.com) on cart
  load coupled: on th': -c*x''
  gravity [0, -9.81 [m/s^2], 0]
}
"""


def test_loads_may_depend_on_accelerations() -> None:
    found = mbx.verify(mbx.loads(ADDED_MASS), states=STATES)
    assert found.verdict == "agree"
    assert set(found.forms) == ALL - IN_TREE_MOMENTA - {
        "gauss",
        "hamilton",
        "udwadia_kalaba:augmented",
        "udwadia_kalaba:positive",
    }
    refused = {one.name: one.reason for one in found.excluded}
    assert refused["udwadia_kalaba:positive"].endswith("not symmetric (drag, coupled)")
    assert refused["gauss"].endswith("unsymmetric Hessian (drag, coupled)")
