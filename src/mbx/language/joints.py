"""The kinds of joints: one record each, from which every stage takes what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from mbx.language import units
from mbx.language.units import ONE

if TYPE_CHECKING:
    from mbx.language.units import Dimension

__all__ = ["JOINTS", "MOTIONS", "SLOTS", "JointKind"]

Slot = Literal["axis", "scalar", "vector"]


@dataclass(frozen=True, slots=True)
class JointKind:
    """A kind of joint: how its second side M moves against its first side F, and how to write it.

    Attributes:
        translation: Where the origin of M goes, seen from F: nowhere, along the axis, in the
            plane across the axis, or anywhere.
        rotation: How M turns: not at all, about the axis, about two axes, or in any way.
        rows: The invariants (constraints) of the joint where it closes a loop.
        planar_rows: The same in a planar model.
        shape: The arguments that are always needed.
        motion: The arguments for how far it has moved: needed where the joint places a body,
            absent where it closes a loop.
        rotations: How many rotations follow the arguments.
    """

    translation: Literal["none", "axis", "plane", "any"]
    rotation: Literal["none", "axis", "axes", "any"]
    rows: int
    planar_rows: int
    shape: tuple[str, ...] = ()
    motion: tuple[str, ...] = ()
    rotations: Literal["none", "one", "any"] = "none"

    @property
    def freedoms(self) -> int:
        """The most freedoms that M has against F in space."""
        return 6 - self.rows

    @property
    def constrains(self) -> bool:
        """Whether its kind constrains M: not that of a `free` or `general` joint."""
        return self.rows > 0

    @property
    def shares_point(self) -> bool:
        """Whether the origins of F and M coincide."""
        return self.translation == "none"

    @property
    def keeps_plane(self) -> bool:
        """Whether every point of M stays in a plane across the axis."""
        return self.shares_axis and not self.slides

    @property
    def slides(self) -> bool:
        """Whether the origin of M stays on the axis, and may move along it."""
        return self.translation == "axis"

    @property
    def shares_axis(self) -> bool:
        """Whether M turns about one axis alone, which has the same direction on both sides."""
        return self.rotation == "axis"

    @property
    def threaded(self) -> bool:
        """Whether a pitch ties the way along the axis to the angle about it."""
        return "pitch" in self.shape


JOINTS: Final = {
    "fixed": JointKind("none", "none", 6, 3),
    "revolute": JointKind("none", "axis", 5, 2, ("axis",), ("angle",)),
    "prismatic": JointKind("axis", "none", 5, 2, ("axis",), ("distance",)),
    "screw": JointKind("axis", "axis", 5, 5, ("axis", "pitch"), ("angle",)),
    "cylindrical": JointKind("axis", "axis", 4, 4, ("axis",), ("angle", "distance")),
    "universal": JointKind("none", "axes", 4, 4, ("axis", "axis2"), ("angle", "angle2")),
    "spherical": JointKind("none", "any", 3, 2, rotations="one"),
    "planar": JointKind("plane", "axis", 3, 0, ("axis",), ("x", "y", "angle")),
    "free": JointKind("any", "any", 0, 0, motion=("move",), rotations="one"),
    "general": JointKind("any", "any", 0, 0, motion=("move",), rotations="any"),
}

_LENGTH: Final = units.parse("m").dimension

SLOTS: Final[dict[str, tuple[Slot, Dimension | None]]] = {
    "axis": ("axis", None),
    "axis2": ("axis", None),
    "angle": ("scalar", ONE),
    "angle2": ("scalar", ONE),
    "distance": ("scalar", _LENGTH),
    "pitch": ("scalar", _LENGTH),
    "x": ("scalar", _LENGTH),
    "y": ("scalar", _LENGTH),
    "move": ("vector", _LENGTH),
}
"""The sort and the dimension of each argument."""

MOTIONS: Final = ("angle", "angle2", "distance", "x", "y")
"""The motions that are scalars, each of which may be a coordinate."""
