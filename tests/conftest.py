"""What all tests share: `--update`, golden files, command files, and no skipping.

    pytest --update     rewrites the files under tests/golden, and what commands print in
                        tests/commands and in the README; nothing else

A test that is skipped proves nothing, so a skip, of a test or of a whole module, is a failure.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from command_files import CommandFile

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

# before NumPy is imported: matrices are small here, and threads that wait for each other slow
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

pytest_plugins = ["pytester"]

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite golden and command files from what is"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("update") and config.getoption("numprocesses", None):
        message = "--update rewrites files one after the other: leave out -n"
        raise pytest.UsageError(message)


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
