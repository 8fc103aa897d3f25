"""Results in balls that grow with every round: too few digits tell nothing of them."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mbx
from mbx.expr.nodes import number
from mbx.numerics.multiprecision.balls import Balls
from mbx.numerics.multiprecision.decimals import Decimals
from mbx.numerics.multiprecision.digit_numbers import widths
from mbx.numerics.multiprecision.digit_results import Place
from mbx.system.elaborate import elaborate
from mbx.verify.arbitration import decide
from mbx.verify.arbitration.arbiter import Gap
from mbx.verify.run_verification import Options, verify_system
from mbx_converters import kane
from unit.verify.models import PENDULUM
from unit.verify.test_decide import lossy, patch

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.numerics.multiprecision.digit_numbers import Exact
    from mbx.verify.verification import Verification

FEW = 100
"""Digits up to which balls are wide in these tests."""


def verify() -> Verification:
    text = PENDULUM.replace("state level { x = 2 m }", "").replace("m: kg", "m: kg = 1")
    linked = mbx.link(mbx.loads(text))
    options = Options(forms=("kane", "lagrange"), states=3)
    return verify_system(elaborate(linked), options, linked)


def widen(patching: pytest.MonkeyPatch, wide: Callable[[Balls, Any], Any]) -> None:
    """Replace each entry of what `kane` gives in few digits by a ball that contains it."""
    results = Place.results

    def changed(place: Place, equations: Any, wanted: Any = None) -> dict[str, Exact]:
        found = results(place, equations, wanted)
        if place.numbers.digits > FEW or equations.formalism != "kane":
            return found
        assert isinstance(place.numbers, Balls)
        with place.numbers.within():
            for values in found.values():
                values.ravel()[:] = [wide(place.numbers, x) for x in values.ravel().tolist()]
        return found

    patching.setattr(Place, "results", changed)


def test_middles_of_wide_balls_are_no_difference_from_the_oracle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patch(monkeypatch, kane, lossy(kane))
    # the middle is off by half, and the ball contains the value nevertheless
    widen(monkeypatch, lambda balls, x: balls.widened(x * 3 / 2, x * 3 / 4))
    found = verify()
    assert found.oracle is not None
    errors = [error for _, error in found.oracle.errors("kane")]
    assert "rounding" in {error.arbiter for error in errors}
    assert found.verdict == "agree"


def test_a_difference_does_not_hide_behind_balls_that_contain_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fault = Fraction(1, 10**9)
    patch(monkeypatch, kane, lossy(kane, lambda _: number(fault)))
    # balls of 1e89 and 1e39 shrink by fifty digits, and are no rounding for that
    widen(monkeypatch, lambda balls, x: balls.widened(x, balls.exact(10 ** (139 - balls.digits))))
    error = verify().pair("kane", "lagrange").ud
    assert error is not None
    assert error.arbiter == "different"


def test_what_rounds_leave_in_more_digits_than_doubles_have_is_no_difference() -> None:
    forms = [
        SimpleNamespace(name=name, equations=SimpleNamespace(results=results))
        for name, results in (("iterated", {"ud": "ud", "left": "left"}), ("direct", {"ud": "ud"}))
    ]
    arbiter = decide.Arbiter(SimpleNamespace(forms=forms))  # type: ignore[arg-type]
    small, large = Gap(1e-35, 1e-35, 1.0), Gap(1e-15, 1e-15, 1.0)
    assert arbiter._ended(small, "direct", "iterated") == Gap(0.0, 0.0, 1.0)
    assert arbiter._ended(large, "direct", "iterated") == large
    assert arbiter._ended(small, "direct") == small
    assert arbiter._ended(None, "iterated") is None


@pytest.mark.parametrize(("numbers", "known"), [(Balls(50), 0.25), (Decimals(50), 0.0)])
def test_balls_tell_how_wide_they_are(numbers: Any, known: float) -> None:
    with numbers.within():
        wide = numbers.widened(numbers.exact(3), numbers.exact(Fraction(1, 4)))
        found = widths(numbers, np.array([[wide, numbers.exact(1)]], dtype=object))
    assert found[0].tolist() == [pytest.approx(known), 0.0]
