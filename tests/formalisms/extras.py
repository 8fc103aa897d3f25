"""Random definitions, invariants and loads on a random tree; see `formalisms.mechanisms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from formalisms.mechanisms import tree
from formalisms.pieces import Level, number, vector

if TYPE_CHECKING:
    from formalisms.mechanisms import Mechanism
    from formalisms.pieces import Body, Coordinate

__all__ = ["mechanism"]


def mechanism(seed: int) -> Mechanism:
    """Return the random model of a seed."""
    m = tree(seed)
    if m.chance(0.4):
        m.close()
    for extra, p in (
        (_particle, 0.3),
        (_twist, 0.2),
        (_quasi_velocities, 0.35),
        (_body_axes, 0.3),
        (_left_over, 0.1),
        (_invariant, 0.5),
        (_invariant, 0.2),
        (_effective, 0.15),
        (_part, 0.2),
        (_independent, 0.2),
    ):
        if m.chance(p):
            extra(m)
    if m.chance(0.7):
        g = m.three(10.0)
        m.root.lines.append(f"gravity {vector(g, '[m/s^2]')}")
    for _ in range(m.rng.choice((0, 1, 2, 3))):
        m.rng.choice(LOADS)(m)
    return m


def _plain(m: Mechanism) -> list[Coordinate]:
    return [c for c in m.coordinates if not c.part_of_quaternion]


def _unit(c: Coordinate, over: str, power: int = 1) -> str:
    """Return a unit of force on a coordinate, per its rates."""
    base = "N*m" if c.unit == "rad" else "N"
    return f"[{base}{over if c.unit == 'rad' else over + '/m' * power}]"


def _point(m: Mechanism, body: Body) -> tuple[str, np.ndarray]:
    p = m.three()
    if m.planar:
        p[2] = 0
    text = (
        f"({body.path}.origin + "
        + " + ".join(
            f"{number(float(x), 'm')}*{body.path}.{k}" for x, k in zip(p, "xyz", strict=True)
        )
        + ")"
    )
    return text, body.pose.point(p)


# -- more mass ----------------------------------------------------------------------------------


def _particle(m: Mechanism) -> None:
    name = m.new("p")
    mass = f"mass {number(abs(m.near(2.0)), 'kg')}"
    body = m.rng.choice(m.bodies)
    kind = m.rng.randrange(3)
    if kind == 0:
        q = m.coordinate(m.root, "rad")
        l = number(abs(m.near()), "m")
        where = (
            f"{body.path}.com + {l}*sin({q.path})*{body.path}.x - {l}*cos({q.path})*{body.path}.y"
        )
        m.root.lines.append(f"particle {name} {{ {mass}  at {where} }}")
    elif kind == 1:
        qs = [m.coordinate(m.root, "m") for _ in range(3)]
        m.root.lines.append(f"particle {name} {{ {mass}  at [{', '.join(q.path for q in qs)}] }}")
    else:
        names = [m.new("v") for _ in range(3)]
        m.root.lines.append(f"speed {', '.join(names)}: m/s")
        m.root.lines.append(f"particle {name} {{ {mass}  velocity [{', '.join(names)}] }}")
        c = m.rng.choice(_plain(m)) if _plain(m) else None
        if c is not None and m.freedom > 1:
            m.root.lines.append(
                f"invariant {m.new('i')}: {names[0]} = {number(m.near(), 'm')}*{c.rate()}"
            )


def _twist(m: Mechanism) -> None:
    w = [m.new("w") for _ in range(3)]
    v = [m.new("v") for _ in range(3)]
    m.root.lines.append(f"speed {', '.join(w)}: rad/s")
    m.root.lines.append(f"speed {', '.join(v)}: m/s")
    name = m.new("t")
    a, b, c = (abs(m.near(0.3)) for _ in range(3))
    J = ", ".join(number(x, "[kg*m^2]") for x in (b + c, a + c, a + b))
    m.root.lines.append(
        f"body {name} {{ mass 0.7 kg  inertia diag({J})  "
        f"velocity [{', '.join(v)}]  omega [{', '.join(w)}] }}"
    )
    body = m.rng.choice(m.bodies)
    kind = m.rng.randrange(4)
    if kind == 0:
        m.root.lines.append(f"invariant {m.new('i')}: [{', '.join(v)}] = velocity({body.path}.com)")
    elif kind == 1:
        m.root.lines.append(
            f"invariant {m.new('i')}: {v[0]} = 0.3 m*{w[2]} + 0.1 [m/s]*sin(2 [rad/s]*t) "
            f"reaction l{name}"
        )
        m.reactions.append(f"l{name}/(1 N)")
    elif kind == 2:
        m.root.lines.append(
            f"invariant {m.new('i')}: dot(omega({body.path}), {body.path}.x) = {w[0]} - 0.5*{w[1]}"
        )
    if m.chance(0.3):
        m.root.lines.append(f"force -0.3 [N*s/m]*velocity({name}.com) on {name}")
    if m.chance(0.3):
        m.root.lines.append(f"torque [0.2 [N*m], 0, -0.1 [N*m*s]*{w[2]}] on {name}")


# -- definitions --------------------------------------------------------------------------------


def _quasi_velocities(m: Mechanism) -> None:
    """Replace the rates of some coordinates by as many speeds, explicitly or not."""
    free = [c for c in _plain(m) if c.path not in m.taken and not _in_body_axes(m, c)]
    if not free:
        return
    some = m.rng.sample(free, min(len(free), m.rng.choice((1, 2, 3))))
    names = [m.new("s") for _ in some]
    m.root.lines.append(f"speed {', '.join(names)}: 1/s")
    explicit = m.chance(0.3)
    for k, (c, name) in enumerate(zip(some, names, strict=True)):
        m.taken.add(c.path)
        if explicit:
            scale = "1" if c.unit == "rad" else "1 m"
            m.root.lines.append(f"define {c.path}' = ({scale})*(2*{name} + 0.3*{names[k - 1]})")
            continue
        terms = [f"(2 + 0.3*sin({c.pure}))*{c.rate()}"]
        terms += [f"{number(m.near(0.3))}*cos({d.pure})*{d.rate()}" for d in some if d is not c]
        if m.rheonomic and m.chance(0.3):
            terms.append("0.2 [1/s]*cos(1.1 [rad/s]*t)")
        sides = (name, " + ".join(terms))
        if m.chance(0.3):
            sides = sides[1], f"{name} + 0.1*{c.rate()}"
        m.root.lines.append(f"define {sides[0]} = {sides[1]}")


def _in_body_axes(m: Mechanism, c: Coordinate) -> bool:
    return any(c.path in b.movers and b.joint in {"spherical", "free"} for b in m.bodies)


def _body_axes(m: Mechanism) -> None:
    """Take angular velocities in body or ground axes as speeds of a body on ground."""
    for body in m.bodies:
        if body.joint not in {"spherical", "free"} or body.path in m.taken:
            continue
        own = [c for c in m.coordinates if c.path in body.movers]
        if any(c.path in m.taken for c in own):
            continue
        turns = 4 if any(c.part_of_quaternion for c in own) else 3
        if len(own) != turns + (3 if body.joint == "free" else 0):
            continue
        m.taken |= {c.path for c in own}
        w = [m.new("w") for _ in range(3)]
        m.root.lines.append(f"speed {', '.join(w)}: rad/s")
        frame = f" in {body.path}" if m.chance(0.6) else ""
        m.root.lines.append(f"define [{', '.join(w)}] = omega({body.path}){frame}")
        if body.joint == "free" and m.chance(0.7):
            v = [m.new("v") for _ in range(3)]
            m.root.lines.append(f"speed {', '.join(v)}: m/s")
            frame = f" in {body.path}" if m.chance(0.5) else ""
            m.root.lines.append(f"define [{', '.join(v)}] = velocity({body.path}.com){frame}")
        return


def _left_over(m: Mechanism) -> None:
    some = _plain(m)[:2]
    if not some:
        return
    name = m.new("e")
    m.root.lines.append(f"speed {name}: 1/s^2")
    m.root.lines.append(f"define {name} = " + " + ".join(f"({c.rate()})^2" for c in some))
    if m.chance(0.5):
        m.root.lines.append(f"force [0.1 [N*s^2]*{name}, 0, 0] on {m.bodies[0].path}")


# -- invariants ---------------------------------------------------------------------------------


def _invariant(m: Mechanism) -> None:
    some = _plain(m)
    if m.freedom < 2 or len(some) < 2:
        return
    name = m.new("i")
    named = m.chance(0.5)
    a, b = m.rng.sample(some, 2)
    c = m.rng.choice(some)
    moving = [x for x in m.bodies if len(x.movers) >= 2]
    wave = " + 0.1 [1/s]*sin(2 [rad/s]*t)" if m.rheonomic and m.chance(0.4) else ""
    kind = m.rng.randrange(7)
    unit = "[N*m]"
    if kind == 0:
        value = np.sin(a.start) + 0.5 * b.start**2 + b.start
        drift = " + 0.1*sin(1.1 [rad/s]*t)" if wave else ""
        text = f"sin({a.pure}) + 0.5*({b.pure})^2 + {b.pure} = {number(float(value))}{drift}"
    elif kind == 1 and moving:
        body = m.rng.choice(moving)
        P, p = _point(m, body)
        o = p + m.three(1.0)
        far = number(float(np.linalg.norm(p - o)), "m")
        text = f"norm({P} - (ground.origin + {vector(o, 'm')})) = {far}"
        unit = "N"
    elif kind == 2:
        text = f"{a.rate()}*cos({c.pure}) - {b.rate()}*sin({c.pure}) = 0{wave}"
    elif kind == 3 and moving:
        body = m.rng.choice(moving)
        P, _ = _point(m, body)
        axis = m.rng.choice((f"{body.path}.x", "ground.y"))
        text = f"dot(velocity({P} of {body.path}), {axis}) = 0{wave and ' + 0.1 [m/s]'}"
        unit = "N"
    elif kind == 4:
        text = f"({a.rate()})^2 + ({b.rate()})^2 = 0.25 [1/s^2] + 0.1 [1/s^2]*cos({a.pure})"
        unit = "[N*m*s]"
        if a.path not in m.taken:
            per = "[1/s]" if a.unit == "rad" else "[m/s]"
            m.root.lines.append(f"initial {a.path}' = 0.5 {per}")
    elif kind == 5:
        text = (
            f"{a.rate(2)} = 0.4*{b.rate(2)} + 0.3*{a.rate()}*{b.rate()}{wave and ' + 0.2 [1/s^2]'}"
        )
    else:
        text = f"{a.pure} - 0.7*{b.pure} = {number(a.start - 0.7 * b.start)}"
    if named:
        text += f" reaction l{name}"
        m.reactions.append(f"l{name}/(1 {unit})")
    m.root.lines.append(f"invariant {name}: {text}")
    m.rows += 1
    if named and m.chance(0.3):
        size = f"-0.05 {_unit(c, '', 0)}*l{name}/(1 {unit})"
        m.root.lines.append(f"load on {c.path}' of {name}: {size}*tanh({c.rate()}/(1 [1/s]))")


def _effective(m: Mechanism) -> None:
    some = _plain(m)
    if not some:
        return
    c = m.rng.choice(some)
    unit = _unit(c, "*s^2")
    if m.chance(0.5):
        m.root.lines.append(
            f"effective {c.path}': -0.2 {unit}*{c.path}'' - 0.3 {_unit(c, '*s')}*{c.path}'"
        )
    else:
        i = m.new("i")
        m.root.lines.append(f"speed {i}: A")
        m.root.lines.append(
            f"effective {i}: 2 [V] - 0.05 [H]*{i}' - 1.1 [ohm]*{i} - 0.3 [V*s]*{c.rate()}"
        )
        m.root.lines.append(f"load on {c.path}': 0.3 {_unit(c, '/A', 0)}*{i}")


def _part(m: Mechanism) -> None:
    """Add a subsystem in place with bound parameters and inputs."""
    name = m.new("S")
    level = Level(name)
    level.lines += ["param k: N/m, l: m = 0.2", "input f: N", "coordinate s, h: m"]
    level.lines += [
        "body slide { mass 0.8 kg  inertia diag(0.1 [kg*m^2], 0.1 [kg*m^2], 0.1 [kg*m^2])",
        "  joint prismatic(ground at [0, l, 0] rotated z by 0.3, axis = x, distance = s) }",
        "particle bob { mass 0.4 kg  at slide.origin + h*slide.y }",
        "spring on h stiffness k rest l",
        "force f*slide.x on slide from ground",
    ]
    u = m.new("u")
    value = m.rng.choice((" = 1.5", " = 2 N*sin(3 [rad/s]*t)", ""))
    m.root.lines.append(f"input {u}: N{value}")
    bound = f"{u} + 0.5 N*sin(t/(1 s))" if m.chance(0.5) else u
    level.bound += ["k = 12", f"f = {bound}"]
    m.root.levels.append(level)
    if m.chance(0.5):
        body = m.rng.choice(m.bodies)
        m.root.lines.append(
            f"spring between {name}.bob and {body.path}.com stiffness 8 [N/m] rest 0.1 m"
        )


def _independent(m: Mechanism) -> None:
    some = [c for c in m.coordinates if c.path not in m.taken]
    if some:
        chosen = m.rng.sample(some, m.rng.randint(1, min(3, len(some))))
        m.root.lines.append(f"independent {', '.join(c.path + chr(39) for c in chosen)}")


# -- loads --------------------------------------------------------------------------------------


def _two(m: Mechanism) -> tuple[Body, str]:
    body = m.rng.choice(m.bodies)
    others = [b.path for b in m.bodies if b is not body]
    other = m.rng.choice([*others, "ground"])
    return body, other


def _force(m: Mechanism) -> None:
    body, other = _two(m)
    P, _ = _point(m, body)
    source = f" from {other}" if m.chance(0.5) else ""
    F = m.rng.choice(
        (
            vector(m.three(4.0), "N"),
            f"-0.4 [N*s/m]*velocity({P} of {body.path})",
            f"(3 N*sin(2 [rad/s]*t))*{body.path}.y",
            f"cross(0.3 [N*s]*omega({body.path}), ground.x)",
        )
    )
    at = f" at {P}" if m.chance(0.6) else ""
    m.root.lines.append(f"force {F} on {body.path}{at}{source}")


def _torque(m: Mechanism) -> None:
    body, other = _two(m)
    source = f" from {other}" if m.chance(0.5) else ""
    T = m.rng.choice((vector(m.three(), "[N*m]"), f"-0.2 [N*m*s]*omega({body.path})"))
    m.root.lines.append(f"torque {T} on {body.path}{source}")


def _spring(m: Mechanism) -> None:
    body, other = _two(m)
    P, _ = _point(m, body)
    Q = f"{other}.origin" if m.chance(0.5) else f"(ground.origin + {vector(m.three(1.0), 'm')})"
    if m.chance(0.5):
        m.root.lines.append(f"spring between {P} and {Q} stiffness 20 [N/m] rest 0.3 m")
    else:
        m.root.lines.append(f"damper between {P} and {Q} damping 2 [N*s/m]")


def _on_coordinate(m: Mechanism) -> None:
    some = _plain(m)
    if not some:
        return
    c, d = m.rng.choice(some), m.rng.choice(some)
    rate = f"{c.path}'"
    stiff, damp, force = _unit(c, ""), _unit(c, "*s"), _unit(c, "", 0)
    lines = [
        f"spring on {c.path} stiffness 5 {stiff} rest 0.1 {c.unit}",
        f"damper on {c.path} damping 0.4 {damp}",
        f"potential 2 [N*m]*cos({c.pure})*sin({d.pure})",
        f"potential 2 [N*m]*({c.pure})^2*cos(t/(1 s))",
        f"dissipation 0.2 [N*m*s]*({c.rate()} - {d.rate()})^2",
        f"load on {rate}: 0.7 {force}*sin(2 [rad/s]*t) - 0.1 {_unit(c, '*s', 0)}*{d.rate()}",
        f"load on {rate}: -0.1 {_unit(c, '*s^2', 0)}*{d.rate(2)}",
    ]
    m.root.lines.append(m.rng.choice(lines))


def _accelerated(m: Mechanism) -> None:
    body, _ = _two(m)
    other = m.rng.choice(m.bodies)
    m.root.lines.append(f"force -0.1 kg*acceleration({other.path}.com) on {body.path}")


def _friction(m: Mechanism) -> None:
    """Let a load depend on a reaction, of an invariant or of a joint that places."""
    body, other = _two(m)
    joints = [b for b in m.bodies if b.joint not in {"frame", "free", "general"}]
    if joints and m.chance(0.4):
        b = m.rng.choice(joints)
        lines = b.level.lines
        k = next(k for k, x in enumerate(lines) if x.startswith(f"body {b.path.split('.')[-1]} "))
        if "reaction" not in lines[k]:
            name = m.new("R")
            lines[k] = f"{lines[k][:-2]} reaction {name} }}"
            prefix = f"{b.level.path}." if b.level.path else ""
            m.reactions.append(f"norm({prefix}{name}.force)/(1 N)")
    if not m.reactions:
        return
    R = m.rng.choice(m.reactions)
    source = f" from {other}" if m.chance(0.5) else ""
    if m.chance(0.5):
        m.root.lines.append(
            f"force -0.05 [N*s/m]*abs({R})*velocity({body.path}.com) on {body.path}{source}"
        )
    else:
        m.root.lines.append(f"torque -0.05 [N*m*s]*({R})*omega({body.path}) on {body.path}{source}")


LOADS = (_force, _torque, _spring, _spring, _on_coordinate, _on_coordinate, _accelerated, _friction)
