from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mbx

FIXTURES = Path(__file__).parents[2] / "fixtures"
DEEP = """\
mbx 1
model Leaf { coordinate x: m = 0  particle P { mass 1 kg  at [x, 0, 0] } }
model Branch { subsystem a: Leaf, b: Leaf }
model Root { subsystem one: Branch, two: Leaf }
"""


def test_variables_stand_under_their_order(run: Any) -> None:
    result = run("info", FIXTURES / "pendulum.mb")
    assert result.status == 0
    title, identity, *rest = result.out.split("\n")
    assert title == "Pendulum: A bar on a pin"
    assert identity == f"hash {mbx.link(mbx.read(FIXTURES / 'pendulum.mb')).hash[:16]}"
    at = rest.index("coordinates of order 0 (1)")
    assert rest[at + 1] == "  theta  rad  angle from the vertical"


def test_subsystems_are_drawn_as_a_tree(run: Any) -> None:
    assert run("info", "-", stdin=DEEP).out.endswith("""
subsystems
  Root
  ├── one
  │   ├── a
  │   └── b
  └── two
""")


def test_json_holds_the_whole_hash(run: Any) -> None:
    linked = mbx.link(mbx.loads(DEEP))
    found = json.loads(run("info", "--json", "-", stdin=DEEP).out)
    assert found["hash"] == linked.hash
    assert found["experiment_hash"] == linked.experiment_hash
    assert found["name"] == "Root"
    assert [one["name"] for one in found["tree"]["children"]] == ["one", "two"]


def test_a_model_with_errors_is_not_described(run: Any) -> None:
    result = run("info", "-", stdin=DEEP.replace("[x,", "[y,"))
    assert (result.status, result.out) == (1, "")
    assert "there is no 'y'" in result.err


def test_another_model_can_be_named(run: Any) -> None:
    assert run("info", "--model", "Branch", "-", stdin=DEEP).out.startswith("Branch\n")
    assert run("info", "--model", "None", "-", stdin=DEEP).status == 1


def test_deep_adds_the_structure(run: Any) -> None:
    plain = run("info", FIXTURES / "pendulum.mb").out
    deep = run("info", "--deep", FIXTURES / "pendulum.mb")
    assert deep.status == 0
    assert deep.out.startswith(plain)
    assert "  degrees of freedom  1\n" in deep.out
    assert "structure" not in plain


def test_deep_json_holds_what_the_api_gives(run: Any) -> None:
    found = json.loads(run("info", "--deep", "--json", FIXTURES / "chain.mb").out)
    assert found["structure"] == mbx.structure(mbx.read(FIXTURES / "chain.mb")).as_json()
    # two bars in the plane, two pins
    assert found["structure"]["freedoms"]["velocity"] == 3 * 2 - 2 * 2
    assert "structure" not in json.loads(run("info", "--json", FIXTURES / "chain.mb").out)
