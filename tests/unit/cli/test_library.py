"""`mbx library` lists, shows and copies cases and parts; addresses work for every verb."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from mbx.linking.library import cases, parts, root

SWING = Path(__file__).parents[2] / "fixtures" / "library" / "swing"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a library of one's own, which is the current folder."""
    shutil.copytree(SWING, tmp_path / "swing")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- list ------------------------------------------------------------------------------------


def test_without_an_action_the_cases_are_listed(run: Any) -> None:
    result = run("library")
    assert result.status == 0
    assert result.out == run("library", "list").out
    assert "\nfour_bar: Planar four-bar\n" in result.out
    assert result.out.endswith(f"{len(cases())} cases\n")


def test_cases_are_chosen_by_all_of_their_tags(run: Any) -> None:
    both = json.loads(
        run("library", "list", "--tag", "planar", "--tag", "closed loop", "--json").out
    )
    for one in both["cases"]:
        assert {"planar", "closed loop"} <= set(one["tags"])
    names = [one["name"] for one in both["cases"]]
    assert "four_bar" in names
    assert "stewart_platform" not in names
    assert "simple_pendulum" not in names


def test_an_unknown_tag_is_told_with_the_nearest_one(run: Any) -> None:
    result = run("library", "list", "--tag", "planer")
    assert (result.status, result.out) == (2, "")
    assert result.err == "mbx: no case has the tag 'planer'. Did you mean 'planar'?\n"


def test_parts_are_listed_on_request(run: Any) -> None:
    assert "planar/bar.mb" not in run("library", "list").out
    result = run("library", "list", "--parts")
    assert "\nplanar/bar.mb " in result.out
    assert result.out.endswith(f"{len(cases())} cases, {len(parts())} parts\n")


def test_the_list_as_data_has_every_case_and_part(run: Any) -> None:
    found = json.loads(run("library", "list", "--json").out)
    assert [one["name"] for one in found["cases"]] == [case.name for case in cases()]
    assert "planar/bar.mb" in [one["path"] for one in found["parts"]]
    assert {one["name"]: one for one in found["cases"]}["four_bar"]["mechanism"] == "four_bar"


def test_a_library_of_ones_own_is_listed(run: Any, own: Path) -> None:
    result = run("library", "list", own)
    assert result.out == "swing: Swing\n    planar, tree; not built\n1 case\n"


def test_a_folder_without_cases_is_refused(run: Any, own: Path) -> None:
    result = run("library", "list", own / "swing")
    assert result.status == 5
    assert "there is no case in the folder" in result.err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("title = ", "invalid value"),
        ('title = "T"', "summary: field required"),
        ('title = "T"\nsummary = "S"\ntags = []\nmotor = 1\n', "source: field required"),
    ],
)
def test_a_case_that_cannot_be_read_does_not_hide_the_others(
    run: Any, own: Path, text: str, reason: str
) -> None:
    (own / "broken").mkdir()
    (own / "broken" / "case.toml").write_text(text)
    result = run("library", "list", own)
    assert result.status == 5
    assert "swing: Swing\n" in result.out
    assert reason in result.err


def test_a_broken_coverage_is_told_with_its_remedy(run: Any, own: Path) -> None:
    (own / "swing" / "coverage.json").write_text("{}")
    result = run("library", "list", own)
    assert result.status == 5
    assert "it is no coverage" in result.err
    assert "mbx library build --renew" in result.err


# -- show ------------------------------------------------------------------------------------


def test_a_case_is_shown_by_name_address_and_path(run: Any) -> None:
    by_name = run("library", "show", "four_bar")
    assert by_name.status == 0
    assert by_name.out.startswith("four_bar: Planar four-bar\n")
    assert by_name.out == run("library", "show", "lib:four_bar").out
    assert by_name.out == run("library", "show", root() / "four_bar").out


def test_everything_of_a_case_is_shown(run: Any, own: Path) -> None:
    out = run("library", "show", "./swing").out
    for said in (
        "A bar on a pin, for tests of the library's tools.",
        "A uniform bar hangs on a pin.",
        "source: classical; written for the tests of mbx",
        "numbers: chosen here",
        "tags: planar, tree",
        "files: swing: README.md, case.toml, model.mb",
        "variables: theta",
        "theta'' at state level = -24.525 [rad/s^2] within 1e-10 [rad/s^2]",
        "analytic: -3*g/(2*l)",
        "energy conserved within 1e-8",
    ):
        assert said in out
    found = json.loads(run("library", "show", own / "swing", "--json").out)
    assert [one["kind"] for one in found["models"][0]["references"]] == ["analytic", None]
    assert found["folder"] == str(own / "swing")


