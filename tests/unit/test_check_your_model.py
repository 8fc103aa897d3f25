"""The page that tells people how to check a model says what the code does."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

import mbx
from mbx.verify.error_tables import COLUMNS, WORST

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "spec" / "check_your_model.md"


def test_what_is_typed_into_python_answers_as_the_page_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    text = PAGE.read_text("utf-8")
    typed = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert len(typed.examples) >= 6
    said: list[str] = []
    found = doctest.DocTestRunner().run(typed, out=said.append)
    assert found.failed == 0, "".join(said)


def test_the_columns_of_the_second_table_are_explained() -> None:
    text = PAGE.read_text("utf-8").partition("| column |")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)) == (*WORST, *COLUMNS)


def test_the_states_beside_random_ones_are_those_of_the_page() -> None:
    found = mbx.verify(
        mbx.read(ROOT / "library" / "simple_pendulum" / "model.mb"),
        forms=("kane", "lagrange"),
        states=1,
    )
    assert [one.name for one in found.states] == ["start", "rest", "random 1"]
    # nothing holds a constraint in it, and zero stays zero in all digits
    assert found.oracle is not None
    assert found.oracle.Fc["kane"].value < 1e-60


def commands() -> list[str]:
    """Return all commands of the page in their order, but those of a cluster."""
    blocks = re.findall(
        r"^```(?:sh|yaml)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    lines = [line.strip().removeprefix("- run: ") for block in blocks for line in block.split("\n")]
    return [line for line in lines if line.startswith(("mbx ", "pytest ")) and "tcp://" not in line]


def test_the_commands_of_the_page_are_found() -> None:
    assert len(commands()) == 10


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_recipe_of_the_page_is_green_from_an_empty_folder(tmp_path: Path) -> None:
    scripts = Path(sys.executable).parent

    def run(line: str) -> None:
        first, *rest = line.split()
        words = [
            str(found.relative_to(tmp_path))
            for word in rest
            for found in (sorted(tmp_path.glob(word)) if "*" in word else [tmp_path / word])
        ]
        done = subprocess.run(
            [str(scripts / first), *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"

    run("mbx new Pendulum -o model.mb")
    (tmp_path / "models").mkdir()
    run("mbx new Crane -o models/crane.mb")
    (tmp_path / "library").mkdir()
    run("mbx library copy simple_pendulum library")
    for _ in range(2):  # the second time with certificates and reports of the first
        for line in commands():
            run(line)
