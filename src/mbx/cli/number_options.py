"""Numbers on the command line: `NAME=VALUE`, in SI units."""

from __future__ import annotations

import re
from math import isfinite, nan
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["assignments"]


_SMALLEST: Final = 1e-300
_LARGEST: Final = 1e300
"""Sizes of numbers, as in model files."""


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
        if not _kept(number, value):
            raise typer.TyperException(
                f"{option} {one}: a number is 0 or between {_SMALLEST:g} and {_LARGEST:g} in size"
            )
        if name in found:
            raise typer.TyperException(f"{option} {one}: '{name}' has a value already")
        found[name] = number
    return found


def _kept(number: float, text: str) -> bool:
    """Return whether a number has the size that was meant: a tiny one is read as zero."""
    if number:
        return _SMALLEST <= abs(number) <= _LARGEST
    mantissa = re.split("[eE]", text)[0]
    return not re.search("[1-9]", mantissa)
