"""Counts of a few sizes, and what is said of others."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from mbx.analyses.costs.cheapest import cheaper_from
from mbx.analyses.costs.cost_polynomial import evaluate, interpolate
from mbx.analyses.costs.extend import counts_of

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    "said", ["0", "5", "0 0 3", "1/2 -7/3", "4 0 0 -1/6", "-1 1/9 0 0 2", "3 0 1/5 0 0"]
)
def test_a_polynomial_is_found_again(said: str) -> None:
    given = [Fraction(c) for c in said.split()]
    points = [2, 3, 5, 7, 11]
    values = [sum((c * x**k for k, c in enumerate(given)), Fraction(0)) for x in points]
    found = interpolate(points, values)
    assert [*found, *[0] * (len(given) - len(found))] == given
    assert len(found) == 1 or found[-1] != 0


def test_a_polynomial_has_its_value() -> None:
    assert evaluate((Fraction(1), Fraction(0), Fraction(1, 2)), 4) == 9


@pytest.mark.parametrize(
    "law",
    [
        lambda n: 7,
        lambda n: 5 * n + 2,
        lambda n: 2 * n * n - n,
        lambda n: n * (n + 1) * (n + 2) // 6,
    ],
)
def test_a_law_of_degree_three_or_less_is_extended(law: Callable[[int], int]) -> None:
    found = counts_of(law)
    assert [found.at(n) for n in range(1, 64)] == [law(n) for n in range(1, 64)]
    assert sorted(found.counted) == [1, 2, 3, 4, 5, 6]


def test_the_first_sizes_may_be_special() -> None:
    found = counts_of(lambda n: 3 if n < 3 else n**3)
    assert [found.at(n) for n in (1, 2, 3, 8, 40)] == [3, 3, 27, 512, 64000]
    assert max(found.counted) == 8


def test_what_follows_no_law_is_not_extended() -> None:
    found = counts_of(lambda n: 2**n)
    assert found.law is None
    assert found.at(11) == 2048
    assert found.at(12) is None


def test_a_law_that_one_check_alone_refutes_is_not_used() -> None:
    # through 1..4 and 5 goes a line, and 6 is off it; so in every window
    found = counts_of(lambda n: 10 * n + (n % 6 == 0))
    assert found.law is None
    assert found.at(6) == 61


def test_a_size_that_is_too_large_ends_the_count() -> None:
    found = counts_of(lambda n: n if n < 4 else None)
    assert found.counted == {1: 1, 2: 2, 3: 3}
    assert found.at(4) is None


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ([3, 1, 1], [2, 2, 2], 2),
        ([1, 3, 1, 1], [2, 2, 2, 2], 3),  # what is cheaper for a while only does not count
        ([1, 1, 2], [2, 2, 2], None),
        ([1, None, 1], [2, 2, 2], 3),
        ([1, 1, 1], [2, 2, None], None),
    ],
)
def test_one_method_is_cheaper_from_a_size_on(
    one: list[int | None], other: list[int | None], said: int | None
) -> None:
    found = cheaper_from(
        lambda size: one[size - 1], lambda size: other[size - 1], range(1, len(one) + 1)
    )
    assert found == said
