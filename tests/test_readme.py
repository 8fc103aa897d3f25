from __future__ import annotations

import pytest

from command_files import ROOT, blocks, settle

README = ROOT / "README.md"
COMMANDS = [block.command for block in blocks(README.read_text("utf-8"))]


@pytest.mark.parametrize("number", range(len(COMMANDS)), ids=COMMANDS)
def test_a_command_of_the_readme_prints_what_it_says(
    number: int, request: pytest.FixtureRequest
) -> None:
    settle(README, number, update=request.config.getoption("update"))
