"""Roots and limits that the user sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mbx.cli.command_files import SETTINGS
from mbx.language.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PART = "mbx 1\nmodel Part { coordinate x: m  particle p { mass 1 kg  at [x, 0, 0] } }\n"


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    tokens = LIMITS.tokens
    yield
    LIMITS.set("tokens", tokens)
    SETTINGS.roots.clear()


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "part.mb").write_text(PART, "utf-8")
    path = tmp_path / "main" / "whole.mb"
    path.parent.mkdir()
    path.write_text(
        'mbx 1\nuse Part from "ours:part.mb"\nmodel Whole { subsystem p: Part }\n', "utf-8"
    )
    return path


def test_a_root_named_by_the_user_can_be_imported_from(run: Any, whole: Path) -> None:
    root = f"ours={whole.parents[1] / 'parts'}"
    assert run("--root", root, "check", str(whole)).status == 0


def test_a_root_that_nobody_named_is_refused_with_the_flag(run: Any, whole: Path) -> None:
    result = run("check", str(whole))
    assert result.status == 5
    assert "MBX7001" in result.err
    assert "--root ours=DIR" in result.err


def test_a_root_cannot_be_left(run: Any, whole: Path) -> None:
    text = whole.read_text("utf-8").replace("ours:part.mb", "ours:../main/whole.mb")
    whole.write_text(text, "utf-8")
    root = f"ours={whole.parents[1] / 'parts'}"
    assert "MBX7001" in run("--root", root, "check", str(whole)).err


def test_a_limit_can_be_set(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "part.mb"
    path.write_text(PART, "utf-8")
    assert "MBX5003" in run("--limit", "tokens=5", "check", str(path)).err


@pytest.mark.parametrize(
    "option",
    [
        "--limit=foo=3",
        "--limit=tokens=-1",
        "--limit=tokens",
        "--root=x=.",
        "--root=lib=.",
        "--root=parts=nowhere",
    ],
)
def test_what_makes_no_sense_is_wrong_usage(run: Any, option: str) -> None:
    assert run(option, "check", "a.mb").status == 2
