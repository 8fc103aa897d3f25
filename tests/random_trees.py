"""Random trees of bodies: `random_tree(seed)` is a sound model, the same for the same seed.

They are planar or spatial, with every joint of the language, branches, several roots, anchors and
joints that move by themselves, and loads. What would be ill-posed is not drawn: a leaf without
mass has no freedom of its own, and Euler angles stay away from where they are singular.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from formalisms.mechanisms import AXES, Mechanism
from formalisms.pieces import Body, Coordinate, Motion, number, vector
from formalisms.poses import Pose, quaternion, turn
from random_loads import add_loads, add_speeds, add_state

if TYPE_CHECKING:
    from formalisms.pieces import Level

__all__ = ["Tree", "random_tree"]

SPATIAL: Final = (
    "fixed",
    "revolute",
    "revolute",
    "prismatic",
    "screw",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "free",
    "general",
    "general",
    "frame",
)
PLANAR: Final = (
    "revolute",
    "revolute",
    "revolute",
    "prismatic",
    "planar",
    "fixed",
    "general",
    "general",
    "frame",
)
SMALL: Final = frozenset({"revolute", "prismatic", "screw", "fixed"})
"""What is drawn where there are many coordinates already."""
MANY: Final = 6
SHAPES: Final = ("chain", "star", "binary", "any", "roots")
Placed = tuple[str, Pose, frozenset[str]]


@dataclass
class Tree(Mechanism):
    """A tree under way: all on one level."""

    own: dict[str, list[Coordinate]] = field(default_factory=dict)
    """The coordinates that the joint of each body has brought."""
    gears: bool = False
    """Whether joints may share coordinates."""

    # -- what moves a joint ---------------------------------------------------------------------

    def within(self, unit: str, start: float, reach: float) -> Coordinate:
        """Declare a coordinate that stays near its start."""
        one = Coordinate(self.new("q"), unit, start, self.root)
        lower, upper = number(round(start - reach, 3)), number(round(start + reach, 3))
        self.root.lines.append(
            f"coordinate {one.path}: {unit} = {number(start)} in [{lower}, {upper}]"
        )
        self.coordinates.append(one)
        return one

    def motion(self, level: Level, unit: str) -> Motion:
        """Return what moves a joint: a coordinate, most often, or more or less than that."""
        roll = self.rng.random()
        same = [c for c in self.coordinates if c.unit == unit and not c.part_of_quaternion]
        if self.rheonomic and roll < 0.06:
            a, b = self.near(0.4), self.near(0.4)
            text = f"{number(a, unit)} + {number(b, unit)}*sin({self.rate()}*t)"
            return Motion(text, a)
        if self.gears and same and roll < 0.2:
            c = self.rng.choice(same)
            return Motion(f"2*{c.path}", 2 * c.start, frozenset({c.path}))
        q = self.coordinate(level, unit)
        movers = frozenset({q.path})
        if self.gears and same and roll < 0.35:
            c = self.rng.choice(same)
            return Motion(f"{q.path} - 0.5*{c.path}", q.start - 0.5 * c.start, movers | {c.path})
        if self.rheonomic and roll < 0.55:
            b, wave = self.near(0.4), self.rng.choice(("sin", "cos"))
            text = f"{q.path} + {number(b, unit)}*{wave}({self.rate()}*t)"
            return Motion(text, q.start + (b if wave == "cos" else 0.0), movers)
        if roll > 0.95:
            text = f"{q.path} + {number(0.3, unit)}*sin({q.pure})"
            return Motion(text, q.start + 0.3 * np.sin(q.start), movers)
        if roll > 0.9:
            return Motion(f"-{q.path}", -q.start, movers)
        return Motion(q.path, q.start, movers)

    def rate(self) -> str:
        """Return an angular frequency."""
        return number(round(self.rng.uniform(0.7, 2.5), 2), "[rad/s]")

    def side(self, base: Pose) -> tuple[str, Pose]:
        """Return an offset and rotations, and the frame that they lead to at time zero."""
        text, pose = super().side(base)
        if self.rheonomic and self.chance(0.15):
            axis = "z" if self.planar else self.rng.choice("xyz")
            text += f" rotated {axis} by {number(self.near(0.3))}*sin({self.rate()}*t)"
        return text, pose

    def anchor(self) -> tuple[str, Pose]:
        """Return a side on ground that moves along a given path."""
        waves = [f"{number(self.near(0.3), 'm')}*sin({self.rate()}*t)" for _ in range(2)]
        return f" at [{waves[0]}, {waves[1]}, 0]", Pose()

    # -- joints ---------------------------------------------------------------------------------

    def joint(self, level: Level, kind: str) -> Placed:
        """Return the arguments of a joint, M seen from F, and what moves it."""
        if kind in {"spherical", "free"}:
            return self._ball(level, kind)
        if kind == "general":
            shape = self.rng.choice(("line", "cam") if self.planar else ("line", "cam", "any"))
            if shape == "line":
                return self._line(level)
            if shape == "cam":
                return self._cam(level)
        return super().joint(level, kind)

    def _ball(self, level: Level, kind: str) -> Placed:
        """Return a spherical or free joint in Euler angles or by a quaternion."""
        text, p, movers = "", np.zeros(3), frozenset[str]()
        if kind == "free":
            moves = [self.motion(level, "m") for _ in range(3)]
            text = f", move = [{', '.join(m.text for m in moves)}]"
            p = np.array([m.value for m in moves])
            movers = movers.union(*(m.movers for m in moves))
        if self.chance(0.4):
            e = np.array([self.near(1.0) for _ in range(4)])
            e /= np.linalg.norm(e)
            parts = [self.coordinate(level, "rad", float(x)) for x in e]
            said = ", ".join(f"{k} = {c.path}" for k, c in zip("wxyz", parts, strict=True))
            movers |= {c.path for c in parts}
            return f"{text}, quaternion({said})", Pose(p, quaternion(*e)), movers
        names = self.rng.choice(("zxy", "xyx", "zyx", "zxz"))
        first, last = self.motion(level, "rad"), self.motion(level, "rad")
        # axes that turn from each other by the second angle, where they must not meet
        middle = self.within("rad", 0.8 if names[0] == names[2] else self.near(), 0.4)
        angles = (first, Motion(middle.path, middle.start, frozenset({middle.path})), last)
        R = np.eye(3)
        for name, a in zip(names, angles, strict=True):
            R = R @ turn(AXES[name], a.value)
            movers |= a.movers
        said = ", ".join(a.text for a in angles)
        return f"{text}, euler {names} by ({said})", Pose(p, R), movers

    def _line(self, level: Level) -> Placed:
        """Return a point on a line, and a turn about it."""
        name, n = self.axis()
        s, a = self.motion(level, "m"), self.motion(level, "rad")
        text = f", move = [{s.text}, 0, 0], rotated {name} by {a.text}"
        return text, Pose(np.array([s.value, 0, 0]), turn(n, a.value)), s.movers | a.movers

    def _cam(self, level: Level) -> Placed:
        """Return a point on the edge of a cam, and a turn about it."""
        s, a = self.coordinate(level, "rad"), self.motion(level, "rad")
        c, e = 0.2 + abs(self.near(0.3)), abs(self.near(0.15))
        radius = f"({number(c, 'm')} + {number(e, 'm')}*cos({s.path}))"
        text = f", move = [{radius}*cos({s.path}), {radius}*sin({s.path}), 0]"
        r = c + e * np.cos(s.start)
        p = np.array([r * np.cos(s.start), r * np.sin(s.start), 0])
        pose = Pose(p, turn((0, 0, 1), a.value))
        return f"{text}, rotated z by {a.text}", pose, frozenset({s.path}) | a.movers

    # -- bodies ---------------------------------------------------------------------------------

    def place(self, base: Body | None, kind: str | None = None, *, massless: bool = False) -> Body:
        """Add a body on another one or on ground, by any joint unless it is said by which."""
        if kind is None:
            kind = self.rng.choice(PLANAR if self.planar else SPATIAL)
            if len(self.coordinates) > MANY and kind not in SMALL:
                kind = "revolute"
        name = self.new("b")
        where, pose = (base.path, base.pose) if base else self.ground(self.root)
        moving = base is None and not self.oblique and self.rheonomic and self.chance(0.4)
        side, F = self.anchor() if moving else self.side(pose)
        count = len(self.coordinates)
        com = self.three(0.4)
        if self.planar:
            com[2] = 0
        clauses = f"mass {number(abs(self.near(2.0)), 'kg')}  com {vector(com, 'm')}  "
        clauses += self.inertia(kind)
        if massless:
            clauses = "mass 0 kg  inertia diag(0, 0, 0)"
        if kind == "frame":
            a = self.motion(self.root, "rad")
            axis, n = ("z", np.array([0.0, 0, 1])) if self.planar else self.axis()
            M, movers = F.then(Pose(R=turn(n, a.value))), a.movers
            clauses += f"  frame {where}{side} rotated {axis} by {a.text}"
        else:
            arguments, FM, movers = self.joint(self.root, kind)
            own, BM = self.side(Pose()) if self.chance(0.5) else ("", Pose())
            M = F.then(FM).then(BM.back())
            if self.chance(0.12):
                self.root.lines.append(
                    f"joint {self.new('j')}: {kind}({where}{side}, {name}{own}{arguments})"
                )
            else:
                second = f", own{own}" if own else ""
                clauses += f"  joint {kind}({where}{side}{second}{arguments})"
        self.root.lines.append(f"body {name} {{ {clauses} }}")
        body = Body(
            name,
            self.root,
            M,
            M.point(com),
            movers | (base.movers if base else frozenset()),
            self.planar,
            kind,
        )
        self.own[name] = self.coordinates[count:]
        self.bodies.append(body)
        return body

    def massless(self, base: Body | None) -> None:
        """Add a body without mass: fixed at the end, or one that carries another.

        The one that it carries moves across it, so that every freedom moves a mass.
        """
        if self.planar or self.chance(0.3):
            self.place(base, "fixed", massless=True)
            return
        name, first = self.new("b"), self.coordinate(self.root, "rad")
        where, pose = (base.path, base.pose) if base else self.ground(self.root)
        side, F = self.side(pose)
        carried, second = self.new("b"), self.coordinate(self.root, "rad")
        p, com = self.three(), self.three(0.4)
        hinge = f"revolute({where}{side}, axis = z, angle = {first.path})"
        across = f"revolute({name} at {vector(p, 'm')}, axis = y, angle = {second.path})"
        mass = f"mass {number(abs(self.near(2.0)), 'kg')}  com {vector(com, 'm')}"
        self.root.lines += [
            f"body {name} {{ mass 0 kg  inertia diag(0, 0, 0)  joint {hinge} }}",
            f"body {carried} {{ {mass}  {self.inertia('universal')}  joint {across} }}",
        ]
        M = F.then(Pose(R=turn((0, 0, 1), first.start)))
        movers = (base.movers if base else frozenset()) | {first.path}
        self.bodies.append(Body(name, self.root, M, M.p, movers, self.planar, "revolute"))
        M = M.then(Pose(p, turn((0, 1, 0), second.start)))
        movers |= {second.path}
        self.bodies.append(
            Body(carried, self.root, M, M.point(com), movers, self.planar, "revolute")
        )
        self.own |= {name: [first], carried: [second]}

    def particle(self) -> None:
        """Add a particle: fixed to a body, or hung on one by a rod."""
        body = self.rng.choice(self.bodies)
        mass = f"mass {number(abs(self.near(1.0)), 'kg')}"
        if self.chance(0.3):
            where = f"{body.path}.com + {number(abs(self.near()), 'm')}*{body.path}.x"
        else:
            q, l = self.coordinate(self.root, "rad"), number(abs(self.near()), "m")
            where = (
                f"{body.path}.origin + {l}*sin({q.path})*{body.path}.x"
                f" - {l}*cos({q.path})*{body.path}.y"
            )
        self.root.lines.append(f"particle {self.new('p')} {{ {mass}  at {where} }}")

    def parent(self, shape: str) -> Body | None:
        """Return what the next body stands on."""
        if not self.bodies or (shape == "roots" and self.chance(0.4)):
            return None
        if shape == "chain":
            return self.bodies[-1]
        if shape == "star":
            return self.bodies[0]
        if shape == "binary":
            return self.bodies[(len(self.bodies) - 1) // 2]
        return self.rng.choice(self.bodies)


def random_tree(seed: int) -> str:
    """Return the text of the random tree of a seed."""
    rng = random.Random(f"tree {seed}")  # noqa: S311  models, no secrets
    planar = rng.random() < 0.35
    found = Tree(
        rng,
        planar=planar,
        oblique=planar and rng.random() < 0.3,
        rheonomic=rng.random() < 0.5,
        gears=rng.random() < 0.15,
    )
    shape = rng.choice(SHAPES)
    wanted = rng.choice((2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8))
    massless = rng.randrange(wanted) if rng.random() < 0.1 else None
    while len(found.bodies) < wanted:
        base = found.parent(shape)
        if massless is not None and massless <= len(found.bodies):
            found.massless(base)
            massless = None
        else:
            found.place(base)
    if not found.coordinates:
        found.place(found.bodies[-1], "revolute")
    if found.chance(0.15):
        found.particle()
    if found.chance(0.3):
        add_speeds(found)
    add_loads(found)
    add_state(found)
    return found.text()
