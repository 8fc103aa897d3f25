from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

import mbx
from mbx.language.codes import codes
from mbx.linking.library import cases

MBX = [sys.executable, "-m", "mbx"]
FIXTURES = Path(__file__).parents[2] / "fixtures"
MODEL = "mbx 1\n\nmodel M {\n  param m: kg = 1\n}\n"


def started(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    options = {"capture_output": True, **options}
    return subprocess.run([*MBX, *arguments], text=True, check=False, timeout=60, **options)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Usage: mbx"),
        (["explan"], "mbx: no such command 'explan'; did you mean 'explain'?"),
        (["check"], "mbx: missing argument 'FILE'"),
        (["check", "--colour", "a.mb"], "mbx: no such option: --colour"),
        (["json", "a.mb", "--math", "latex"], "'latex' is not one of 'text', 'tree'"),
        (["fmt", "--stdout", "--check", "a.mb"], "mbx: --stdout goes with neither"),
        (["flatten", "--json", "--hash", "a.mb"], "mbx: choose one of"),
        (["new", "2nd"], "mbx: '2nd' is no name"),
        (["explain", "MBX0000"], "mbx: unknown code 'MBX0000'"),
    ],
)
def test_wrong_usage_has_status_2(run: Any, arguments: list[str], said: str) -> None:
    result = run(*arguments)
    assert result.status == 2
    assert said in result.err
    assert not result.out


def test_usage_errors_are_safe_to_show(run: Any) -> None:
    result = run("check", "--\x1b[2J\u202e", "a.mb")
    assert result.status == 2
    assert "\x1b" not in result.err
    assert "\u202e" not in result.err


def test_help_lists_every_verb(run: Any) -> None:
    result = run("--help")
    assert result.status == 0
    for verb in ("new", "check", "fmt", "json", "flatten", "info", "schema", "explain"):
        assert f"\n  {verb} " in result.out


def loaded_by(*arguments: str) -> set[str]:
    """Return the modules that a run of the command has imported."""
    program = (
        "import sys; from mbx.cli.main import main; assert main(sys.argv[1:]) == 0; "
        "print(); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_help_imports_nothing_heavy() -> None:
    heavy = {"pydantic", "lark", "rich", "numpy", "scipy", "sympy", "jsonschema", "mbx.pipeline"}
    assert not loaded_by("--help") & heavy


def test_check_imports_no_more_than_it_needs() -> None:
    loaded = loaded_by("check", str(FIXTURES / "pendulum.mb"))
    assert not loaded & {"rich", "numpy", "scipy", "sympy", "jsonschema"}


def test_the_version_names_the_format_too(run: Any) -> None:
    result = run("--version")
    assert result.status == 0
    assert result.out.startswith("mbx ")
    assert result.out.endswith(", format 1\n")


def test_a_bug_is_called_a_bug(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("secret\x1b[2J")

    monkeypatch.setattr(mbx, "read", fail)
    monkeypatch.delenv("MBX_DEBUG", raising=False)
    result = run("json", tmp_path / "a.mb")
    assert result.status == 70
    assert result.err.startswith("mbx: internal error, KeyError; this is a bug\n")
    assert "Traceback" not in result.err
    monkeypatch.setenv("MBX_DEBUG", "1")
    result = run("json", tmp_path / "a.mb")
    assert result.status == 70
    assert "Traceback" in result.err


@pytest.mark.parametrize(("error", "status"), [(RecursionError, 70), (MemoryError, 5)])
def test_running_out_of_calls_is_a_bug_and_out_of_memory_a_limit(
    run: Any, error: type[Exception], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(mbx, "read", fail)
    assert run("json", "a.mb").status == status


def test_trouble_with_the_system_is_no_bug(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(mbx, "read", fail)
    result = run("json", "a.mb")
    assert (result.status, result.err) == (5, "mbx: Too many open files\n")


def full() -> IO[bytes]:
    return Path("/dev/full").open("wb")


def test_a_full_disk_behind_standard_output_is_file_trouble(tmp_path: Path) -> None:
    (tmp_path / "a.mb").write_text(MODEL)
    with full() as out:
        done = started(
            "json", str(tmp_path / "a.mb"), capture_output=False, stdout=out, stderr=subprocess.PIPE
        )
    assert done.returncode == 5
    assert done.stderr == (
        "error[MBX7007]: standard output cannot be written: no space left on device\n"
    )


def test_closed_streams_end_in_a_status(tmp_path: Path) -> None:
    (tmp_path / "a.mb").write_text(MODEL)
    line = f"'{sys.executable}' -m mbx json '{tmp_path}/a.mb'"
    for streams, status in ((">&-", 5), ("2>&-", 0), (">&- 2>&-", 5), ("2>/dev/full", 0)):
        done = subprocess.run(
            ["/bin/sh", "-c", f"{line} {streams}"], capture_output=True, check=False
        )
        assert done.returncode == status, streams
        assert b"Traceback" not in done.stderr


def test_a_reader_that_has_gone_is_met_in_silence(tmp_path: Path) -> None:
    (tmp_path / "a.mb").write_text(MODEL)
    end, start = os.pipe()
    os.close(end)
    done = started(
        "json", str(tmp_path / "a.mb"), capture_output=False, stdout=start, stderr=subprocess.PIPE
    )
    os.close(start)
    assert (done.returncode, done.stderr) == (5, "")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("mbx ch", {"check"}),
        ("mbx json --math ", {"text", "tree"}),
        ("mbx new A --kind ", {"pendulum", "loop", "rolling", "tree"}),
        ("mbx schema ", {"model", "case", "equations", "certificate", "coverage"}),
        ("mbx library show four", {c.name for c in cases() if c.name.startswith("four")}),
        ("mbx explain MBX700", {one for one in codes() if one.startswith("MBX700")}),
    ],
)
def test_the_shell_completes_verbs_and_choices(words: str, offered: set[str]) -> None:
    wanted = {
        "_MBX_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    done = started(env={**os.environ, **wanted})
    assert set(done.stdout.split()) == offered
