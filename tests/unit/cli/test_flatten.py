from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import mbx

CHAIN = Path(__file__).parents[2] / "fixtures" / "chain.mb"


def test_flattening_twice_changes_nothing(run: Any) -> None:
    once = run("flatten", CHAIN).out
    assert run("flatten", "-", stdin=once).out == once
    assert run("flatten", "--hash", "-", stdin=once).out == run("flatten", "--hash", CHAIN).out


def test_the_hash_is_that_of_the_canonical_form(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "canonical.json"
    assert run("flatten", "--canonical", CHAIN, "-o", out).out == ""
    identity = hashlib.sha256(out.read_bytes()).hexdigest()
    assert run("flatten", "--hash", CHAIN).out == f"{identity}\n"


def test_both_forms_say_the_same(run: Any) -> None:
    as_json = run("flatten", "--json", CHAIN).out
    assert json.loads(as_json)["mbx"] == 1
    assert mbx.dumps(mbx.loads(as_json)) == run("flatten", CHAIN).out
