"""The functions of the language: a closed table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["FUNCTIONS", "Builtin"]

Rule = Literal["pure", "same", "root", "sign", "angle", "geometry"]


@dataclass(frozen=True, slots=True)
class Builtin:
    """How many arguments a function takes, and what happens to dimensions.

    pure: pure numbers to a pure number; same: all of one dimension, kept; root: the square
    root of the dimension; sign: any dimension to a pure number; angle: two of one dimension
    to a pure number; geometry: by a rule of its own.
    """

    rule: Rule
    least: int = 1
    most: int = 1


FUNCTIONS: Final[dict[str, Builtin]] = {
    **dict.fromkeys(
        (
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "exp",
            "log",
        ),
        Builtin("pure"),
    ),
    "atan2": Builtin("angle", 2, 2),
    "sqrt": Builtin("root"),
    "abs": Builtin("same"),
    "sign": Builtin("sign"),
    "min": Builtin("same", 2, 64),
    "max": Builtin("same", 2, 64),
    "dot": Builtin("geometry", 2, 2),
    "cross": Builtin("geometry", 2, 2),
    "norm": Builtin("geometry"),
    "unit": Builtin("geometry"),
    "velocity": Builtin("geometry"),
    "acceleration": Builtin("geometry"),
    "omega": Builtin("geometry"),
    "ddt": Builtin("geometry"),
    "diff": Builtin("geometry", 2, 2),
    "diag": Builtin("geometry", 3, 3),
    "tensor": Builtin("geometry", 6, 6),
}
