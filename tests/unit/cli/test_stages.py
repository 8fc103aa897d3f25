"""Every verb links, checks and elaborates a model once."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import pytest

from mbx.checking.run_rules import check_linked
from mbx.cli.main import main
from mbx.linking import link
from mbx.system import elaborate

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

STAGES: Final = {
    link._link.__code__: "link",
    check_linked.__code__: "check",
    elaborate._resolve.__code__: "elaborate",
}
PENDULUM: Final = "lib:simple_pendulum"
VERBS: Final = (
    (["check", PENDULUM], 0),
    (["info", PENDULUM], 0),
    (["info", "--deep", PENDULUM], 1),
    (["flatten", PENDULUM], 0),
    (["draw", PENDULUM], 1),
    (["forms", PENDULUM], 1),
    (["compare", PENDULUM, "--form", "lagrange"], 1),
    (["convert", PENDULUM, "--to", "lagrange", "--format", "text"], 1),
    (["assemble", PENDULUM], 1),
    (["simulate", "lib:four_bar", "swing", "--until", "0.01", "--quiet"], 1),
    (["report", PENDULUM, "-o", "report.html"], 1),
    (["linearize", PENDULUM], 1),
    (["equilibrium", PENDULUM], 1),
    (["verify", PENDULUM, "--states", "2", "--quiet", "--jobs", "1"], 1),
)


def counts(arguments: list[str]) -> Counter[str]:
    """Return how often each stage runs in a command."""
    counted: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in STAGES:
            counted[STAGES[frame.f_code]] += 1

    before = sys.getprofile()
    threading.setprofile(count)
    sys.setprofile(count)
    try:
        assert main(arguments) == 0
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return counted


@pytest.mark.parametrize(
    ("arguments", "systems"), VERBS, ids=[" ".join(arguments) for arguments, _ in VERBS]
)
def test_a_verb_links_checks_and_elaborates_once(
    arguments: list[str], systems: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    counted = counts(arguments)
    assert counted["link"] == 1
    assert counted["check"] == (0 if arguments[0] == "flatten" else 1)
    assert counted["elaborate"] == systems


def test_a_comparison_elaborates_each_of_two_models_once() -> None:
    assert counts(["diff", PENDULUM, PENDULUM])["elaborate"] == 2
