"""Every construct of the language, the oracle beside derived forms; and what it refuses."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

import mbx
from formalisms.extras import mechanism
from mbx.verify.oracle import Oracle, OracleRefusal
from mbx.verify.oracle.numbers.number_fields import ArbField, MpField
from unit.verify.oracle.asking import answer, compared, model, numbers
from unit.verify.oracle.constructs import CONSTRUCTS

FORMS: Final = ("newton_euler", "lagrange", "modular", "udwadia_kalaba:singular")
ALLOWED: Final = (
    "mbx.language.document",
    "mbx.link",
    "mbx.base.diagnostics",
    "mbx.base.errors",
    "mbx.verify.oracle",
)
FOLDER: Final = Path(mbx.__file__).parent / "verify" / "oracle"


def _agrees(text: str, forms: tuple[str, ...], count: int) -> None:
    seen = 0
    for form, found, ud, Fc in compared(mbx.link(mbx.loads(text)), forms, count, 5):
        assert found.status == "regular", form
        ours = numbers(found.ud)
        assert ours == pytest.approx(ud, rel=1e-9, abs=1e-9 * max(1.0, *map(abs, ud.values())))
        norms = any(label.rpartition(".")[2].startswith("norm") for label in found.invariants)
        if Fc is not None and found.Fc is not None and not norms:
            scale = max(1.0, *map(abs, Fc.values()))
            assert numbers(found.Fc) == pytest.approx(Fc, rel=1e-9, abs=1e-9 * scale), form
        seen += 1
    assert seen


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", CONSTRUCTS)
def test_a_construct_means_what_the_forms_take_it_for(name: str) -> None:
    text = model(CONSTRUCTS[name])
    assert not mbx.check(mbx.loads(text)).errors
    _agrees(text, FORMS, 2)


@pytest.mark.parametrize("seed", range(300, 312))
def test_random_mechanisms_have_the_accelerations_of_a_form(seed: int) -> None:
    _agrees(mechanism(seed).text(), ("modular",), 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(400, 490))
def test_more_random_mechanisms(seed: int) -> None:
    _agrees(mechanism(seed).text(), ("modular",), 2)


@pytest.mark.parametrize("name", ["a quaternion beside angles", "a loop that is measured"])
def test_both_makes_of_numbers_give_the_same_digits(name: str) -> None:
    linked = mbx.link(mbx.loads(model(CONSTRUCTS[name])))
    found = next(iter(compared(linked, ("modular",), 1, 5)))[1]
    assert found.posed is not None
    state = {
        v.path: float(found.posed.state.rates[0][v.column]) for v in Oracle(linked).world.variables
    }
    state |= {f"{path}'": 0.0 for path in state}
    first = Oracle(linked, 50, ArbField).at(state)
    second = Oracle(linked, 50, MpField).at(state)
    assert first.status == second.status == "regular"
    for path, value in first.ud.items():
        exact = second.ud[path].context.mpf(value.str(70, radius=False))
        assert abs(second.ud[path] - exact) <= 1e-55 * (1 + abs(exact)), path


def test_more_digits_give_more_digits() -> None:
    linked = mbx.link(mbx.loads(model(CONSTRUCTS["geometry"])))
    state = {"a": 0.3, "b": -0.5, "a'": 1.1, "b'": 0.4}
    few, many = (Oracle(linked, digits).at(state) for digits in (30, 90))
    gap = max(abs(float(few.ud[path] - many.ud[path])) for path in few.ud)
    assert 0 < gap < 1e-40


def test_the_oracle_imports_nothing_that_it_judges() -> None:
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.partition(".")[0] == "mbx":
                    assert name.startswith(ALLOWED), (path.name, name)


def test_a_parameter_without_a_value_is_named() -> None:
    with pytest.raises(OracleRefusal, match=r"<text>:3:\d+: m: it has no value"):
        answer(
            "param m: kg\ncoordinate x: m\nparticle P { mass m  at [x, 0, 0] }", {"x": 0, "x'": 0}
        )


def test_a_coordinate_that_the_state_lacks_is_named() -> None:
    with pytest.raises(OracleRefusal, match="x: the state does not state it"):
        answer("coordinate x: m\nparticle P { mass 1 kg  at [x, 0, 0] }", {"x'": 0})
    with pytest.raises(OracleRefusal, match="z: there is no such variable"):
        answer("coordinate x: m\nparticle P { mass 1 kg  at [x, 0, 0] }", {"x": 0, "z": 0})


def test_a_value_from_outside_replaces_the_models_own() -> None:
    body = "param k: N = 1\ncoordinate x: m\nparticle P { mass 2 kg  at [x, 0, 0] }\nload on x': k"
    assert numbers(answer(body, {"x": 0, "x'": 0}).ud) == {"x'": 0.5}
    assert numbers(answer(body, {"x": 0, "x'": 0}, parameters={"k": 3.0}).ud) == {"x'": 1.5}
