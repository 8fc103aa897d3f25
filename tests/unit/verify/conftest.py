"""What tests of verification share."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(params=["balls", "decimals"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let numbers be of either kind: decimals, where python-flint is not installed."""
    if request.param == "decimals":
        monkeypatch.setitem(sys.modules, "flint", None)
        monkeypatch.delitem(sys.modules, "mbx.numerics.multiprecision.balls", raising=False)
    return str(request.param)
