"""Which tensors are inertias: those with principal moments that a body can have."""

from __future__ import annotations

import random
from typing import Final

import numpy as np
import pytest

import mbx

Matrix = list[list[int]]

TENSORS: Final = 40


def codes(inertia: str) -> list[str]:
    text = (
        "mbx 1\nmodel M {\n  param k: kg*m^2 = 1\n"
        f"  body B {{ mass 1 kg  inertia {inertia}  joint fixed(ground) }}\n}}\n"
    )
    return [one.code for one in mbx.check(mbx.loads(text)).errors]


def expected(tensor: Matrix) -> list[str]:
    """Return what must be said of a tensor, from its principal moments."""
    low, middle, high = np.linalg.eigvalsh(np.array(tensor, float))
    if low < -1e-6:
        return ["MBX4002"]
    return ["MBX4003"] if high > low + middle + 1e-6 else []


def rows(tensor: Matrix) -> str:
    return "[" + ", ".join("[" + ", ".join(f"{e}*k" for e in row) + "]" for row in tensor) + "]"


def entries(tensor: Matrix) -> str:
    (xx, xy, xz), (_, yy, yz), (*_, zz) = tensor
    return "tensor(" + ", ".join(f"{e}*k" for e in (xx, yy, zz, xy, xz, yz)) + ")"


def some_tensor(chance: random.Random) -> Matrix:
    """Return a symmetric matrix near the edge between what can be and what cannot."""
    xy, xz, yz = (chance.randint(-4, 4) for _ in range(3))
    xx, yy, zz = (chance.randint(0, 12) for _ in range(3))
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


@pytest.mark.parametrize("seed", range(TENSORS))
def test_a_tensor_is_judged_by_its_principal_moments(seed: int) -> None:
    tensor = some_tensor(random.Random(seed))  # noqa: S311  comes back by its seed
    assert codes(rows(tensor)) == expected(tensor)
    assert codes(entries(tensor)) == expected(tensor)


def test_the_tensors_tried_are_of_all_kinds() -> None:
    tried = [some_tensor(random.Random(seed)) for seed in range(TENSORS)]  # noqa: S311  likewise
    assert {tuple(expected(one)) for one in tried} == {(), ("MBX4002",), ("MBX4003",)}


@pytest.mark.parametrize(
    ("moments", "code"),
    [
        ((0, 0, 0), []),
        ((1, 1, 0), []),  # a thin bar
        ((1, 1, 2), []),  # a thin disc: equality is allowed
        ((1, 1, 3), ["MBX4003"]),
        ((0, 0, 1), ["MBX4003"]),
        ((-1, 1, 1), ["MBX4002"]),
    ],
)
def test_each_axis_counts_alike(moments: tuple[int, int, int], code: list[str]) -> None:
    a, b, c = moments
    for x, y, z in ((a, b, c), (b, c, a), (c, a, b)):
        assert codes(f"diag({x}*k, {y}*k, {z}*k)") == code
        assert codes(rows([[x, 0, 0], [0, y, 0], [0, 0, z]])) == code


@pytest.mark.parametrize("place", [(0, 1), (0, 2), (1, 2)])
def test_a_tensor_is_symmetric(place: tuple[int, int]) -> None:
    tensor = [[9, 0, 0], [0, 9, 0], [0, 0, 9]]
    tensor[place[0]][place[1]] = 1
    assert codes(rows(tensor)) == ["MBX4009"]


def test_a_tensor_may_turn_with_rounding_errors() -> None:
    turn = np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]])
    tilt = np.array([[1, 0, 0], [0, 0.28, -0.96], [0, 0.96, 0.28]])
    rotation = turn @ tilt
    disc = rotation @ np.diag([1.0, 1.0, 2.0]) @ rotation.T
    text = "[" + ", ".join("[" + ", ".join(f"{e:.17f}*k" for e in row) + "]" for row in disc) + "]"
    assert codes(text) == []
