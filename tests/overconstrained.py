"""Random over-constrained mechanisms, with their accelerations in 50 digits.

Loops in a plane of any attitude are closed by joints that hold more than a plane needs: ball
joints, hinges and welds. The reference is the mechanism with the constraints of the plane alone,
by the principle of virtual power in absolute accelerations. It shares no code with mbx.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

import mpmath  # type: ignore[import-untyped]
from mpmath import mp

__all__ = ["DIGITS", "Closing", "Link", "Loop", "Mechanism", "rotation"]

DIGITS: Final = 50
Closing = Literal["spherical", "revolute", "fixed"]
Vector = Any
Matrix = Any


@dataclass
class Link:
    """A body on a hinge or a slide; positions are those of its joint in the parent, in m.

    `attitude` is a quaternion of decimals, of the first joints of a loop alone.
    """

    name: str
    parent: Link | None
    kind: Literal["revolute", "prismatic", "fixed"]
    at: list[str]
    attitude: list[str] | None
    mass: str
    com: list[str]
    inertia: list[str]
    value: Any = 0
    rate: Any = 0
    path: str = ""
    offset: Any = 0

    @property
    def coordinate(self) -> str:
        """The name of its coordinate."""
        return self.path or f"x_{self.name}"


@dataclass
class Loop:
    """A joint between points of two links."""

    kind: Closing
    first: Link
    second: Link
    points: tuple[list[str], list[str]]


PLACE: Final = (
    *("b_w", "b_x", "b_y", "b_z", "b_xx", "b_yy", "b_zz"),
    *("b_xx'", "b_yy'", "b_zz'", "b_p", "b_q", "b_r"),
)


@dataclass
class Mechanism:
    """A model with a consistent state, and its accelerations."""

    seed: int
    base: Link | None
    links: list[Link] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    place: list[str] = field(default_factory=list)
    turn: list[str] = field(default_factory=list)
    speeds: list[str] = field(default_factory=list)
    """Of a free base: velocity in ground axes, angular velocity in its own."""
    gravity: list[str] = field(default_factory=list)
    names: tuple[str, ...] = PLACE
    """Of the coordinates and the speeds of a free base."""

    def text(self) -> str:
        """Return the model."""
        lines = ["mbx 1", "", f"model Random{self.seed} {{"]
        if self.base is not None:
            parts = ", ".join(f"b_{k} = {x}" for k, x in zip("wxyz", self.turn, strict=True))
            lines += [f"  coordinate {parts}", "  speed b_p: rad/s, b_q: rad/s, b_r: rad/s"]
            where = zip("xyz", self.place, strict=True)
            lines += ["  coordinate " + ", ".join(f"b_{k}{k}: m = {x}" for k, x in where)]
        for link in self.links:
            unit = "rad" if link.kind == "revolute" else "m"
            lines.append(f"  coordinate {link.coordinate}: {unit} = {_decimal(link.value)}")
        if self.base is not None:
            joint = "free(ground, move = [b_xx, b_yy, b_zz], quaternion("
            joint += "w = b_w, x = b_x, y = b_y, z = b_z))"
            lines.append(_body(self.base, joint))
            lines.append("  define [b_p, b_q, b_r] = omega(base) in base")
        for link in self.links:
            ground = "ground" if self.base is None else "base"
            parent = ground if link.parent is None else link.parent.name
            spot = f"{parent} at {_lengths(link.at)}"
            if link.attitude is not None:
                four = zip("wxyz", link.attitude, strict=True)
                spot += f" quaternion({', '.join(f'{k} = {x}' for k, x in four)})"
            slot = "axis = z, angle" if link.kind == "revolute" else "axis = x, distance"
            lines.append(_body(link, f"{link.kind}({spot}, {slot} = {link.coordinate})"))
        for k, loop in enumerate(self.loops):
            sides = zip((loop.first, loop.second), loop.points, strict=True)
            ends = ", ".join(f"{link.name} at {_lengths(point)}" for link, point in sides)
            axis = ", axis = z" if loop.kind == "revolute" else ""
            lines.append(f"  joint close_{k}: {loop.kind}({ends}{axis})")
        lines.append(f"  gravity [{', '.join(f'{x} [m/s^2]' for x in self.gravity)}]")
        return "\n".join([*lines, "}", ""])

    def state(self) -> dict[str, float]:
        """Return the state by names of variables, in doubles."""
        moving = [one for one in self.links if one.kind != "fixed"]
        found = {one.coordinate: float(one.value) for one in moving}
        found |= {f"{one.coordinate}'": float(one.rate) for one in moving}
        if self.base is not None:
            numbers = map(float, (*self.turn, *self.place, *self.speeds))
            found |= dict(zip(self.names, numbers, strict=True))
        return found

    def accelerations(self) -> dict[str, float]:
        """Return the rates of the speeds, by names of these."""
        with mp.workdps(DIGITS):
            return self._accelerations()

    def slopes(self) -> list[list[Any]]:
        """Return the constraints of the planes by the speeds, in the order of these."""
        n = len(self._unknowns())
        columns = [self._motion([int(j == k) for j in range(n)], moving=False) for k in range(n)]
        return self._rows(self._motion([0] * n, moving=False), columns)[0]

    def _unknowns(self) -> list[str]:
        own = [] if self.base is None else list(self.names[7:])
        return own + [f"{one.coordinate}'" for one in self.links if one.kind != "fixed"]

    def _accelerations(self) -> dict[str, float]:
        names = self._unknowns()
        n = len(names)
        still = self._motion([0] * n, moving=True)
        columns = [self._motion([int(j == k) for j in range(n)], moving=False) for k in range(n)]
        M, h = mpmath.zeros(n), mpmath.zeros(n, 1)
        g = _vector(self.gravity)
        for body in still:
            m, J = body.mass, body.inertia
            bias = J * body.alpha + _cross(body.omega, J * body.omega)
            for i in range(n):
                own = columns[i][body.index]
                h[i] -= m * _dot(own.a, body.a - g) + _dot(own.alpha, bias)
                for j in range(n):
                    other = columns[j][body.index]
                    M[i, j] += m * _dot(own.a, other.a) + _dot(own.alpha, J * other.alpha)
        rows, right = self._rows(still, columns)
        m = len(rows)
        K, k = mpmath.zeros(n + m), mpmath.zeros(n + m, 1)
        for i in range(n):
            k[i] = h[i]
            for j in range(n):
                K[i, j] = M[i, j]
            for r in range(m):
                K[i, n + r] = K[n + r, i] = rows[r][i]
        for r in range(m):
            k[n + r] = -right[r]
        found = mpmath.lu_solve(K, k)
        return {name: float(found[i]) for i, name in enumerate(names)}

    def _rows(
        self, still: list[_Moved], columns: list[list[_Moved]]
    ) -> tuple[list[Any], list[Any]]:
        rows, right = [], []
        for loop in self.loops:
            sides = [
                (self._index(one), _vector(p))
                for one, p in zip((loop.first, loop.second), loop.points, strict=True)
            ]
            axes = still[sides[0][0]].axes

            def gap(every: list[_Moved], sides: Any = sides) -> Vector:
                first, second = (every[k].at(p) for k, p in sides)
                return first - second

            for e in (axes[:, 0], axes[:, 1]):
                rows.append([_dot(e, gap(each)) for each in columns])
                right.append(_dot(e, gap(still)))
            if loop.kind == "fixed":
                i, j = sides[0][0], sides[1][0]
                e = axes[:, 2]
                rows.append([_dot(e, each[i].alpha - each[j].alpha) for each in columns])
                right.append(_dot(e, still[i].alpha - still[j].alpha))
        return rows, right

    def _index(self, link: Link) -> int:
        return self.links.index(link) + (self.base is not None)

    def _motion(self, ud: list[Any], *, moving: bool) -> list[_Moved]:
        """Return how every body accelerates; velocities are zero unless it is moving."""
        found: list[_Moved] = []
        unknowns = iter(ud)
        root = _Moved(0, mpmath.eye(3), _null(), _null(), _null(), _null(), _null(), _null())
        if self.base is not None:
            R = rotation(self.turn)
            speeds = [mpmath.mpf(x) * moving for x in self.speeds]
            a = mpmath.matrix([next(unknowns) for _ in range(3)])
            alpha = R * mpmath.matrix([next(unknowns) for _ in range(3)])
            omega = R * mpmath.matrix(speeds[3:])
            root = _Moved(0, R, _vector(self.place), mpmath.matrix(speeds[:3]), omega, alpha, a, a)
            found.append(root.of(self.base))
        for link in self.links:
            parent = root if link.parent is None else found[self._index(link.parent)]
            x2 = 0 if link.kind == "fixed" else next(unknowns)
            found.append(_moved(parent, link, x2, moving=moving, index=len(found)))
        return found


@dataclass
class _Moved:
    """A body in motion, in ground axes; `a` is that of its mass centre, `o` of its origin."""

    index: int
    axes: Matrix
    r: Vector
    v: Vector
    omega: Vector
    alpha: Vector
    o: Vector
    a: Vector
    mass: Any = 0
    inertia: Matrix = None

    def at(self, point: Vector) -> Vector:
        """Return the acceleration of a point."""
        d = self.axes * point
        return self.o + _cross(self.alpha, d) + _cross(self.omega, _cross(self.omega, d))

    def of(self, link: Link) -> _Moved:
        """Return it with mass and inertia."""
        self.mass = mpmath.mpf(link.mass)
        xx, yy, zz, xy, xz, yz = map(mpmath.mpf, link.inertia)
        J = mpmath.matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        self.inertia = self.axes * J * self.axes.T
        self.a = self.at(_vector(link.com))
        return self


def _moved(parent: _Moved, link: Link, x2: Any, *, moving: bool, index: int) -> _Moved:
    d = parent.axes * _vector(link.at)
    axes = parent.axes if link.attitude is None else parent.axes * rotation(link.attitude)
    x, x1 = mpmath.mpf(link.value) - link.offset, mpmath.mpf(link.rate) * moving
    w, omega, alpha = parent.omega, parent.omega, parent.alpha
    if link.kind == "revolute":
        e = axes[:, 2]
        c, s = mpmath.cos(x), mpmath.sin(x)
        axes = axes * mpmath.matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        omega, alpha = w + e * x1, alpha + e * x2 + _cross(w, e) * x1
        extra, slide = _null(), _null()
    elif link.kind == "fixed":
        extra, slide = _null(), _null()
    else:
        e = axes[:, 0]
        d = d + e * x
        extra, slide = _cross(w, e) * (2 * x1) + e * x2, e * x1
    v = parent.v + _cross(w, d) + slide
    o = parent.o + _cross(parent.alpha, d) + _cross(w, _cross(w, d)) + extra
    return _Moved(index, axes, parent.r + d, v, omega, alpha, o, o).of(link)


# -- numbers ---------------------------------------------------------------------------------


def _null() -> Vector:
    return mpmath.zeros(3, 1)


def _vector(x: list[Any]) -> Vector:
    return mpmath.matrix([mpmath.mpf(v) for v in x])


def _cross(a: Vector, b: Vector) -> Vector:
    return mpmath.matrix(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def _dot(a: Vector, b: Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def rotation(quaternion: list[str]) -> Matrix:
    """Return the rotation by a quaternion, made a unit one."""
    w, x, y, z = map(mpmath.mpf, quaternion)
    size = mpmath.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / size, x / size, y / size, z / size
    return mpmath.matrix(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _decimal(x: Any) -> str:
    return repr(float(x))


def _lengths(x: list[str]) -> str:
    return f"[{', '.join(f'{v} m' for v in x)}]"


def _body(link: Link, joint: str) -> str:
    inertia = ", ".join(f"{x} [kg*m^2]" for x in link.inertia)
    return (
        f"  body {link.name} {{ mass {link.mass} kg  com {_lengths(link.com)}"
        f"  inertia tensor({inertia})  joint {joint} }}"
    )
