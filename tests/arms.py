"""Arms and chains on which operations are counted, as models: `arm(name)` is the text of one.

The data are in `data/arms_and_chains.json`; of chains also the rule is there, so that they come
in any length. Every hinge has an input as its torque. Link frames whose pose is a signed
permutation are given up for axes parallel to the ground's: the numbers stay, and no quarter
turns are left that floats could not say.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import mbx
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.system.system import System

__all__ = ["arm", "arm_state", "arm_system", "data", "described"]

_DATA: Final = Path(__file__).parent / "data" / "arms_and_chains.json"
_PERMUTATION: Final = 3  # entries that are not zero


@cache
def data() -> dict[str, Any]:
    """Return the data as they are kept."""
    found: dict[str, Any] = json.loads(_DATA.read_text("utf-8"))
    return found


def _chain(n: int, *, spatial: bool) -> dict[str, Any]:
    links = []
    for i in range(n):
        mass = 1 + 0.01 * i
        axis = [0, 1, 0] if spatial and i % 2 else [0, 0, 1]
        links.append(
            {
                "parent": i - 1,
                "axis": axis,
                "xyz": [0.5 if i else 0, 0, 0],
                "R": np.eye(3).tolist(),
                "mass": mass,
                "com": [0.25, 0, 0],
                "inertia": np.diag([mass * x for x in (0.002, 0.0208, 0.0209)]).tolist(),
            }
        )
    return {"gravity": [0, -9.81, 0], "links": links}


def described(name: str) -> dict[str, Any]:
    """Return an arm or a chain as data: gravity, and the links with their hinges."""
    if name in {"iiwa", "arm7gen"}:
        found: dict[str, Any] = data()[name]
        return found
    for kind in ("planar", "spatial"):
        if name.startswith(kind):
            return _chain(int(name.removeprefix(kind)), spatial=kind == "spatial")
    raise KeyError(name)


def _bracket(entries: Iterable[float], unit: str) -> str:
    return f"[{', '.join(f'{float(x)!r} [{unit}]' if x else '0' for x in entries)}]"


def arm(name: str) -> str:
    """Return the text of a model: iiwa, arm7gen, planarN or spatialN."""
    said = described(name)
    lines = ["mbx 1", "", "model Arm {"]
    axes: list[np.ndarray] = []
    for i, link in enumerate(said["links"]):
        above = link["parent"]
        B = np.eye(3) if above < 0 else axes[above]
        turned, own = _pose(np.array(link["R"], dtype=float), B)
        axes.append(own)
        along = own @ np.array(link["axis"], dtype=float)
        k = int(np.argmax(np.abs(along)))
        axis = ("-" if along[k] < 0 else "") + "xyz"[k]
        base = "ground" if above < 0 else f"link{above}"
        place = _bracket(B @ np.array(link["xyz"]), "m")
        J = own @ np.array(link["inertia"], dtype=float) @ own.T
        lines += [
            f"  coordinate q{i}: rad",
            f"  input tau{i}: N*m = 0",
            f"  frame hinge{i} = {base} at {place}{turned}",
            f"  body link{i} {{",
            f"    mass {link['mass']!r} kg",
            f"    com {_bracket(own @ np.array(link['com']), 'm')}",
            f"    inertia [{', '.join(_bracket(row, 'kg*m^2') for row in (J + J.T) / 2)}]",
            f"    joint revolute(hinge{i}, axis = {axis}, angle = q{i})",
            "  }",
            f"  load torque{i}: on q{i}': tau{i}",
        ]
    return "\n".join([*lines, f"  gravity {_bracket(said['gravity'], 'm/s^2')}", "}", ""])


def _pose(R: np.ndarray, B: np.ndarray) -> tuple[str, np.ndarray]:
    """Return the rotation of a frame as text, and its axes in those that the model has."""
    if np.count_nonzero(R) == _PERMUTATION:
        return "", B @ R
    z = math.atan2(R[1, 0], R[0, 0])
    x = math.atan2(R[2, 1], R[2, 2])
    turns = (("z", z), ("y", -math.asin(R[2, 0])), ("x", x))
    return "".join(f" rotated {axis} by {angle!r} rad" for axis, angle in turns), np.eye(3)


@cache
def arm_system(name: str) -> System:
    """Return an arm or a chain, resolved."""
    return elaborate(mbx.link(mbx.loads(arm(name))))


def arm_state(n: int) -> tuple[dict[str, float], dict[str, float]]:
    """Return the state and the inputs of the check in the data, for n links."""
    state = {f"q{i}": 0.3 + 0.1 * i for i in range(n)}
    state |= {f"q{i}'": 0.2 - 0.05 * i for i in range(n)}
    return state, {f"tau{i}": 0.5 for i in range(n)}
