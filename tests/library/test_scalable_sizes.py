"""The scalable linkages of Saura, Segado and Dopico at sizes of the paper, tables 3 and 4."""

from __future__ import annotations

from math import cos, pi, radians, sin, sqrt
from typing import Final

import pytest

import mbx
from formalisms.cases import folder
from mbx.analyses.experiments.run_references import references

SPEED: Final = 34.9
"""Of the crank, rad/s, table 4."""


def sized(case: str, model: str, k: int, more: str, tasks: str) -> str:
    """Return the text of a case, its own experiments left out, with a model of another size."""
    text = (folder(case) / "model.mb").read_text("utf-8").partition("\nexperiment ")[0]
    return f"""{text}
model Sized "k = {k}" {{
  input u: N*m = 0
  subsystem chain: {model}(k = {k}, u = u{more})
}}
experiment size of Sized {{
{tasks}
}}
"""


def met(text: str) -> int:
    """Return how many expectations are met; all must be."""
    linked = mbx.link(mbx.loads(text))
    found = references(linked, {"lagrange": mbx.convert(linked, "lagrange")})
    assert [str(one) for one in found if not one.met] == []
    return len(found)


@pytest.mark.papers
@pytest.mark.parametrize("k", [10, 20])
def test_the_four_bar_of_22_and_42_unknowns(k: int) -> None:
    """C_k is C_1 shifted by 6 m (k - 1); C_1 is where circles about B and D_1 meet."""
    d = sqrt(40)
    x, y = 3 + sqrt(26) * 2 / d, 1 + sqrt(26) * 6 / d
    source = 'source "analytic: closed form"'
    last = 6 * (k - 1)
    tasks = f"""
  prescribe chain.th = pi/2 + {SPEED} [rad/s]*t solve u
  expect dot(chain.C[1] - ground.origin, ground.x) at 0 s = {x:.14f} m within 1e-10 m {source}
  expect dot(chain.C[{k}] - ground.origin, ground.x) at 0 s = {x + last:.14f} m within 1e-10 m
      {source}
  expect dot(chain.C[{k}] - ground.origin, ground.y) at 0 s = {y:.14f} m within 1e-10 m {source}
  expect dot(velocity(chain.C[{k}]), ground.x) at 0 s = {-1.669787566781726 * SPEED:.12f} [m/s]
      within 1e-8 [m/s] {source}
  expect dot(acceleration(chain.C[{k}]), ground.x) at 0 s = {-1.086925920338664 * SPEED**2:.10f}
      [m/s^2] within 1e-6 [m/s^2] {source}"""
    tasks = tasks.replace("\n      [m/s^2]", " [m/s^2]")
    assert met(sized("four_bar_scalable", "FourBarScalable", k, "", tasks)) == 5


@pytest.mark.parametrize("k", [1, 10])
def test_the_slider_crank_of_14_and_86_unknowns(k: int) -> None:
    """s = b + sqrt(l^2 - r^2 + b^2), b = r cos(th) cos(gam), and its rates at an even turn."""
    tasks = [f"  prescribe chain.th = pi/3 + {SPEED} [rad/s]*t solve u"]
    for i in {1, k}:
        c, th = cos(radians(8) * (i - 1)), pi / 3
        b, b1, b2 = 2 * cos(th) * c, -2 * sin(th) * c, -2 * cos(th) * c
        root = sqrt(32 + b**2)
        s, s1 = b + root, b1 * (1 + b / root)
        s2 = b2 * (1 + b / root) + b1**2 * (1 / root - b**2 / root**3)
        source = 'source "analytic: closed form"'
        tasks += [
            f"  expect chain.s[{i}] at 0 s = {s:.14f} m within 1e-10 m {source}",
            f"  expect chain.s[{i}]' at 0 s = {s1 * SPEED:.12f} [m/s] within 1e-8 [m/s] {source}",
            f"  expect chain.s[{i}]'' at 0 s = {s2 * SPEED**2:.9f} [m/s^2] within 1e-6 [m/s^2]\n"
            + source,
        ]
    text = sized(
        "slider_crank_scalable_3d", "SliderCrankScalable", k, ", step = 8 deg", "\n".join(tasks)
    )
    assert met(text) == len(tasks) - 1
