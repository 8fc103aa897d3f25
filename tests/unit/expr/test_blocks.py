from __future__ import annotations

import random

from mbx.expr.algebra.blocks import matching, triangular_blocks


def test_a_matching_gives_up_an_earlier_choice_where_it_must() -> None:
    assert matching([[0, 1], [0], [1, 2]]) == {0: 1, 1: 0, 2: 2}
    assert matching([[0, 1], [0, 2], [0], [3, 1]]) == {0: 1, 1: 2, 2: 0, 3: 3}


def test_a_pattern_without_a_full_matching_has_no_blocks() -> None:
    assert len(matching([[0], [0], [1, 2]])) == 2
    assert triangular_blocks([[0], [0], [1, 2]]) == []


def test_a_triangle_is_solved_from_its_tip() -> None:
    assert triangular_blocks([[0, 1, 2], [1, 2], [2]]) == [([2], [2]), ([1], [1]), ([0], [0])]


def test_a_cycle_is_one_block() -> None:
    assert triangular_blocks([[0, 1], [1, 2], [0, 2]]) == [([0, 1, 2], [0, 1, 2])]
    assert triangular_blocks([[0, 1], [0, 1], [0, 2]]) == [([0, 1], [0, 1]), ([2], [2])]


def test_blocks_cover_everything_and_need_only_what_came_before() -> None:
    draw = random.Random(3)  # noqa: S311
    for n in (1, 4, 9, 30):
        pattern = [sorted({i, *draw.sample(range(n), draw.randrange(min(n, 3)))}) for i in range(n)]
        order = list(range(n))
        draw.shuffle(order)
        blocks = triangular_blocks([pattern[i] for i in order])
        known: set[int] = set()
        for rows, columns in blocks:
            known.update(columns)
            assert len(rows) == len(columns)
            assert all(known.issuperset(pattern[order[i]]) for i in rows)
        assert known == set(range(n))


def test_a_long_chain_is_no_matter() -> None:
    n = 3000
    assert len(triangular_blocks([[k, k + 1] for k in range(n - 1)] + [[n - 1]])) == n
    assert len(triangular_blocks([[k, (k + 1) % n] for k in range(n)])) == 1
