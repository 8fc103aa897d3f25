"""`mbx compare`: forms of a model, and the map."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from mbx.analyses.costs import cost_maps
from unit.analyses.costs.test_maps import published

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PENDULUM = "library/simple_pendulum/model.mb"


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the map count what the formulas say."""

    def count(_timeout: float, progress: Any, forms: Sequence[str]) -> cost_maps.Map:
        return cost_maps.make_map(published, progress, forms, published if forms else None)

    monkeypatch.setattr(cost_maps, "counted_map", count)


def test_forms_are_ranked(run: Any) -> None:
    result = run("compare", PENDULUM, "--form", "lagrange", "--form", "kane")
    lines = result.out.splitlines()
    assert result.status == 0
    assert lines[0] == "Pendulum: 1 body, 1 freedom"
    assert [line.split()[0] for line in lines[4:6]] == ["kane", "lagrange"]


def test_data_are_json(run: Any) -> None:
    data = json.loads(run("compare", PENDULUM, "--form", "kane", "--symbolic", "--json").out)
    assert data["best"] == "kane"
    assert data["symbolic"]
    assert data["published"][1]["estimate"] == 291  # Table 1 for one body with one freedom


def test_code_of_each_form_is_timed_if_that_is_asked_for(run: Any) -> None:
    result = run("compare", PENDULUM, "--form", "kane", "--form", "udwadia_kalaba", "--timing")
    assert result.status == 0
    lines = result.out.splitlines()
    begin = lines.index(
        "code for ud on this machine: to make it, its size, nanoseconds for a state"
    )
    assert lines[begin + 2].split()[0] == "form"
    rows = {line.split()[0]: line.split()[1:] for line in lines[begin + 3 : begin + 5]}
    assert rows["kane"][-1] == "llvm"
    assert rows["udwadia_kalaba"][-1] == "numpy"  # it takes the root of a matrix
    assert rows["udwadia_kalaba"][1:3] == ["-", "-"]


def test_times_are_data_too(run: Any) -> None:
    found = json.loads(run("compare", PENDULUM, "--form", "kane", "--timing", "--json").out)
    timing = found["forms"][0]["timing"]
    assert timing["backend"] == "llvm"
    assert all(timing[key] > 0 for key in ("generation", "text", "code", "single", "batch"))
    assert (
        "timing"
        not in json.loads(run("compare", PENDULUM, "--form", "kane", "--json").out)["forms"][0]
    )


def test_a_form_that_does_not_apply_has_no_time(run: Any) -> None:
    model = "library/dc_motor/model.mb"
    found = json.loads(run("compare", model, "--form", "lagrange", "--timing", "--json").out)
    (form,) = found["forms"]
    assert form["timing"] is None
    assert form["not_timed"].startswith("not applicable")


def test_where_no_form_is_counted_the_status_is_3(run: Any) -> None:
    result = run("compare", "library/four_bar/model.mb", "--form", "udwadia_kalaba")
    assert result.status == 3
    assert "no form could be counted" in result.out


def test_a_form_that_is_unknown_is_wrong_usage(run: Any) -> None:
    result = run("compare", PENDULUM, "--form", "kain")
    assert result.status == 2
    assert result.err.startswith("mbx: unknown formalism 'kain'; did you mean 'kane'?")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "there is no model to compare forms of"),
        ((PENDULUM, "--map"), "--map is of no one model"),
        (("--map", "--symbolic"), "--map is of no one model"),
        ((PENDULUM, "-o", "x.svg"), "--out is the picture of --map"),
        (("--map", "-o", "x.pdf"), "--out is a file that ends in .svg or .png"),
        (("--map", "--form", "kain"), "unknown formalism 'kain'"),
    ],
)
def test_options_that_do_not_fit_are_wrong_usage(
    run: Any, arguments: tuple[str, ...], message: str
) -> None:
    result = run("compare", *arguments)
    assert result.status == 2
    assert message in result.err


@pytest.mark.usefixtures("known")
def test_the_map_is_printed(run: Any) -> None:
    result = run("compare", "--map")
    assert result.status == 0
    assert "carousel" in result.out.splitlines()


@pytest.mark.usefixtures("known")
def test_the_map_is_drawn(run: Any, tmp_path: Path) -> None:
    result = run("compare", "--map", "--json", "-o", tmp_path / "map.svg")
    assert result.status == 0
    assert json.loads(result.out)["counted"][0]["shape"] == "chain"
    assert (tmp_path / "map.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.usefixtures("known")
def test_without_the_extra_nothing_is_counted(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("compare", "--map", "-o", tmp_path / "map.svg")
    assert result.status == 5
    assert result.out == ""
    assert result.err == 'mbx: a plot needs matplotlib; pip install "mbx[plot]"\n'
