from __future__ import annotations

from itertools import combinations

import pytest

import mbx
from mbx.show.drawing.marks.canvas import Canvas, Wish
from mbx.show.drawing.marks.labels import overlap, place_labels
from mbx.show.drawing.view_direction import along
from representative import FOLDERS, marked


def canvas() -> Canvas:
    return Canvas(along("z", None), 200.0, 100.0, 8.0)


def test_boxes_share_an_area_or_none() -> None:
    assert overlap((0, 0, 10, 10), (5, 5, 20, 20)) == 25
    assert overlap((0, 0, 10, 10), (10, 0, 20, 10)) == 0
    assert overlap((0, 0, 10, 10), (30, 30, 40, 40)) == 0


def test_two_labels_of_one_place_do_not_overlap() -> None:
    paper = canvas()
    for name in ("first", "second", "third"):
        paper.wishes.append(Wish(((name, False),), ((100.0, 50.0),), 4.0, "#000"))
    boxes = place_labels(paper)
    assert all(overlap(a, b) == 0 for a, b in combinations(boxes, 2))


def test_a_label_stays_on_the_paper() -> None:
    paper = canvas()
    paper.wishes.append(Wish((("a long name", False),), ((198.0, 98.0),), 4.0, "#000"))
    (box,) = place_labels(paper)
    assert box[0] >= 0
    assert box[2] <= 200
    assert box[3] <= 100


def test_a_label_is_on_the_side_that_it_should_be_on() -> None:
    paper = canvas()
    wish = Wish((("q", False),), ((100.0, 50.0),), 4.0, "#000", towards=(1.0, 0.0))
    paper.wishes.append(wish)
    (box,) = place_labels(paper)
    assert box[0] > 100


def test_a_label_keeps_off_a_wide_bar() -> None:
    paper = canvas()
    paper.stroke((0.0, 50.0), (200.0, 50.0), wide=20.0)
    paper.wishes.append(Wish((("bar", False),), ((100.0, 50.0),), 1.0, "#000"))
    (box,) = place_labels(paper)
    assert box[3] <= 40 or box[1] >= 60


@pytest.mark.parametrize("case", marked())
def test_labels_of_the_library_overlap_little(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[float, float, float, float]] = []

    def noted(paper: Canvas) -> list[tuple[float, float, float, float]]:
        found.extend(place_labels(paper))
        return found

    monkeypatch.setattr("mbx.show.drawing.sheet.place_labels", noted)
    mbx.draw(mbx.read(FOLDERS[case] / "model.mb"))
    assert all(overlap(a, b) < 8 for a, b in combinations(found, 2))
