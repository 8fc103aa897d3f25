"""Coverage says what a verification found, and is stale as soon as something is changed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import mbx
from mbx.analyses.experiments.expectation import Reference
from mbx.analyses.structure.structure_report import Freedoms
from mbx.base.errors import FileError
from mbx.show.coverage import make_coverage
from mbx.show.coverage.coverage_file import (
    COVERAGE,
    Coverage,
    FreedomCounts,
    Met,
    ModelCoverage,
    read_coverage,
    write_coverage,
)
from mbx.show.coverage.make_coverage import form_names, is_current, model_coverage
from mbx.verify.derived_forms import Excluded

if TYPE_CHECKING:
    from mbx.verify.verification import Verification

SWING = Path(__file__).parents[3] / "fixtures" / "library" / "swing" / "model.mb"
LINKED = mbx.link(mbx.read(SWING))
FREE = Freedoms(position=1, velocity=1, acceleration=1, counted=1)


@cache
def verified() -> Verification:
    return mbx.verify(LINKED, forms=("kane", "lagrange"), states=2, oracle=1)


def covered(**changes: Any) -> ModelCoverage:
    return model_coverage(LINKED, replace(verified(), **changes), FREE)


def test_a_model_is_known_by_its_identities_and_counts() -> None:
    found = covered()
    assert (found.model, found.hash) == ("Swing", LINKED.hash)
    assert found.experiment_hash == LINKED.experiment_hash
    assert found.freedoms == FreedomCounts(position=1, velocity=1)
    assert found.states == verified().compared > 2
    assert found.oracle == 1
    assert covered(oracle=None).oracle == 0
    assert model_coverage(LINKED, verified(), None).freedoms is None


@pytest.mark.parametrize(
    ("reason", "general"),
    [
        (
            "a speed without a rate (body.w, body.v); an effective row (motor.effective(1), i)",
            "a speed without a rate; an effective row",
        ),
        (
            "the inertia matrix is singular: no inertia behind shaft.twist', gear.a1'",
            "the inertia matrix is singular: no inertia behind some speeds",
        ),
        (
            "the inertia of link[1] is singular, and it carries link[2]: H_Sigma needs its inverse",
            "the inertia of a link is singular, and it carries another: H_Sigma needs its inverse",
        ),
        ("w1, w2 is used beyond its definition", "a speed is used beyond its definition"),
        (
            "x' cannot be the independent speeds: the invariants have rank 2 of 3",
            "its hint names speeds that cannot be independent",
        ),
        ("an invariant of order 3 or more", "an invariant of order 3 or more"),
    ],
)
def test_forms_agree_or_have_a_reason_without_its_elements(reason: str, general: str) -> None:
    found = covered(excluded=(Excluded("hamilton", "not applicable", reason),))
    assert found.forms == {
        "hamilton": f"not applicable: {general}",
        "kane": "agree",
        "lagrange": "agree",
    }


def test_references_are_counted_by_their_kind() -> None:
    def one(**facts: Any) -> Reference:
        return Reference(experiment="e", at="at 0 s", **{"quantity": "x", **facts})

    found = covered(
        references=(
            one(quantity="energy", met=True),
            one(kind="published", met=True),
            one(kind="analytic", met=True),
            one(kind="analytic", met=False),
            one(kind="analytic", met=None),
            one(met=True),
        )
    )
    assert list(found.references) == ["analytic", "published", "energy", "no kind"]
    assert found.references["analytic"] == Met(met=1, of=3)
    assert found.references["no kind"] == Met(met=1, of=1)


def test_the_references_of_a_model_are_those_of_its_experiments() -> None:
    assert covered().references == {"analytic": Met(met=1, of=1), "energy": Met(met=1, of=1)}


def test_coverage_comes_back_as_it_was_written(tmp_path: Path) -> None:
    coverage = Coverage(coverage=1, models=[covered(), covered()])
    assert read_coverage(tmp_path) is None
    (tmp_path / COVERAGE).write_text(write_coverage(coverage), "utf-8")
    assert read_coverage(tmp_path) == coverage
    assert coverage.references == {"analytic": Met(met=2, of=2), "energy": Met(met=2, of=2)}


@pytest.mark.parametrize("text", [b"", b"{}", b'{"coverage": 2, "models": []}', b"\xff", b"[1]"])
def test_what_is_no_coverage_is_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / COVERAGE).write_bytes(text)
    with pytest.raises(FileError, match="cannot be read"):
        read_coverage(tmp_path)


# -- stale -----------------------------------------------------------------------------------


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Coverage:
    monkeypatch.setattr(make_coverage, "form_names", lambda: ["kane", "lagrange"])
    return Coverage(coverage=1, models=[covered()])


def test_what_is_kept_of_a_model_as_it_is_is_current(kept: Coverage) -> None:
    assert is_current(kept, [LINKED])


def test_nothing_kept_is_stale(kept: Coverage) -> None:
    assert not is_current(None, [LINKED])
    assert not is_current(kept, [LINKED, LINKED])
    assert not is_current(kept, [])


@pytest.mark.parametrize(
    ("old", "new"),
    [("kg = 2", "kg = 3"), ("1e-10", "1e-9"), ("Swing", "Sway"), ("rad = 1", "rad = 2")],
)
def test_a_changed_model_is_stale(kept: Coverage, old: str, new: str) -> None:
    text = SWING.read_text("utf-8")
    assert old in text
    assert not is_current(kept, [mbx.link(mbx.loads(text.replace(old, new)))])


def test_a_new_form_makes_nothing_stale(kept: Coverage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_coverage, "form_names", lambda: ["gauss", "kane", "lagrange"])
    assert is_current(kept, [LINKED])


@pytest.mark.parametrize("names", [["kane"], ["lagrange", "kane"], []])
def test_a_form_that_is_gone_or_moved_makes_what_is_kept_stale(
    names: list[str], kept: Coverage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_coverage, "form_names", lambda: names)
    assert not is_current(kept, [LINKED])


def test_coverage_without_a_form_is_stale(kept: Coverage) -> None:
    bare = kept.models[0].model_copy(update={"forms": {}})
    assert not is_current(Coverage(coverage=1, models=[bare]), [LINKED])


def test_every_variant_of_a_form_has_a_name() -> None:
    names = form_names()
    assert len(names) == len(set(names))
    assert {"kane", "rfda:projection", "semi_recursive_1", "semi_recursive_1:augmented"} <= set(
        names
    )
