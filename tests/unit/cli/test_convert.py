from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mbx.formalism import registry
from mbx.formalism.json.serial import from_json

if TYPE_CHECKING:
    import pytest

LIBRARY: Final = Path(__file__).parents[3] / "library"
PENDULUM: Final = LIBRARY / "simple_pendulum" / "model.mb"
ORDER_3: Final = LIBRARY / "programme_order_3" / "model.mb"


def test_a_file_is_written_and_nothing_is_printed(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "pendulum.json"
    result = run("convert", PENDULUM, "--to", "kane", "--format", "json", "-o", out)
    assert (result.status, result.out) == (0, "")
    assert from_json(json.loads(out.read_text("utf-8"))).formalism == "kane"


def test_what_is_printed_is_what_is_written(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "pendulum.txt"
    printed = run("convert", PENDULUM, "--to", "lagrange").out
    run("convert", PENDULUM, "--to", "lagrange", "-o", out)
    assert out.read_text("utf-8") == printed
    assert run("convert", PENDULUM, "--to", "lagrange", "-o", "-").out == printed


def test_all_forms_go_into_one_folder(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "forms"
    result = run("convert", ORDER_3, "--to", "all", "--format", "latex", "-o", folder)
    assert result.status == 0
    said = dict(line.split(maxsplit=1) for line in result.out.splitlines())
    assert set(said) == set(registry.names())
    assert said["kane"].startswith("not applicable: an invariant of order 3 or more (programme")
    assert said["modular"] == str(folder / "modular.tex")
    written = {path.stem for path in folder.iterdir()}
    assert written == {form for form, text in said.items() if not text.startswith("not")}


def test_all_forms_may_be_written_again_where_the_user_says(run: Any, tmp_path: Path) -> None:
    for _ in range(2):
        assert run("convert", PENDULUM, "--to", "all", "-o", tmp_path).status == 0


def test_without_a_folder_no_file_is_replaced(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "Pendulum_forms" / "lagrange.txt"
    mine.parent.mkdir()
    mine.write_text("mine", "utf-8")
    result = run("convert", PENDULUM, "--to", "all")
    assert result.status == 5
    assert "MBX7009" in result.err
    assert [path.name for path in mine.parent.iterdir()] == ["lagrange.txt"]
    assert mine.read_text("utf-8") == "mine"
    mine.unlink()
    assert run("convert", PENDULUM, "--to", "all").status == 0
    assert mine.read_text("utf-8") != "mine"


def test_a_folder_that_cannot_be_made_is_said(run: Any, tmp_path: Path) -> None:
    result = run("convert", PENDULUM, "--to", "all", "-o", tmp_path / "a" / "b")
    assert result.status == 5
    assert "MBX7007" in result.err


def test_a_refusal_names_feature_element_and_line(run: Any) -> None:
    result = run("convert", ORDER_3, "--to", "kane")
    assert (result.status, result.out) == (3, "")
    assert "an invariant of order 3 or more (programme at " in result.err
    assert "model.mb:15" in result.err


def test_a_broken_converter_keeps_no_other_from_being_written(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "mbx_converters"
    package.mkdir()
    (package / "broken.py").write_text("import nonsense_that_is_not_there\n", "utf-8")
    import mbx_converters  # noqa: PLC0415  as the command does

    monkeypatch.setattr(
        mbx_converters, "__path__", [*mbx_converters.__path__, str(package)], raising=False
    )
    out = tmp_path / "out"
    result = run("convert", PENDULUM, "--to", "all", "-o", out)
    assert result.status == 5
    assert "broken: the converter 'broken' cannot be imported: ModuleNotFoundError" in result.out
    assert (out / "kane.txt").exists()
    listed = run("forms")
    assert listed.status == 5
    assert "\nkane  " in listed.out
    assert "the converter 'broken' cannot be imported" in listed.err
    alone = run("convert", PENDULUM, "--to", "broken")
    assert alone.status == 5
    assert "cannot be imported" in alone.err


def test_all_forms_of_a_model_that_none_can_say(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "empty.mb"
    file.write_text("mbx 1\n\nmodel Empty {\n  param m: kg = 1\n}\n", encoding="utf-8")
    result = run("convert", file, "--to", "all", "-o", tmp_path / "forms")
    assert result.status == 3
    assert "kane" in result.out
    assert not (tmp_path / "forms").exists()


def test_two_forms_stand_side_by_side_with_what_both_have_marked(run: Any) -> None:
    lines = run("convert", PENDULUM, "--compare", "kane,lagrange").out.splitlines()
    assert lines[0].split(" | ")[0].strip() == "Kane's equations"
    # the acceleration of a rod on a pin is the same in both: 3 g/(2 l), any text on dynamics
    solved = next(line for line in lines if line.lstrip().startswith("theta'' = "))
    left, right = solved.split(" = -", 1)[1].split(" =   theta'' = -")
    assert left.strip() == right.strip() == "3 g sin(theta)/(2 l)"


def test_what_two_forms_side_by_side_cannot_be_is_refused(run: Any, tmp_path: Path) -> None:
    for more in (("--to", "maggi"), ("--format", "latex"), ("-o", tmp_path / "out.txt")):
        result = run("convert", PENDULUM, "--compare", "kane,lagrange", *more)
        assert result.status == 2
        assert "--compare prints text" in result.err
    assert run("convert", PENDULUM, "--compare", "kane").status == 2
