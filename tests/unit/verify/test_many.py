"""Models and parts of their states at the same time: the result is that of one by one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import inf, nan
from typing import TYPE_CHECKING

import pytest

import mbx
from mbx.base.errors import ConverterError
from mbx.base.workers.pool import Pool
from mbx.verify import many
from mbx.verify.agreement.state_parts import merge, parts_of
from mbx.verify.derived_forms import Excluded
from mbx.verify.findings import Error, OracleComparison
from mbx.verify.many import verify_models, verify_parts
from mbx.verify.run_verification import Options, verify_system
from mbx.verify.verification_data import Answer
from unit.verify.found import everything, found
from unit.verify.models import PENDULUM, SLED

if TYPE_CHECKING:
    from pathlib import Path

TWO = Options(forms=("kane", "lagrange"), states=3, oracle=1)

DEADLY = """
import os
from mbx.formalism.registry import Converter, Variant
from mbx_converters import kane

def derive(system, variant):
    if system.name == "Sled":
        os._exit(1)
    return kane.derive(system, variant)

CONVERTER = Converter(
    name="deadly", title="Deadly", reference="none", derive=derive,
    variants=(Variant(accepts=kane.CONVERTER.variants[0].accepts),),
)
"""


def test_a_verification_comes_back_as_it_was() -> None:
    there = found(
        Error(inf, "rest", "x'"),
        own={"kane": Error(nan)},
        oracle=OracleComparison(("rest",), ud={"kane": Error(1 / 3, forward=True)}),
        excluded=(Excluded("maggi", "failed", "a \x1b \ud7ff reason"),),
        drawn={"m": -0.0},
        conditions={"kane": 1e308},
    )
    text = Answer(seconds=1.0, verification=there).model_dump_json()
    assert everything(Answer.model_validate_json(text).verification) == everything(there)


def test_processes_find_what_one_finds_alone() -> None:
    models = [mbx.link(mbx.loads(text)) for text in (PENDULUM, SLED)]
    alone = {one.number: one for one in verify_models(models, [TWO], Pool(1))}
    together = {one.number: one for one in verify_models(models, [TWO], Pool(2))}
    assert {n: one.whole.model for n, one in alone.items()} == {0: "Pendulum", 1: "Sled"}
    for number, one in alone.items():
        assert everything(together[number].parts) == everything(one.parts)
        assert together[number].seconds > 0
    direct = mbx.verify(models[0], forms=TWO.forms, states=3, oracle=1)
    assert everything(alone[0].whole) == everything(direct)
    assert direct.ok


def test_states_in_parallel_find_what_they_find_one_after_the_other() -> None:
    model = mbx.link(mbx.loads(PENDULUM))
    asked = parts_of(Options(forms=TWO.forms, states=70, oracle=1))
    serial = verify_parts(model, asked, Pool(1))
    assert [one.seed for one in serial] == [1, 2]
    assert everything(verify_parts(model, asked, Pool(2))) == everything(serial)
    assert serial[1].drawn != serial[0].drawn
    whole = mbx.verify(model, forms=TWO.forms, states=70, oracle=1)
    assert everything(whole) == everything(merge(serial))
    assert sum(row.name.startswith("random") for row in whole.states) == 70


def test_each_part_is_a_verification_that_can_be_had_by_itself() -> None:
    model = mbx.link(mbx.loads(PENDULUM))
    asked = parts_of(Options(forms=TWO.forms, states=70, oracle=0))
    parts = verify_parts(model, asked, Pool(1))
    again = mbx.verify(model, forms=TWO.forms, states=6, oracle=0, seed=2)
    assert everything(parts[1]) == everything(again)


def test_an_unknown_form_is_said_before_the_work_begins() -> None:
    model = mbx.link(mbx.loads(PENDULUM))
    with pytest.raises(ConverterError, match="unknown formalism 'kan'; did you mean 'kane'"):
        list(verify_models([model], [Options(forms=("kan",))], Pool(1)))


def test_a_worker_that_lacks_a_form_says_so() -> None:
    model = mbx.link(mbx.loads(PENDULUM))
    task = json.loads(many._task(model, TWO)) | {"forms": ["kan"]}
    answer = Answer.model_validate_json(many.perform(json.dumps(task)))
    assert answer.fault == "unknown formalism 'kan'; did you mean 'kane'?"
    done = many._finished(3, {0: answer}, model)
    assert (done.number, done.parts, done.trouble, done.bug) == (3, (), answer.fault, False)


def test_a_model_that_does_not_arrive_as_it_was_sent_is_not_verified() -> None:
    model = mbx.link(mbx.loads(PENDULUM))
    task = json.loads(many._task(model, TWO))
    task["model"]["hash"] = "0" * 64
    answer = Answer.model_validate_json(many.perform(json.dumps(task)))
    assert answer.verification is None
    assert "does not arrive as it was sent" in answer.bug


def test_a_bug_costs_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    right = verify_system

    def wrong(system: object, *rest: object) -> object:
        if getattr(system, "name", "") == "Sled":
            raise ZeroDivisionError("by zero")
        return right(system, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(many, "verify_system", wrong)
    models = [mbx.link(mbx.loads(text)) for text in (SLED, PENDULUM)]
    sled, pendulum = verify_models(models, [TWO], Pool(1))
    assert (sled.trouble, sled.bug) == ("internal error, ZeroDivisionError: by zero", True)
    assert pendulum.whole.ok


@pytest.mark.full
def test_a_worker_that_dies_is_told_from_a_result(tmp_path: Path) -> None:
    (tmp_path / "mbx_converters").mkdir()
    (tmp_path / "mbx_converters" / "deadly.py").write_text(DEADLY, "utf-8")
    for name, text in (("sled", SLED), ("pendulum", PENDULUM)):
        (tmp_path / f"{name}.mb").write_text(text.lstrip(), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mbx", "verify", "--jobs", "2", "--states", "2",
         "--form", "deadly", "--form", "lagrange", "sled.mb", "pendulum.mb"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )  # fmt: skip
    assert "sled.mb: Sled: the worker died, or gave no answer in time" in done.stdout
    assert "internal error" not in done.stderr
    assert done.returncode in {4, 5}  # the pendulum may have been done, or not
