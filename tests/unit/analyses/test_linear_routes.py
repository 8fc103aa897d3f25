"""Linear systems by independent routes: exact slopes, the modular recursion, differences."""

from __future__ import annotations

import numpy as np
import pytest

import mbx

CLOSE = 1e-9


@pytest.mark.parametrize("model", ["cart_pole", "parallelogram", "towed_wheel"])
def test_linearisations_are_those_of_the_differences_of_two_forms(model: str) -> None:
    document = mbx.read(f"lib:{model}")
    plain = mbx.linearize(document)
    routes = {
        "modular": mbx.linearize(document, method="modular"),
        "kane": mbx.linearize(document, form="kane"),
        "newton_euler": mbx.linearize(document, form="newton_euler"),
    }
    size = max(1.0, float(np.abs(plain.A).max(initial=0.0)))
    assert plain.A.size
    for name, other in routes.items():
        assert other.x == plain.x, name
        assert np.abs(other.A - plain.A).max(initial=0.0) < CLOSE * size, name
        assert np.abs(other.B - plain.B).max(initial=0.0) < CLOSE * size, name
