"""Stages of a Runge-Kutta step in machine code against the same in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import mbx
from mbx.codegen.native.function import Function
from mbx.codegen.native.stages import Stages


def compiled(backend: str) -> Function:
    equations = mbx.convert(mbx.read("lib:double_pendulum"), "kane")
    function = mbx.compile(equations, ("qd", "ud"), frozen=True, backend=backend)
    assert isinstance(function, Function)
    return function


@pytest.mark.parametrize("backend", ["llvm", "cc"])
def test_stages_are_those_of_the_table(backend: str) -> None:
    function = compiled(backend)
    rng = np.random.default_rng(2)
    A, C, x = np.tril(rng.normal(size=(5, 5)), -1), rng.normal(size=5), rng.normal(size=4)
    t, h = 0.3, 0.05
    K = np.zeros((5, 4))

    def rate(x: np.ndarray) -> np.ndarray:
        found = function(x[:2], x[2:])
        return np.concatenate([found.qd, found.ud])

    K[0] = rate(x)
    for s in range(1, 5):
        K[s] = rate(x + h * A[s, :s] @ K[:s])
    stages = Stages(function, A, C)
    stages.K[0] = K[0]
    assert stages.run(t, h, x, 1, 3) == 0
    assert stages.K[1:3] == pytest.approx(K[1:3], rel=1e-13)
    assert stages.run(t, h, x, 3, 5) == 0
    assert pytest.approx(K, rel=1e-12) == stages.K
    assert stages.w == pytest.approx(x + h * A[4, :4] @ K[:4], rel=1e-13)


@pytest.mark.parametrize("backend", ["llvm", "cc"])
def test_stages_end_where_there_is_no_result(backend: str) -> None:
    function = compiled(backend)
    stages = Stages(function, np.zeros((3, 3)), np.zeros(3))
    assert stages.run(0.0, 0.1, np.array([0.0, 0.0, np.nan, 0.0]), 1, 3) == 1
    assert not stages.K[2].any()