def test_a_part_is_shown(run: Any) -> None:
    result = run("library", "show", "planar/bar.mb")
    assert result.status == 0
    assert "parameters: length, mass, inertia" in result.out


def test_an_unknown_name_is_told_with_the_nearest_one(run: Any) -> None:
    result = run("library", "show", "fourbar")
    assert (result.status, result.out) == (5, "")
    assert "did you mean 'lib:four_bar'?" in result.err


@pytest.mark.usefixtures("own")
def test_a_folder_is_told_from_a_name_by_a_slash(run: Any) -> None:
    result = run("library", "show", "swing")
    assert result.status == 5
    assert "write './swing' for the folder" in result.err


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("name", ["lib:../x", "./nowhere", "..", "lib:planar"])
def test_what_is_no_case_is_refused(run: Any, name: str) -> None:
    result = run("library", "show", name)
    assert (result.status, result.out) == (5, "")


# -- copy ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("own")
def test_a_case_is_copied_under_its_name_or_another(run: Any) -> None:
    assert run("library", "copy", "four_bar").status == 0
    assert run("library", "copy", "lib:four_bar", "mine").status == 0
    Path("models").mkdir()
    assert run("library", "copy", "four_bar", "models").status == 0
    for folder in ("four_bar", "mine", "models/four_bar"):
        assert run("check", f"{folder}/model.mb").status == 0
        assert (Path(folder) / "case.toml").is_file()


@pytest.mark.usefixtures("own")
def test_a_part_is_copied_as_a_file(run: Any) -> None:
    assert run("library", "copy", "planar/bar.mb").out == "bar.mb: written\n"
    assert run("check", "bar.mb").status == 0


@pytest.mark.usefixtures("own")
def test_a_copy_writes_over_nothing(run: Any) -> None:
    assert run("library", "copy", "four_bar").status == 0
    Path("four_bar/model.mb").write_text("mine\n")
    result = run("library", "copy", "four_bar")
    assert result.status == 5
    assert "'four_bar' exists already" in result.err
    assert Path("four_bar/model.mb").read_text() == "mine\n"


# -- addresses -------------------------------------------------------------------------------


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "verb",
    [
        ["check"],
        ["json"],
        ["flatten", "--hash"],
        ["info"],
        ["forms"],
        ["convert", "--to", "kane"],
        ["compare", "--form", "kane"],
        ["verify", "--form", "kane", "--form", "lagrange", "--states", "2", "--oracle", "0"],
        ["diff", "--form", "kane", "--form", "lagrange", "--states", "2"],
        ["draw"],
        ["fmt", "--stdout"],
    ],
    ids=lambda verb: verb[0],
)
def test_every_verb_reads_a_model_by_its_address(run: Any, verb: list[str]) -> None:
    by_address = run(*verb, "lib:simple_pendulum")
    by_path = run(*verb, root() / "simple_pendulum" / "model.mb")
    assert by_address.status == by_path.status == 0
    path = str(root() / "simple_pendulum" / "model.mb")
    assert by_address.out == by_path.out.replace(path, "lib:simple_pendulum")
    unknown = run(*verb, "lib:simple_pendulm")
    assert unknown.status == 5
    assert "did you mean 'lib:simple_pendulum'?" in unknown.err + unknown.out


@pytest.mark.usefixtures("own")
def test_a_model_below_a_root_has_an_address(run: Any) -> None:
    assert run("--root", "ours=.", "check", "ours:swing").out == "ours:swing: ok\n"
    assert run("check", "ours:swing").status == 5


@pytest.mark.usefixtures("own")
def test_fmt_does_not_rewrite_what_an_address_names(run: Any) -> None:
    model = Path("swing/model.mb")
    model.write_text(model.read_text().replace("  param", "param"))
    before = model.read_bytes()
    result = run("--root", "ours=.", "fmt", "ours:swing")
    assert result.status == 5
    assert "cannot be written: it is an address" in result.err
    assert model.read_bytes() == before
    assert run("--root", "ours=.", "fmt", "--check", "ours:swing").status == 1


@pytest.mark.usefixtures("own")
def test_a_fault_is_told_by_the_address(run: Any) -> None:
    model = Path("swing/model.mb")
    model.write_text(model.read_text().replace("body bar", "bdy bar"))
    for verb in (["check"], ["fmt", "--check"]):
        assert "\nours:swing:" in "\n" + run("--root", "ours=.", *verb, "ours:swing").err


@pytest.mark.usefixtures("own")
def test_a_certificate_is_not_written_over_the_model_of_an_address(run: Any) -> None:
    result = run(
        "--root", "ours=.", "verify", "ours:swing", "--certificate", "swing/model.mb", "--renew"
    )
    assert result.status == 5
    assert "MBX7020" in result.err
