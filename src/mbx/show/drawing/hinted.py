"""The shapes of hints, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.errors import MbxError
from mbx.language.text.expression_rules import parse_expression
from mbx.show.drawing.pose import DrawError
from mbx.show.drawing.scene import unit
from mbx.show.drawing.solids import Solid, around
from mbx.system.kinematics.frames import GROUND, Frame

if TYPE_CHECKING:
    from mbx.show.drawing.drawing_hints import Shape
    from mbx.show.drawing.pose import Pose
    from mbx.show.drawing.scene import Array
    from mbx.show.drawing.seen_joints import Names
    from mbx.system.lower_expressions import Lowering
    from mbx.system.world import Element

__all__ = ["solid_of"]

_SAMPLES: Final = 73
_AXES: Final = {"x": 0, "y": 1, "z": 2}


def solid_of(
    shape: Shape, lowering: Lowering, body: Element | None, pose: Pose, names: Names
) -> Solid:
    """Return the shape of a hint, in numbers."""
    frame = GROUND if body is None or body.frame is None else body.frame
    here = _Hint(shape, lowering.inside(frame), frame, pose)
    arguments = shape.arguments
    R = pose.matrix(frame.R)
    if shape.shape == "trace":
        points = here.trace(names)
        return Solid("curve", points.mean(axis=0), R, points=points)
    if shape.shape in {"bar", "line", "spring", "damper"}:
        points = np.array([here.point("from"), here.point("to")])
        return Solid(_kind(shape.shape), points.mean(axis=0), R, points=points)
    if shape.shape == "cone":
        apex, base = here.point("from"), here.point("to")
        r = here.length(arguments["radius"], "radius")
        axis = unit(base - apex)
        return Solid("cone", base, around(axis, R), np.array([r, r, np.linalg.norm(base - apex)]))
    if shape.shape in {"curve", "plate"}:
        positions = arguments["through"]
        if not isinstance(positions, list):
            raise here.wrong("through")
        points = np.array([here.position(each, "through") for each in positions])
        kind = "face" if shape.shape == "plate" else shape.shape
        return Solid(_kind(kind), points.mean(axis=0), R, points=points)
    default = frame.origin.p if body is None or not body.placed else body.com.p
    centre = here.point("at") if "at" in arguments else pose.of(default)
    if shape.shape in {"pin", "support"}:
        return Solid(_kind(shape.shape), centre, R)
    if shape.shape in {"box", "ellipsoid"}:
        size = arguments["size"]
        if not isinstance(size, list) or len(size) != len(_AXES):
            raise here.wrong("size")
        half = np.array([here.length(s, "size") for s in size]) / 2
        return Solid(_kind(shape.shape), centre, R, half)
    r = here.length(arguments["radius"], "radius")
    if shape.shape == "ball":
        return Solid("ball", centre, R, np.full(3, r))
    axis = here.direction("axis") if "axis" in arguments else R[:, 2]
    long = here.length(arguments["length"], "length") / 2 if "length" in arguments else 0.0
    return Solid(_kind(shape.shape), centre, around(axis, R), np.array([r, r, long]))


def _kind(shape: str) -> Any:
    return shape


@dataclass(frozen=True, slots=True)
class _Hint:
    """Reads the positions and sizes of a hint."""

    shape: Shape
    lowering: Lowering
    frame: Frame
    pose: Pose

    def wrong(self, name: str) -> DrawError:
        return DrawError(f"'{name}' of a {self.shape.shape} cannot be understood")

    def point(self, name: str) -> Array:
        return self.position(self.shape.arguments[name], name)

    def position(self, value: Any, name: str) -> Array:
        if isinstance(value, str):
            return self._finite(self.pose.of(self._lower(value, name, "point").p), name)
        if not isinstance(value, list) or len(value) != len(_AXES):
            raise self.wrong(name)
        parts = np.array([self._scalar(each, name) for each in value])
        offset = self.pose.matrix(self.frame.R) @ parts
        return np.asarray(self.pose.of(self.frame.origin.p) + offset)

    def trace(self, names: Names) -> Array:
        """Return the positions of a point as a coordinate goes from a first to a last value."""
        point = self._lower(str(self.shape.arguments["point"]), "point", "point")
        symbol = self._lower(str(self.shape.arguments["by"]), "by", "scalar")
        if symbol not in names or not names[symbol].moves:
            raise self.wrong("by")
        ends = [self._scalar(self.shape.arguments[name], name) for name in ("from", "to")]
        here = self.pose.with_values({symbol: np.linspace(ends[0], ends[1], _SAMPLES)})
        return self._finite(here.many(list(point.p), _SAMPLES), "point")

    def length(self, value: Any, name: str) -> float:
        length = abs(self._scalar(value, name))
        if not length > 0:
            raise self.wrong(name)
        return length

    def direction(self, name: str) -> Array:
        value = self.shape.arguments[name]
        if not isinstance(value, str):
            raise self.wrong(name)
        text = value.removeprefix("-")
        if text in _AXES:
            sign = -1 if value.startswith("-") else 1
            return sign * self.pose.matrix(self.frame.R)[:, _AXES[text]]
        direction = unit(self._finite(self.pose.of(self._lower(value, name, "vector")), name))
        if not direction.any():
            raise self.wrong(name)
        return direction

    def _scalar(self, value: Any, name: str) -> float:
        if isinstance(value, str):
            node = self._lower(value, name, "scalar")
            value = self._finite(self.pose.of([node]), name)[0]
        return float(value)

    def _finite(self, values: Array, name: str) -> Array:
        if not np.isfinite(values).all():
            raise self.wrong(name)
        return values

    def _lower(self, text: str, name: str, sort: str) -> Any:
        """Return an expression of the model; nothing was checked before, so all may fail."""
        try:
            return getattr(self.lowering, sort)(parse_expression(text))
        except (MbxError, AttributeError, KeyError, TypeError, ValueError, RecursionError):
            raise self.wrong(name) from None
