"""The lower bounds of pyproject.toml are those that `make test-lowest` installs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BOUND: Final = re.compile(r"(?P<name>[a-z0-9]+)>=(?P<lowest>[0-9.]+)(,<[0-9.]+)?")


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text("utf-8").splitlines()
    return dict(line.lower().split("==") for line in lines if line and line[0] != "#")


def lowest() -> dict[str, str]:
    bounds = [BOUND.fullmatch(one) for one in PROJECT["dependencies"]]
    return {found["name"]: found["lowest"] for found in bounds if found}


def test_every_dependency_has_a_lower_bound() -> None:
    assert len(lowest()) == len(PROJECT["dependencies"]) == 12


def test_the_lowest_versions_are_the_lower_bounds() -> None:
    assert {
        name: pin for name, pin in pins("constraints-lowest.txt").items() if name in lowest()
    } == lowest()


def test_other_tests_run_with_later_versions() -> None:
    later = pins("constraints.txt")
    assert all(_parts(later[name]) > _parts(bound) for name, bound in lowest().items())


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
