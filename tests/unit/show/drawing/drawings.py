"""What tests of drawings share: drawings of texts, and the numbers in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import mbx
from mbx.show.drawing.collect import collect
from mbx.show.drawing.drawing_hints import hints_of
from mbx.show.drawing.picture import picture
from mbx.show.drawing.pose import pose_of
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from mbx.show.drawing.picture import Drawing
    from mbx.show.drawing.scene import Scene

__all__ = ["PENDULUM", "alike", "drawing", "numbers", "scene", "tags", "texts", "tree"]

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_SPACE = "{http://www.w3.org/2000/svg}"

PENDULUM = """mbx 1
model P "A pendulum" {
  param l: m = 2, m: kg = 1, g: m/s^2 = 9.81
  coordinate th: rad = 0.5 latex "\\\\theta"
  body rod {
    mass m
    com [0, -l/2, 0]
    inertia m*l^2/12 about z
    joint revolute(ground, axis = z, angle = th)
  }
  gravity [0, -g, 0]
  state level { th = pi/2 }
}
"""


def drawing(text: str, **options: Any) -> Drawing:
    """Return the drawing of the main model of a text."""
    document = mbx.loads(text)
    return picture(document, mbx.link(document), **options)


def scene(text: str, state: str | None = None) -> Scene:
    """Return what there is to see of the main model of a text."""
    document = mbx.loads(text)
    linked = mbx.link(document)
    system = elaborate(linked)
    hints = hints_of(document, linked.model.name)
    return collect(linked, system, pose_of(system, state), hints)


def tree(svg: str) -> ET.Element:
    """Return the elements of a drawing."""
    return ET.fromstring(svg)  # noqa: S314  it is our own


def tags(svg: str) -> list[str]:
    """Return the names of all elements of a drawing."""
    return [one.tag.removeprefix(_SPACE) for one in tree(svg).iter()]


def texts(svg: str) -> list[str]:
    """Return what is written in a drawing."""
    return ["".join(one.itertext()) for one in tree(svg).iter(f"{_SPACE}text")]


def numbers(svg: str) -> list[float]:
    """Return all numbers of a drawing."""
    return [float(x) for x in _NUMBER.findall(svg)]


def alike(one: str, other: str) -> bool:
    """Return whether two drawings have the same elements, in places that differ by a pixel."""
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = zip(numbers(one), numbers(other), strict=True)
    return all(abs(a - b) <= 1 for a, b in pairs)
