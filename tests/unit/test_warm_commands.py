from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

import warm_commands
from command_files import MBX, ROOT, plain_environment
from warm_commands import run_warm

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS: dict[str, tuple[list[str], bytes]] = {
    "output": (["check", "library/four_bar/model.mb"], b""),
    "errors": (["check", "tests/fixtures/two_faults.mb"], b""),
    "usage": (["check", "--no-such-option"], b""),
    "help": (["verify", "--help"], b""),
    "input": (["fmt", "-"], b"mbx 1\nmodel A {  param a: m = 1 }\n"),
    "no file": (["json", "nowhere.mb"], b""),
    "numbers": (["kinematics", "lib:four_bar", "--drive", "th1=1"], b""),
}


def warm(
    arguments: list[str], stdin: bytes = b"", folder: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return run_warm(
        arguments, folder=folder, environment=plain_environment() | environment, stdin=stdin
    )


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_copy_prints_and_returns_what_a_process_of_its_own_does(name: str) -> None:
    arguments, stdin = COMMANDS[name]
    cold = subprocess.run(
        [*MBX, *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=ROOT,
        env=plain_environment(),
    )
    copy = warm(arguments, stdin)
    assert (copy.returncode, copy.stdout, copy.stderr) == (
        cold.returncode,
        cold.stdout,
        cold.stderr,
    )


def test_a_command_runs_in_its_own_folder_and_environment(tmp_path: Path) -> None:
    (tmp_path / "a.mb").write_text("mbx 1\nmodel A {  param a: m = 1 }\n", "utf-8")
    assert warm(["fmt", "--check", "a.mb"], folder=tmp_path).returncode == 1
    assert warm(["fmt", "--check", "a.mb"]).returncode == 5
    narrow, wide = (warm(["verify", "--help"], COLUMNS=columns) for columns in ("60", "120"))
    assert max(map(len, narrow.stdout.splitlines())) <= 60
    assert narrow.stdout != wide.stdout


def test_limits_of_one_command_are_not_those_of_the_next() -> None:
    model = "library/four_bar/model.mb"
    assert warm(["--limit", "tokens=3", "check", model]).returncode == 5
    assert warm(["check", model]).returncode == 0


def test_a_command_that_never_ends_is_stopped_and_the_next_one_runs() -> None:
    endless = ["verify", "lib:stewart_platform"]
    with pytest.raises(subprocess.TimeoutExpired):
        run_warm(endless, folder=ROOT, environment=plain_environment(), timeout=0.5)
    assert warm(["--version"]).returncode == 0


def test_all_commands_of_a_worker_have_one_process() -> None:
    warm(["--version"])
    before: Any = warm_commands._server
    warm(["--version"])
    assert warm_commands._server is before
