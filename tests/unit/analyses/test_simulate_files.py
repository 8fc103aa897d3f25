"""Files that a simulation writes: tables and plots."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbx
from mbx.analyses.simulate.results.run_plot import plot
from mbx.analyses.simulate.results.run_table import csv_of, parquet_of
from mbx.analyses.simulate.runs import Column, Run
from mbx.base.extras import ExtraError
from mbx.cli.main import main


@pytest.fixture(name="run", scope="module")
def _run() -> Run:
    return mbx.simulate(mbx.read("lib:four_bar"), "swing", until=0.1, every=0.02)


def test_csv_has_names_with_units_and_all_digits(run: Run) -> None:
    head, *rows = csv.reader(io.StringIO(csv_of(run.columns)))
    assert head[:5] == ["t [s]", "th1 [rad]", "th2 [rad]", "th3 [rad]", "th1' [rad/s]"]
    assert head[7:] == [
        "kinetic energy [J]",
        "potential energy [J]",
        "energy [J]",
        "momentum x [N*s]",
        "momentum y [N*s]",
        "angular momentum z [N*m*s]",
        "th1'' [rad/s^2]",
    ]
    assert (np.array(rows, dtype=float)[:, 1:7] == run.states).all()


@pytest.mark.parametrize("name", ["=1+1", "-x", "+x", "@x"])
def test_no_name_in_csv_is_a_formula(name: str) -> None:
    text = csv_of([Column(name, "m", np.zeros(1))])
    assert text == f"'{name} [m]\n0.0\n"


def test_parquet_holds_the_same_numbers_and_units(run: Run) -> None:
    from pyarrow import parquet  # noqa: PLC0415  slow to load

    table = parquet.read_table(io.BytesIO(parquet_of(run.columns)))
    assert table.column_names == [one.name for one in run.columns]
    assert (table["th1"].to_numpy() == run["th1"]).all()
    assert table.schema.field("th1'").metadata == {b"unit": b"rad/s"}


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("suffix", "begin"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_plots_are_the_same_bytes_each_time(run: Run, suffix: str, begin: bytes) -> None:
    once, again = (plot(run.columns, "a $title", Path(f"x.{suffix}")) for _ in range(2))
    assert once == again
    assert once.startswith(begin)


@pytest.mark.parametrize(("rows", "marker"), [(1, "o"), (2, "None")])
def test_a_single_row_is_drawn_by_marks(
    monkeypatch: pytest.MonkeyPatch, rows: int, marker: str
) -> None:
    from matplotlib.figure import Figure  # noqa: PLC0415  slow to load

    drawn: list[object] = []
    save = Figure.savefig

    def seen(figure: Figure, *said: Any, **named: Any) -> None:
        drawn.extend(line.get_marker() for ax in figure.axes for line in ax.lines)
        save(figure, *said, **named)

    monkeypatch.setattr(Figure, "savefig", seen)
    columns = [Column(name, "s", np.arange(float(rows))) for name in ("t", "x")]
    plot(columns, "", Path("x.svg"))
    assert drawn == [marker]


@pytest.mark.parametrize(("package", "extra"), [("matplotlib", "plot"), ("pyarrow", "table")])
def test_a_missing_package_is_named_with_its_extra(
    run: Run, monkeypatch: pytest.MonkeyPatch, package: str, extra: str
) -> None:
    for name in [package, *(one for one in sys.modules if one.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ExtraError, match=rf'needs {package}; pip install "mbx\[{extra}\]"'):
        plot(run.columns, "", Path("x.svg")) if extra == "plot" else parquet_of(run.columns)


def test_the_command_writes_all_files_or_none(tmp_path: Path) -> None:
    table, picture = tmp_path / "run.csv", tmp_path / "run.svg"
    files = ["-o", str(table), "--plot", str(picture)]
    assert main(["simulate", "lib:four_bar", "swing", "--until", "0.1", *files, "--quiet"]) == 0
    assert sorted(one.name for one in tmp_path.iterdir()) == ["run.csv", "run.svg"]
    table.unlink()
    picture.unlink()
    assert main(["simulate", "lib:four_bar", "swing", "--timeout", "0", *files]) == 4
    assert list(tmp_path.iterdir()) == []
