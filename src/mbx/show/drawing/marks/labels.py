"""Where labels go: near what they name, on nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.show.drawing.marks import svg
from mbx.show.drawing.marks.canvas import Layer
from mbx.show.drawing.marks.label_text import text_width

if TYPE_CHECKING:
    from mbx.show.drawing.marks.canvas import Box, Canvas, Wish
    from mbx.show.drawing.scene import Array

__all__ = ["overlap", "place_labels"]

_WAYS: Final = 16
_STEPS: Final = (0.0, 6.0, 14.0, 24.0, 38.0)
_EDGE: Final = 5.0
_OUTSIDE: Final = 40.0
_HIGH: Final = 0.78
"""Height of capital letters and a little more, as a part of the size of a font."""


def overlap(a: Box, b: Box) -> float:
    """Return the area that two boxes share."""
    wide = min(a[2], b[2]) - max(a[0], b[0])
    high = min(a[3], b[3]) - max(a[1], b[1])
    return max(0.0, wide) * max(0.0, high)


def place_labels(canvas: Canvas) -> list[Box]:
    """Draw all labels where they cover least; return the boxes that they take."""
    strokes = _samples(canvas) if canvas.wishes else np.zeros((0, 3))
    symbols = np.array(canvas.boxes).reshape(-1, 4)
    taken: list[Box] = []
    for wish in sorted(canvas.wishes, key=lambda wish: wish.first):
        boxes, far = _candidates(wish)
        cost = far + _covering_cost(boxes, symbols, np.array(taken).reshape(-1, 4), strokes)
        cost += _OUTSIDE * _outside(boxes, canvas.width, canvas.height)
        left, top, right, bottom = (float(x) for x in boxes[int(np.argmin(np.round(cost, 2)))])
        taken.append((left, top, right, bottom))
        baseline = bottom - _below(wish) - 1
        mark = svg.text(wish.label, left, baseline, wish.size, wish.colour, italic=wish.italic)
        canvas.add(Layer.LABEL, 0.0, mark)
    return taken


def _below(wish: Wish) -> float:
    """Return how far a label goes below its line."""
    return wish.size * 0.22 if any(below for _, below in wish.label) else 0.0


def _candidates(wish: Wish) -> tuple[Array, Array]:
    """Return boxes around the positions of a label, and how far each is from the best position."""
    wide = text_width(wish.label, wish.size)
    high = wish.size * _HIGH + _below(wish) + 2
    angle = 2 * np.pi * np.arange(_WAYS) / _WAYS - np.pi / 2
    u = np.column_stack([np.cos(angle), np.sin(angle)])
    # the box touches the circle of the gap with its nearest side or corner
    reach = wish.gap + np.abs(u[:, 0]) * wide / 2 + np.abs(u[:, 1]) * high / 2
    off = np.zeros(_WAYS)
    if wish.towards is not None and np.hypot(*wish.towards) > 0:
        off = 6.0 * (1 - u @ np.array(wish.towards) / np.hypot(*wish.towards))
    steps = np.array(_STEPS)
    away = u[:, None, :] * (reach[:, None] + steps)[:, :, None]
    centres = (np.array(wish.positions)[:, None, None, :] + away).reshape(-1, 2)
    rank = 1.5 * np.arange(len(wish.positions))
    far = (rank[:, None, None] + off[:, None] + 0.55 * steps).reshape(-1)
    half = np.array([wide / 2, high / 2])
    return np.column_stack([centres - half, centres + half]), far


def _samples(canvas: Canvas) -> Array:
    """Return points along all lines, a few pixels apart, each with half the width of its line."""
    samples = [np.zeros((0, 3))]
    for a, b, wide in canvas.strokes:
        count = max(2, int(np.hypot(b[0] - a[0], b[1] - a[1]) / 4) + 1)
        part = np.linspace(0, 1, count)[:, None]
        points = np.array(a) + part * (np.array(b) - np.array(a))
        samples.append(np.column_stack([points, np.full(count, wide / 2)]))
    return np.concatenate(samples)


def _covering_cost(boxes: Array, symbols: Array, taken: Array, strokes: Array) -> Array:
    """Return how bad what boxes cover is: other labels, then lines, then symbols."""
    cost = 3.0 * _shared_area(boxes + np.array([-2, -1.5, 2, 1.5]), taken)
    cost += 0.35 * _shared_area(boxes, symbols)
    x, y, half = strokes.T
    inside = (x > boxes[:, :1] - half) & (x < boxes[:, 2:3] + half)
    inside &= (y > boxes[:, 1:2] - half) & (y < boxes[:, 3:] + half)
    return np.asarray(cost + 4.0 * inside.sum(axis=1))


def _shared_area(boxes: Array, obstacles: Array) -> Array:
    """Return the area that each box shares with all obstacles."""
    low = np.maximum(boxes[:, None, :2], obstacles[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], obstacles[None, :, 2:])
    return np.asarray(np.clip(high - low, 0, None).prod(axis=2).sum(axis=1))


def _outside(boxes: Array, width: float, height: float) -> Array:
    """Return by how much boxes are too near to the edges of the paper."""
    near = np.clip(_EDGE - boxes[:, :2], 0, None).sum(axis=1)
    far = np.clip(boxes[:, 2:] - (np.array([width, height]) - _EDGE), 0, None).sum(axis=1)
    return np.asarray(near + far)
