"""A generator of over-constrained mechanisms: loops in planes of any attitude."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any, Final, Literal

import mpmath  # type: ignore[import-untyped]
from mpmath import mp

from overconstrained import DIGITS, Closing, Link, Loop, Mechanism

__all__ = ["random_mechanism"]

Shape = Literal["four_bar", "five_bar", "slider_crank"]
_TRIES: Final = 200
_STEPS: Final = 40
_REGULAR: Final = 0.15
"""Least part of the lengths that the pivots of a closed loop have: it is far from a dead centre."""


def random_mechanism(seed: int) -> Mechanism:
    """Return a mechanism with one or two loops, on the ground or on a free base."""
    rng = random.Random(seed)  # noqa: S311  no secret
    floating = rng.random() < 0.5
    found = Mechanism(seed, _link(rng, "base", None) if floating else None)
    found.gravity = _decimals(rng, 3, 9.81)
    found.turn = _quaternion(rng)
    found.place = [repr(rng.uniform(-1, 1)) for _ in range(3)]
    found.speeds = [repr(rng.uniform(-1, 1)) for _ in range(6)]
    with mp.workdps(DIGITS):
        for k in range(rng.choice([1, 1, 2])):
            _add_loop(rng, found, k)
    return found


def _add_loop(rng: random.Random, found: Mechanism, k: int) -> None:
    for _ in range(_TRIES):
        loop, links = _loop(rng, k)
        if _close(rng, loop, links):
            found.links += links
            found.loops.append(loop)
            return
    raise ValueError("no loop of this seed can be closed")


def _loop(rng: random.Random, k: int) -> tuple[Loop, list[Link]]:
    """Return a loop: two chains of links from the ground, or the base, and the joint of both."""
    shapes: list[Shape] = ["four_bar", "five_bar", "slider_crank"]
    shape = rng.choice(shapes)
    kinds: list[Closing] = ["spherical", "revolute"]
    if shape == "five_bar":
        kinds.append("fixed")
    kind = rng.choice(kinds)
    attitude = _quaternion(rng)
    start = [Decimal(x) for x in _decimals(rng, 3, 0.5)]
    height = [Decimal(x) for x in _decimals(rng, 6, 0.05, places=5)]
    a1 = _link(rng, f"a{k}", None, [str(x) for x in start], attitude)
    a2 = _link(rng, f"c{k}", a1, [*_plane(rng, "0"), str(height[0])])
    across = [rng.uniform(0.3, 0.8), rng.uniform(-0.1, 0.1), float(height[1])]
    other = [repr(float(x)) for x in _turned(attitude, start, across)]
    b1 = _link(rng, f"r{k}", None, other, attitude)
    links, b = [a1, a2, b1], height[1]
    if shape == "slider_crank":
        b1.kind = "prismatic"
    if shape == "five_bar":
        links.append(_link(rng, f"s{k}", b1, [*_plane(rng, "0"), str(height[2])]))
        b += height[2]
    last = links[-1]
    # the decimals of both ways around add up, their doubles do not
    point = [*_plane(rng, "0.1"), str(height[3])]
    end = [*_plane(rng, "0.1"), str(height[0] + height[3] - b)]
    if shape == "slider_crank":
        end[:2] = [str(Decimal(rng.randint(-50, 50)) / 1000) for _ in range(2)]
    return Loop(kind, a2, last, (point, end)), links


def _turned(attitude: list[str], start: list[Decimal], across: list[float]) -> Any:
    from overconstrained import rotation  # noqa: PLC0415

    return mpmath.matrix([mpmath.mpf(str(x)) for x in start]) + rotation(attitude) * mpmath.matrix(
        across
    )


def _close(rng: random.Random, loop: Loop, links: list[Link]) -> bool:
    """Bring a loop to a state that keeps its constraints; return whether it is a good one."""
    count = 3 if loop.kind == "fixed" else 2
    for link in links:
        link.value = mpmath.mpf(rng.uniform(-2.5, 2.5))
    if links[2].kind == "prismatic":
        links[2].value = mpmath.mpf(rng.uniform(-0.3, 0.3))
    order = [*links[1:], links[0]]
    dependent = order[:count] if len(links) > count else links[:count]
    if loop.kind == "spherical" and len(links) == 4:
        dependent = [links[1], links[3]]
    for _ in range(_STEPS):
        c, J = _gaps(loop, links)
        own = mpmath.matrix([[J[r][links.index(x)] for x in dependent] for r in range(count)])
        if abs(mpmath.det(own)) < mpmath.mpf("1e-6"):
            return False
        step = mpmath.lu_solve(own, mpmath.matrix(c))
        for x, dx in zip(dependent, step, strict=True):
            x.value -= dx
        if max(map(abs, step)) < mpmath.mpf(10) ** (-DIGITS + 8):
            break
    else:
        return False
    if max(abs(x.value) for x in links) > 4:
        return False
    _, J = _gaps(loop, links)
    own = mpmath.matrix([[J[r][links.index(x)] for x in dependent] for r in range(count)])
    values = mpmath.svd_r(own, compute_uv=False)
    if min(values) < _REGULAR * max(values):
        return False
    right = mpmath.zeros(count, 1)
    for k, link in enumerate(links):
        if link not in dependent:
            link.rate = mpmath.mpf(rng.uniform(-2, 2))
            for r in range(count):
                right[r] -= J[r][k] * link.rate
    for link, rate in zip(dependent, mpmath.lu_solve(own, right), strict=True):
        link.rate = rate
    return True


def _gaps(loop: Loop, links: list[Link]) -> tuple[list[Any], list[list[Any]]]:
    """Return what is open between the ends of both chains, and its slopes by their coordinates."""
    from overconstrained import rotation  # noqa: PLC0415

    first = links[0]
    R = rotation(first.attitude or [])
    origin = mpmath.matrix([mpmath.mpf(x) for x in first.at])
    sides = []
    for tip, point in zip((loop.first, loop.second), loop.points, strict=True):
        chain = [tip] if tip.parent is None else [tip.parent, tip]
        at = R.T * (mpmath.matrix([mpmath.mpf(x) for x in chain[0].at]) - origin)
        x, angle = mpmath.mpc(at[0], at[1]), mpmath.mpf(0)
        slopes: dict[int, Any] = {}
        joints = []
        for link in chain:
            if link is not chain[0]:
                x += mpmath.mpc(mpmath.mpf(link.at[0]), mpmath.mpf(link.at[1])) * mpmath.expj(angle)
            joints.append(x)
            if link.kind == "prismatic":
                x += link.value
            else:
                angle += link.value
        x += mpmath.mpc(mpmath.mpf(point[0]), mpmath.mpf(point[1])) * mpmath.expj(angle)
        for link, joint in zip(chain, joints, strict=True):
            slopes[links.index(link)] = 1 if link.kind == "prismatic" else (x - joint) * 1j
        sides.append((x, angle, slopes, chain))
    (x, a, s, _), (y, b, t, chain) = sides
    gap = x - y
    by = [s.get(k, 0) - t.get(k, 0) for k in range(len(links))]
    c = [mpmath.re(gap), mpmath.im(gap)]
    J = [[mpmath.re(v) for v in by], [mpmath.im(v) for v in by]]
    if loop.kind == "fixed":
        c.append(a - b)
        J.append([mpmath.mpf(-1 if link in chain else 1) for link in links])
    return c, J


def _link(
    rng: random.Random,
    name: str,
    parent: Link | None,
    at: list[str] | None = None,
    attitude: list[str] | None = None,
) -> Link:
    """Return a body of a random mass and a random inertia that a body can have."""
    sizes = [rng.uniform(0.02, 0.2) for _ in range(3)]
    diagonal = [f"{(sum(sizes) - x) * 0.1:.5f}" for x in sizes]
    products = [f"{rng.uniform(-1, 1) * 0.0005:.6f}" for _ in range(3)]
    com = [f"{rng.uniform(-0.2, 0.2):.4f}" for _ in range(3)]
    mass = f"{rng.uniform(0.3, 3):.3f}"
    return Link(
        name, parent, "revolute", at or ["0", "0", "0"], attitude, mass, com, [*diagonal, *products]
    )


def _plane(rng: random.Random, least: str) -> list[str]:
    return [
        str(Decimal(rng.randint(200, 700)) / 1000 + Decimal(least)),
        str(Decimal(rng.randint(-50, 50)) / 1000),
    ]


def _decimals(rng: random.Random, count: int, size: float, places: int = 3) -> list[str]:
    return [f"{rng.uniform(-size, size):.{places}f}" for _ in range(count)]


def _quaternion(rng: random.Random) -> list[str]:
    parts = [rng.gauss(0, 1) for _ in range(4)]
    size = sum(x * x for x in parts) ** 0.5
    return [repr(x / size) for x in parts]
