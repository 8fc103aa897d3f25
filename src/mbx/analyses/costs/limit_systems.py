"""Limit systems as models: trees of equal links, with hinges of one to six freedoms.

All links are alike and nothing of them is special: the mass centre lies on no axis, the tensor
of inertia is full, and the hinges on a link are turned against its own, so that no two following
axes are parallel. No load acts, for the published estimates leave free terms out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.costs.topologies import Tree

__all__ = ["model_text"]

_HINGES: Final[Mapping[int, str]] = {
    1: "revolute({on}, axis = z, angle = {a})",
    2: "universal({on}, axis = z, axis2 = x, angle = {a}, angle2 = {b})",
    3: "spherical({on}, euler zxy by ({a}, {b}, {c}))",
    4: "general({on}, move = [{x}, 0, 0], euler zxy by ({a}, {b}, {c}))",
    5: "general({on}, move = [{x}, {y}, 0], euler zxy by ({a}, {b}, {c}))",
    6: "free({on}, move = [{x}, {y}, {z}], euler zxy by ({a}, {b}, {c}))",
}
_ANGLES: Final = ("a", "b", "c")
_MOVES: Final = ("x", "y", "z")


def model_text(tree: Tree, name: str = "Tree") -> str:
    """Return a model of a tree whose hinges have one freedom or more."""
    lines = [
        "mbx 1",
        "",
        f"model {name} {{",
        "  param m: kg = 1.7, X: m = 0.31, Y: m = 0.17, Z: m = 0.23",
        "  param u: m = 0.13, v: m = 0.07, w: m = 0.11",
        "  param Ixx: kg*m^2 = 0.51, Iyy: kg*m^2 = 0.63, Izz: kg*m^2 = 0.72",
        "  param Ixy: kg*m^2 = 0.03, Ixz: kg*m^2 = -0.02, Iyz: kg*m^2 = 0.05",
    ]
    for i, (parent, freedoms) in enumerate(zip(tree.parents, tree.freedoms, strict=True), 1):
        angles = [f"{letter}{i}" for letter in _ANGLES[:freedoms]]
        moves = [f"{letter}{i}" for letter in _MOVES[: max(0, freedoms - len(_ANGLES))]]
        names = dict(
            zip(
                (*_ANGLES, *_MOVES), (f"{letter}{i}" for letter in (*_ANGLES, *_MOVES)), strict=True
            )
        )
        on = (
            f"B{parent} at [X, Y, Z] quaternion(w = 0.5, x = 0.5, y = 0.5, z = 0.5)"
            if parent
            else "ground"
        )
        hinge = _HINGES[freedoms].format(on=on, **names)
        lines += [
            *(f"  coordinate {angle}: rad = 0.4" for angle in angles),
            *(f"  coordinate {move}: m = 0.2" for move in moves),
            f"  body B{i} {{",
            "    mass m",
            "    com [u, v, w]",
            "    inertia tensor(Ixx, Iyy, Izz, Ixy, Ixz, Iyz)",
            f"    joint {hinge}",
            "  }",
        ]
    return "\n".join([*lines, "}", ""])
