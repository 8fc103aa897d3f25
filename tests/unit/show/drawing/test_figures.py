"""The drawings in the library are those of its models, on any machine."""

from __future__ import annotations

import pytest

import mbx
from representative import FOLDERS, marked
from unit.show.drawing.drawings import alike


@pytest.mark.parametrize("case", marked())
def test_the_figure_of_a_case_is_current(case: str) -> None:
    figure = FOLDERS[case] / "figure.svg"
    assert alike(mbx.draw(mbx.read(FOLDERS[case] / "model.mb")), figure.read_text("utf-8"))
