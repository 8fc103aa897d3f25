"""The page that tells people how to check a model says what the code does."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import mbx
from mbx.verify.show import _COLUMNS, _WORST

if TYPE_CHECKING:
    import pytest

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
    assert tuple(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)) == (*_WORST, *_COLUMNS)


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
