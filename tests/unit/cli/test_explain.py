from __future__ import annotations

from typing import Any

import pytest

from mbx.language.codes import codes, page


def test_every_code_is_listed_with_its_title(run: Any) -> None:
    assert codes()
    lines = run("explain").out.splitlines()
    assert [line.split("  ")[0] for line in lines] == list(codes())
    assert all(line.partition("  ")[2] for line in lines)


@pytest.mark.parametrize("spelling", ["MBX7003", "mbx7003", "7003"])
def test_a_code_has_its_page(run: Any, spelling: str) -> None:
    result = run("explain", spelling)
    assert (result.status, result.out) == (0, page("MBX7003"))


def test_an_unknown_code_suggests_the_nearest(run: Any) -> None:
    result = run("explain", "MBX70003")
    assert result.status == 2
    assert "Did you mean 'MBX700" in result.err


@pytest.mark.parametrize("code", ["../../pyproject", "MBX/../README", "", "\x1b[2J"])
def test_only_pages_are_read(run: Any, code: str) -> None:
    result = run("explain", code)
    assert (result.status, result.out) == (2, "")
    assert "\x1b" not in result.err
