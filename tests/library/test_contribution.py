"""A case that is contributed as one new folder is found, built, verified and listed."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from pathlib import Path

import pytest

from mbx.cli.main import main
from mbx.linking.library import root

SWING = Path(__file__).parents[1] / "fixtures" / "library" / "swing"
OTHERS = ("four_bar", "simple_pendulum", "lib")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library of some cases and one that somebody has just put there."""
    folder = tmp_path_factory.mktemp("ours")
    for name in OTHERS:
        shutil.copytree(root() / name, folder / name)
    shutil.copytree(SWING, folder / "swing")
    return folder


@pytest.fixture(scope="module")
def built(library: Path) -> str:
    """Build the new case; return what is printed."""
    return mbx(library, "library", "build", "./swing", "--jobs", "1")


def mbx(folder: Path, *arguments: str, status: int = 0) -> str:
    """Run a command as in a folder; return what it prints."""
    printed = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        ended = main(list(arguments))
    out = printed.buffer.getvalue().decode()
    assert ended == status, out
    return out


def snapshot(folder: Path) -> dict[Path, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder): path.read_bytes() for path in files}


def test_a_new_folder_is_listed_before_it_is_built(library: Path) -> None:
    shutil.copytree(SWING, library.parent / "fresh" / "swing")
    out = mbx(library.parent / "fresh", "library", "list", ".")
    assert out == "swing: Swing\n    planar, tree; not built\n1 case\n"


def test_the_new_case_is_built(library: Path, built: str) -> None:
    assert built == "swing: model.json, figure.svg, coverage.json written\n"
    files = {path.name for path in (library / "swing").iterdir()}
    assert files == {
        "README.md",
        "case.toml",
        "coverage.json",
        "figure.svg",
        "model.json",
        "model.mb",
    }


@pytest.mark.usefixtures("built")
def test_building_it_touches_nothing_else(library: Path) -> None:
    for name in OTHERS:
        assert snapshot(library / name) == snapshot(root() / name)


@pytest.mark.usefixtures("built")
def test_what_was_built_is_current_and_built_only_once(library: Path) -> None:
    before = snapshot(library / "swing")
    assert mbx(library, "library", "build", "./swing", "--check") == "swing: all is current\n"
    assert mbx(library, "library", "build", "./swing") == "swing: all is current\n"
    assert snapshot(library / "swing") == before


@pytest.mark.usefixtures("built")
def test_building_anew_gives_the_same_bytes(library: Path) -> None:
    before = snapshot(library / "swing")
    out = mbx(library, "library", "build", "./swing", "--renew", "--jobs", "1")
    assert out == "swing: model.json, figure.svg, coverage.json written\n"
    assert snapshot(library / "swing") == before


@pytest.mark.usefixtures("built")
def test_the_new_case_is_listed_and_shown_with_what_is_known(library: Path) -> None:
    listed = mbx(library, "library", "list", ".", "--tag", "tree")
    assert "swing: Swing\n    planar, tree; 1 analytic, 1 energy\n" in listed
    shown = mbx(library, "library", "show", "./swing")
    assert "  freedoms: 1\n" in shown
    assert "  forms: all " in shown
    found = json.loads(mbx(library, "library", "show", "./swing", "--json"))
    assert found["models"][0]["forms"]["kane"] == "agree"


def test_the_new_case_is_verified_with_the_others(library: Path) -> None:
    forms = ["--form", "kane", "--form", "lagrange", "--states", "2", "--oracle", "0"]
    out = mbx(library, "verify", ".", *forms, "--jobs", "1")
    assert out.count(": agree (") == 3
    assert "swing/model.mb: Swing: agree (" in out


@pytest.mark.usefixtures("built")
def test_the_new_case_is_on_the_page_of_coverage(library: Path) -> None:
    mbx(library, "library", "coverage", ".", "-o", "page.md")
    page = (library / "page.md").read_text("utf-8")
    (library / "page.md").unlink()
    assert "| `swing` | ✓ | ✓ |" in page
    assert "| `swing` | Swing | 1 |  |  |  |  |" in page


def test_the_new_case_has_an_address_below_a_root(library: Path) -> None:
    out = mbx(library, "--root", "ours=.", "convert", "ours:swing", "--to", "kane")
    assert out.startswith("Kane's equations: Swing, ")


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    ("old", "new", "stale"),
    [
        ('"length"', '"length of the bar"', "model.json"),
        ("param m: kg = 2", "param m: kg = 3", "model.json, coverage.json"),
        ("1e-10", "2e-10", "model.json, coverage.json"),
    ],
)
def test_a_case_that_was_changed_is_stale(
    library: Path, tmp_path: Path, old: str, new: str, stale: str
) -> None:
    shutil.copytree(library / "swing", tmp_path / "swing")
    model = tmp_path / "swing" / "model.mb"
    text = model.read_text("utf-8")
    assert old in text
    model.write_text(text.replace(old, new), "utf-8")
    out = mbx(tmp_path, "library", "build", "./swing", "--check", status=1)
    assert out == f"swing: {stale} stale\n"


@pytest.mark.usefixtures("built")
def test_a_case_with_a_wrong_reference_has_no_coverage(library: Path, tmp_path: Path) -> None:
    shutil.copytree(library / "swing", tmp_path / "swing")
    model = tmp_path / "swing" / "model.mb"
    model.write_text(model.read_text("utf-8").replace("-24.525", "-24.526"), "utf-8")
    before = (tmp_path / "swing" / "coverage.json").read_bytes()
    out = mbx(tmp_path, "library", "build", "./swing", "--jobs", "1", status=4)
    assert out.startswith("swing: model.json written\n  Swing: disagree")
    assert (tmp_path / "swing" / "coverage.json").read_bytes() == before


def test_a_case_with_errors_is_told_and_does_not_stop_the_others(
    library: Path, tmp_path: Path
) -> None:
    for name in ("bad", "good"):
        shutil.copytree(library / "swing", tmp_path / name)
    model = tmp_path / "bad" / "model.mb"
    model.write_text(model.read_text("utf-8").replace("mass m\n", "mass n\n"), "utf-8")
    out = mbx(tmp_path, "library", "build", ".", "--check", status=1)
    assert "bad: not built\n" in out
    assert "good: " in out
