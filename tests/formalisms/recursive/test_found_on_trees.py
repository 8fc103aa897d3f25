"""Small models that random trees and loops were reduced to, each with what it must give."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

import mbx
from formalisms.cases import system_of
from mbx.expr.evaluate import evaluate
from mbx.mechanics import motion
from mbx.mechanics.tree.links import complement, links

# -- rest in a tree that moves by itself ---------------------------------------------------------

DRIVEN: Final = """
mbx 1
model Driven {
  coordinate q: rad = 0.142
  body a { mass 1.1 kg  com [0.29 m, -0.08 m, -0.18 m]
    inertia diag(0.22 [kg*m^2], 0.35 [kg*m^2], 0.33 [kg*m^2])
    joint revolute(ground, axis = [0.347, 0.329, -0.178], angle = q) }
  body b { mass 0.85 kg  com [0.37 m, 0.14 m, 0.38 m]
    inertia diag(0.48 [kg*m^2], 0.32 [kg*m^2], 0.34 [kg*m^2])
    joint revolute(a at [0.4 m, 0.33 m, 0.35 m], axis = y,
        angle = 0.289 rad*sin(2.35 [rad/s]*t)) }
  gravity [5.3 [m/s^2], -4.7 [m/s^2], 8 [m/s^2]]
}
"""
MOMENTA: Final = ("hamilton", "tree_hamilton_extended", "tree_hamilton_multipliers")


def test_rates_of_momenta_at_rest_are_judged_by_those_of_other_states() -> None:
    found = mbx.verify(mbx.loads(DRIVEN), states=1, forms=[*MOMENTA, "kane"])
    assert found.verdict == "agree"
    # most states are at rest, where rounding is all that momenta leave of the rates
    assert 0 < max(error.value for error in found.results.values()) < 1e-12


# -- an axis that is nearly along another --------------------------------------------------------

NEARLY: Final = """
mbx 1
model Nearly {{
  coordinate q: rad, p: rad
  body a {{ mass 1 kg  com [0.3 m, 0, 0.1 m]
    inertia diag(0.2 [kg*m^2], 0.3 [kg*m^2], 0.4 [kg*m^2])
    joint revolute(ground, axis = [{small}, 0.6, 0.8], angle = q) }}
  body b {{ mass 1 kg  com [0, 0.2 m, 0]
    inertia diag(0.2 [kg*m^2], 0.3 [kg*m^2], 0.4 [kg*m^2])
    joint revolute(a at [0.4 m, 0, 0], axis = [{small}, 0.8, -0.6], angle = p) }}
  gravity [0, -9.81 [m/s^2], 0]
}}
"""


@pytest.mark.parametrize("small", ["1e-3", "1e-9"])
def test_what_is_across_a_hinge_does_not_lean_on_the_smallest_part_of_its_axis(small: str) -> None:
    text = NEARLY.format(small=small)
    for link in links(motion.in_speeds(system_of(text))).links:
        Z = complement(link)
        assert Z is not None
        assert (
            np.linalg.cond(np.array(evaluate([x for row in Z for x in row], {})).reshape(6, 5)) < 5
        )
    found = mbx.verify(
        mbx.loads(text), states=2, forms=["tree_lagrange_1", "tree_hamilton_multipliers", "kane"]
    )
    assert found.verdict == "agree"
    assert all(error.value < 1e-12 for pair in found.pairs for _, error in pair.errors())
