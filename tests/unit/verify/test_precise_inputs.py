"""Inputs whose values name variables, in many digits: they follow the state that is used."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
import pytest

import mbx
from mbx.formalism import registry
from mbx.numerics.multiprecision import Place
from mbx.numerics.multiprecision.balls import Balls
from mbx.numerics.multiprecision.decimals import Decimals
from mbx.numerics.multiprecision.digit_numbers import largest, power_of_ten
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.pipeline import elaborate as system

LAW: Final = """
mbx 1
model M {
  coordinate x: m = 0.1, y: m = 0.2, z: m
  speed p: m/s
  define p = 2*x'
  particle P { mass 1 kg  at [x, y, z] }
  input f: m/s = -x/(2 s), F: N = x^2*(3 [N/m^2])
  invariant c: y' = f
  invariant d: x^2 = 0.02 [m^2]
  force F*ground.z on P
}
"""


@pytest.mark.parametrize("kind", [Balls, Decimals])
@pytest.mark.parametrize("form", ["kane", "lagrange", "newton_euler"])
def test_an_input_follows_the_state_in_all_digits(form: str, kind: type[Balls | Decimals]) -> None:
    of = system(mbx.loads(LAW))
    equations = registry.derive(of, form)
    numbers = kind(50)
    point = Points(np.zeros(1), np.array([[2**0.5 / 10, 0.0, 0.0]]), np.array([[0.0, 0.0, 0.0]]))
    place = Place(Manifold(of, Values()), point, numbers, equations)
    ud = place.results(equations, ["ud"])["ud"]
    rows = dict(zip([v.path for v in of.u], ud[:, 0], strict=True))
    with numbers.within():
        # x' = 0 and y' = -x/2, so y'' = 0; and z'' = 3 x^2 with x^2 = 0.02
        gap = np.array([[rows["y'"]], [rows["z'"] - numbers.exact(Fraction(3, 50))]])
        assert largest(numbers, gap) <= power_of_ten(numbers, -40)
