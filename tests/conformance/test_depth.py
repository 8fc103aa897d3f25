"""Depth that brackets do not show: conditions, alternatives, subsystems and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.test_commands import check, put, with_statements

if TYPE_CHECKING:
    from pathlib import Path

DEEP = {
    "conditions": "  let y = " + "if x > 0 then 1 else\n" * 1_000 + " 2\n",
    "alternatives": "  param n: integer = 1\n  if n > 1 { }" + " else if n > 1 { }\n" * 1_000,
    "subsystems": "  subsystem s {\n" * 190 + "}" * 190,
    "functions": "  function f0(a) = a\n"
    + "".join(f"  function f{k}(a) = f{k - 1}(a) + 1 m\n" for k in range(1, 400))
    + "  let y = f399(x)\n",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_depth_that_brackets_do_not_show_meets_a_limit(text: str, tmp_path: Path) -> None:
    found = check(put(tmp_path / "cart.mb", with_statements(text)))
    assert all(code.startswith("MBX5") for code in found)


def test_models_within_models_meet_a_limit(tmp_path: Path) -> None:
    models = "".join(f"model A{k} {{ subsystem s: A{k - 1} }}\n" for k in range(1, 300))
    found = check(put(tmp_path / "cart.mb", f"mbx 1\nmodel A0 {{ }}\n{models}"))
    assert all(code.startswith("MBX5") for code in found)
