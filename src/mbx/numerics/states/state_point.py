"""A state of a model in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["StatePoint"]


@dataclass(frozen=True, slots=True)
class StatePoint:
    """A state in numbers: time, and every variable by path."""

    name: str
    t: float
    values: Mapping[str, float]
