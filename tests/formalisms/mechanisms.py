"""Random models that are sound: trees of bodies, loops, definitions, invariants, loads.

`mechanism(seed)` is the same model for the same seed. Poses at the start are computed here,
apart from the package, so loops close and mass centres can be compared.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from formalisms.pieces import Body, Coordinate, Level, Motion, number, vector
from formalisms.poses import Pose, quaternion, turn, zxy_angles

if TYPE_CHECKING:
    from formalisms.poses import Array

__all__ = ["Mechanism", "tree"]

AXES: Final = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-y": (0, -1, 0)}
KINDS: Final = (
    "fixed",
    "revolute",
    "prismatic",
    "screw",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "free",
    "general",
)
PLANAR_KINDS: Final = ("revolute", "revolute", "prismatic", "planar", "fixed")


@dataclass
class Mechanism:
    """A model under way."""

    rng: random.Random
    root: Level = field(default_factory=lambda: Level(""))
    coordinates: list[Coordinate] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    """Coordinates whose rates a definition has replaced."""
    rows: int = 0
    """Rows of invariants so far."""
    planar: bool = False
    oblique: bool = False
    """Whether the plane of a planar mechanism is a turned one."""
    rheonomic: bool = True
    counter: int = 0
    reactions: list[str] = field(default_factory=list)
    """Reactions that a load can name: scalars and forces of joints."""

    def text(self) -> str:
        """Return the document."""
        return f"mbx 1\nmodel M {{\n{self.root.text()}\n}}\n"

    @property
    def freedom(self) -> int:
        """How many degrees of freedom are left, at least."""
        norms = sum(c.part_of_quaternion for c in self.coordinates) // 4
        return len(self.coordinates) - norms - self.rows

    def new(self, stem: str) -> str:
        """Return a name that is not used yet."""
        self.counter += 1
        return f"{stem}{self.counter}"

    def chance(self, p: float) -> bool:
        """Return true with a probability."""
        return self.rng.random() < p

    def near(self, size: float = 0.6) -> float:
        """Return a number of three digits that is not small."""
        return self.rng.choice((-1, 1)) * round(self.rng.uniform(0.2 * size, size), 3)

    def three(self, size: float = 0.5) -> Array:
        """Return three such numbers."""
        return np.array([self.near(size) for _ in range(3)])

    # -- variables and motions ------------------------------------------------------------------

    def coordinate(self, level: Level, unit: str, start: float | None = None) -> Coordinate:
        """Declare a coordinate."""
        name = self.new("q")
        path = f"{level.path}.{name}" if level.path else name
        value = self.near() if start is None else start
        level.lines.append(
            f"coordinate {name}: {'1' if start is not None else unit} = {number(value)}"
        )
        one = Coordinate(path, unit, value, level, start is not None)
        self.coordinates.append(one)
        return one

    def motion(self, level: Level, unit: str) -> Motion:
        """Return what moves a joint: a coordinate, most often, or more than that."""
        if self.rheonomic and self.chance(0.08):
            a, b = self.near(0.4), self.near(0.4)
            text = f"{number(a, unit)} + {number(b, unit)}*sin(1.7 [rad/s]*t)"
            return Motion(text, a)
        q = self.coordinate(level, unit)
        name = level.sees(q.path)
        movers = frozenset({q.path})
        kind = self.rng.random()
        if kind < 0.7:
            return Motion(name, q.start, movers)
        if kind < 0.8:
            a = self.near(0.4)
            one = "1 rad" if unit == "rad" else "1 m"
            return Motion(
                f"{name} + {number(a)}*{name}^2/({one})", q.start + a * q.start**2, movers
            )
        same = [c for c in self.coordinates[:-1] if c.level is level and c.unit == unit]
        same = [c for c in same if not c.part_of_quaternion]
        if kind < 0.88 and same:
            other = self.rng.choice(same)
            text = f"{name} - 0.5*{level.sees(other.path)}"
            return Motion(text, q.start - 0.5 * other.start, movers | {other.path})
        if self.rheonomic:
            b = self.near(0.4)
            return Motion(f"{name} + {number(b, unit)}*cos(2.3 [rad/s]*t)", q.start + b, movers)
        return Motion(f"-{name}", -q.start, movers)

    # -- sides ----------------------------------------------------------------------------------

    def side(self, base: Pose) -> tuple[str, Pose]:
        """Return an offset and rotations, and the frame that they lead to."""
        text, pose = "", base
        if self.chance(0.7):
            p = self.three()
            if self.planar:
                p[2] = 0
            parts = [number(x, "m") for x in p]
            if self.rheonomic and self.chance(0.08):
                parts[0] += " + 0.2 m*sin(1.3 [rad/s]*t)"
            text, pose = f" at [{', '.join(parts)}]", pose.then(Pose(p))
        for _ in range(self.rng.choice((0, 0, 1, 2))):
            more, R = self.rotation()
            text, pose = f"{text} {more}", pose.then(Pose(R=R))
        return text, pose

    def rotation(self) -> tuple[str, Array]:
        """Return a constant rotation."""
        kind = 0.0 if self.planar else self.rng.random()
        if kind < 0.4:
            name = "z" if self.planar else self.rng.choice(list(AXES))
            a = self.near(1.0)
            return f"rotated {name} by {number(a)}", turn(AXES[name], a)
        if kind < 0.7:
            n, a = self.three(), self.near(1.0)
            return f"rotated {vector(n)} by {number(a)}", turn(n, a)
        if kind < 0.9:
            angles = [self.near() for _ in range(3)]
            names = self.rng.choice(("zxy", "xyx", "zyx"))
            R = np.eye(3)
            for name, a in zip(names, angles, strict=True):
                R = R @ turn(AXES[name], a)
            return f"euler {names} by ({', '.join(map(number, angles))})", R
        parts = self.rng.choice(((0.5, 0.5, -0.5, 0.5), (0.6, 0.0, 0.8, 0.0)))
        said = ", ".join(f"{k} = {number(v)}" for k, v in zip("wxyz", parts, strict=True))
        return f"quaternion({said})", quaternion(*parts)

    def axis(self) -> tuple[str, Array]:
        """Return an axis."""
        if self.planar:
            return "z", np.array([0.0, 0, 1])
        if self.chance(0.6):
            name = self.rng.choice(list(AXES))
            return name, np.array(AXES[name], dtype=float)
        n = self.three()
        return vector(n), n / np.linalg.norm(n)

    # -- joints ---------------------------------------------------------------------------------

    def joint(self, level: Level, kind: str) -> tuple[str, Pose, frozenset[str]]:
        """Return the arguments of a joint, M seen from F, and what moves it."""
        if kind == "fixed":
            return "", Pose(), frozenset()
        if kind in {"spherical", "free", "general"}:
            return self._turned(level, kind)
        name, n = self.axis()
        if kind == "planar":
            name = "z" if self.planar else self.rng.choice(("x", "y", "z"))
            k = "xyz".index(name)
            x, y = self.motion(level, "m"), self.motion(level, "m")
            a = self.motion(level, "rad")
            p = x.value * np.eye(3)[(k + 1) % 3] + y.value * np.eye(3)[(k + 2) % 3]
            text = f", axis = {name}, x = {x.text}, y = {y.text}, angle = {a.text}"
            pose = Pose(p, turn(np.eye(3)[k], a.value))
            return text, pose, x.movers | y.movers | a.movers
        if kind == "prismatic":
            if self.planar:
                name, n = self.rng.choice(
                    (("x", np.eye(3)[0]), ("[0.6, 0.8, 0]", np.array([0.6, 0.8, 0])))
                )
            d = self.motion(level, "m")
            return f", axis = {name}, distance = {d.text}", Pose(d.value * n), d.movers
        a = self.motion(level, "rad")
        R = turn(n, a.value)
        text = f", axis = {name}, angle = {a.text}"
        if kind == "revolute":
            return text, Pose(R=R), a.movers
        if kind == "screw":
            pitch = self.near(0.3)
            return f"{text}, pitch = {number(pitch, 'm')}", Pose(pitch * a.value * n, R), a.movers
        if kind == "cylindrical":
            d = self.motion(level, "m")
            return f"{text}, distance = {d.text}", Pose(d.value * n, R), a.movers | d.movers
        second, n2 = self.axis()
        while abs(n @ n2) > 0.9:
            second, n2 = self.axis()
        b = self.motion(level, "rad")
        text += f", axis2 = {second}, angle2 = {b.text}"
        return text, Pose(R=R @ turn(n2, b.value)), a.movers | b.movers

    def _turned(self, level: Level, kind: str) -> tuple[str, Pose, frozenset[str]]:
        text, p = "", np.zeros(3)
        movers: frozenset[str] = frozenset()
        if kind != "spherical":
            moves = [self.motion(level, "m") for _ in range(3)]
            text = f", move = [{', '.join(m.text for m in moves)}]"
            p = np.array([m.value for m in moves])
            movers = movers.union(*(m.movers for m in moves))
        if kind == "general":
            name, n = self.axis()
            while abs(n[1]) > 0.9:
                name, n = self.axis()
            a, b = self.motion(level, "rad"), self.motion(level, "rad")
            text += f", rotated {name} by {a.text}, rotated y by {b.text}"
            R = turn(n, a.value) @ turn((0, 1, 0), b.value)
            return text, Pose(p, R), movers | a.movers | b.movers
        if self.chance(0.4):
            e = np.array([self.near(1.0) for _ in range(4)])
            e /= np.linalg.norm(e)
            parts = [self.coordinate(level, "rad", float(x)) for x in e]
            said = ", ".join(
                f"{k} = {level.sees(c.path)}" for k, c in zip("wxyz", parts, strict=True)
            )
            movers |= {c.path for c in parts}
            return f"{text}, quaternion({said})", Pose(p, quaternion(*e)), movers
        names = self.rng.choice(("zxy", "xyx", "zyx"))
        R = np.eye(3)
        angles = []
        for name in names:
            a = self.motion(level, "rad")
            R = R @ turn(AXES[name], a.value)
            angles.append(a.text)
            movers |= a.movers
        return f"{text}, euler {names} by ({', '.join(angles)})", Pose(p, R), movers

    # -- bodies ---------------------------------------------------------------------------------

    def inertia(self, kind: str) -> str:
        """Return an inertia that obeys the triangle inequality."""
        a, b, c = (abs(self.near(0.3)) for _ in range(3))
        if kind in {"revolute", "prismatic", "fixed"} and self.chance(0.1):
            a, b = 0.0, 0.0  # a thin rod
        unit = "[kg*m^2]"
        if self.planar and not self.oblique and self.chance(0.5):
            return f"inertia {number(a + b + 0.1, unit)} about z"
        if self.chance(0.6):
            parts = (b + c, a + c, a + b)
            return f"inertia diag({', '.join(number(x, unit) for x in parts)})"
        R = turn(self.three(), self.near())
        J = R @ np.diag([b + c + 0.01, a + c + 0.01, a + b + 0.01]) @ R.T
        six = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        return f"inertia tensor({', '.join(number(float(x), unit) for x in six)})"

    def ground(self, level: Level) -> tuple[str, Pose]:
        """Return what a first body stands on."""
        if not self.oblique:
            return "ground", Pose()
        n = np.array([0.3, 0.5, -0.2])
        line = f"frame G = ground rotated {vector(n)} by 0.7"
        if line not in level.lines:
            level.lines.append(line)
        return "G", Pose(R=turn(n, 0.7))

    def body(self, level: Level) -> None:
        """Add a body, on the ground or on another one that the level sees."""
        seen = [b for b in self.bodies if b.path.startswith(level.path)]
        base = self.rng.choice(seen) if seen and self.chance(0.75) else None
        name = self.new("b")
        path = f"{level.path}.{name}" if level.path else name
        where, pose = (level.sees(base.path), base.pose) if base else self.ground(level)
        side, F = self.side(pose)
        moved = base.movers if base else frozenset()
        com = self.three(0.4)
        if self.planar:
            com[2] = 0
        mass = f"mass {number(abs(self.near(2.0)), 'kg')}"
        if self.chance(0.15):  # by a frame
            angle = self.motion(level, "rad")
            pose = F.then(Pose(R=turn((0, 0, 1), angle.value)))
            placed = f"frame {where}{side} rotated z by {angle.text}"
            own, kind = com, "frame"
            movers = moved | angle.movers
        else:
            kind = self.rng.choice(PLANAR_KINDS if self.planar else KINDS)
            if len(self.coordinates) > 10 and kind in {"free", "general"}:
                kind = "revolute"
            arguments, FM, movers = self.joint(level, kind)
            movers = movers | moved
            own_side, BM = self.side(Pose()) if self.chance(0.5) else ("", Pose())
            pose = F.then(FM).then(BM.back())
            own_text = f", own{own_side}" if own_side else ""
            placed = f"joint {kind}({where}{side}{own_text}{arguments})"
            own = com
        level.lines.append(
            f"body {name} {{ {mass}  com {vector(com, 'm')}  {self.inertia(kind)}  {placed} }}"
        )
        self.bodies.append(Body(path, level, pose, pose.point(own), movers, self.planar, kind))

    def close(self) -> None:
        """Close a loop by a joint between two bodies that have a place."""
        if len(self.bodies) < 2:
            return
        A, B = self.rng.sample(self.bodies, 2)
        rows = {"spherical": 2, "revolute": 2, "prismatic": 2} if self.planar else {
            "spherical": 3, "revolute": 5, "cylindrical": 4, "universal": 4, "planar": 3,
            "prismatic": 5, "screw": 5, "fixed": 6,
        }  # fmt: skip
        kind = self.rng.choice(list(rows))
        apart = A.movers ^ B.movers
        if len(apart) <= rows[kind] or self.freedom <= rows[kind]:
            return
        side, F = self.side(A.pose)
        name = self.new("j")
        # the second side is where the first one is, at the start
        M = B.pose.back().then(F)
        a, b, c = zxy_angles(M.R)
        axis, _ = self.axis()
        shape = "" if kind in {"spherical", "fixed"} else f", axis = {axis}"
        if kind == "prismatic" and self.planar:
            shape = ", axis = x"
        if kind == "planar":
            shape = f", axis = {self.rng.choice('xyz')}"
        if kind == "screw":
            shape += f", pitch = {number(self.near(0.3), 'm')}"
        if kind == "universal":
            shape = ", axis = x, axis2 = y"
        turned = (
            f"rotated z by {number(a)}"
            if self.planar
            else f"euler zxy by ({number(a)}, {number(b)}, {number(c)})"
        )
        text = (
            f"joint {name}: {kind}({A.path}{side}, {B.path} at {vector(M.p, 'm')} {turned}{shape})"
        )
        if self.chance(0.3):
            text += f" reaction R{name}"
            self.reactions.append(f"norm(R{name}.force)/(1 N)")
        self.root.lines.append(text)
        self.rows += rows[kind]


def tree(seed: int) -> Mechanism:
    """Return a mechanism of bodies alone, some of them in subsystems."""
    rng = random.Random(seed)  # noqa: S311  models, no secrets
    planar = rng.random() < 0.3
    oblique = planar and rng.random() < 0.4
    found = Mechanism(rng, planar=planar, oblique=oblique, rheonomic=rng.random() < 0.5)
    levels = [found.root]
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        parent = rng.choice(levels)
        name = found.new("S")
        level = Level(f"{parent.path}.{name}" if parent.path else name)
        parent.levels.append(level)
        levels.append(level)
    for level in reversed(levels[1:]):
        found.body(level)
    for _ in range(rng.choice((1, 1, 2, 2, 3, 3, 4, 5, 6)) - len(levels) + 1):
        found.body(rng.choice(levels))
    if not found.bodies:
        found.body(found.root)
    return found
