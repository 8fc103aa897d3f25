"""Numbers of many digits, of both makes."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import mpmath  # type: ignore[import-untyped]
import pytest

from mbx.verify.oracle.numbers.number_fields import ArbField, MpField, make_field

if TYPE_CHECKING:
    from mbx.verify.oracle.numbers.number_fields import Field

FIELDS = [ArbField(50), MpField(50)]


@pytest.fixture(params=FIELDS, ids=["arb", "mpmath"])
def field(request: pytest.FixtureRequest) -> Field:
    found: Field = request.param
    return found


def _digits(x: object) -> mpmath.mpf:
    """Return a number as one of mpmath, by its middle, with sixty digits."""
    text = x.str(60, radius=False) if hasattr(x, "str") else mpmath.nstr(x, 60)
    return mpmath.mpf(text)


@pytest.mark.parametrize(
    "name", ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "exp", "log", "sqrt"]
)
def test_functions_have_fifty_digits(field: Field, name: str) -> None:
    with mpmath.workdps(60), field.working():
        found = _digits(field.call(name, field.number(Fraction(1, 3))))
        wanted = getattr(mpmath, name)(mpmath.mpf(1) / 3)
        assert abs(found - wanted) < mpmath.mpf(10) ** -55


def test_a_double_is_taken_exactly(field: Field) -> None:
    with field.working():
        tenth = field.number(0.1)
        assert float(abs(tenth * 10 - 1) - field.number(2) ** -54) == pytest.approx(0, abs=1e-40)


def test_angles_have_a_quadrant(field: Field) -> None:
    with field.working():
        found = field.atan2(field.number(-1), field.number(-1))
        assert float(found + 3 * field.pi / 4) == pytest.approx(0, abs=1e-50)


def test_what_has_no_real_value_is_refused(field: Field) -> None:
    with field.working(), pytest.raises(ValueError, match="log"):
        field.call("log", field.number(-1))
    with field.working(), pytest.raises(ValueError, match="asin"):
        field.call("asin", field.number(2))


def test_precision_is_set_only_while_a_field_works() -> None:
    import flint  # noqa: PLC0415  the extra `arb`

    before = flint.ctx.prec
    with ArbField(80).working():
        assert flint.ctx.prec > 80 * 3.3
    assert flint.ctx.prec == before


def test_without_flint_mpmath_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "flint", None)
    assert isinstance(make_field(30), MpField)
