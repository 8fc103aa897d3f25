"""The tables of faults: what they must cover, and that each still fits the code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbx.base.errors import MbxError, NotApplicableError
from mbx.formalism import registry
from mbx.system.elaborate import elaborate
from own_process import in_new_process
from self_test.fault_models import linked_model, model_file
from self_test.fault_page import write_page
from self_test.mutants import DETECTORS, choose, mutants, named, tenth
from self_test.operators import spoilt
from self_test.patch import changed, source_of

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
    assert len(real) >= 705
    assert sum(m.shared for m in real) >= 177
    assert sum(bool(m.tags & {"small", "conditional"}) for m in real) >= 400
    assert len({m.model for m in real}) >= 15
    assert sum("declared" in m.tags for m in real) >= 60
    assert sum(m.group == "front end" for m in real) >= 20
    assert sum(m.group == "verifier" for m in real) >= 20


def test_the_faults_of_the_front_are_in_linking_units_and_experiments() -> None:
    parts = {m.module.split(".")[1] for m in FAULTS if m.group == "front end"}
    assert parts >= {"analyses", "checking", "language", "linking", "system"}


def test_every_declared_result_of_every_form_has_a_fault() -> None:
    planted = {
        (m.module.rpartition(".")[2], m.replace.split('"')[1].rstrip(":*"))
        for m in FAULTS
        if m.find == "derive=derive,"
    }
    # states are completed by this result, so a wrong one leaves none to compare at
    planted |= {("modular", "state"), ("udwadia_kalaba", "state")}
    missing = set()
    models = ("slider_crank", "n_pendulum", "programme_order_3", "sleigh_accelerometer")
    for model in models:
        system = elaborate(linked_model(model))
        for form in registry.names():
            for variant in registry.get(form).variants:
                if registry.refusals(system, form, variant.name):
                    continue
                try:
                    results = registry.get(form).derive(system, variant.name).results
                except NotApplicableError:
                    continue
                found = {(form, one.partition(":")[0]) for one in results}
                missing |= found - planted
    assert missing == set()


def test_a_declared_result_that_is_spoilt_is_wrong_and_nothing_else_is() -> None:
    system = elaborate(linked_model("simple_pendulum"))
    derive = registry.get("kane").derive
    right = derive(system, "")
    state = {x.path: 0.7 for x in (*right.signature.q, *right.signature.u)}
    before = right.evaluate(state)
    for how, factor in (("slightly", 1 + 1e-6), ("opposite", -1.0)):
        wrong = spoilt(derive, "M", how)(system, "")
        after = wrong.evaluate(state)
        assert after["M"] == pytest.approx(factor * before["M"], rel=1e-15)
        assert {
            name for name in right.results if not np.array_equal(before[name], after[name])
        } == {"M"}
    raised = spoilt(derive, "h", "raised")(system, "").evaluate(state)
    assert raised["h"] == pytest.approx(before["h"] + 1e-6, rel=1e-15)


def test_rows_of_a_declared_result_can_be_shuffled() -> None:
    system = elaborate(linked_model("double_pendulum"))
    derive = registry.get("kane").derive
    state = {
        x.path: 0.7 for x in (*derive(system, "").signature.q, *derive(system, "").signature.u)
    }
    before, after = (
        one.evaluate(state)["ud"]
        for one in (derive(system, ""), spoilt(derive, "u*", "shuffled")(system, ""))
    )
    assert after.tolist() == [*before[1:], before[0]]


def test_every_fault_of_the_verifier_has_a_bait_on_its_model() -> None:
    baits = [m for m in FAULTS if m.check == "verifier"]
    assert baits
    for m in baits:
        assert named(m.bait).model == m.model, m.id
        assert not named(m.bait).bait, m.id
    assert all(not m.bait for m in FAULTS if m.check != "verifier")


def test_what_is_loaded_before_trials_has_hardly_any_fault() -> None:
    """Whether it is so is asked in a process of its own, for here everything may be loaded."""
    loaded = set(in_new_process("import sys, self_test.warm; print(*sys.modules)").split())
    early = {m.id for m in FAULTS if m.module in loaded}
    assert early <= {m.id for m in FAULTS if m.group in {"front end", "verifier"}}


def test_every_form_has_faults_of_its_own() -> None:
    own = {m.group for m in FAULTS if not m.core and "declared" not in m.tags}
    families = {"recursive", "rfda", "semi_recursive", "tree"}
    assert own - {"verifier"} == set(registry.names()) | {f"{name} (shared)" for name in families}


def test_every_fault_names_forms_that_there_are_and_that_are_run() -> None:
    known = {*registry.names(), *DETECTORS}
    for m in FAULTS:
        run = {form.partition(":")[0] for form in m.forms}
        assert set(m.expected) <= known, m.id
        assert run <= known, m.id
        assert set(m.expected) <= {*run, *DETECTORS}, m.id
        assert len(run) >= 2 or m.check == "linked", m.id
        assert m.check == "forms" or m.expected == (m.check,), m.id


def test_every_fault_has_a_name_a_line_and_a_model_of_its_own() -> None:
    assert len({m.id for m in FAULTS}) == len(FAULTS)
    for m in FAULTS:
        assert m.breaks, m.id
        assert "\n" not in m.breaks, m.id
        assert m.check == "linked" or model_file(m.model).is_file(), m.id
        assert m.tags <= {"small", "conditional", "declared"}, m.id


def test_the_tenth_is_a_tenth_of_all_kinds() -> None:
    some = tenth()
    assert len(some) == -(-len(FAULTS) // 10)
    assert sum(m.shared for m in some) >= 8
    assert any("small" in m.tags for m in some)
    assert any("conditional" in m.tags for m in some)
    assert len({m.group for m in some}) >= 6
    assert {"front end", "verifier"} <= {m.group for m in some}


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
