"""A hundred random narrow bands, pulses and sign changes in forces, against closed forms.

`simulate` and the references of `verify` are the same run, to the last bit.
"""

from __future__ import annotations

import itertools
from math import acos, pi, sqrt

import numpy as np
import pytest

import mbx
from mbx.analyses.form_verbs import references

CART = """mbx 1
model Cart {{
  param m: kg = 1, a: m = 1, w: m = 1, F: N = 1, s: s = 1, d: s = 1, v: m/s = 1, c = 0.9
  coordinate x: m = 0
  particle P {{ mass m  at [x, 0, 0] }}
  force push: ({force})*ground.x on P
  initial x' = v
}}
"""
WHEEL = """mbx 1
model Wheel {
  param J: kg*m^2 = 1, T: N*m = 1, c = 0.9, w: rad/s = 1, a: rad = 1
  coordinate th: rad = 0
  body b { inertia J about z  joint revolute(ground, axis = z, angle = th) }
  torque kick: (if cos(th - a) > c then T else 0 [N*m])*ground.z on b
  initial th' = w
}
"""
EACH = 13


def band(rng: np.random.Generator) -> tuple[dict[str, float], float, float]:
    """A force in a narrow band of the way: its work is force times width."""
    m, a, w, F, v = rng.uniform(0.5, 3), rng.uniform(0.1, 4), 10 ** rng.uniform(-6, -1), 1e3, 1.3
    return {"m": m, "a": a, "w": w, "F": F, "v": v}, 5.0, sqrt(v**2 + 2 * F * w / m)


def bands(rng: np.random.Generator) -> tuple[dict[str, float], float, float]:
    """Two of them, which push and brake; between them it is faster."""
    m, a, w = rng.uniform(0.5, 3), rng.uniform(0.1, 1), 10 ** rng.uniform(-6, -2)
    return {"m": m, "a": a, "w": w, "F": 20.0, "v": 2.0}, 3.0, sqrt(4 + 2 * (20 - 10) * w / m)


def pulse(rng: np.random.Generator) -> tuple[dict[str, float], float, float]:
    """A short pulse of time: its impulse is force times duration."""
    m, s, d, F = rng.uniform(0.5, 3), rng.uniform(0.1, 3.5), 10 ** rng.uniform(-6, -1), -700.0
    return {"m": m, "s": s, "d": d, "F": F, "v": 1.0}, 4.0, 1 + F * d / m


def train(rng: np.random.Generator) -> tuple[dict[str, float], float, float]:
    """A train of pulses where sin(2 pi t/d) is nearly 1: ten of them."""
    c, d = 1 - 10 ** rng.uniform(-7, -2), rng.uniform(0.01, 0.1)
    return {"c": c, "d": d, "F": 40.0, "v": 1.0}, 10 * d, 1 + 40 * 10 * d * acos(c) / pi


def turn(rng: np.random.Generator) -> tuple[dict[str, float], float, float]:
    """A force that changes its sign at a place: faster before, slower after it."""
    m, a, F, v, end = rng.uniform(0.5, 3), rng.uniform(0.5, 2), rng.uniform(0.1, 0.5), 2.0, 1.5
    g = F / m
    at = (sqrt(v**2 + 2 * g * a) - v) / g
    after = v + g * at - g * (end - at) if at < end else v + g * end
    return {"m": m, "a": a, "F": F, "v": v}, end, after


def gust(rng: np.random.Generator) -> tuple[dict[str, float], float, float]:
    """A force more in a narrow band of speeds: the time there is shorter."""
    v, d = rng.uniform(1.1, 3), 10 ** rng.uniform(-6, -2)
    t = (v - 1) / 2 + d / 9  # with 2 m/s^2 before, and 9 m/s^2 in the band
    return {"v": 1.0, "a": v, "w": d}, 2.0, v + d + 2 * (2 - t)


def spun(rng: np.random.Generator) -> tuple[dict[str, float], float, float]:
    """A torque in a narrow band of each turn: it has passed ten of them, each its work."""
    c, a, w, T = 1 - 10 ** rng.uniform(-9, -3), rng.uniform(1, 5), 20.0, 300.0
    J = rng.uniform(0.5, 2)
    work = 2 * T * acos(c)
    speeds = [sqrt(w**2 + 2 * n * work / J) for n in range(11)]
    # ten bands, and half a turn behind the last; within a band the mean of both speeds counts
    far = [a - acos(c), *[2 * pi - 2 * acos(c)] * 9, pi - acos(c)]
    t = sum(x / v for x, v in zip(far, speeds, strict=True))
    t += sum(4 * acos(c) / (v + u) for v, u in itertools.pairwise(speeds))
    return {"J": J, "c": c, "a": a, "w": w, "T": T}, t, speeds[10]


KINDS = {
    "band": (band, CART.format(force="if x > a and x < a + w then F else 0 N"), "x'"),
    "bands": (
        bands,
        CART.format(
            force="if x > a and x < a + w then F else if x > 3*a and x < 3*a + w then -F/2 else 0 N"
        ),
        "x'",
    ),
    "pulse": (pulse, CART.format(force="if t > s and t < s + d then F else 0 N"), "x'"),
    "train": (train, CART.format(force="if sin(2*pi*t/d) > c then F else 0 N"), "x'"),
    "turn": (turn, CART.format(force="-F*sign(x - a)"), "x'"),
    "gust": (
        gust,
        CART.format(force="2 N + (if x' > a/(1 s) and x' < (a + w)/(1 s) then 7 N else 0 N)"),
        "x'",
    ),
    "spun": (spun, WHEEL, "th'"),
    "signs": (
        train,
        CART.format(force="F/2*(1 + sign(sin(2*pi*t/d) - c))"),
        "x'",
    ),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
def test_every_one_is_located_by_simulate_and_verify_alike(kind: str) -> None:
    draw, text, speed = KINDS[kind]
    rng = np.random.default_rng(7)
    for k in range(EACH):
        values, end, expected = draw(rng)
        said = ", ".join(f"{name} = {value!r}" for name, value in values.items())
        text += f"""
        experiment e{k} of {"Wheel" if kind == "spun" else "Cart"} {{
          set {said}
          simulate 0 s .. {end!r} s every {end!r} s
          expect {speed} at {end!r} s = {expected!r} within {1e-8 * abs(expected) + 1e-8!r}
        }}"""
    document = mbx.loads(text)
    found = references(document, forms=["kane"])
    assert [str(one) for one in found if not one.met] == []
    for k in range(0, EACH, 4):
        (one,) = mbx.simulate(document, f"e{k}").references
        assert one.found == found[k].found


assert EACH * len(KINDS) >= 100
