"""What all tests share: `--update`, golden files, command files, and no skipping.

    pytest --update     rewrites the files under tests/golden, and what commands print in
                        tests/commands and in the README; nothing else

A test that is skipped proves nothing, so a skip, of a test or of a whole module, is a failure.
Tests that need a program which is not installed are left out, and the last lines say so; with
MBX_REQUIRE_TOOLS set, as `.ci/run` does, they fail.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from command_files import CommandFile
from mbx.expr.nodes import symbol
from tiers import DEFAULT, NOT_SLOW, mark_what_is_no_sample

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

# before NumPy is imported: matrices are small here, and threads that wait for each other slow
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

pytest_plugins = ["pytester"]

TOOLS = ("gcc", "octave", "chromium", "pdflatex")
"""Programs that some tests run, from the system's packages."""
GOLDEN = Path(__file__).parent / "golden"
OLDEST = tuple(symbol(name) for name in "xyz")
"""Symbols stand in the order of their making: here in this one, whatever tests run before."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite golden and command files from what is"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("update") and config.getoption("numprocesses", None):
        message = "--update rewrites files one after the other: leave out -n"
        raise pytest.UsageError(message)
    if config.getoption("update") and config.option.markexpr == DEFAULT:
        config.option.markexpr = NOT_SLOW  # files of all tests, not of a sample


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    mark_what_is_no_sample(items, whole=not any("::" in one for one in config.args))
    if os.environ.get("MBX_REQUIRE_TOOLS"):
        return
    missing = [item for item in items if _missing(item)]
    items[:] = [item for item in items if item not in missing]
    config.hook.pytest_deselected(items=missing)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for program in _missing(item):
        pytest.fail(f"{program} is not installed")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    missing = [program for program in TOOLS if shutil.which(program) is None]
    if missing:
        terminalreporter.write_line(f"left out: tests that need {', '.join(missing)}")


def _missing(item: pytest.Item) -> list[str]:
    needed = [program for mark in item.iter_markers("needs") for program in mark.args]
    unknown = set(needed) - set(TOOLS)
    assert not unknown, f"{item.nodeid} needs {unknown}, which TOOLS does not list"
    return [program for program in needed if shutil.which(program) is None]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CommandFile | None:
    if file_path.suffix == ".md" and file_path.parent.name == "commands":
        return CommandFile.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _refuse_skip(report)
    return report


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.outcome == "skipped":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else "expected to fail"
        report.outcome = "failed"
        report.longrepr = f"no test may be skipped: {reason}"


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file under tests/golden, or write it there."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("update"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        assert text == path.read_text("utf-8"), f"{name} differs; see pytest --update"

    return compare
