"""`pytest --mbx` in a repository of somebody else.

Each runs in a process of its own: pytester unloads what a run in this one imports, and NumPy
cannot be loaded twice.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mbx.linking import library
from unit.verify.models import PENDULUM, SLED

if TYPE_CHECKING:
    from pathlib import Path

ZERO = """
from dataclasses import replace
from mbx.expr.nodes import ZERO
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx_converters import kane

def derive(system, variant):
    equations = kane.derive(system, variant)
    program = Program()
    program.column("zero", [ZERO] * len(system.u))
    steps = (*equations.steps, *program.steps)
    return replace(equations, steps=steps, results={"ud": "zero"}, residuals=())

CONVERTER = Converter(
    name="zero", title="Zero", reference="none", derive=derive,
    variants=(Variant(accepts=kane.CONVERTER.variants[0].accepts),),
)
"""

# a plugin that others need not have, and that takes longer than all of this
INI = "[pytest]\naddopts = -p no:cacheprovider -p no:hypothesispytest --strict-markers\n"

CASE = """
title = "Sled"
summary = "A sled."
tags = []
[source]
citation = "none"
parameters = "none"
"""


@pytest.fixture
def repository(pytester: pytest.Pytester) -> Path:
    pytester.makefile(".mb", pendulum=PENDULUM)
    pytester.makeini(INI)
    return pytester.path


def test_without_the_option_nothing_is_collected(
    pytester: pytest.Pytester, repository: Path
) -> None:
    assert (repository / "pendulum.mb").exists()
    pytester.runpytest_subprocess().assert_outcomes()


@pytest.mark.full
def test_a_model_is_checked_and_verified(pytester: pytest.Pytester, repository: Path) -> None:
    (repository / "sub").mkdir()
    (repository / "sub" / "sled.mb").write_text(SLED, "utf-8")
    found = pytester.runpytest_subprocess("--mbx", "--mbx-states", "2", "-v")
    found.assert_outcomes(passed=4)
    found.stdout.fnmatch_lines(
        [
            "pendulum.mb::check PASSED*",
            "pendulum.mb::verify?Pendulum? PASSED*",
            "sub/sled.mb::check PASSED*",
            "sub/sled.mb::verify?Sled? PASSED*",
        ]
    )


def test_tests_can_be_chosen_by_their_mark_and_name(
    pytester: pytest.Pytester, repository: Path
) -> None:
    (repository / "test_other.py").write_text("def test_one(): pass\n", "utf-8")
    pytester.runpytest_subprocess("--mbx", "-m", "not mbx").assert_outcomes(passed=1, deselected=2)
    pytester.runpytest_subprocess("--mbx", "-k", "check").assert_outcomes(passed=1, deselected=2)


def test_a_fault_is_shown_as_the_command_shows_it(
    pytester: pytest.Pytester, repository: Path
) -> None:
    (repository / "pendulum.mb").write_text(PENDULUM.replace("[0, -g, 0]", "[0, -h, 0]"), "utf-8")
    found = pytester.runpytest_subprocess("--mbx", "-k", "check")
    found.assert_outcomes(failed=1, deselected=1)
    found.stdout.fnmatch_lines(
        ["*pendulum.mb:10:16: error?MBX3002?: there is no 'h'", "*gravity [[]0, -h, 0[]]", "*^*"]
    )
    found.stdout.no_fnmatch_line("*Traceback*")
    found.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_a_text_that_cannot_be_read_has_one_test_that_says_so(
    pytester: pytest.Pytester, repository: Path
) -> None:
    (repository / "pendulum.mb").write_text("mbx 1\nmodel M { param }\n", "utf-8")
    found = pytester.runpytest_subprocess("--mbx")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*pendulum.mb:2:*: error?MBX1*"])


@pytest.fixture
def wrong_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a form whose accelerations are all zero."""
    folder = tmp_path / "mbx_converters"
    folder.mkdir()
    (folder / "zero.py").write_text(ZERO, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.usefixtures("wrong_form")
def test_forms_that_disagree_show_the_table_and_the_findings(
    pytester: pytest.Pytester, repository: Path
) -> None:
    assert repository.is_dir()
    found = pytester.runpytest_subprocess(
        "--mbx", "--mbx-forms", "kane,lagrange,zero", "-k", "verify", "--mbx-states", "2"
    )
    found.assert_outcomes(failed=1, deselected=1)
    found.stdout.fnmatch_lines(
        [
            "*pendulum.mb:",
            "Pendulum: disagree (3 forms*",
            "*zero *!*",
            "disagree: * and zero, accelerations: *",
            "wrong: zero",
        ]
    )
    found.stdout.no_fnmatch_line("*Traceback*")
    found.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_a_model_that_no_form_can_say_is_skipped_with_the_reasons(
    pytester: pytest.Pytester, repository: Path
) -> None:
    (repository / "pendulum.mb").unlink()
    motor = library.parts_root() / "electric" / "dc_motor.mb"
    (repository / "motor.mb").write_text(motor.read_text("utf-8"), "utf-8")
    found = pytester.runpytest_subprocess("--mbx", "--mbx-forms", "lagrange,maggi", "-rs")
    found.assert_outcomes(passed=1, skipped=1)
    found.stdout.fnmatch_lines(["SKIPPED*lagrange: a speed without a rate (w, i)*maggi: *"])


@pytest.mark.full
def test_settings_stand_in_the_file_and_options_come_first(
    pytester: pytest.Pytester, repository: Path
) -> None:
    (repository / "tox.ini").write_text(f"{INI}mbx_forms = kan\nmbx_states = 2\n", "utf-8")
    found = pytester.runpytest_subprocess("--mbx", "-k", "verify")
    found.stdout.fnmatch_lines(["unknown formalism 'kan'; did you mean 'kane'?"])
    found = pytester.runpytest_subprocess("--mbx", "-k", "verify", "--mbx-forms", "kane,lagrange")
    found.assert_outcomes(passed=1, deselected=1)


@pytest.mark.parametrize("states", ["0", "10001"])
def test_a_number_of_states_that_makes_no_sense_is_wrong_usage(
    pytester: pytest.Pytester, repository: Path, states: str
) -> None:
    assert repository.is_dir()
    found = pytester.runpytest_subprocess("--mbx", "--mbx-states", states, "-k", "verify")
    assert found.ret != 0
    assert f"mbx_states is '{states}', and must be from 1 to 10000" in found.stdout.str()


def test_what_a_case_says_of_itself_is_checked(pytester: pytest.Pytester, repository: Path) -> None:
    (repository / "pendulum.mb").unlink()
    (repository / "sled").mkdir()
    (repository / "sled" / "model.mb").write_text(SLED, "utf-8")
    (repository / "sled" / "case.toml").write_text(CASE, "utf-8")
    pytester.runpytest_subprocess("--mbx", "-k", "check").assert_outcomes(passed=1, deselected=1)
    (repository / "sled" / "case.toml").write_text(CASE.replace("title", "titel"), "utf-8")
    found = pytester.runpytest_subprocess("--mbx", "-k", "check")
    found.assert_outcomes(failed=1, deselected=1)
    found.stdout.fnmatch_lines(["*case.toml' cannot be read: title: field required*"])


def test_a_terminal_is_safe_from_what_a_model_holds(
    pytester: pytest.Pytester, repository: Path
) -> None:
    (repository / "pendulum.mb").write_text('mbx 1\nmodel M "\x1b[2J" { }\n', "utf-8")
    found = pytester.runpytest_subprocess("--mbx")
    assert "\x1b[2J" not in found.stdout.str()


def test_the_plugin_imports_nothing_heavy() -> None:
    program = "import sys, mbx.cli.pytest_plugin\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not {"lark", "numpy", "pydantic", "rich", "scipy", "typer"} & set(done.stdout.split())
