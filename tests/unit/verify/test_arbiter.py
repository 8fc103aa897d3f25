"""The arbiter's rule: rounding shrinks with the digits, a difference stays."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mbx
from mbx.base.errors import EquationsError
from mbx.expr.build import add, function, mul, power, scale, sub
from mbx.expr.nodes import number
from mbx.formalism.builder import Program
from mbx.linking.library import cases
from mbx.numerics.multiprecision import Place, evaluate_precisely
from mbx.numerics.multiprecision.digit_numbers import numbers_of
from mbx.numerics.states.complete import draw_higher
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.numerics.states.sample import draw
from mbx.pipeline import derive
from mbx.pipeline import elaborate as api_system
from mbx.verify.arbitration.arbiter import DIGITS, Gap, answer, equal_at, settle
from unit.verify.models import PENDULUM, SLED, system

if TYPE_CHECKING:
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.system.system import System
    from mbx.verify.arbitration.arbiter import Answer

CHAIN = """
mbx 1
model Chain {{
  param n: integer = {n}
  param m[1..n]: kg
  param l: m = 1
  param g: m/s^2 = 9.81
  coordinate q[1..n]: rad = 0.3
  body link[1] {{
    mass m[1]
    com [l/2, 0, 0]
    inertia m[1]*l^2/12 about z
    joint revolute(ground, axis = z, angle = q[1])
  }}
  for i in 2..n {{
    body link[i] {{
      mass m[i]
      com [l/2, 0, 0]
      inertia m[i]*l^2/12 about z
      joint revolute(link[i - 1] at [l, 0, 0], axis = z, angle = q[i])
    }}
  }}
  gravity [g, 0, 0]
}}
"""


def on(of: System, **parameters: float) -> tuple[Manifold, Points]:
    """Return the invariants of a system, and a random state on them."""
    manifold = Manifold(of, Values(parameters))
    return manifold, draw(manifold, np.random.default_rng(1), 1).points


def changed(equations: Equations, change: Any) -> Equations:
    """Return equations whose right-hand side is changed row by row."""
    steps = [
        replace(s, entries=tuple((change(row[0]),) for row in s.entries)) if s.name == "h" else s
        for s in equations.steps
    ]
    assert steps != list(equations.steps)
    return replace(equations, steps=tuple(steps))


@pytest.mark.parametrize(
    ("less", "more", "found"),
    [
        (Gap(0, 1e-48, 1), Gap(0, 1e-98, 1), "rounding"),
        (Gap(0, 0, 0), Gap(0, 0, 0), "rounding"),
        # nothing but rounding on both sides: an equilibrium
        (Gap(1e-49, 1e-49, 1e-49), Gap(1e-99, 1e-99, 1e-99), "rounding"),
        (Gap(1e-9, 1e-9, 1), Gap(1e-9, 1e-9, 1), "different"),
        (Gap(1e-20, 1e-20, 1), Gap(1e-20, 1e-20, 1), "different"),
        (Gap(1e-38, 1e-38, 1), Gap(1e-38, 1e-38, 1), "different"),
        (Gap(1e-25, 1e-25, 1e-16), Gap(1e-25, 1e-25, 1e-16), "different"),
        # it neither vanishes nor stays
        (Gap(1e-9, 1e-9, 1), Gap(1e-20, 1e-20, 1), "undecided"),
        # balls that overlap prove nothing
        (Gap(0, 1e-9, 1), Gap(0, 1e-9, 1), "undecided"),
        (Gap(1e-9, 1e-9, 1), Gap(1e-12, 1e-9, 1), "undecided"),
        (Gap(float("nan"), float("nan"), 1), Gap(1e-9, 1e-9, 1), "undecided"),
        (Gap(1e-9, 1e-9, 1), Gap(float("nan"), float("nan"), 1), "undecided"),
    ],
)
def test_a_difference_is_judged_by_what_more_digits_make_of_it(
    less: Gap, more: Gap, found: str
) -> None:
    assert settle(less, more) == found


def test_digits_are_doubled_until_they_tell_and_no_further() -> None:
    asked: list[int] = []

    def late(digits: int) -> Gap:
        asked.append(digits)
        return Gap(0, 1e-9 if digits < 200 else 10.0**-digits, 1)

    assert answer(late) == "rounding"
    assert asked == [50, 100, 200]
    asked.clear()

    def never(digits: int) -> Gap:
        asked.append(digits)
        return Gap(0, 1, 1)

    assert answer(never) == "undecided"
    assert asked == list(DIGITS)


def test_a_hundred_digits_may_be_enough_where_nothing_but_rounding_is_left() -> None:
    asked: list[int] = []

    def left(most: float) -> Answer:
        def gap(digits: int) -> Gap:
            asked.append(digits)
            return Gap(most, most, 1)

        asked.clear()
        return answer(gap, enough=True)

    assert left(1e-41) == "rounding"
    assert asked == [100]
    # then nothing is told but by both
    assert left(1e-39) == "different"
    assert asked == [100, 50, 100]


def test_digits_without_a_result_are_passed_over() -> None:
    assert answer(lambda digits: None if digits < 100 else Gap(0, 10.0**-digits, 1)) == "rounding"
    assert answer(lambda digits: None if digits != 100 else Gap(0, 0, 1)) == "undecided"


@pytest.mark.parametrize("size", [Fraction(1, 10**9), Fraction(1, 10**20), Fraction(1, 10**35)])
@pytest.mark.usefixtures("kind")
def test_a_factor_near_one_is_a_difference(size: Fraction) -> None:
    of = system(PENDULUM)
    manifold, point = on(of, m=1.25)
    kane = derive(of, "kane")
    other = changed(kane, lambda h: scale(1 + size, h))
    assert equal_at(kane, other, manifold, point) == "different"
    assert equal_at(derive(of, "lagrange"), other, manifold, point) == "different"
    assert equal_at(derive(of, "lagrange"), kane, manifold, point) == "rounding"


@pytest.mark.usefixtures("kind")
def test_a_rewriting_that_cancels_is_rounding() -> None:
    of = system(SLED)
    manifold, point = on(of)
    kane = derive(of, "kane")
    x = scale(Fraction(1, 10**6), of.q[0].symbol)

    def plus(zero: Node) -> Equations:
        return changed(kane, lambda h: add(h, scale(10**9, zero)))

    half = function("sin", scale(Fraction(1, 2), x))
    exact = sub(sub(number(1), function("cos", x)), scale(2, power(half, 2)))
    assert equal_at(kane, plus(exact), manifold, point) == "rounding"
    near = sub(sub(number(1), function("cos", x)), scale(Fraction(1, 2), mul(x, x)))
    assert equal_at(kane, plus(near), manifold, point) == "different"


@pytest.mark.usefixtures("kind")
def test_an_inertia_that_is_nearly_singular_is_no_difference() -> None:
    of = system(SLED)
    manifold, point = on(of)
    found = derive(of, "kane")

    def solved(kind: Any) -> Equations:
        p = Program()
        tiny = Fraction(1, 10**17)
        M = p.define("M", [[number(1), number(1)], [number(1), number(1 + tiny)]])
        h = p.column("h", [of.q[0].symbol, of.u[0].symbol])
        if kind is None:
            p.let("ud", p.pinv(M) @ h)
        else:
            p.solve("ud", M, h, kind)
        return replace(found, steps=tuple(p.steps), results={"ud": "ud"}, residuals=())

    # both are singular in doubles, or of rank 1, so that nothing is followed
    assert equal_at(solved("positive"), solved("general"), manifold, point) == "rounding"


@pytest.mark.parametrize("forms", [("kane", "lagrange"), ("newton_euler", "gibbs_appell")])
@pytest.mark.usefixtures("kind")
def test_ten_links_with_a_mass_ratio_of_a_hundred_are_rounding(forms: tuple[str, str]) -> None:
    n = 10
    of = system(CHAIN.format(n=n))
    manifold, point = on(of, **{f"m[{k + 1}]": 100.0**k for k in range(n)})
    one, other = (derive(of, form) for form in forms)
    assert equal_at(one, other, manifold, point) == "rounding"


@pytest.mark.usefixtures("kind")
def test_accelerations_that_belong_to_the_state_are_made_consistent() -> None:
    (case,) = [path for path in cases() if path.name == "programme_order_3"]
    of = api_system(mbx.read(case / "model.mb"))
    manifold, point = on(of)
    one, other = (derive(of, name) for name in ("modular", "udwadia_kalaba:positive"))

    drawn = draw_higher(one, manifold.values, point, 1)
    higher = {path: float(value[0]) for path, value in drawn.items()}
    assert equal_at(one, other, manifold, point, higher) == "rounding"
    state = evaluate_precisely(one, manifold, point, 100, higher)["state"]
    assert max(abs(float(x)) for x in state[:, 0]) < 1e-85


@pytest.mark.usefixtures("kind")
def test_states_keep_the_invariants_to_the_digits() -> None:
    of = system(PENDULUM)
    manifold, point = on(of, m=1.0)
    a, b = (Fraction(float(each)) for each in point.q[0])
    assert a**2 + b**2 != 4  # doubles keep it to their own digits
    for digits in (50, 100):
        place = Place(manifold, point, numbers_of(digits))
        x, y, u, v = place.state.values()
        with place.numbers.within():
            for left in (x * x + y * y - 4, x * u + y * v):
                assert abs(float(left)) < 10.0 ** (3 - digits)


@pytest.mark.usefixtures("kind")
def test_redundant_invariants_are_kept_too() -> None:
    twice = PENDULUM.replace(
        "invariant rod: x^2 + y^2 = l^2",
        "invariant rod: x^2 + y^2 = l^2  invariant again: 3*x^2 + 3*y^2 = 3*l^2",
    )
    of = system(twice)
    manifold, point = on(of, m=1.0)
    forms = [derive(of, name) for name in ("kane", "lagrange", "udwadia_kalaba:positive")]
    for other in forms[1:]:
        assert equal_at(forms[0], other, manifold, point) == "rounding"


def torn_by(part: str) -> System:
    """Return a pendulum with two lengths, one of them longer by this part."""
    twice = f"invariant rod: x^2 + y^2 = l^2  invariant again: x^2 + y^2 = l^2*(1 + {part})"
    return system(PENDULUM.replace("invariant rod: x^2 + y^2 = l^2", twice))


@pytest.mark.usefixtures("kind")
def test_invariants_that_contradict_each_other_beyond_rounding_have_no_state() -> None:
    of = torn_by("3e-14")  # doubles keep both to 64 roundings
    manifold, point = on(of, m=1.0)
    with pytest.raises(EquationsError, match="remains of the invariants in 50 digits"):
        evaluate_precisely(derive(of, "kane"), manifold, point, 50)


@pytest.mark.usefixtures("kind")
def test_invariants_that_differ_by_less_than_rounding_of_data_are_one() -> None:
    of = torn_by("1e-17")
    manifold, point = on(of, m=1.0)
    assert equal_at(derive(of, "kane"), derive(of, "lagrange"), manifold, point) == "rounding"
