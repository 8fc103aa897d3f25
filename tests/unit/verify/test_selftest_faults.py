"""The tables of faults: what they must cover, and that each still fits the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbx.errors import MbxError
from mbx.formalism import registry
from mbx.verify.selftest.models import model_file
from mbx.verify.selftest.mutants import ORACLE, choose, mutants, tenth
from mbx.verify.selftest.page import write_page
from mbx.verify.selftest.patch import changed, source_of

FAULTS = mutants()


@pytest.mark.parametrize("module", sorted({m.module for m in FAULTS}))
def test_every_fault_of_a_module_fits_its_source_and_is_python(module: str) -> None:
    source = source_of(module)
    for mutant in (m for m in FAULTS if m.module == module):
        text = changed(source, mutant)
        assert text != source, mutant.id
        compile(text, mutant.id, "exec")


def test_there_are_as_many_faults_as_are_promised() -> None:
    real = [m for m in FAULTS if not m.equivalent]
    assert len(real) >= 200
    assert sum(m.shared for m in real) >= 80
    assert sum(bool(m.tags & {"small", "conditional"}) for m in real) >= 40
    assert len({m.model for m in real}) >= 15


def test_every_form_has_faults_of_its_own() -> None:
    assert {m.group for m in FAULTS if not m.core} == set(registry.names())


def test_every_fault_names_forms_that_there_are_and_that_are_run() -> None:
    known = {*registry.names(), ORACLE}
    for m in FAULTS:
        run = {form.partition(":")[0] for form in m.forms}
        assert set(m.expected) <= known, m.id
        assert run <= known, m.id
        assert set(m.expected) <= {*run, ORACLE}, m.id
        assert len(run) >= 2, m.id


def test_every_fault_has_a_name_a_line_and_a_model_of_its_own() -> None:
    assert len({m.id for m in FAULTS}) == len(FAULTS)
    for m in FAULTS:
        assert m.breaks, m.id
        assert "\n" not in m.breaks, m.id
        assert model_file(m.model).is_file(), m.id
        assert m.tags <= {"small", "conditional"}, m.id


def test_the_tenth_is_a_tenth_of_all_kinds() -> None:
    some = tenth()
    assert len(some) == -(-len(FAULTS) // 10)
    assert sum(m.shared for m in some) >= 8
    assert any("small" in m.tags for m in some)
    assert any("conditional" in m.tags for m in some)
    assert len({m.group for m in some}) >= 6


def test_faults_are_chosen_by_name_and_by_pattern() -> None:
    assert [m.id for m in choose(["kane-bias-sign"])] == ["kane-bias-sign"]
    assert {m.group for m in choose(["kane-*"])} == {"kane"}
    assert choose(["tenth"]) == tenth()
    assert choose([]) == FAULTS


def test_an_unknown_name_of_a_fault_is_refused() -> None:
    with pytest.raises(MbxError, match="no fault is called 'kane-nothing'"):
        choose(["kane-nothing"])


def test_the_page_of_the_spec_lists_the_faults_that_there_are() -> None:
    page = Path(__file__).parents[3] / "spec" / "self_test.md"
    assert page.read_text("utf-8") == write_page()
