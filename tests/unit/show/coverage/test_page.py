"""The coverage page says of every case and form what its coverage.json says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mbx.show.coverage.coverage_file import COVERAGE, Coverage, write_coverage
from mbx.show.coverage.coverage_page import coverage_page

if TYPE_CHECKING:
    from pathlib import Path

TOML = """\
title = "{title}"
summary = "S."
tags = ["planar"]

[source]
citation = "none"
parameters = "none"
"""
NO_RATE = "not applicable: a speed without a rate"
BOTH = "not applicable: a quaternion with speeds; a speed without a rate"


def model(forms: dict[str, str], references: dict[str, int], name: str = "M") -> dict[str, Any]:
    return {
        "model": name,
        "hash": "0",
        "experiment_hash": "1",
        "freedoms": None,
        "states": 18,
        "oracle": 2,
        "forms": forms,
        "references": {kind: {"met": n, "of": n} for kind, n in references.items()},
    }


def put(library: Path, name: str, title: str, *models: dict[str, Any]) -> None:
    folder = library / name
    folder.mkdir()
    (folder / "case.toml").write_text(TOML.format(title=title), "utf-8")
    if models:
        coverage = Coverage.model_validate({"coverage": 1, "models": list(models)})
        (folder / COVERAGE).write_text(write_coverage(coverage), "utf-8")


@pytest.fixture
def page(tmp_path: Path) -> str:
    forms = {"kane": "agree", "rfda:a": "agree", "rfda:b": "agree", "newton_euler": "agree"}
    put(tmp_path, "arm", "Arm | with <b>", model(forms, {"analytic": 2, "energy": 1}))
    some = {**forms, "rfda:b": NO_RATE, "newton_euler": BOTH}
    put(tmp_path, "motor", "Motor", model(some, {"analytic": 1, "published": 3}))
    twice = [model(forms, {}, name) for name in ("First", "Second")]
    put(tmp_path, "pair", "Pair", *twice)
    put(tmp_path, "raw", "Raw")
    return coverage_page(tmp_path)


def test_there_is_a_row_for_every_case_and_a_column_for_every_form(page: str) -> None:
    assert "| case | Ka | NE | Rf |" in page
    assert "| `arm` | ✓ | ✓ | ✓ |" in page


def test_a_letter_says_why_a_form_does_not_apply(page: str) -> None:
    assert "| `motor` | ✓ | a b | ✓ a |" in page
    assert "| a | a speed without a rate |" in page
    assert "| b | a quaternion with speeds |" in page


def test_the_forms_are_explained_with_their_variants(page: str) -> None:
    assert "| NE | `newton_euler` |  |" in page
    assert "| Rf | `rfda` | `a`, `b` |" in page


def test_references_are_counted_by_their_kind(page: str) -> None:
    assert "| case | title | analytic | published | plotted | agreed | computed |" in page
    assert "| `motor` | Motor | 1 | 3 |  |  |  |" in page
    assert "References met: 3 analytic, 3 published." in page


def test_models_of_one_case_have_rows_of_their_own(page: str) -> None:
    assert "| `pair` First | ✓ | ✓ | ✓ |" in page
    assert "| `pair` Second | ✓ | ✓ | ✓ |" in page


def test_the_totals_count_forms_with_their_variants(page: str) -> None:
    assert "Models: 4; forms: 3, with variants 4." in page
    assert "Of 16 pairs of a model and a form 14 agree, the others do not apply." in page


def test_a_case_that_was_not_built_is_named_apart(page: str) -> None:
    assert page.endswith("## Not verified yet\n\n- `raw`\n")


def test_a_title_stays_in_its_cell(page: str) -> None:
    assert "| `arm` | Arm \\| with &lt;b> | 2 |" in page


def test_forms_with_the_same_initials_have_keys_of_their_own(tmp_path: Path) -> None:
    forms = dict.fromkeys(["kane", "kang", "new_euler", "newton_euler"], "agree")
    put(tmp_path, "arm", "Arm", model(forms, {}))
    assert "| case | Ka | Ka2 | NE | NE2 |" in coverage_page(tmp_path)


def test_there_are_letters_enough(tmp_path: Path) -> None:
    forms = {f"f{k:02}": f"not applicable: reason {k:02}" for k in range(30)}
    put(tmp_path, "arm", "Arm", model(forms, {}))
    page = coverage_page(tmp_path)
    assert "| z | reason 25 |\n| a2 | reason 26 |" in page


def test_a_page_without_refusals_has_no_table_of_them(tmp_path: Path) -> None:
    put(tmp_path, "arm", "Arm", model({"kane": "agree"}, {}))
    page = coverage_page(tmp_path)
    assert "Why a form" not in page
    assert "References met: none." in page


def test_what_is_singular_at_all_states_is_said_in_full(tmp_path: Path) -> None:
    put(tmp_path, "arm", "Arm", model({"kane": "singular: at all 18 states"}, {}))
    assert "| a | singular: at all 18 states |" in coverage_page(tmp_path)
