"""The record of each joint kind describes the motion that the system gives to it."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

import mbx
from mbx.expr.evaluate import evaluate, free_symbols
from mbx.language.joints import JOINTS, MOTIONS, SLOTS
from mbx.system.kinematics.relative import relative

AXIS: Final = np.array([2.0, 1.0, 2.0]) / 3
WRITTEN: Final = {
    "axis": "[2, 1, 2]",
    "axis2": "[1, -2, 0]",
    "pitch": "0.2 m",
    "angle": "a",
    "angle2": "b",
    "distance": "d",
    "x": "x",
    "y": "y",
    "move": "[x, y, d]",
}
ROTATIONS: Final = {"none": "", "one": ", euler zxz by (a, b, c)", "any": ", rotated x by a"}


def poses(kind: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return rotation and translation of the second side of a joint, at some motions."""
    record = JOINTS[kind]
    arguments = "".join(f", {name} = {WRITTEN[name]}" for name in (*record.shape, *record.motion))
    text = (
        "mbx 1\nmodel M {\n param k: kg*m^2 = 1\n"
        " coordinate a: rad, b: rad, c: rad, d: m, x: m, y: m\n"
        f" body B {{ mass 1 kg inertia diag(k, k, k)\n"
        f"  joint {kind}(ground{arguments}{ROTATIONS[record.rotations]}) }}\n}}\n"
    )
    system = mbx.elaborate(mbx.loads(text))
    joint = system.elements[0].joint
    assert joint is not None
    seen = relative(joint.M, joint.F, system.rates)
    nodes = [*(x for row in seen.R for x in row), *seen.r]
    generator = np.random.default_rng(1)
    found = []
    for _ in range(4):
        at = {s: float(generator.uniform(-1, 1)) for s in free_symbols(nodes)}
        values = np.array(evaluate(nodes, at), float)
        found.append((values[:9].reshape(3, 3), values[9:]))
    return found


@pytest.mark.parametrize("kind", JOINTS)
def test_the_translation_is_that_of_the_record(kind: str) -> None:
    r = np.array([r for _, r in poses(kind)])
    across = r - np.outer(r @ AXIS, AXIS)
    if np.allclose(r, 0):
        seen = "none"
    elif np.allclose(across, 0):
        seen = "axis"
    else:
        seen = "plane" if np.allclose(r @ AXIS, 0) else "any"
    assert seen == JOINTS[kind].translation


@pytest.mark.parametrize("kind", [kind for kind in JOINTS if kind != "general"])
def test_the_rotation_is_that_of_the_record(kind: str) -> None:
    turned = [R for R, _ in poses(kind)]
    second = np.array([1, -2, 0]) / np.sqrt(5)
    right_angle = all(np.isclose(AXIS @ R @ second, AXIS @ second) for R in turned)
    if np.allclose(turned, np.eye(3)):
        seen = "none"
    elif all(np.allclose(R @ AXIS, AXIS) for R in turned):
        seen = "axis"
    else:
        seen = "axes" if right_angle else "any"
    assert seen == JOINTS[kind].rotation


@pytest.mark.parametrize("kind", [kind for kind, record in JOINTS.items() if record.constrains])
def test_the_freedoms_are_those_of_the_arguments(kind: str) -> None:
    record = JOINTS[kind]
    rotations = 3 if record.rotations == "one" else 0
    assert record.freedoms == len(record.motion) + rotations


def test_the_scalar_motions_are_scalars_and_motions() -> None:
    motions = {name for record in JOINTS.values() for name in record.motion}
    assert set(MOTIONS) == {name for name in motions if SLOTS[name][0] == "scalar"}
