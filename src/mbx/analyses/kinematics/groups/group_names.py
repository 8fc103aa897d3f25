"""The groups that the paper names, recognised by their bodies, pairs and drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mbx.analyses.kinematics.groups.decompose import Chain
    from mbx.analyses.kinematics.natural.natural_view import View

__all__ = ["GENERIC", "named"]

GENERIC: Final = "generic"
_PLANE: Final = 3


def named(view: View, chain: Chain) -> str:
    """Return the name of a group: 1R, 3R, RRPR, 1R3D, 2E1P, or that it has none.

    RRPR is the dyad of two bodies, two revolute pairs and a prismatic one in some order, a bar
    that slides through a rocker being the paper's.
    """
    count = chain.count
    kinds = sorted(tie.kind for tie in chain.ties if tie.kind != "motion")
    if any(v in view.mechanism.alone for v in chain.vertices):
        return GENERIC
    if (count.bodies, kinds) == (1, ["revolute"]) and count.driven == 1:
        return "1R" if count.B == _PLANE else "1R3D"
    if count.B == _PLANE and count.bodies == 2 and count.driven == 0:  # noqa: PLR2004
        if kinds == ["revolute"] * 3:
            return "3R"
        if kinds == ["prismatic", "revolute", "revolute"]:
            return "RRPR"
    rod = ["invariant", "prismatic", "spherical", "spherical"]
    return "2E1P" if (count.bodies, count.driven, kinds) == (2, 1, rod) else GENERIC
