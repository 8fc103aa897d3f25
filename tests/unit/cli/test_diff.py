"""`mbx diff`: two models, or two forms of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from unit.verify.test_differ import ANGLE, PLACE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    files = tmp_path / "angle.mb", tmp_path / "place.mb"
    for file, text in zip(files, (ANGLE, PLACE), strict=True):
        file.write_text(text, "utf-8")
    return files


def test_models_in_other_variables_are_the_same(run: Any, two: tuple[Path, Path]) -> None:
    result = run("diff", "--states", "3", *two)
    lines = result.out.splitlines()
    assert result.status == 0
    assert "coordinate th: only in the first" in lines
    assert lines[-1] == "Angle, Place: same (6 states)"  # three of each


def test_models_that_differ_have_status_4(run: Any, two: tuple[Path, Path]) -> None:
    two[1].write_text(PLACE.replace("9.81", "9.82"), "utf-8")
    result = run("diff", "--states", "2", "--json", *two)
    assert result.status == 4
    assert json.loads(result.out)["verdict"] == "different"


def test_a_model_with_errors_is_reported(run: Any, two: tuple[Path, Path]) -> None:
    two[1].write_text(PLACE.replace("bob", "bob bob"), "utf-8")
    result = run("diff", *two)
    assert result.status == 1
    assert "place.mb:6" in result.err


def test_two_forms_of_a_model_agree(run: Any, two: tuple[Path, Path]) -> None:
    result = run("diff", two[1], "--form", "kane", "--form", "lagrange", "--states", "2")
    assert result.status == 0
    assert result.out.startswith("Place: agree (2 forms at ")


def test_two_forms_are_data_with_their_diagnosis(run: Any, two: tuple[Path, Path]) -> None:
    result = run("diff", two[1], "--form", "kane", "--form", "lagrange", "--states", "2", "--json")
    data = json.loads(result.out)
    assert data["verdict"] == "agree"
    assert data["diagnosis"] is None


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "diff takes two models, or one and --form twice"),
        (("--form", "kane"), "--form names two forms"),
        (("--form", "kane", "--form", "kane"), "--form names two forms"),
    ],
)
def test_wrong_usage_is_said(
    run: Any, two: tuple[Path, Path], more: tuple[str, ...], said: str
) -> None:
    result = run("diff", two[0], *more)
    assert result.status == 2
    assert said in result.err
