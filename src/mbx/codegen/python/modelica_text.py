"""Texts of a model in Modelica: descriptions, which are strings, and units."""

from __future__ import annotations

import re
from typing import Final

from mbx.codegen.code_syntax import inert

__all__ = ["described", "unit_text"]

_FACTOR: Final = re.compile(r"([A-Za-z]+)(?:\^(-?[0-9]+))?|1")


def described(text: str) -> str:
    r"""Return a text as a Modelica string; quotes and backslashes are written `\"` and `\\`."""
    return '"' + inert(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def unit_text(unit: str) -> str:
    """Return a unit as Modelica writes it, `kg.m2/(s3.A)`; "" for one that it does not know.

    It has one division, whole exponents, and no sign for powers.
    """
    top, *bottom = unit.split("/")
    factors = [top.split("*"), [one for part in bottom for one in part.split("*")]]
    texts = []
    for part in factors:
        found = [_FACTOR.fullmatch(one) for one in part]
        if not all(found):
            return ""
        names = [f"{one[1]}{one[2] or ''}" for one in found if one and one[1]]
        texts.append(".".join(names))
    above, below = texts
    if "." in below:
        below = f"({below})"
    return f"{above or '1'}/{below}" if below else above or "1"
