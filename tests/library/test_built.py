"""What mbx makes of a case is there, current, and what mbx would make again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import mbx
from library.expected import CASES, models_of
from mbx.formalism import registry
from mbx.show.coverage.coverage_file import AGREE, Coverage, read_coverage, write_coverage
from mbx.show.coverage.make_coverage import is_current, model_coverage
from representative import FOLDERS, REPRESENTATIVE

if TYPE_CHECKING:
    from pathlib import Path


def name(case: Path) -> str:
    return case.name


def known(case: Path) -> Coverage:
    found = read_coverage(case)
    assert found is not None, f"mbx library build {case.name}"
    return found


@pytest.mark.parametrize("case", CASES, ids=name)
def test_the_coverage_is_of_the_models_as_they_are(case: Path) -> None:
    assert is_current(known(case), models_of(case)), f"mbx library build {case.name}"


@pytest.mark.parametrize("case", CASES, ids=name)
def test_all_references_are_met(case: Path) -> None:
    for model in known(case).models:
        for kind, one in model.references.items():
            assert one.met == one.of > 0, f"{model.model}: {kind}"


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_form_that_refuses_a_model_is_not_said_to_agree(case: Path) -> None:
    for linked, model in zip(models_of(case), known(case).models, strict=True):
        system = mbx.elaborate(linked)
        for form, said in model.forms.items():
            converter, _, variant = form.partition(":")
            if registry.refusals(system, converter, variant):
                assert said.startswith("not applicable: "), form
            else:
                assert said == AGREE or said.startswith(("not applicable: ", "singular: ")), form


@pytest.mark.parametrize("case", CASES, ids=name)
def test_the_readme_shows_the_drawing(case: Path) -> None:
    assert "](figure.svg)\n" in (case / "README.md").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("case", sorted(REPRESENTATIVE))
def test_a_case_that_is_built_again_gives_the_same_coverage(case: str) -> None:
    models = [
        model_coverage(linked, mbx.verify(linked), mbx.structure(linked).freedoms)
        for linked in models_of(FOLDERS[case])
    ]
    kept = (FOLDERS[case] / "coverage.json").read_text("utf-8")
    assert write_coverage(Coverage(coverage=1, models=models)) == kept
