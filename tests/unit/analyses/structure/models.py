"""Small models whose structure is known by hand."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import mbx
from mbx.linking.library import cases

if TYPE_CHECKING:
    from mbx.analyses.structure.structure_report import Structure

__all__ = ["PLANE", "library", "structure"]

PLANE = """
coordinate x: m = 0.3, y: m = 0.7
param m: kg = 1
particle P { mass m  at [x, y, 0] }
"""
_ROLLER = """
coordinate x: m = 0.3, y: m = 0.7, th: rad = 0, phi: rad = 0.2, a: rad = 0, b: rad = 0
param r: m = 0.3
particle P { mass 1 kg  at [x, y, 0] }
particle Q { mass 1 kg  at [r*th, r*phi, 0] }
particle S { mass 1 kg  at [r*a, r*b, 0] }
"""


@cache
def structure(body: str, before: str = _ROLLER) -> Structure:
    """Return the structure of a model that has these statements."""
    return mbx.structure(mbx.loads(f"mbx 1\nmodel M {{\n{before}\n{body}\n}}\n"))


@cache
def library(name: str, model: str | None = None) -> Structure:
    """Return the structure of a case of the library."""
    (folder,) = (case for case in cases() if case.name == name)
    return mbx.structure(mbx.read(folder / "model.mb"), model=model)
