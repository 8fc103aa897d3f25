"""Random closed loops: `random_loop(seed)` is a sound model, the same for the same seed.

A chain is drawn, and closed by a joint where its bodies are at the start, so every loop can be
assembled. It has more freedoms than the joint takes, and some loops have more rows than count:
a plane that no rule sees, a second hinge on the same axis.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import numpy as np

from formalisms.mechanisms import AXES
from formalisms.pieces import Body, number, vector
from formalisms.poses import Pose, turn, zxy_angles
from random_loads import add_loads, add_speeds, add_state
from random_trees import Tree

if TYPE_CHECKING:
    from formalisms.poses import Array

__all__ = ["random_loop"]

SPATIAL: Final = {
    "spherical": 3,
    "planar": 3,
    "cylindrical": 4,
    "universal": 4,
    "revolute": 5,
    "prismatic": 5,
    "screw": 5,
    "fixed": 6,
}
"""Joints that close a loop in space, with their rows."""
PLANAR: Final = {"revolute": 2, "prismatic": 2, "spherical": 2, "fixed": 3}
LINKS: Final = (
    "revolute",
    "revolute",
    "universal",
    "cylindrical",
    "spherical",
    "prismatic",
    "screw",
)
PLANAR_LINKS: Final = ("revolute", "revolute", "revolute", "prismatic", "general")
FLAVOURS: Final = ("planar", "spatial", "oblique", "spatial", "doubled", "spatial", "two", "hinges")
MOST: Final = 7
"""How many bodies there are at most."""
DECIMALS: Final = 6
"""Of a product of two numbers that are drawn."""


def random_loop(seed: int) -> str:
    """Return the text of the random loop of a seed."""
    rng = random.Random(f"loop {seed}")  # noqa: S311  models, no secrets
    flavour = FLAVOURS[seed % len(FLAVOURS)]
    planar = flavour in {"planar", "oblique"} or (flavour == "two" and rng.random() < 0.7)
    m = Tree(
        rng,
        planar=planar,
        oblique=flavour == "oblique",
        rheonomic=flavour != "hinges" and rng.random() < 0.4,
        gears=rng.random() < 0.1,
    )
    if flavour == "hinges":
        _hinges(m)
    else:
        kinds = list(PLANAR if planar else SPATIAL)
        _closed(m, kinds[(seed // len(FLAVOURS) + seed) % len(kinds)], doubled=flavour == "doubled")
    if flavour == "two":
        _closed(m, rng.choice(list(PLANAR if planar else ("spherical", "planar"))))
    if m.chance(0.2):
        add_speeds(m)
    add_loads(m, gravity=1.0)  # else all that a loop carries at rest may be rounding
    add_state(m, rates=False)
    return m.text()


def _freedoms(m: Tree, movers: frozenset[str]) -> int:
    """Return how many freedoms coordinates stand for: a quaternion has three."""
    parts = sum(c.path in movers and c.part_of_quaternion for c in m.coordinates)
    return len(movers) - parts // 4


def _closed(m: Tree, kind: str, *, doubled: bool = False) -> None:
    """Add a chain on ground or on a body, and close it with ground or with another body."""
    rows = (PLANAR if m.planar else SPATIAL)[kind]
    first = m.rng.choice(m.bodies) if m.bodies else None
    if first is None and m.chance(0.4):
        first = m.place(None, "revolute")
    last = m.place(None, m.rng.choice(_links(m)))
    apart = _apart(first, last)
    while _freedoms(m, apart) <= rows:
        last = m.place(last, m.rng.choice(_links(m)))
        apart = _apart(first, last)
    _close(m, first, last, kind, doubled=doubled)


def _links(m: Tree) -> tuple[str, ...]:
    if m.planar:
        return PLANAR_LINKS
    return LINKS if len(m.bodies) < MOST - 3 else ("spherical", "universal")


def _apart(first: Body | None, last: Body) -> frozenset[str]:
    """Return what moves only one of two bodies."""
    return last.movers ^ (first.movers if first else frozenset())


def _close(m: Tree, first: Body | None, last: Body, kind: str, *, doubled: bool) -> None:
    """Close a loop by a joint, which has some motion of its own at the start."""
    where, pose = (first.path, first.pose) if first else m.ground(m.root)
    side, F = m.side(pose)
    if doubled:
        frame = m.new("F")
        m.root.lines.append(f"frame {frame} = {where}{side}")
        where, side = frame, ""
    shape, FM, n, moved = _shape(m, kind)
    name = m.new("c")
    text = f"joint {name}: {kind}({where}{side}, {_second(m, last, F.then(FM))}{shape})"
    if m.chance(0.3):
        text += " cut"
    if m.chance(0.3):
        text += f" reaction R{name}"
    if kind in {"revolute", "prismatic", "screw"} and m.chance(0.3):
        unit = "m" if kind == "prismatic" else "rad"
        text += f" measure {m.within(unit, moved, 0.5).path}"
    m.root.lines.append(text)
    if doubled:  # what is further along says the same once more
        p = m.near() * n
        there = _second(m, last, F.then(Pose(p)).then(FM))
        m.root.lines.append(
            f"joint {m.new('c')}: {kind}({where} at {vector(p, 'm')}, {there}{shape})"
        )


def _second(m: Tree, body: Body, M: Pose) -> str:
    """Return the second side: where the joint is, as the body sees it."""
    seen = body.pose.back().then(M)
    a, b, c = zxy_angles(seen.R)
    if m.planar:
        p = np.array([*seen.p[:2], 0.0])
        return f"{body.path} at {vector(p, 'm')} rotated z by {number(a)}"
    angles = f"{number(a)}, {number(b)}, {number(c)}"
    return f"{body.path} at {vector(seen.p, 'm')} euler zxy by ({angles})"


def _shape(m: Tree, kind: str) -> tuple[str, Pose, Array, float]:
    """Return the shape of a joint, M seen from F at the start, its axis, and its motion."""
    name, n = m.axis()
    a, d = m.near(), m.near(0.3)
    if kind == "fixed":
        return "", Pose(), np.zeros(3), 0.0
    if kind == "spherical":
        return "", Pose(R=turn(n, a)), np.zeros(3), 0.0
    if kind == "planar":
        name = m.rng.choice("xyz")
        n = np.eye(3)["xyz".index(name)]
        return f", axis = {name}", Pose(d * np.roll(n, 1), turn(n, a)), np.roll(n, 1), 0.0
    if kind == "prismatic":
        if m.planar:
            name, n = "[0.6, 0.8, 0]", np.array([0.6, 0.8, 0])
        return f", axis = {name}", Pose(d * n), n, d
    if kind == "screw":
        pitch = m.near(0.3)
        text = f", axis = {name}, pitch = {number(pitch, 'm')}"
        return text, Pose(pitch * a * n, turn(n, a)), n, a
    if kind == "cylindrical":
        return f", axis = {name}", Pose(d * n, turn(n, a)), n, 0.0
    if kind == "universal":
        R = turn((1, 0, 0), a) @ turn((0, 1, 0), m.near())
        return ", axis = x, axis2 = y", Pose(R=R), np.zeros(3), 0.0
    return f", axis = {name}", Pose(R=turn(n, a)), n if not m.planar else np.zeros(3), a


def _hinges(m: Tree) -> None:
    """Add a door with two hinges on one axis, and what hangs on it.

    The second hinge is where its decimals say exactly, also on an oblique axis: one that is off
    by rounding has rows of its own in many digits.
    """
    name, q = m.new("b"), m.coordinate(m.root, "rad")
    axis = m.rng.choice(list(AXES))
    n = np.array(AXES[axis], dtype=float)
    if m.chance(0.5):
        n = m.three()
        axis = vector(n)
    low, com = m.three(), m.three(0.4)
    up = np.round(m.near() * n, DECIMALS)
    lower = f"revolute(ground at {vector(low, 'm')}, axis = {axis}, angle = {q.path})"
    there = f"ground at {vector(np.round(low + up, DECIMALS), 'm')}, {name} at {vector(up, 'm')}"
    inertia = f"com {vector(com, 'm')}  {m.inertia('universal')}"
    m.root.lines += [
        f"body {name} {{ mass 2 kg  {inertia}  joint {lower} }}",
        f"joint {m.new('c')}: revolute({there}, axis = {axis})",
    ]
    M = Pose(low, turn(n / np.linalg.norm(n), q.start))
    door = Body(name, m.root, M, M.point(com), frozenset({q.path}), m.planar, "revolute")
    m.bodies.append(door)
    m.own[name] = [q]
    for _ in range(m.rng.choice((1, 2, 3))):
        m.place(m.rng.choice(m.bodies))
