"""Results of small motions: eigenvalues by mode, entries of the matrices, stability."""

from __future__ import annotations

import re
from math import nan
from typing import TYPE_CHECKING, Final

from mbx.analyses.linearize.modes import growth
from mbx.analyses.study.study_errors import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.analyses.linearize.linear_system import Linear
    from mbx.analyses.linearize.modes import Mode
    from mbx.analyses.study.setting import Cell

__all__ = ["LINEAR", "is_linear", "linear_cell", "linear_defaults", "linear_unit"]

_MODAL: Final[Mapping[str, Callable[[Mode], float | None]]] = {
    "re": lambda mode: mode.value.real,
    "im": lambda mode: mode.value.imag,
    "frequency": lambda mode: mode.frequency,
    "damping": lambda mode: mode.damping,
    "period": lambda mode: mode.period,
}
_UNITS: Final = {"re": "1/s", "im": "1/s", "frequency": "rad/s", "damping": "1", "period": "s"}
_MODE: Final = re.compile(rf"({'|'.join(_MODAL)})\(([1-9][0-9]{{0,3}})\)")
_ENTRY: Final = re.compile(r"([AB])\(\s*([^,]+?)\s*,\s*([^,]+?)\s*\)")
LINEAR: Final = ("stability", "growth", "re(1)", "im(1)", "frequency(1)", "damping(1)", "period(1)")
"""What can be requested, with modes by their numbers, the slowest first."""


def is_linear(text: str, states: set[str], inputs: set[str]) -> bool:
    """Return whether a text is a result of small motions; a name in it must be there."""
    entry = _ENTRY.fullmatch(text)
    if entry is None:
        return text in {"stability", "growth"} or _MODE.fullmatch(text) is not None
    matrix, row, column = entry.groups()
    for name, known in ((row, states), (column, states if matrix == "A" else inputs)):
        if name not in known:
            raise unknown("variable" if known is states else "input", name, known)
    return True


def linear_unit(text: str) -> str:
    """Return the unit of a result of small motions; "" where it has none."""
    mode = _MODE.fullmatch(text)
    if mode is not None:
        return _UNITS[mode[1]]
    return "1/s" if text == "growth" else ""


def linear_cell(linear: Linear | None, text: str) -> Cell:
    """Return a result; NaN where there is no such mode, or the variable is not independent."""
    if text == "stability":
        return "unknown" if linear is None else linear.stability
    if linear is None:
        return nan
    if text == "growth":
        return growth(linear.A)
    entry = _ENTRY.fullmatch(text)
    if entry is not None:
        matrix, row, column = entry.groups()
        columns = linear.x if matrix == "A" else linear.inputs
        if row not in linear.x or column not in columns:
            return nan
        table = linear.A if matrix == "A" else linear.B
        return float(table[linear.x.index(row), columns.index(column)])
    mode = _MODE.fullmatch(text)
    if mode is None or int(mode[2]) > len(linear.modes):
        return nan
    value = _MODAL[mode[1]](linear.modes[int(mode[2]) - 1])
    return nan if value is None else float(value)


def linear_defaults(linear: Linear) -> list[str]:
    """Return the results of small motions where none are requested."""
    each = ("re", "im", "frequency", "damping")
    numbers = range(1, len(linear.modes) + 1)
    return ["stability", "growth", *(f"{name}({k})" for k in numbers for name in each)]
