"""What the page on costs says that commands print is what they print."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from command_files import blocks, replace, settle
from mbx.analyses.costs.cost_maps import counted_map

SPEC: Final = Path(__file__).parents[4] / "spec"
PAGE: Final = SPEC / "costs.md"


def test_the_page_has_a_ranking_and_the_map() -> None:
    commands = [block.command for block in blocks(PAGE.read_text("utf-8"))]
    assert commands == ["mbx compare library/pipelayer/model.mb", "mbx compare --map"]


def test_the_page_has_the_ranking_that_is_printed(pytestconfig: pytest.Config) -> None:
    settle(PAGE, 0, update=pytestconfig.getoption("update"))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_s2_11_the_page_has_the_map_that_counting_gives(pytestconfig: pytest.Config) -> None:
    text = PAGE.read_text("utf-8")
    block = blocks(text)[1]
    printed = "".join(f"{line}\n" for line in counted_map(600.0).lines())
    if pytestconfig.getoption("update"):
        PAGE.write_text(replace(text, block, printed), "utf-8")
    else:
        assert printed == block.expected


def test_the_page_shows_the_picture() -> None:
    assert "](costs_map.svg)" in PAGE.read_text("utf-8")
    assert (SPEC / "costs_map.svg").read_bytes().startswith(b"<?xml")
