"""The converter in `converters/README.md` works as it stands there."""

from __future__ import annotations

import sys
from math import sin
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from formalisms.cases import Point, at, completed, system
from mbx.base.errors import NotApplicableError
from mbx.cli.main import main
from mbx.formalism import registry

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
README = ROOT / "converters" / "README.md"
MODEL = str(ROOT / "library" / "four_bar" / "model.mb")


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the converter on the path, in a folder of its own."""
    _, block, _ = README.read_text("utf-8").replace("```python\n", "```\n").split("```\n", 2)
    folder = tmp_path / "mbx_converters"
    folder.mkdir()
    (folder / "my_form.py").write_text(block, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("mbx_converters.my_form", None)


def test_it_is_found_beside_the_others() -> None:
    assert {"my_form", "kane"} <= set(registry.names())


def test_it_gives_the_closed_form_of_a_pendulum() -> None:
    """Textbook: theta'' = -3 g sin(theta)/(2 l)."""
    one = system("simple_pendulum")
    found = at(one, registry.derive(one, "my_form"), Point({"theta": 0.7, "theta'": 1.3}))
    assert found.of("theta''") == pytest.approx(-1.5 * 9.81 * sin(0.7), rel=1e-12)


def test_it_gives_the_closed_form_of_a_pendulum_with_an_invariant() -> None:
    """Orsino, thesis, Example 4.1 (l), at the state of the case."""
    one = system("spherical_pendulum_cartesian")
    state = completed(one, one.states["sample"])
    found = registry.derive(one, "my_form").evaluate(state)
    expected = [8.215287536982249, -1.2677699704142011, -3.585794972258202]
    assert found.ud == pytest.approx(expected, rel=1e-9)


def test_it_refuses_what_it_does_not_say_it_accepts() -> None:
    with pytest.raises(NotApplicableError, match="a declared speed"):
        registry.derive(system("chaplygin_sleigh"), "my_form")


def test_the_command_line_offers_it_and_verifies_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forms", MODEL]) == 0
    assert "my_form" in capsys.readouterr().out
    assert main(["convert", MODEL, "--to", "my_form"]) == 0
    assert "Equations" in capsys.readouterr().out
    status = main(["verify", MODEL, "--states", "3", "--form", "my_form", "--form", "newton_euler"])
    shown = capsys.readouterr().out
    assert status == 0, shown
    assert "my_form" in shown
    assert "FourBar: agree (2 forms" in shown
