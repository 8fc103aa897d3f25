from __future__ import annotations

import pytest

from mbx.codegen import target


def test_every_module_is_a_target_of_its_name() -> None:
    assert target.names() == ("json", "latex", "text")
    for name in target.names():
        found = target.get(name)
        assert found.name == name
        assert found.suffix.startswith(".")


def test_an_unknown_target_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        target.get("braille")
