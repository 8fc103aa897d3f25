from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test leave machine code on the user's disk, or find any there."""
    monkeypatch.setenv("MBX_CACHE", "")
