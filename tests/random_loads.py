"""Random loads, declared speeds and a named state for a random tree of bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formalisms.pieces import number, vector

if TYPE_CHECKING:
    from formalisms.pieces import Body, Coordinate
    from random_trees import Tree

__all__ = ["add_loads", "add_speeds", "add_state"]


def _plain(m: Tree) -> list[Coordinate]:
    return [c for c in m.coordinates if not c.part_of_quaternion]


def _force(c: Coordinate) -> str:
    return "N*m" if c.unit == "rad" else "N"


# -- speeds -------------------------------------------------------------------------------------


def add_speeds(m: Tree) -> None:
    """Take angular velocities in body axes, or mixtures of rates, as speeds."""
    balls = [b for b in m.bodies if b.joint in {"spherical", "free"} and _turned_by_three(m, b)]
    if balls:
        _body_axes(m, m.rng.choice(balls))
    else:
        _mixture(m)


def _turned_by_three(m: Tree, body: Body) -> bool:
    """Whether a joint has brought all coordinates that its freedoms need, and no gear is on."""
    own = m.own[body.path]
    turns = 4 if any(c.part_of_quaternion for c in own) else 3
    return not m.gears and len(own) == turns + (3 if body.joint == "free" else 0)


def _body_axes(m: Tree, body: Body) -> None:
    """Take the angular velocity of a body as speeds, and the velocity of its mass centre."""
    own = m.own[body.path]
    m.taken |= {c.path for c in own if c.unit == "rad"}
    w = [m.new("w") for _ in range(3)]
    frame = m.rng.choice((f" in {body.path}", f" in {body.path}", ""))
    m.root.lines += [
        f"speed {', '.join(w)}: rad/s",
        f"define [{', '.join(w)}] = omega({body.path}){frame}",
    ]
    if body.joint == "free" and m.chance(0.5):
        m.taken |= {c.path for c in own}
        v = [m.new("v") for _ in range(3)]
        frame = m.rng.choice((f" in {body.path}", ""))
        m.root.lines += [
            f"speed {', '.join(v)}: m/s",
            f"define [{', '.join(v)}] = velocity({body.path}.com){frame}",
        ]


def _mixture(m: Tree) -> None:
    """Take a mixture of two rates, or a scaled rate, as a speed."""
    some = m.rng.sample(_plain(m), min(2, len(_plain(m))))
    if not some:
        return
    c, d, s = some[0], some[-1], m.new("s")
    m.taken.add(c.path)
    other = f" + 0.3*cos({d.pure})*{d.rate()}" if d is not c else ""
    wave = " + 0.2 [1/s]*cos(1.1 [rad/s]*t)" if m.rheonomic and m.chance(0.3) else ""
    m.root.lines += [
        f"speed {s}: 1/s",
        f"define {s} = (2 + 0.3*sin({c.pure}))*{c.rate()}{other}{wave}",
    ]


# -- loads --------------------------------------------------------------------------------------


def add_loads(m: Tree, gravity: float = 0.8) -> None:
    """Add gravity, most often or by another chance, and some loads."""
    if m.chance(gravity):
        g = m.three(9.81)
        m.root.lines.append(f"gravity {vector(g, '[m/s^2]')}")
    for _ in range(m.rng.choice((0, 1, 1, 2, 3))):
        m.rng.choice(LOADS)(m)


def _two(m: Tree) -> tuple[Body, str]:
    """Return a body, and ground or another one."""
    body = m.rng.choice(m.bodies)
    return body, m.rng.choice([*(b.path for b in m.bodies if b is not body), "ground"])


def _point(m: Tree, body: Body) -> str:
    """Return a point that is fixed to a body."""
    terms = (
        f"{number(x, 'm')}*{body.path}.{k}"
        for x, k in zip(map(float, m.three()), "xyz", strict=True)
    )
    return f"({body.path}.origin + {' + '.join(terms)})"


def _pushed(m: Tree) -> None:
    body, other = _two(m)
    P = _point(m, body)
    F = m.rng.choice(
        (
            vector(m.three(4.0), "N"),
            f"-0.4 [N*s/m]*velocity({P} of {body.path})",
            f"(3 N*sin(2 [rad/s]*t))*{body.path}.y",
        )
    )
    at = f" at {P}" if m.chance(0.6) else ""
    source = f" from {other}" if m.chance(0.5) else ""
    m.root.lines.append(f"force {F} on {body.path}{at}{source}")


def _turned(m: Tree) -> None:
    body, other = _two(m)
    source = f" from {other}" if m.chance(0.7) else ""
    T = m.rng.choice(
        (
            vector(m.three(1.0), "[N*m]"),
            f"-0.2 [N*m*s]*(omega({body.path}) - omega({other}))" if other != "ground" else "",
            f"1.5 [N*m]*{body.path}.z",
        )
    )
    T = T or f"-0.2 [N*m*s]*omega({body.path})"
    m.root.lines.append(f"torque {T} on {body.path}{source}")


def _driven(m: Tree) -> None:
    """Add a motor: an input, with a value, with one in time, or with none."""
    body, other = _two(m)
    u, value = m.new("u"), m.rng.choice((" = 1.5", " = 2 [N*m]*sin(3 [rad/s]*t)", ""))
    m.root.lines += [
        f"input {u}: N*m{value}",
        f"torque {u}*{body.path}.z on {body.path} from {other}",
    ]


def _sprung(m: Tree) -> None:
    body, other = _two(m)
    P = _point(m, body)
    Q = f"{other}.origin" if m.chance(0.5) else f"(ground.origin + {vector(m.three(1.0), 'm')})"
    kind = m.rng.choice(
        (
            f"spring between {P} and {Q} stiffness 20 [N/m] rest 0.3 m",
            f"damper between {P} and {Q} damping 2 [N*s/m]",
        )
    )
    m.root.lines.append(kind)


def _on_coordinate(m: Tree) -> None:
    some = _plain(m)
    if not some:
        return
    c, d = m.rng.choice(some), m.rng.choice(some)
    force, per = _force(c), "" if c.unit == "rad" else "/m"
    m.root.lines.append(
        m.rng.choice(
            (
                f"spring on {c.path} stiffness 5 [{force}{per}] rest 0.1 {c.unit}",
                f"damper on {c.path} damping 0.4 [{force}*s{per}]",
                f"potential 2 [N*m]*cos({c.pure})*sin({d.pure})",
                f"dissipation 0.2 [N*m*s]*({c.rate()} - {d.rate()})^2",
                f"load on {c.path}': 0.7 [{force}]*sin(2 [rad/s]*t)",
                f"load on {c.path}': -0.1 [{force}*s]*{d.rate()}",
            )
        )
    )


LOADS: Final = (_pushed, _turned, _driven, _sprung, _sprung, _on_coordinate, _on_coordinate)


# -- a state ------------------------------------------------------------------------------------


def add_state(m: Tree, *, rates: bool = True) -> None:
    """Record the positions of the start, and rates where they are free to choose."""
    said = [f"{c.path} = {number(c.start)}" for c in m.coordinates]
    if rates:
        free = [c for c in _plain(m) if c.path not in m.taken]
        said += [f"{c.path}' = {number(m.near(2.0), f'[{c.unit}/s]')}" for c in free]
    if said:
        m.root.lines.append(f"state drawn {{ {', '.join(said)} }}")
