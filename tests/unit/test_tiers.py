from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

import pytest

import tiers

TESTS: Final = Path(__file__).parent.parent
TABLE: Final = """
import pytest

@pytest.mark.sample({sample})
@pytest.mark.parametrize("n", [*range(20), pytest.param("late", marks=pytest.mark.slow)])
def test_row(n): ...

@pytest.mark.papers
def test_paper(): ...

@pytest.mark.full
def test_long(): ...

def test_plain(): ...
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """Return a folder of tests with our conftest and our default."""
    pytester.makeconftest((TESTS / "conftest.py").read_text("utf-8"))
    pytester.makeini(f"[pytest]\naddopts = -m '{tiers.DEFAULT}'\nmarkers =\n  papers\n  full\n"
                     "  slow\n  sample\n")  # fmt: skip
    return pytester


def chosen(suite: pytest.Pytester, sample: str, *options: str) -> set[str]:
    suite.makepyfile(test_it=TABLE.format(sample=sample))
    (finish,) = suite.inline_run("--collect-only", *options).getcalls("pytest_collection_finish")
    return {item.name.removeprefix("test_") for item in finish.session.items}


def test_a_sample_is_as_large_as_it_says_and_the_rest_waits(suite: pytest.Pytester) -> None:
    sample = chosen(suite, "3")
    assert len(sample) == 4
    assert "plain" in sample
    rest = chosen(suite, "3", "-m", "(papers or full) and not slow")
    assert len(rest) == 19
    assert not sample & rest
    assert {"paper", "long"} <= rest


def test_nothing_is_lost_between_the_tiers(suite: pytest.Pytester) -> None:
    tier = "default", "(papers or full) and not slow", "slow"
    parts = [chosen(suite, "3", *(("-m", one) if one != "default" else ())) for one in tier]
    assert sum(map(len, parts)) == len(set.union(*parts)) == 24
    assert set.union(*parts) == chosen(suite, "3", "-m", "")


def test_names_are_part_of_a_sample(suite: pytest.Pytester) -> None:
    assert chosen(suite, '0, "7", "12"') == {"row[7]", "row[12]", "plain"}
    assert {"row[7]", "row[12]"} < chosen(suite, '2, "7", "12"')


def test_a_name_that_no_case_has_is_refused(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_it=TABLE.format(sample='0, "seven"'))
    done = suite.runpytest_inprocess()
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*test_row: no case for the sample is named seven"])


def test_slow_cases_are_in_no_sample(suite: pytest.Pytester) -> None:
    assert chosen(suite, '0, "late"') == {"plain"}
    assert chosen(suite, "99", "-m", "slow") == {"row[late]"}


def test_an_update_leaves_out_nothing_but_slow_tests(suite: pytest.Pytester) -> None:
    assert len(chosen(suite, "3", "--update")) == 23


def test_the_default_is_that_of_the_project() -> None:
    project = tomllib.loads((TESTS.parent / "pyproject.toml").read_text("utf-8"))
    options = project["tool"]["pytest"]["ini_options"]["addopts"]
    assert options[options.index("-m") + 1] == tiers.DEFAULT
