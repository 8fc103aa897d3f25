"""Chapter 6 of the specification says what the code does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from mbx.formalism.program import Op, SolveKind
from mbx.numerics.execute import execute, implicit_steps, stacked_algebra, step_kinds
from mbx.system.find_features import Feature

CHAPTER = Path(__file__).parents[3] / "spec" / "6_equations.md"


def first_column(label: str) -> list[str]:
    text = CHAPTER.read_text("utf-8").partition(f"({label})=")[2]
    rows = re.findall(r"^\| `([^`]+)`", text.partition("\n\n(")[0], re.MULTILINE)
    return [str(row) for row in rows]


def test_the_operations_are_those_of_the_code() -> None:
    assert first_column("step-table") == list(get_args(Op))


def test_the_kinds_of_solving_are_those_of_the_code() -> None:
    assert first_column("solve-table") == list(get_args(SolveKind))


def test_the_features_are_those_of_the_code() -> None:
    assert first_column("feature-table") == [feature.name for feature in Feature]
    text = CHAPTER.read_text("utf-8")
    assert all(f"| `{one.name}` | {one.value} |" in text for one in Feature)


def test_the_statuses_are_those_of_the_code() -> None:
    modules = (execute, implicit_steps, stacked_algebra, step_kinds)
    source = "".join(Path(str(one.__file__)).read_text("utf-8") for one in modules)
    statuses = first_column("status-table")
    assert len(statuses) == 6
    assert all(f'"{status}"' in source for status in statuses)
    written = set(re.findall(r'faults\[.*\] = "([^"]+)"', source)) | {execute.REGULAR, "not finite"}
    assert written == set(statuses)
