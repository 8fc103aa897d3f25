from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from mbx.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Result:
    status: int
    out: str
    err: str


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Return what runs the command in this process."""

    def command(*arguments: object, stdin: str = "") -> Result:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        status = main([str(one) for one in arguments])
        out, err = capsys.readouterr()
        return Result(status, out, err)

    return command
