"""Which runs a study has: ranges, distributions, points, and all combinations."""

from __future__ import annotations

import numpy as np
import pytest

from mbx.analyses.study.chance import DISTRIBUTIONS, SAMPLINGS, Chance, chance_of, unit_points
from mbx.analyses.study.design import Design, Sampling
from mbx.analyses.study.study_errors import StudyError
from mbx.analyses.study.sweep_values import spread_of


def test_a_range_is_spaced_evenly_or_in_ratio_or_is_a_list() -> None:
    assert spread_of("1:2:5") == (1.0, 1.25, 1.5, 1.75, 2.0)
    assert spread_of("2:1:2") == (2.0, 1.0)
    np.testing.assert_allclose(spread_of("1:1000:4:log"), (1, 10, 100, 1000), rtol=1e-14)
    np.testing.assert_allclose(spread_of("-4:-1:3:log"), (-4, -2, -1), rtol=1e-14)
    assert spread_of("3,1,-2e-1") == (3.0, 1.0, -0.2)
    assert spread_of("7:7:1") == (7.0,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1:2", "'1:2' is no range: expected FIRST:LAST:COUNT"),
        ("a:2:3", "'a:2:3' is no range"),
        ("1:2:3:lin", "'1:2:3:lin' is no range"),
        ("1:2:2.5", "'1:2:2.5' is no range"),
        ("", "'' is no range"),
        ("1:2:0", "has no values: COUNT is 1 or more"),
        ("1:2:1", "has one value, and two ends"),
        ("1:2:1000000", "has 1000000 values, the most are 100000"),
        ("0:2:3:log", "has no ratios: both ends must have the same sign, and not be 0"),
        ("-1:2:3:log", "has no ratios"),
        ("1:inf:3", "has numbers that are not finite"),
        ("1,nan", "has numbers that are not finite"),
    ],
)
def test_what_is_no_range_is_refused(text: str, said: str) -> None:
    with pytest.raises(StudyError, match=said):
        spread_of(text)


# quantiles: of the normal law from tables, all others from their closed forms
QUANTILES = [
    ("normal(1, 2)", 0.975, 1 + 2 * 1.959963984540054),
    ("uniform(-1, 3)", 0.25, 0.0),
    ("loguniform(1, 100)", 0.75, 10**1.5),
    ("lognormal(2, 0.5)", 0.5, 2.0),
    ("lognormal(2, 0.5)", 0.975, 2 * np.exp(0.5 * 1.959963984540054)),
    ("triangular(0, 1, 3)", 1 / 3, 1.0),
    ("triangular(0, 1, 3)", 1 / 12, 0.5),
    ("triangular(0, 1, 3)", 1 - 1 / 6, 2.0),
    ("triangular(0, 0, 1)", 0.75, 0.5),
]


@pytest.mark.parametrize(("text", "part", "value"), QUANTILES)
def test_a_distribution_has_its_quantiles(text: str, part: float, value: float) -> None:
    found = chance_of(text).at(np.array([part]))[0]
    assert found == pytest.approx(value, rel=1e-13, abs=1e-14)


def test_every_distribution_is_finite_at_both_ends() -> None:
    numbers = {"triangular": (1.0, 2.0, 3.0)}
    for name in DISTRIBUTIONS:
        values = Chance(name, numbers.get(name, (1.0, 2.0))).at(np.array([0.0, 1.0]))
        assert np.isfinite(values).all()
        assert values[0] < values[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("normal", "is no distribution: expected one of normal"),
        ("normall(1,2)", "there is no distribution 'normall'; did you mean 'normal'"),
        ("normal(1)", "normal takes MEAN, SD, numbers in SI units"),
        ("normal(1,x)", "normal takes MEAN, SD"),
        ("normal(1,inf)", "normal takes MEAN, SD"),
        ("normal(1,0)", "normal needs SD more than 0"),
        ("uniform(2,1)", "uniform needs LOW below HIGH"),
        ("loguniform(0,1)", "loguniform needs LOW more than 0"),
        ("lognormal(-1,1)", "lognormal needs both more than 0"),
        ("triangular(1,3,2)", "triangular needs them in rising order"),
    ],
)
def test_what_is_no_distribution_is_refused(text: str, said: str) -> None:
    with pytest.raises(StudyError, match=said):
        chance_of(text)


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_points_follow_from_the_seed(sampling: str) -> None:
    one, again, other = (unit_points(sampling, 64, 3, seed) for seed in (5, 5, 6))
    assert (one == again).all()
    assert (one != other).any()
    assert one.shape == (64, 3)
    assert ((one >= 0) & (one <= 1)).all()


def test_latin_points_have_one_in_each_stratum_of_each_axis() -> None:
    points = unit_points("latin", 10, 2, 1)
    assert (np.sort(np.floor(10 * points), axis=0) == np.arange(10)[:, None]).all()


def test_sobol_points_balance_every_dyadic_box() -> None:
    points = np.floor(4 * unit_points("sobol", 16, 2, 1)).astype(int)
    counts = np.zeros((4, 4), dtype=int)
    np.add.at(counts, (points[:, 0], points[:, 1]), 1)
    assert (counts == 1).all()


def test_sobol_points_need_no_power_of_two() -> None:
    assert unit_points("sobol", 5, 1, 1).shape == (5, 1)


def test_an_unknown_sampling_is_refused() -> None:
    with pytest.raises(StudyError, match="there is no sampling 'sobl'; did you mean 'sobol'"):
        unit_points("sobl", 1, 1, 1)


def test_all_combinations_are_made_and_each_has_all_samples() -> None:
    chance = {"m": chance_of("uniform(0, 1)")}
    design = Design({"a": (1.0, 2.0), "b": (3.0, 4.0)}, chance, Sampling(2, "random", 3))
    points = design.points()
    assert design.count == len(points) == 8
    assert [(p["a"], p["b"]) for p in points[::2]] == [(1, 3), (1, 4), (2, 3), (2, 4)]
    assert [p["m"] for p in points[:2]] == [p["m"] for p in points[6:]]
    assert points[0]["m"] == np.random.default_rng(3).random((2, 1))[0, 0]
    assert design.names == ("a", "b", "m")


def test_designs_that_mean_nothing_are_refused() -> None:
    chance = {"a": chance_of("uniform(0, 1)")}
    with pytest.raises(StudyError, match="'a' is swept and random at the same time"):
        Design({"a": (1.0,)}, chance, Sampling(2))
    with pytest.raises(StudyError, match="random values need samples: say how many, 1 or more"):
        Design({}, chance, Sampling(0))
    with pytest.raises(StudyError, match="there is nothing random to take samples of"):
        Design({"b": (1.0,)}, {}, Sampling(3))
    with pytest.raises(StudyError, match="'b' is given no value"):
        Design({"b": ()})
    with pytest.raises(StudyError, match="these are 1000000 runs, the most are 100000"):
        Design({"a": (0.0,) * 1000, "b": (0.0,) * 1000})
