"""Situations in which a fault is found where equations are derived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import mbx
from conformance.conformance_files import findings
from mbx.base.errors import SourceError
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["input_in_an_invariant", "order_that_is_lost", "variable_that_nothing_determines"]

_CART: Final = """mbx 1
model Cart {{
  coordinate x: m
  particle P {{ mass 1 kg  at [x, 0, 0] }}
  {}
}}
"""
_ORDER_2: Final = "variable a: m/s^2 of order 2\n  "


def _codes(folder: Path, statements: str) -> list[str]:
    path = folder / "cart.mb"
    path.write_text(_CART.format(statements), "utf-8")
    found = [one.code for one in findings(path)]
    try:
        elaborate(mbx.link(mbx.read(path)))
    except SourceError as error:
        found += [one.code for one in error.report]
    return found


def input_in_an_invariant(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    """Make an input whose rates would be accelerations."""
    del patch
    pull = f"{'input' if wrong else 'let'} pull: m = -0.5*x"
    return _codes(folder, f"coordinate y: m\n  {pull}\n  invariant follow: y = pull")


def variable_that_nothing_determines(
    folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool
) -> list[str]:
    """Make a quasi-acceleration that is named by an invariant with a reaction alone."""
    del patch
    return _codes(folder, f"{_ORDER_2}invariant i: a = x''{' reaction R' if wrong else ''}")


def order_that_is_lost(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    """Make a quasi-acceleration that stands for a velocity."""
    del patch
    right = "x'/(1 s)" if wrong else "x''"
    return _codes(folder, f"{_ORDER_2}define a = {right}")
