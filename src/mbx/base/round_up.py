"""Numbers that are bounds: rounded up, so that what is printed still holds."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from math import isfinite

__all__ = ["format_bound", "round_up"]


def round_up(value: float, digits: int) -> float:
    """Return the least number of so many digits that is not below a value."""
    if not isfinite(value) or not value:
        return value
    return float(Context(prec=digits, rounding=ROUND_CEILING).plus(Decimal(value)))


def format_bound(value: float, digits: int = 1) -> str:
    """Return a bound as text, such as `2e-10`: never below the value."""
    return f"{round_up(value, digits):.{digits - 1}e}"
