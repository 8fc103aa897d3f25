from __future__ import annotations

import ast
from typing import Final

from mutation.sites import mutated, sites

SOURCE: Final = '''\
"""A module with 2 < 3 in its text."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from a import b

def f(x: int | None, y: float = 1) -> bool:
    x += 2
    return not x - y < 3 and True
'''


def test_each_change_is_one_of_a_number_a_sign_a_comparison_or_a_condition() -> None:
    assert {site.text for site in sites(SOURCE)} == {
        "1 -> 2",
        "x += 2 -> x -= 2",
        "2 -> 3",
        "not x - y < 3 and True -> not x - y < 3 or True",
        "not x - y < 3 -> x - y < 3",
        "x - y < 3 -> x - y <= 3",
        "x - y -> x + y",
        "x - y -> x",
        "3 -> 4",
        "True -> False",
    }


def test_what_has_no_effect_at_run_time_is_no_change() -> None:
    assert {site.line for site in sites(SOURCE)} == {7, 8, 9}


def test_a_change_leaves_all_else_as_it_is() -> None:
    same = ast.unparse(ast.parse(SOURCE)).splitlines()
    for site in sites(SOURCE):
        text = ast.unparse(mutated(SOURCE, site.number)).splitlines()
        assert sum(old != new for old, new in zip(same, text, strict=True)) == 1
