"""Numbers on the command line: `NAME=VALUE`, in SI units."""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["assignments"]


def assignments(option: str, said: Iterable[str]) -> dict[str, float]:
    """Return what an option gives to names; what is no number is wrong usage."""
    found = {}
    for one in said:
        name, sign, value = one.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = nan
        if not sign or not name or not isfinite(number):
            raise typer.TyperException(f"{option} {one}: expected NAME=VALUE, a number in SI units")
        found[name] = number
    return found
