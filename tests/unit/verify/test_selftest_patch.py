"""Faults are put into modules when these are loaded."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from mbx.base.errors import MbxError
from mbx.expr.nodes import ONE, ZERO, number, symbol
from own_process import in_new_process
from self_test.mutants import Mutant
from self_test.operators import nothing, only_where, opposite, slightly
from self_test.patch import changed, plant, source_of

if TYPE_CHECKING:
    from pathlib import Path


def _mutant(module: str = "m", **more: object) -> Mutant:
    values: dict[str, object] = {"find": "1", "replace": "2", "breaks": "", "model": ""}
    return Mutant(id="x", module=module, expected=("kane",), **(values | more))  # type: ignore[arg-type]


def test_a_text_that_stands_once_is_replaced() -> None:
    assert changed("a = 1\n", _mutant()) == "a = 2\n"


@pytest.mark.parametrize("text", ["a = 3\n", "a = 1 + 1\n"])
def test_a_text_that_is_gone_or_stands_twice_is_refused(text: str) -> None:
    with pytest.raises(MbxError, match=r"x: what it replaces stands [02] times in m"):
        changed(text, _mutant())


@pytest.mark.parametrize(("place", "found"), [(1, "2 + 1 + 1"), (2, "1 + 2 + 1"), (3, "1 + 1 + 2")])
def test_one_of_several_places_is_replaced(place: int, found: str) -> None:
    assert changed("1 + 1 + 1", _mutant(occurrence=place, of=3)) == found


def test_the_number_of_places_must_be_right() -> None:
    with pytest.raises(MbxError, match="stands 3 times"):
        changed("1 + 1 + 1", _mutant(occurrence=1, of=2))


def test_a_module_is_loaded_with_the_fault_and_with_what_it_is_written_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "with_a_fault.py").write_text("VALUE = 1\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    plant(_mutant("with_a_fault", replace="nothing"))
    import with_a_fault  # type: ignore[import-not-found]  # noqa: PLC0415  it is there by now

    assert with_a_fault.VALUE(symbol("a")) is ZERO
    assert not list(tmp_path.rglob("*.pyc"))
    del sys.modules["with_a_fault"]


def test_a_module_that_is_loaded_already_gets_no_fault() -> None:
    with pytest.raises(MbxError, match=r"mbx\.base\.errors is loaded already"):
        plant(_mutant("mbx.base.errors"))


def test_after_unloading_any_module_of_the_program_can_get_a_fault() -> None:
    code = """
import mbx.language.units
from self_test.mutants import choose
from self_test.patch import plant, unload
(fault,) = choose(["units-minute"])
unload()
plant(fault)
import mbx.language.units
print(mbx.language.units.parse("min").factor)
"""
    assert in_new_process(code) == "100\n"


def test_there_is_a_source_of_modules_that_exist() -> None:
    assert "class MbxError" in source_of("mbx.base.errors")
    with pytest.raises(MbxError, match=r"there is no module mbx\.nowhere"):
        source_of("mbx.nowhere")


def test_a_slight_change_is_a_millionth() -> None:
    assert slightly(number(10**6)) is number(10**6 + 1)
    assert slightly((number(10**6), ZERO)) == (number(10**6 + 1), ZERO)
    assert slightly([[ONE]]) == [[slightly(ONE)]]
    assert slightly(number(10**6), number(10**6)) is number(10**6 + 1)


def test_what_is_zero_stays_the_same_object() -> None:
    vector = (ZERO, ZERO, ZERO)
    assert slightly(vector) is vector


def test_a_change_at_some_states_is_one_where_a_node_is_positive() -> None:
    assert only_where(ONE, ZERO, ONE) is ZERO
    assert only_where(ZERO, ZERO, ONE) is ONE
    assert only_where(number(-1), (ZERO,), (ONE,)) == (ONE,)
    assert only_where(ONE, (ZERO,), (ONE,)) == (ZERO,)


def test_signs_and_nothing() -> None:
    assert opposite(ONE) is number(-1)
    assert nothing(ONE) is ZERO
