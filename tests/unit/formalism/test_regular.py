"""Which inertia matrices are singular everywhere, where quaternions have rates."""

from __future__ import annotations

from typing import Final

import pytest

import mbx
from mbx.base.errors import NotApplicableError

_TOP: Final = """
mbx 1
model Top {{
  coordinate x: m, qw: 1 = 1, qx, qy, qz: 1 = 0
  {more}
  body top {{
    mass 2 kg  com [0.1 m, 0, 0.2 m]
    inertia diag(0.2 [kg*m^2], 0.3 [kg*m^2], 0.4 [kg*m^2])
    joint free(ground, move = [x, 0, 0], quaternion(w = qw, x = qx, y = qy, z = qz))
  }}
}}
"""


def _top(more: str = "") -> mbx.Document:
    return mbx.loads(_TOP.format(more=more))


@pytest.mark.parametrize("form", ["udwadia_kalaba:positive", "hamilton"])
def test_no_inertia_is_behind_the_length_of_a_quaternion(form: str) -> None:
    # four rates, and an angular velocity of three components
    with pytest.raises(NotApplicableError, match=r"inertia matrix is singular: .* q[wxyz]'$"):
        mbx.convert(_top(), form)


def test_the_variant_for_a_singular_inertia_is_chosen() -> None:
    assert mbx.convert(_top(), "udwadia_kalaba").variant == "singular"


def test_three_speeds_in_place_of_four_rates_have_inertia() -> None:
    more = "speed w1, w2, w3: rad/s\n  define [w1, w2, w3] = omega(top) in top"
    assert mbx.convert(_top(more), "udwadia_kalaba").variant == "positive"
    assert mbx.convert(_top(more), "udwadia_kalaba:positive").variant == "positive"
