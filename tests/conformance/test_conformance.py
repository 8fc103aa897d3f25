"""Each conformance file gives the verdict that its name and its first line say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.conformance_files import (
    FILES,
    FOLDER,
    code_of,
    expectation,
    expected_findings,
    findings,
    place,
)
from mbx.language.codes import severity

if TYPE_CHECKING:
    from pathlib import Path

FAILING = [path for path in FILES if ".fail." in path.name]
PASSING = [path for path in FILES if ".pass." in path.name]


def name(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("path", FAILING, ids=name)
def test_a_fault_is_found_where_it_is(path: Path) -> None:
    found = findings(path)
    assert [str(place(one)) for one in found] == [
        str(one) for one in sorted(expected_findings(expectation(path)))
    ]
    assert {one.code: one.severity for one in found} == {
        one.code: severity(one.code) for one in found
    }


@pytest.mark.parametrize("path", PASSING, ids=name)
def test_a_mended_model_is_accepted(path: Path) -> None:
    found = findings(path)
    text = expectation(path)
    if text == "ok":
        assert [one.render() for one in found] == []
    else:
        assert text == f"nothing of {code_of(path)}"
        assert [one.render() for one in found if one.severity == "error"] == []
        assert code_of(path) not in {one.code for one in found}


def test_seven_semantic_faults_are_reported_as_seven() -> None:
    found = findings(FOLDER / "seven_semantic_faults.fail.mb")
    assert [(one.code, place(one).line) for one in found] == [
        ("MBX4115", 5),
        ("MBX4001", 9),
        ("MBX3110", 12),
        ("MBX3002", 14),
        ("MBX4116", 15),
        ("MBX3012", 16),
        ("MBX3030", 20),
    ]


def test_three_syntax_faults_are_reported_as_three() -> None:
    found = findings(FOLDER / "three_syntax_faults.fail.mb")
    assert [(one.code, place(one).line) for one in found] == [
        ("MBX1006", 4),
        ("MBX1006", 6),
        ("MBX1006", 8),
    ]
