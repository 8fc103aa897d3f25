"""Modes: what is told of an eigenvalue."""

from __future__ import annotations

import numpy as np
import pytest

from mbx.analyses.linearize.modes import Mode


@pytest.mark.parametrize(
    ("value", "damping"), [(2j, "0.0"), (complex(-0.0, 2), "0.0"), (-3 + 4j, "0.6"), (0j, "None")]
)
def test_the_damping_of_an_eigenvalue_has_no_sign_where_it_is_zero(
    value: complex, damping: str
) -> None:
    assert str(Mode(value, np.zeros(1, dtype=complex)).damping) == damping
