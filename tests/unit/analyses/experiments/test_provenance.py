"""Where expected values come from, and how references are counted."""

from __future__ import annotations

import pytest

from mbx.analyses.experiments.expectation import Reference, summary
from mbx.analyses.experiments.provenance import KINDS, kind_of


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_begins_with_its_kind(kind: str) -> None:
    assert kind_of(f"{kind}: equation (3): x") == kind


@pytest.mark.parametrize("source", [None, "", "analytic", "Analytic: x", "closed form: x", ": x"])
def test_a_source_that_names_no_kind_has_none(source: str | None) -> None:
    assert kind_of(source) is None


def test_references_are_counted_by_kind() -> None:
    some = [
        Reference(experiment="e", quantity="x", at="at 1 s", kind="published", met=True),
        Reference(experiment="e", quantity="y", at="at 1 s", kind="analytic", met=False),
        Reference(experiment="e", quantity="z", at="at 1 s", kind="analytic", met=True),
        Reference(experiment="e", quantity="energy", at="conserved", met=None),
        Reference(experiment="e", quantity="w", at="at 1 s", met=True),
    ]
    assert summary(some) == (
        "references: 3 of 5 met (2 analytic, 1 published, 1 energy, 1 of no kind)"
    )


def test_a_number_that_is_none_is_null_in_json() -> None:
    reference = Reference(experiment="e", quantity="x", at="at 1 s", found=float("nan"), met=False)
    assert reference.as_json()["found"] is None
