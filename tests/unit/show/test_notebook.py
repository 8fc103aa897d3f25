from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import pytest
from IPython.core.interactiveshell import InteractiveShell

import mbx

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CELL: Final = """mbx 1
model Pendulum "A bob" {
  param m: kg = 1, l: m = 1, g: m/s^2 = 9.81
  coordinate th: rad = 0.1
  particle bob { mass m  at [l*sin(th), -l*cos(th), 0] }
  gravity [0, -g, 0]
}
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Give a shell of its own, which knows `%%mbx`."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    # a shell puts a module of its own there, from which no process can be spawned afterwards
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    shell: Any = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "mbx")
    yield shell
    shell.reset()
    InteractiveShell.clear_instance()


def shown(shell: Any, line: str, cell: str = CELL) -> dict[str, Any]:
    """Return what a cell shows, by the kind of data."""
    done = shell.run_cell(f"%%mbx {line}\n{cell}")
    done.raise_error()
    data, _ = shell.display_formatter.format(done.result)
    return dict(data)


def test_equations_show_themselves_as_html_and_as_latex(shell: Any) -> None:
    data, _ = shell.display_formatter.format(mbx.convert(mbx.loads(CELL), "kane"))
    assert "<math" in data["text/html"]
    assert data["text/latex"].startswith("$$\\begin{aligned}\n")
    assert r"m l^{2}" in data["text/latex"]


def test_long_equations_have_no_latex() -> None:
    equations = mbx.convert(mbx.read("lib:arm_7_axis"), "articulated_body")
    assert equations._repr_latex_() is None


def test_a_verification_shows_its_verdict_and_a_picture() -> None:
    html = mbx.verify(mbx.loads(CELL), forms=("kane", "lagrange"), oracle=0)._repr_html_()
    assert html is not None
    assert "agree" in html
    assert 'class="heat"' in html


def test_a_document_shows_its_drawing_and_one_that_cannot_be_drawn_nothing() -> None:
    assert "<svg" in (mbx.loads(CELL)._repr_html_() or "")
    assert mbx.loads("mbx 1\nmodel M { let a = b }")._repr_html_() is None
    assert mbx.loads('mbx 1\nuse M from "m.mb"')._repr_html_() is None


def test_a_cell_is_drawn_where_nothing_is_asked_for(shell: Any) -> None:
    data = shown(shell, "")
    assert "<svg" in data["text/html"]
    assert data["text/plain"] == "a drawing of Pendulum"


def test_a_cell_shows_equations_and_leaves_its_document(shell: Any) -> None:
    data = shown(shell, "--to kane --as bob")
    assert "Kane's equations" in data["text/plain"]
    assert "<math" in data["text/html"]
    assert shell.user_ns["bob"] == mbx.loads(CELL)


def test_a_cell_is_verified(shell: Any) -> None:
    data = shown(shell, "--verify")
    assert "Pendulum: agree" in data["text/plain"]
    assert 'class="heat"' in data["text/html"]


def test_what_is_wrong_with_a_cell_is_told_and_nothing_is_left(shell: Any) -> None:
    data = shown(shell, "--as bob", CELL.replace("mass m ", "mass <b>"))
    assert "MBX" in data["text/plain"]
    assert "<b>" not in data["text/html"]
    assert "bob" not in shell.user_ns


@pytest.mark.sample(1)
@pytest.mark.parametrize("line", ["--as class", "--as 'a b'", "--fro kane", "--to"])
def test_a_wrong_option_is_told(shell: Any, line: str) -> None:
    done = shell.run_cell(f"%%mbx {line}\n{CELL}")
    assert isinstance(done.error_in_exec, ValueError)
