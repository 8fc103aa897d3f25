from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import mbx
from mbx.cli.models.new import KINDS, PLACEHOLDER, Kind, template

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("kind", KINDS)
def test_a_template_is_sound_and_in_layout(kind: Kind) -> None:
    text = template(kind)
    document = mbx.loads(text)
    assert mbx.dumps(document) == text
    assert not list(mbx.check(document))
    assert document.models[-1].name == PLACEHOLDER


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_model_is_sound_and_in_layout(run: Any, kind: Kind, tmp_path: Path) -> None:
    name = "A" * 64
    path = tmp_path / "model.mb"
    assert run("new", name, "--kind", kind, "-o", path).status == 0
    assert run("fmt", "--check", path).status == 0
    result = run("check", path)
    assert (result.status, result.err) == (0, "")
    assert mbx.read(path).models[-1].name == name


def test_the_file_is_named_after_the_model(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("new", "Swing").out == "Swing.mb: written\n"
    assert run("new", "Swing", "-o", "-").out == (tmp_path / "Swing.mb").read_text()


def test_a_file_that_exists_is_left_alone(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.mb"
    path.write_text("mine")
    result = run("new", "A", "-o", path)
    assert result.status == 5
    assert "MBX7009" in result.err
    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", ["", "2nd", "_a", "a-b", "a/b", "../a", "ä", "A" * 65, "a\n", "-"])
def test_only_a_name_names_a_model(run: Any, name: str, tmp_path: Path) -> None:
    assert run("new", "-o", tmp_path / "a.mb", "--", name).status == 2
    assert not list(tmp_path.iterdir())


def test_a_name_that_the_template_uses_is_refused(run: Any, tmp_path: Path) -> None:
    result = run("new", "Bar", "--kind", "tree", "-o", tmp_path / "a.mb")
    assert result.status == 2
    assert result.err == "mbx: the tree has a part called 'Bar': choose another name\n"
    assert not list(tmp_path.iterdir())
