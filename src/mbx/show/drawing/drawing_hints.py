"""The hints of a model for its drawing: `ext "org.mbx.draw" { … }`.

    view     "x", "y", "z", "iso", or [azimuth, elevation] in degrees
    state    the state that is drawn unless another is requested
    up       "x", "-x", …: the axis of ground that points up on the paper
    hide     names of bodies without a label, and of points, frames and joints without a mark
    marks    false: no named points and frames
    rods     false: no lines between points that keep their distance
    shapes   a list; each has a `shape`, perhaps a body it is `of`, and positions and sizes

Positions and sizes are numbers in SI units, or texts that are expressions of the main model; a
bracket has components in the frame of the body, or of the ground.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from mbx.show.drawing.pose import DrawError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.language.document.document import Document

__all__ = ["KEY", "SHAPES", "Hints", "Shape", "hints_of", "parse_view"]

KEY: Final = "org.mbx.draw"
SHAPES: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "disc": (frozenset({"radius"}), frozenset({"at", "axis"})),
    "ring": (frozenset({"radius"}), frozenset({"at", "axis"})),
    "ball": (frozenset({"radius"}), frozenset({"at"})),
    "box": (frozenset({"size"}), frozenset({"at"})),
    "ellipsoid": (frozenset({"size"}), frozenset({"at"})),
    "cylinder": (frozenset({"radius", "length"}), frozenset({"at", "axis"})),
    "pin": (frozenset({"at"}), frozenset()),
    "support": (frozenset({"at"}), frozenset()),
    "cone": (frozenset({"from", "to", "radius"}), frozenset()),
    "bar": (frozenset({"from", "to"}), frozenset()),
    "line": (frozenset({"from", "to"}), frozenset()),
    "spring": (frozenset({"from", "to"}), frozenset()),
    "damper": (frozenset({"from", "to"}), frozenset()),
    "curve": (frozenset({"through"}), frozenset()),
    "trace": (frozenset({"point", "by", "from", "to"}), frozenset()),
    "plate": (frozenset({"through"}), frozenset()),
}
"""The arguments that each shape needs, and those that it may have."""
_AXES: Final = frozenset({"x", "y", "z", "-x", "-y", "-z"})
_MOST: Final = 200
"""Shapes of a model, and points of a shape."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape as written: positions, directions and sizes are not yet numbers."""

    shape: str
    of: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints for a drawing."""

    view: str | tuple[float, float] | None = None
    up: str | None = None
    hide: frozenset[str] = frozenset()
    shapes: tuple[Shape, ...] = ()
    rods: bool = True
    state: str | None = None
    marks: bool = True


def hints_of(document: Document, model: str) -> Hints:
    """Return the hints of a model of a document, or raise an error that names what is wrong."""
    for candidate in document.models:
        if candidate.name == model:
            for statement in candidate.body:
                if statement.kind == "ext" and statement.key == KEY:
                    return _read(statement.value)
    return Hints()


def _read(value: Mapping[str, Any]) -> Hints:
    unknown = sorted(set(value) - {"view", "up", "hide", "shapes", "rods", "state", "marks"})
    if unknown:
        raise _wrong(f"there is no hint '{unknown[0]}'")
    view = value.get("view")
    up = value.get("up")
    if up is not None and up not in _AXES:
        raise _wrong("'up' is x, y or z, or a negative of these")
    hide = value.get("hide", [])
    if not isinstance(hide, list) or not all(isinstance(name, str) for name in hide):
        raise _wrong("'hide' is a list of names")
    state = value.get("state")
    if state is not None and not isinstance(state, str):
        raise _wrong("'state' is the name of a state")
    for name in ("rods", "marks"):
        if not isinstance(value.get(name, True), bool):
            raise _wrong(f"'{name}' is true or false")
    shapes = value.get("shapes", [])
    if not isinstance(shapes, list) or len(shapes) > _MOST:
        raise _wrong(f"'shapes' is a list of at most {_MOST}")
    return Hints(
        None if view is None else _view(view),
        up,
        frozenset(hide),
        tuple(_shape(shape) for shape in shapes),
        value.get("rods", True),
        state,
        value.get("marks", True),
    )


def _view(value: Any) -> str | tuple[float, float]:
    if isinstance(value, str):
        return parse_view(value)
    numbers = isinstance(value, list) and [v for v in value if _is_number(v)]
    if not numbers or len(numbers) != len(value) or len(value) != len(("azimuth", "elevation")):
        raise _wrong("'view' is x, y, z, iso, or two angles in degrees")
    return float(numbers[0]), float(numbers[1])


def parse_view(text: str) -> str | tuple[float, float]:
    """Return a view as written: a letter, `iso`, or `AZ,EL` in degrees."""
    if text in {"x", "y", "z", "iso"}:
        return text
    parts = text.split(",")
    try:
        azimuth, elevation = (float(part) for part in parts)
    except ValueError:
        raise DrawError(f"a view is x, y, z, iso, or AZ,EL in degrees, not '{text}'") from None
    if not (isfinite(azimuth) and abs(elevation) <= 90):  # noqa: PLR2004  straight up or down
        raise DrawError("an elevation is from -90 to 90 degrees")
    return azimuth, elevation


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _shape(value: Any) -> Shape:
    if not isinstance(value, dict) or value.get("shape") not in SHAPES:
        raise _wrong(f"a shape is one of {', '.join(SHAPES)}")
    kind = value["shape"]
    needed, allowed = SHAPES[kind]
    arguments = {name: each for name, each in value.items() if name not in {"shape", "of"}}
    for name in sorted(needed - set(arguments)):
        raise _wrong(f"a {kind} needs '{name}'")
    for name in sorted(set(arguments) - needed - allowed):
        raise _wrong(f"a {kind} has no '{name}'")
    of = value.get("of")
    if of is not None and not isinstance(of, str):
        raise _wrong("'of' is the name of a body")
    for name, each in arguments.items():
        items = each if isinstance(each, list) else [each]
        if len(items) > _MOST or not all(isinstance(x, str) or _is_number(x) for x in items):
            raise _wrong(f"'{name}' of a {kind} is made of numbers and expressions")
    return Shape(kind, of, arguments)


def _wrong(what: str) -> DrawError:
    return DrawError(f'ext "{KEY}": {what}')
