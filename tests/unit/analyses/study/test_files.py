"""What a study leaves: tables, pictures, HTML, JSON, and lines for people."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pyarrow import parquet

import mbx
from mbx.analyses.simulate.results.run_table import csv_of, parquet_of
from mbx.analyses.simulate.runs import Column
from mbx.analyses.study.results.study_plot import plot_study
from mbx.analyses.study.results.study_text import lines_of, outcome
from mbx.analyses.study.study_errors import StudyError
from mbx.analyses.study.study_ground import Ground
from mbx.base.extras import ExtraError
from mbx.cli.main import main
from unit.analyses.study.oscillators import OSCILLATOR, oscillator

if TYPE_CHECKING:
    from mbx.analyses.study.parameter_study import Study


@pytest.fixture(name="swept", scope="module")
def _swept() -> Study:
    return mbx.study(
        oscillator(),
        analysis="equilibrium",
        vary={"k": [4.0, 0.0, 2.0]},
        results=["x", "stability"],
        set={"g": 1.0},
    )


def test_a_table_of_numbers_and_words_is_written_as_csv(swept: Study) -> None:
    head, *rows = csv.reader(io.StringIO(csv_of(swept.columns)))
    assert head == ["run", "k [N/m]", "x [m]", "stability", "reason"]
    assert rows[0] == ["1", "4.0", "0.5", "marginal", ""]
    assert rows[1][:4] == ["2", "0.0", "nan", ""]
    assert rows[1][4].startswith("no equilibrium was found")


def test_words_that_a_spreadsheet_would_run_are_quoted() -> None:
    words = Column("reason", "", np.array(["=1+1", "-x", "plain"]))
    assert csv_of([words]).splitlines() == ["reason", "'=1+1", "'-x", "plain"]


def test_a_table_of_numbers_and_words_is_written_as_parquet(swept: Study) -> None:
    table = parquet.read_table(io.BytesIO(parquet_of(swept.columns)))
    assert [str(kind) for kind in table.schema.types] == [
        "int64",
        "double",
        "double",
        "string",
        "string",
    ]
    assert table.column("run").to_pylist() == [1, 2, 3]
    assert table.column("stability").to_pylist() == ["marginal", "", "marginal"]
    assert table.schema.field("x").metadata == {b"unit": b"m"}


def test_json_has_the_table_and_null_where_there_is_no_number(swept: Study) -> None:
    data = json.loads(json.dumps(swept.as_json(), allow_nan=False))
    assert data["columns"][2] == {"name": "x", "unit": "m", "values": [0.5, None, 1.0]}
    assert data["runs"] == 3
    assert list(data["failed"].values()) == [1]


def test_a_notebook_shows_the_table_with_its_text_escaped(swept: Study) -> None:
    page = swept._repr_html_()
    assert page.startswith("<table><thead><tr><th>run</th><th>k [N/m]</th>")
    assert page.count("<tr>") == 4
    other = mbx.study(oscillator(), analysis="assemble", vary={"k": np.arange(1.0, 60.0).tolist()},
                      results=["if x < 1 [m] then x else 2*x"])  # fmt: skip
    assert "&lt; 1 [m]" in other._repr_html_()
    assert other._repr_html_().endswith("<p>9 more rows</p>")


def test_lines_show_forty_rows_and_count_the_rest() -> None:
    found = mbx.study(oscillator(), analysis="assemble", vary={"k": [1.0] * 50}, results=["x"])
    lines = list(lines_of(found))
    assert len(lines) == 1 + 40 + 1 + 1
    assert lines[-2] == "  ... 10 more rows; -o writes all of them"
    assert lines[-1] == "50 runs of assemble"


def test_runs_without_a_result_are_counted(swept: Study) -> None:
    assert list(lines_of(swept))[-1] == "3 runs of equilibrium, 1 without a result"
    first, second = outcome(swept)
    assert first == "3 runs of equilibrium, 1 without a result"
    assert second.startswith("  1: no equilibrium was found near the start")


def test_a_column_that_is_not_there_is_an_error(swept: Study) -> None:
    with pytest.raises(KeyError):
        swept["y"]


# -- pictures ------------------------------------------------------------------------------------

SAID: dict[str, dict[str, Any]] = {
    "curves": {"vary": {"k": "1:100:5:log"}},
    "map": {"vary": {"k": "1:2:3", "g": "1:2:2"}},
    "many": {"vary": {"k": "1:2:2", "g": "1:2:2", "m": "1:2:2"}},
    "samples": {"random": {"k": "uniform(1, 2)"}, "samples": 6},
    "slopes": {"slopes": ["k", "g"]},
}


def drawn(kind: str) -> Study:
    return mbx.study(
        oscillator(),
        analysis="equilibrium",
        results=["x", "frequency(1)"],
        set={"g": 1.0},
        **SAID[kind],
    )


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", SAID)
def test_every_design_has_its_picture(kind: str) -> None:
    labels = {
        "curves": ["k in N/m", "x in m"],
        "map": ["k in N/m", "g in m/s^2", "x in m"],
        "many": ["k in N/m", "m in kg", "x in m"],
        "samples": ["samples", "x in m", "k in N/m"],
        "slopes": ["parts of x for parts of the value"],
    }
    found = drawn(kind)
    picture = plot_study(found, Path("a.svg")).decode()
    assert picture == plot_study(found, Path("b.svg")).decode()
    for text in labels[kind]:
        assert f"<!-- {text} -->" in picture


@pytest.mark.parametrize("values", [[2.0, 8.0], np.linspace(1, 9, 15).tolist()])
def test_a_series_is_drawn_over_time(values: list[float]) -> None:
    found = mbx.study(
        oscillator(), "swing", vary={"k": values}, results=["x"], series=True, every=0.5
    )
    picture = plot_study(found, Path("a.svg")).decode()
    assert "<!-- t in s -->" in picture
    assert "<!-- k -->" in picture


def test_nothing_to_draw_is_said() -> None:
    found = mbx.study(oscillator(), analysis="equilibrium", vary={"k": [1.0]}, results=["kind"])
    with pytest.raises(StudyError, match="there is no number to draw"):
        plot_study(found, Path("a.png"))


def test_without_the_extra_its_name_is_said(swept: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ExtraError, match=r'pip install "mbx\[plot\]"'):
        plot_study(swept, Path("a.png"))


# -- the command ---------------------------------------------------------------------------------


@pytest.fixture(name="model")
def _model(tmp_path: Path) -> Path:
    path = tmp_path / "model.mb"
    path.write_text(OSCILLATOR, "utf-8")
    return path


def test_the_command_writes_its_files_whole(model: Path, tmp_path: Path) -> None:
    table, picture = tmp_path / "t.csv", tmp_path / "p.png"
    said = ["study", str(model), "swing", "--vary", "k=1:4:4", "--result", "x", "--jobs", "1"]
    assert main([*said, "-o", str(table), "--plot", str(picture), "--quiet"]) == 0
    assert len(table.read_text("utf-8").splitlines()) == 5
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_study_without_any_result_writes_its_table_and_ends_with_4(
    model: Path, tmp_path: Path
) -> None:
    table = tmp_path / "t.csv"
    said = ["study", str(model), "--analysis", "equilibrium", "--vary", "k=0,0", "--set", "g=1"]
    assert main([*said, "--result", "x", "--jobs", "1", "-o", str(table)]) == 4
    assert table.read_text("utf-8").count("no equilibrium was found") == 2


def test_a_bug_in_a_run_ends_with_its_own_status(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Ground.plan

    def wrong(self: Ground, values: Any) -> Any:
        if values:
            raise TypeError("of ours")
        return right(self, values)

    monkeypatch.setattr(Ground, "plan", wrong)
    said = ["study", str(model), "swing", "--vary", "k=1,2", "--result", "x", "--jobs", "1"]
    assert main(said) == 70


def test_a_cluster_that_is_no_address_is_trouble(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ["study", str(model), "swing", "--vary", "k=1,2", "--cluster", "nowhere"]
    assert main(said) == 5
    assert "'nowhere' is no address of a scheduler" in capsys.readouterr().err
