"""Marks on paper: their order, the area they cover, and the labels that are not placed yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from mbx.show.drawing.marks.label_text import Label
    from mbx.show.drawing.view_direction import View

__all__ = ["Box", "Canvas", "Layer", "Position", "Wish"]

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom."""
Position: TypeAlias = tuple[float, float]


class Layer(IntEnum):
    """What lies on what, where depth does not decide."""

    GROUND = 0
    RAIL = 1
    BODY = 2
    LINE = 3
    JOINT = 4
    MASS = 5
    MEASURE = 6
    LABEL = 7


@dataclass(frozen=True, slots=True)
class Wish:
    """A label to put near one of several positions, and not nearer than a gap.

    `towards` is the side it should be on; labels with a lower `first` choose first.
    """

    label: Label
    positions: tuple[Position, ...]
    gap: float
    colour: str
    size: float = 12.0
    italic: bool = False
    towards: Position | None = None
    first: int = 2


@dataclass(slots=True)
class Canvas:
    """The paper.

    `boxes` are taken by symbols and labels, `strokes` are lines that labels should not cover.
    `pins` and `arcs` are where joints and arcs of angles are, `depths` those of bodies; `stands`
    are the sides of positions on which their stands are, which the drawings of a motion share.
    """

    view: View
    width: float
    height: float
    thick: float
    marks: list[tuple[float, float, int, str]] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    strokes: list[tuple[Position, Position, float]] = field(default_factory=list)
    wishes: list[Wish] = field(default_factory=list)
    pins: list[Position] = field(default_factory=list)
    arcs: list[Position] = field(default_factory=list)
    depths: dict[str, float] = field(default_factory=dict)
    stands: dict[Position, Position] | None = None

    def over(self, depth: float, *paths: str | None) -> float:
        """Return the depth of a mark that lies on bodies."""
        return max(depth, *(self.depths.get(path or "", depth) for path in paths))

    def add(self, layer: Layer, depth: float, mark: str) -> None:
        """Add a mark; what is nearer to the eye comes later."""
        between = Layer.GROUND < layer < Layer.MEASURE
        if self.view.flat or not between:
            key = (float(layer), 0.0)
        else:
            key = (float(Layer.BODY), depth + 5 * (layer - Layer.BODY) / self.view.scale)
        self.marks.append((*key, len(self.marks), mark))

    def take(self, x: float, y: float, r: float) -> None:
        """Keep labels away from a symbol."""
        self.boxes.append((x - r, y - r, x + r, y + r))

    def stroke(self, *points: Position, wide: float = 1.0) -> None:
        """Keep labels away from a line."""
        self.strokes.extend((a, b, wide) for a, b in pairwise(points))

    def ordered_marks(self) -> list[str]:
        """Return all marks, those behind first."""
        ordered = sorted(self.marks, key=lambda mark: (mark[0], round(mark[1], 9), mark[2]))
        return [mark for *_, mark in ordered]
