"""Reactions that Newton-Euler equations leave open, against the structure of the same model."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

import mbx
from formalisms.cases import Point, at, completed, forms, linked, system, system_of

_COMPONENTS: Final = ("fx", "fy", "fz", "tx", "ty", "tz")


def _open(reactions: dict[str, np.ndarray]) -> dict[str, tuple[str, ...]]:
    """Return the components without a value, by the path of the joint."""
    return {
        path: tuple(c for c, x in zip(_COMPONENTS, six, strict=False) if np.isnan(x))
        for path, six in reactions.items()
    }


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", ["four_bar", "whitworth", "parallelogram", "stewart_platform"])
def test_open_reactions_are_those_that_the_structure_says(case: str) -> None:
    one = system(case)
    found = at(one, forms(one)["newton_euler"], Point(completed(one, {}))).evaluation
    expected = {r.path: r.open for r in mbx.structure(linked(case)).reactions}
    assert expected
    assert _open(found.reactions) == expected


HELD_TWICE: Final = """
mbx 1
model HeldTwice {
  coordinate x: m = 0
  body box {
    mass 2 kg  inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])
    joint prismatic(ground, axis = x, distance = x)
  }
  joint rail: prismatic(ground at [0, 1 m, 0], box at [0, 1 m, 0], axis = x) cut
  force [3 N, 4 N, 0] on box
}
"""


def test_two_rails_share_all_but_the_force_along_them() -> None:
    # by hand: no motion breaks the second rail, so what it carries is not known
    one = system_of(HELD_TWICE)
    assert len(one.idle) == 5
    assert one.rows == ()
    found = at(one, forms(one)["newton_euler"], Point({"x": 0.2, "x'": 0.1})).evaluation
    assert found.ud == pytest.approx([3 / 2])
    assert _open(found.reactions) == dict.fromkeys(("box.joint", "rail"), _COMPONENTS[1:])
    assert found.reactions["box.joint"][0] == pytest.approx(0)
    assert found.reactions["rail"][0] == pytest.approx(0)
