from __future__ import annotations

import pytest

import mbx
from mbx.codegen import target
from mbx.pipeline import write_files


def test_every_module_is_a_target_of_its_name() -> None:
    assert {"c", "json", "latex", "text"} <= set(target.names())
    for name in target.names():
        found = target.get(name)
        assert found.name == name
        assert found.suffix == "" or found.suffix.startswith(".")
        assert found.title


def test_all_files_of_a_target_begin_with_one_stem() -> None:
    equations = mbx.convert("lib:simple_pendulum", "kane", page=True)
    for name in target.names():
        files = write_files(equations, name)
        assert all("Pendulum_kane" in file for file in files), name
        if target.get(name).suffix:
            assert [file[-len(target.get(name).suffix) :] for file in files] == [
                target.get(name).suffix
            ]
        else:
            assert len(files) > 1


def test_an_unknown_target_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        target.get("braille")
