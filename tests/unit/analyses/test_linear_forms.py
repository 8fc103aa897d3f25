"""Forms linearised by their own accelerations, and linear systems as files."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from math import pi
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.linearize.linear_files import SUFFIXES, file_of
from mbx.analyses.linearize.locus_plot import plot_locus
from mbx.analyses.perform_requests import perform_along
from mbx.analyses.request import Request
from mbx.analyses.simulate.runs import Options
from mbx.base.errors import NotApplicableError

CLOSE = 1e-10


@pytest.mark.parametrize(
    "model",
    [
        "cart_pole",
        pytest.param("four_bar", marks=pytest.mark.slow),
        pytest.param("rolling_disc", marks=pytest.mark.slow),
    ],
)
def test_all_forms_that_say_a_model_have_the_same_linear_system(model: str) -> None:
    document = mbx.read(f"lib:{model}")
    found = mbx.linearize(document)
    names = [name for name, refusals in mbx.forms(document).items() if not refusals]
    assert len(names) > 10
    for name in names:
        other = mbx.linearize(document, form=name)
        assert other.x == found.x
        for mine, theirs in ((found.A, other.A), (found.B, other.B)):
            assert np.abs(mine - theirs).max(initial=0.0) < CLOSE * np.abs(found.A).max()


def test_an_input_that_follows_from_time_is_an_input_of_every_form() -> None:
    document = mbx.read("lib:satellite_reaction_wheels")
    found = mbx.linearize(document, time=0.3)
    other = mbx.linearize(document, time=0.3, form="kane")
    assert found.inputs
    assert pytest.approx(found.B, rel=1e-12) == other.B
    assert other.rates == pytest.approx(found.rates, rel=1e-12)


def test_a_form_that_cannot_say_a_model_is_refused() -> None:
    with pytest.raises(NotApplicableError):
        mbx.linearize(mbx.read("lib:dc_motor"), form="lagrange")


def test_a_form_is_linearised_along_allowed_motions_alone() -> None:
    with pytest.raises(NotRunError, match="motions that the invariants allow"):
        mbx.linearize(mbx.read("lib:four_bar"), form="kane", variables="all")


def test_all_variables_of_redundant_rows_contradict_each_other() -> None:
    """Off the invariants the rows of Bennett's linkage are no longer dependent."""
    with pytest.raises(NotRunError, match="no solution next to it"):
        mbx.linearize(mbx.read("lib:bennett_linkage"), variables="all")


# -- files -------------------------------------------------------------------------------------


def test_a_table_has_both_matrices_with_names() -> None:
    found = mbx.linearize(mbx.read("lib:cart_pole"), at="up")
    rows = list(csv.reader(io.StringIO(file_of(found, ".csv").decode())))
    assert rows[0] == ["rate of", "A x", "A theta", "A x'", "A theta'", "B u"]
    assert [row[0] for row in rows[1:]] == list(found.x)
    numbers = np.array([[float(x) for x in row[1:]] for row in rows[1:]])
    assert (numbers == np.hstack([found.A, found.B])).all()


def test_numpy_and_matlab_read_their_files() -> None:
    found = mbx.linearize(mbx.read("lib:cart_pole"), at="up")
    with np.load(io.BytesIO(file_of(found, ".npz"))) as arrays:
        assert (arrays["A"] == found.A).all()
        assert (arrays["B"] == found.B).all()
        assert arrays["x"].tolist() == list(found.x)
        assert arrays["inputs"].tolist() == ["u"]
    data = loadmat(io.BytesIO(file_of(found, ".mat")))
    assert (data["A"] == found.A).all()
    assert [str(one[0][0]) for one in data["x"]] == list(found.x)


def test_along_a_motion_matlab_has_the_times_last() -> None:
    options = Options(until=0.2, every=0.1)
    found = perform_along(mbx.read("lib:simple_pendulum"), Request(), options)
    data = loadmat(io.BytesIO(file_of(found, ".mat")))
    assert data["A"].shape == (2, 2, 3)
    assert (data["A"][:, :, 2] == found.A[2]).all()
    rows = list(csv.reader(io.StringIO(file_of(found, ".csv").decode())))
    assert len(rows) == 4
    assert rows[0][:3] == ["t [s]", "theta", "theta'"]


def test_a_locus_has_a_row_for_each_eigenvalue() -> None:
    document = mbx.read("lib:coupled_pendulums")
    found = mbx.linearize(document, over={"k": [2.0, 4.0]}, at="equilibrium")
    rows = list(csv.reader(io.StringIO(file_of(found, ".csv").decode())))
    assert rows[0][:2] == ["k", "stability"]
    assert len(rows) == 1 + 2 * 4
    with np.load(io.BytesIO(file_of(found, ".npz"))) as arrays:
        assert arrays["eigenvalues"].shape == (2, 4)
    assert json.loads(file_of(found, ".json"))["over"] == "k"


def test_a_locus_with_a_ratio_has_a_row_for_each_mode() -> None:
    """Two pendulums swing together, or against each other, whatever the spring is."""
    document = mbx.read("lib:coupled_pendulums")
    found = mbx.linearize(document, over={"k": [2.0, 4.0]}, at="equilibrium")
    found = replace(found, pair=("theta2", "theta1"))
    rows = list(csv.reader(io.StringIO(file_of(found, ".csv").decode())))
    assert rows[0][-2:] == ["theta2/theta1", "phase [rad]"]
    assert [float(row[-2]) for row in rows[1:]] == pytest.approx([1.0] * 4, abs=1e-6)
    assert [float(row[-1]) for row in rows[1:]] == pytest.approx([0, pi, 0, pi], abs=1e-6)
    data = found.as_json()
    assert data["ratio"] == "theta2/theta1"
    assert data["ratios"][1][1]["ratio"] == pytest.approx([-1.0, 0.0], abs=1e-6)
    assert b"phase of theta2/theta1" in plot_locus(found, "", Path("a.svg"))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_is_the_same_each_time(suffix: str) -> None:
    found = mbx.linearize(mbx.read("lib:cart_pole"), at="up")
    assert file_of(found, suffix) == file_of(found, suffix)
