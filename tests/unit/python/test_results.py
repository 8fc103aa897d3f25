"""Results: short representations, what a notebook shows, columns by name."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import pytest

import mbx
from mbx.analyses.form_verbs import references
from mbx.analyses.mechanism_verbs import kinematic_study
from mbx.base.errors import EquationsError, UnknownResultError
from mbx.base.extras import ExtraError
from mbx.base.short_repr import shorten_repr

if TYPE_CHECKING:
    from pathlib import Path

    from mbx.analyses.simulate.runs import Run

SHORT: Final = 1000
FORMS: Final = ["kane", "lagrange"]
STATE: Final = {"x": 0.0, "theta": 0.1, "x'": 0.0, "theta'": 0.5}


@pytest.fixture(name="run", scope="module")
def _run() -> Run:
    return mbx.simulate("lib:four_bar", "swing", until=0.2, every=0.1)


def results() -> dict[str, Any]:
    """Return a result of each kind."""
    equations = mbx.convert("lib:cart_pole", "kane")
    large = mbx.convert("lib:arm_7_axis", "kane")
    run = mbx.simulate("lib:four_bar", "swing", until=0.1)
    return {
        "document": mbx.read("lib:arm_7_axis"),
        "linked": mbx.link("lib:arm_7_axis"),
        "system": mbx.elaborate("lib:arm_7_axis"),
        "report": mbx.check("lib:four_bar"),
        "equations": large,
        "matrix": equations.mass_matrix,
        "entry": equations.forcing[0],
        "evaluation": equations.evaluate(STATE),
        "text": equations.write("c"),
        "function": equations.compile(),
        "program": equations.compile(backend="numpy"),
        "symbolic": equations.to_sympy(),
        "run": run,
        "column": run.columns[0],
        "plot": run.plot(),
        "animation": run.animate(),
        "together": mbx.simulate("lib:four_bar", "swing", until=0.1, forms=FORMS),
        "inverse": mbx.inverse("lib:four_bar", "drive", until=0.1),
        "assembly": mbx.assemble("lib:four_bar"),
        "equilibrium": mbx.equilibrium("lib:four_bar"),
        "linear": mbx.linearize("lib:four_bar"),
        "locus": mbx.linearize("lib:simple_pendulum", over={"l": [0.5, 1.0]}),
        "along": mbx.linearize("lib:simple_pendulum", along=True, until=0.1, every=0.1),
        "kinematics": mbx.kinematics("lib:four_bar", drive={"th1": "0.4:0.8:3"}),
        "mechanism": kinematic_study("lib:four_bar", {"th1": "1"}),
        "study": mbx.study("lib:simple_pendulum", analysis="equilibrium", vary={"l": [1.0]}),
        "ranking": mbx.compare("lib:simple_pendulum", forms=FORMS),
        "structure": mbx.structure("lib:simple_pendulum"),
        "verification": mbx.verify("lib:simple_pendulum", forms=FORMS, states=2),
        "difference": mbx.diff("lib:simple_pendulum", "lib:simple_pendulum"),
        "references": references("lib:simple_pendulum", forms=["kane"])[0],
        "drawing": mbx.draw("lib:four_bar"),
        "page": mbx.report("lib:simple_pendulum", forms=["kane"], verify=False),
    }


def test_representations_are_short() -> None:
    for name, result in results().items():
        text = repr(result)
        assert len(text) < SHORT, (name, text)
        assert " at 0x" not in text or name == "symbolic", (name, text)


def test_a_representation_is_one_safe_line() -> None:
    assert shorten_repr("<a\n\x1b[31mb>") == "<a\\u{a}\\u{1b}[31mb>"
    assert len(shorten_repr(f"<{'x' * 5000}>")) <= 400


def test_a_notebook_shows_documents_drawings_reports_runs_and_verifications(run: Run) -> None:
    assert "<svg" in (mbx.read("lib:four_bar")._repr_html_() or "")
    assert "<svg" in (mbx.link("lib:four_bar")._repr_html_() or "")
    drawing = mbx.draw("lib:four_bar")
    assert drawing._repr_svg_() == str(drawing)
    page = mbx.report("lib:simple_pendulum", forms=["kane"], verify=False)
    assert page._repr_html_().startswith("<iframe srcdoc=")
    assert mbx.check("mbx 1\nmodel P {")._repr_html_() is not None
    assert "<svg" in (run._repr_html_() or "")
    assert run.animate()._repr_html_().startswith("<iframe srcdoc=")
    verification = mbx.verify("lib:simple_pendulum", forms=FORMS, states=2, oracle=0)
    assert "agree" in (verification._repr_html_() or "")
    assert verification.diagnose("lib:simple_pendulum") is None


def test_without_matplotlib_a_notebook_shows_a_run_in_short(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "&lt;Run FourBar: swing by" in (run._repr_html_() or "")


def test_a_column_that_is_missing_names_the_nearest_and_all(run: Run) -> None:
    with pytest.raises(KeyError) as bad:
        run["th"]
    assert isinstance(bad.value, UnknownResultError)
    assert str(bad.value).startswith("there is no result 'th'; did you mean 'th3'? there are t, ")
    assert run.names[0] == "t"
    with pytest.raises(UnknownResultError, match="there is no result 'M2'"):
        mbx.convert("lib:cart_pole", "kane").evaluate(STATE)["M2"]


def test_a_run_is_a_table_of_pandas(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = SimpleNamespace(attrs={})

    def make(columns: Any) -> Any:
        frame.columns = columns
        return frame

    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=make))
    assert run.to_pandas() is frame
    assert list(frame.columns) == list(run.names)
    assert frame.attrs["units"]["t"] == "s"


def test_without_pandas_a_line_says_what_to_install(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ExtraError) as bad:
        run.to_pandas()
    assert str(bad.value) == "to_pandas needs pandas; pip install pandas"


def test_plots_and_animations_are_files_of_known_kinds(run: Run, tmp_path: Path) -> None:
    run.plot("th1", "th2").save(tmp_path / "run.svg")
    assert "<!-- th1 -->" in (tmp_path / "run.svg").read_text("utf-8")
    assert "<!-- th3 -->" not in (tmp_path / "run.svg").read_text("utf-8")
    run.animate().save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(mbx.MbxError, match=r"a plot is a file that ends in \.svg"):
        run.plot().save(tmp_path / "run.bmp")
    with pytest.raises(mbx.MbxError, match=r"an animation is a file that ends in \.html"):
        run.animate().save(tmp_path / "run.mp4")
    with pytest.raises(UnknownResultError):
        run.plot("th9")


def test_matrices_are_what_the_page_shows() -> None:
    equations = mbx.convert("lib:cart_pole", "kane")
    page = equations.write("text").splitlines()
    for line in str(equations.mass_matrix).splitlines()[1:]:
        assert f"  {line}" in page
    M = equations.mass_matrix
    assert (M.name, M.shape, M.rows) == ("M_", (2, 2), ("x'", "theta'"))
    assert M[0, 1].text == M["x'", "theta'"].text == "-m*l*cos(theta)/2"
    assert M[-1, -1]._repr_latex_() == r"$\frac{1}{3} m l^{2}$"
    assert [[str(entry) for entry in row] for row in M][1][1] == "m*l^2/3"
    assert r"\begin{bmatrix}" in M._repr_latex_()
    assert equations.forcing["theta'"].text == "sin(theta)*(m*g*l/2 - kappa) - ct*theta'"
    with pytest.raises(EquationsError, match="'M_' is 2 by 2: an entry has a row and a column"):
        M[0]
    with pytest.raises(IndexError, match="there is no entry 2: there are 2"):
        M[2, 0]
    with pytest.raises(KeyError, match="there is no result 'y'"):
        M["y", 0]


def test_long_matrices_name_their_parts_as_the_page_does() -> None:
    equations = mbx.convert("lib:arm_6_axis", "lagrange")
    M = equations.mass_matrix
    page = equations.write("text")
    assert M.parts
    for name in M.parts:
        assert f"    {name} = " in page
    assert repr(M).startswith("<ShownMatrix M")
    assert str(M).startswith("with\n")


def test_written_code_has_its_files() -> None:
    text = mbx.convert("lib:cart_pole", "kane").write("c")
    assert list(text.files) == ["mb_CartPole_kane.h", "mb_CartPole_kane.c"]
    assert text.startswith("==> mb_CartPole_kane.h <==\n")
    assert all(part in text for part in text.files.values())
    assert repr(text).startswith("<mb_CartPole_kane.h, mb_CartPole_kane.c: ")
