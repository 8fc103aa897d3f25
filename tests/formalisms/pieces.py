"""What random models are made of, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formalisms.poses import Array, Pose

__all__ = ["Body", "Coordinate", "Level", "Motion", "number", "vector"]


@dataclass(eq=False)
class Level:
    """A model or subsystem: its statements and where it stands; `bound` is in parentheses."""

    path: str
    lines: list[str] = field(default_factory=list)
    bound: list[str] = field(default_factory=list)
    levels: list[Level] = field(default_factory=list)

    def text(self) -> str:
        """Return the statements, with those of the levels below."""
        parts = list(self.lines)
        for one in self.levels:
            name = one.path.split(".")[-1]
            bound = f"({', '.join(one.bound)})" if one.bound else ""
            parts.append(f"subsystem {name}{bound} {{\n{one.text()}\n}}")
        return "\n".join(parts)

    def sees(self, path: str) -> str:
        """Return a path of the whole model as this level says it."""
        return path.removeprefix(f"{self.path}.") if self.path else path


@dataclass(frozen=True)
class Coordinate:
    """A coordinate, with its start; `free` until a definition has taken its rate."""

    path: str
    unit: str
    start: float
    level: Level
    part_of_quaternion: bool = False

    @property
    def pure(self) -> str:
        """The coordinate as a pure number."""
        return self.path if self.unit == "rad" else f"{self.path}/(1 m)"

    def rate(self, primes: int = 1) -> str:
        """Return a rate, over the coordinate's unit."""
        name = self.path + "'" * primes
        return name if self.unit == "rad" else f"{name}/(1 m)"


@dataclass(frozen=True, eq=False)
class Body:
    """A body with a frame: its pose at the start, its mass centre there, what moves it."""

    path: str
    level: Level
    pose: Pose
    com: Array
    movers: frozenset[str]
    planar: bool
    joint: str = ""


@dataclass(frozen=True)
class Motion:
    """An expression and its value at the start, at t = 0."""

    text: str
    value: float
    movers: frozenset[str] = frozenset()


def number(x: float, unit: str = "") -> str:
    """Return a number as it is written, negative ones in parentheses."""
    text = repr(float(x))
    if not {".", "e"} & set(text):
        text += ".0"
    text += f" {unit}" if unit else ""
    return f"({text})" if x < 0 else text


def vector(x: Array, unit: str = "") -> str:
    """Return a bracket."""
    return f"[{', '.join(number(float(a), unit) for a in x)}]"
