"""Command files: Markdown in which each fenced block that begins with `% mbx` is a test.

    ```
    % mbx check library/four_bar/model.mb
    what stdout must be
    2> what stderr must be
    => 1
    ```

The command runs in the repository's folder. `2> ` lines stand behind all of stdout, `=> ` last;
an exit status of 0 is not written. Lines up to one that is `^D`, if there is one, go to stdin.
The form is pandoc's.

Commands are copies of a process that has loaded mbx already (see warm_commands.py). All of the
README are processes of their own, and so is, once more and in `make papers`, the first of each
file: it may depend on what it loads itself.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from warm_commands import run_warm

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "MBX",
    "PROGRAM",
    "ROOT",
    "Block",
    "CommandDiffersError",
    "CommandFile",
    "blocks",
    "plain_environment",
    "replace",
    "run",
    "settle",
]

ROOT: Final = Path(__file__).parent.parent
MBX: Final = (sys.executable, "-m", "mbx")
PROGRAM = MBX
_TIMEOUT: Final = 60
_FENCED: Final = re.compile(
    r"^(?P<fence>`{3,})[^`\n]*\n(?P<body>% mbx\b.*?\n)(?P=fence)[ ]*$", re.MULTILINE | re.DOTALL
)
_END_OF_INPUT: Final = re.compile(r"^\^D\n", re.MULTILINE)
_NO_NEWLINE: Final = "\\ no newline at the end"


@dataclass(frozen=True, slots=True)
class Block:
    """One command with what it must print, and where its text stands in the file."""

    command: str
    stdin: str
    expected: str
    line: int
    start: int
    end: int


def blocks(text: str) -> list[Block]:
    """Return the commands of a file."""
    return [_block(text, found) for found in _FENCED.finditer(text)]


def _block(text: str, found: re.Match[str]) -> Block:
    command, _, rest = found["body"].partition("\n")
    end_of_input = _END_OF_INPUT.search(rest)
    stdin = rest[: end_of_input.start()] if end_of_input else ""
    expected = rest[end_of_input.end() :] if end_of_input else rest
    return Block(
        command=command.removeprefix("% "),
        stdin=stdin,
        expected=expected,
        line=text.count("\n", 0, found.start()) + 1,
        start=found.end("body") - len(expected),
        end=found.end("body"),
    )


def run(block: Block, *, warm: bool = False) -> str:
    """Run a command; return what it printed and its status, as a block has it."""
    arguments, stdin = shlex.split(block.command)[1:], block.stdin.encode()
    if warm and PROGRAM == MBX:
        environment = plain_environment()
        done = run_warm(
            arguments, folder=ROOT, environment=environment, stdin=stdin, timeout=_TIMEOUT
        )
    else:
        done = subprocess.run(
            [*PROGRAM, *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            cwd=ROOT,
            env=plain_environment(),
            timeout=_TIMEOUT,
        )
    stdout, stderr = (_closed(one.decode()) for one in (done.stdout, done.stderr))
    errors = "".join(f"2> {line}\n" if line else "2>\n" for line in stderr.split("\n")[:-1])
    status = f"=> {done.returncode}\n" if done.returncode else ""
    return stdout + errors + status


def plain_environment() -> dict[str, str]:
    """Return what a command may depend on: a plain terminal of a fixed width."""
    kept = {k: v for k, v in os.environ.items() if k.startswith(("COVERAGE", "PYTHON"))}
    path = os.environ.get("PATH", os.defpath)
    plain = {"COLUMNS": "100", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TERM": "dumb"}
    return kept | plain | {"PATH": path, "PYTHONUTF8": "1"}


def _closed(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n{_NO_NEWLINE}\n"


def replace(text: str, block: Block, printed: str) -> str:
    """Return the file with what the command printed in place of what it had."""
    changed = text[: block.start] + printed + text[block.end :]
    if printed not in [one.expected for one in blocks(changed) if one.start == block.start]:
        message = f"line {block.line}: what is printed holds a fence; begin with a longer one"
        raise ValueError(message)
    return changed


def settle(path: Path, number: int, *, update: bool, warm: bool = False) -> None:
    """Run one command of a file; raise if it prints something else, or rewrite the file."""
    text = path.read_text("utf-8")
    block = blocks(text)[number]
    printed = run(block, warm=warm)
    if update:
        path.write_text(replace(text, block, printed), "utf-8")
    elif printed != block.expected:
        raise CommandDiffersError(block.expected, printed)


COSTLY: Final = frozenset({"assemble", "kinematics", "linearize"})
"""Files whose commands take a second or more each; their verbs have tests of their own."""


class CommandFile(pytest.File):
    """A Markdown file of commands."""

    def collect(self) -> Iterable[CommandItem]:
        """Yield a test for each command."""
        for number, block in enumerate(blocks(self.path.read_text("utf-8"))):
            name = f"{number + 1}: {block.command}"
            yield CommandItem.from_parent(self, name=name, number=number, line=block.line)
            if number == 0:
                yield CommandItem.from_parent(
                    self, name=f"anew, {name}", number=number, line=block.line, warm=False
                )


class CommandItem(pytest.Item):
    """One command, run and compared."""

    def __init__(self, *, number: int, line: int, warm: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self.number = number
        self.line = line
        self.warm = warm
        if not warm or self.path.stem in COSTLY:
            self.add_marker("full")

    def runtest(self) -> None:
        """Run the command; compare, or rewrite the file."""
        update = self.config.getoption("update")
        settle(self.path, self.number, update=update, warm=self.warm)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show a difference as a diff, anything else as pytest does."""
        if isinstance(excinfo.value, CommandDiffersError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the command stands."""
        return self.path, self.line - 1, self.name


class CommandDiffersError(Exception):
    """A command printed something else than its file says."""

    def __init__(self, expected: str, printed: str) -> None:
        lines = expected.split("\n"), printed.split("\n")
        super().__init__(
            "\n".join(difflib.unified_diff(*lines, "expected", "printed", lineterm=""))
        )
