"""Codes whose fault is not in a file of a few lines: sizes, links, permissions, writing.

Each situation is made in a folder of its own, once wrong and once right, and returns what mbx
has to say. `SITUATIONS` tells the coverage test which codes are met here.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Protocol

import pytest

import mbx
from conformance.conformance_files import findings
from conformance.derived import (
    input_in_an_invariant,
    order_that_is_lost,
    variable_that_nothing_determines,
)
from mbx.analyses.experiments.experiment_plan import RefusedValueError
from mbx.base.files import write_text
from mbx.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CART = """\
mbx 1
model Cart {
  coordinate x: m
  particle P { mass 1 kg  at [x, 0, 0] }
}
"""
WHEEL = "mbx 1\nmodel Wheel { }\n"
USE_WHEEL = CART.replace("mbx 1\n", 'mbx 1\nuse Wheel from "wheel.mb"\n')


class Situation(Protocol):
    """Makes a situation in a folder, wrong or right, and returns the codes that mbx reports."""

    __name__: str

    def __call__(self, folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]: ...


def check(path: Path) -> list[str]:
    return [one.code for one in findings(path)]


def codes_of(action: Callable[[], object]) -> list[str]:
    """Return the codes of what an action raises."""
    try:
        action()
    except mbx.SourceError as bad:
        return [one.code for one in bad.report]
    return []


def put(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def with_statements(text: str) -> str:
    """Return the cart with more statements in it."""
    return f"{CART[:-2]}{text}}}\n"


# -- limits ------------------------------------------------------------------------------


def file_of_eleven_mib(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    del patch
    filling = "// filling\n" * (2**20 if wrong else 1)
    return check(put(folder / "cart.mb", CART + filling))


def file_of_blanks(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    del patch
    return check(put(folder / "cart.mb", " \n" if wrong else CART))


def title_beyond_ten_thousand(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    del patch
    title = "a" * (10_001 if wrong else 9_000)
    model = {"kind": "model", "name": "Cart", "title": title, "body": []}
    return check(put(folder / "cart.json", json.dumps({"mbx": 1, "items": [model]})))


def line_beyond_ten_thousand(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    del patch
    comment = "//" + "a" * (9_999 if wrong else 9_998)
    return check(put(folder / "cart.mb", f"{CART}{comment}\n"))


def words_beyond_a_quarter_million(
    folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool
) -> list[str]:
    del patch
    terms = " +\n".join(["1"] * (125_000 if wrong else 1_000))
    return check(put(folder / "cart.mb", with_statements(f"  let y = {terms}\n")))


def values_beyond_a_hundred_thousand(
    folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool
) -> list[str]:
    del patch
    text = mbx.dumps(mbx.loads(CART), "json")
    if wrong:
        text = text.replace('"items": [', f'"items": [{"0, " * 1_000_000}', 1)
    return check(put(folder / "cart.json", text))


def imports_nine_deep(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    del patch
    depth = 9 if wrong else 8
    for k in range(depth):
        put(folder / f"a{k}.mb", f'mbx 1\nuse A{k + 1} from "a{k + 1}.mb"\nmodel A{k} {{ }}\n')
    put(folder / f"a{depth}.mb", f"mbx 1\nmodel A{depth} {{ }}\n")
    return check(folder / "a0.mb")


def imports_of_65_files(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    del patch
    count = 65 if wrong else 64
    for k in range(count):
        put(folder / f"a{k}.mb", f"mbx 1\nmodel A{k} {{ }}\n")
    uses = "".join(f'use A{k} from "a{k}.mb"\n' for k in range(count))
    return check(put(folder / "cart.mb", CART.replace("mbx 1\n", f"mbx 1\n{uses}")))


def imports_of_21_mib(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    del patch
    filling = f"//{'a' * 9_000}\n" * (800 if wrong else 8)
    for k in range(3):
        put(folder / f"a{k}.mb", f"mbx 1\nmodel A{k} {{ }}\n{filling}")
    uses = "".join(f'use A{k} from "a{k}.mb"\n' for k in range(3))
    return check(put(folder / "cart.mb", CART.replace("mbx 1\n", f"mbx 1\n{uses}")))


def run_that_takes_more_than_a_second(
    folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool
) -> list[str]:
    del patch
    terms = " +\n".join(["x"] * (120_000 if wrong else 10))
    path = put(folder / "cart.mb", with_statements(f"  let y = {terms}\n"))
    limit = ["--limit", "seconds=1"] if wrong else []  # a run that is right may be slow to start
    done = subprocess.run(
        [sys.executable, "-m", "mbx", *limit, "check", str(path)],
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == (5 if wrong else 0)
    return re.findall(r"\[(MBX\d{4})\]", done.stderr)


# -- files -------------------------------------------------------------------------------


def import_by_a_link_that_leads_out(
    folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool
) -> list[str]:
    del patch
    inside = folder / "model"
    inside.mkdir()
    if wrong:
        put(folder / "wheel.mb", WHEEL)
        (inside / "wheel.mb").symlink_to(folder / "wheel.mb")
    else:
        put(inside / "wheel.mb", WHEEL)
    return check(put(inside / "cart.mb", USE_WHEEL))


def file_that_is_not_there(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    del patch
    path = folder / "cart.mb"
    if not wrong:
        put(path, CART)
    return check(path)


def import_of_a_folder(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    del patch
    if wrong:
        (folder / "wheel.mb").mkdir()
    else:
        put(folder / "wheel.mb", WHEEL)
    return check(put(folder / "cart.mb", USE_WHEEL))


def reading_that_the_system_refuses(
    folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool
) -> list[str]:
    path = put(folder / "cart.mb", CART)
    if wrong:  # permissions do not bind root, who may be running this

        def refuse(*_: object, **__: object) -> int:
            raise PermissionError(13, "Permission denied")

        patch.setattr(os, "open", refuse)
    return check(path)


def writing_over_a_folder(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    del patch
    target = folder / "cart.json"
    if wrong:
        target.mkdir()
    document = mbx.loads(CART)
    return codes_of(lambda: write_text(target, mbx.dumps(document, "json")))


def relative_import_without_a_folder(
    folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool
) -> list[str]:
    put(folder / "wheel.mb", WHEEL)
    patch.chdir(folder)
    text = USE_WHEEL if wrong else CART
    return [one.code for one in mbx.check(mbx.loads(text))]


def new_file_where_one_is(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    del patch
    path = folder / "Cart.mb"
    if wrong:
        put(path, CART)
    return codes_of(lambda: write_text(path, CART, replace=False))


def errors_of(*command: str) -> list[str]:
    """Return the codes of the errors of a command."""
    done = subprocess.run(
        [sys.executable, "-m", "mbx", *command], capture_output=True, text=True, check=False
    )
    assert (done.returncode == 5) is ("error[" in done.stderr)
    return sorted(set(re.findall(r"error\[(MBX\d{4})\]", done.stderr)))


def output_that_is_the_input(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    patch.chdir(folder)
    put(folder / "cart.json", mbx.dumps(mbx.loads(CART), "json"))
    return errors_of("json", "cart.json", "-o", "cart.json" if wrong else "copy.json")


def output_that_is_a_link(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    patch.chdir(folder)
    put(folder / "cart.mb", CART)
    if wrong:
        (folder / "out.json").symlink_to(folder / "elsewhere.json")
    return errors_of("json", "cart.mb", "-o", "out.json")


def output_that_is_a_model(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    patch.chdir(folder)
    put(folder / "cart.mb", CART)
    if wrong:
        put(folder / "flat.mb", WHEEL)
    return errors_of("flatten", "cart.mb", "-o", "flat.mb")


def output_over_another_kind(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    patch.chdir(folder)
    put(folder / "cart.mb", CART)
    put(
        folder / "out.json",
        '{"name": "a package"}' if wrong else mbx.dumps(mbx.loads(CART), "json"),
    )
    return errors_of("json", "cart.mb", "-o", "out.json")


def run_beyond_one_second(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    patch.chdir(folder)
    bodies = range(990 if wrong else 2)
    sums = " + ".join(f"(1 m)*cos(q{k})" for k in bodies[:15])
    joints = "\n".join(
        f"  coordinate q{k}: rad\n  body b{k} {{ mass 1 kg  inertia 1 [kg*m^2] about z  joint "
        f"revolute({'ground' if k == 0 else f'b{k - 1} at [1 m, 0, 0]'}, axis = z, angle = q{k}) }}"
        f"\n  input u{k}: N*m = (1 N)*({sums})\n  torque u{k}*ground.z on b{k}"
        for k in bodies
    )
    path = put(folder / "chain.mb", f"mbx 1\nmodel Chain {{\n{joints}\n}}\n")
    seconds = "1" if wrong else "60"
    command = [sys.executable, "-m", "mbx", "--limit", f"seconds={seconds}", "check", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return sorted(set(re.findall(r"MBX\d{4}", done.stderr)))


# -- what is found where numbers are needed ----------------------------------------------------


def parameter_without_a_value(folder: Path, patch: pytest.MonkeyPatch, *, wrong: bool) -> list[str]:
    del patch
    value = "" if wrong else " = 2"
    statements = f"  param k: N/m{value}\n  spring on x stiffness k\n"
    path = put(folder / "cart.mb", with_statements(statements))
    try:
        mbx.equilibrium(mbx.read(path))
    except RefusedValueError as bad:
        return [*check(path), *(one.code for one in bad.report)]
    return check(path)


SITUATIONS: tuple[tuple[str, Situation], ...] = (
    ("MBX1001", file_of_blanks),
    ("MBX4044", input_in_an_invariant),
    ("MBX4046", variable_that_nothing_determines),
    ("MBX4047", order_that_is_lost),
    ("MBX4163", parameter_without_a_value),
    ("MBX5001", file_of_eleven_mib),
    ("MBX5004", title_beyond_ten_thousand),
    ("MBX5007", line_beyond_ten_thousand),
    ("MBX5003", words_beyond_a_quarter_million),
    ("MBX5014", run_beyond_one_second),
    ("MBX5040", values_beyond_a_hundred_thousand),
    ("MBX5012", imports_nine_deep),
    ("MBX5012", imports_of_65_files),
    ("MBX5012", imports_of_21_mib),
    ("MBX5014", run_that_takes_more_than_a_second),
    ("MBX7002", import_by_a_link_that_leads_out),
    ("MBX7003", file_that_is_not_there),
    ("MBX7004", import_of_a_folder),
    ("MBX7006", reading_that_the_system_refuses),
    ("MBX7007", writing_over_a_folder),
    ("MBX7008", relative_import_without_a_folder),
    ("MBX7009", new_file_where_one_is),
    ("MBX7020", output_that_is_the_input),
    ("MBX7021", output_that_is_a_link),
    ("MBX7022", output_that_is_a_model),
    ("MBX7023", output_over_another_kind),
)
NAMES = [f"{code}-{situation.__name__}" for code, situation in SITUATIONS]
CODES = frozenset(code for code, _ in SITUATIONS)


@pytest.mark.parametrize(("code", "situation"), SITUATIONS, ids=NAMES)
def test_the_wrong_situation_is_reported(
    code: str, situation: Situation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        found = situation(tmp_path, patch, wrong=True)
    assert found == [code]


@pytest.mark.sample(8)
@pytest.mark.parametrize(("code", "situation"), SITUATIONS, ids=NAMES)
def test_the_right_situation_is_not(
    code: str, situation: Situation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        found = situation(tmp_path, patch, wrong=False)
    assert found == [], code


def test_a_model_named_on_the_command_line_must_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(tmp_path / "cart.mb", CART)
    assert main(["check", "--model", "Kart", str(path)]) == 1
    assert "error[MBX3006]: there is no model 'Kart'" in capsys.readouterr().err
    assert main(["check", "--model", "Cart", str(path)]) == 0


def test_a_file_that_exists_is_not_replaced_by_a_new_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(tmp_path / "Cart.mb", CART)
    assert main(["new", "Cart", "-o", str(path)]) == 5
    assert "error[MBX7009]" in capsys.readouterr().err
    assert path.read_text("utf-8") == CART
