"""All tests of this folder prove papers on recursive families: `make papers` runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

_FOLDER = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(_FOLDER):
            item.add_marker("papers")
