"""Equations as JSON: the matrix program itself, which `mbx.formalism.json.serial` reads again."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Final

from mbx.codegen.target import Target
from mbx.formalism.json.serial import to_json

if TYPE_CHECKING:
    from mbx.codegen.target import Subject

__all__ = ["TARGET"]


def _write(subject: Subject) -> dict[str, str]:
    """Return the program as JSON in ASCII, one member or node a line."""
    data = to_json(subject.equations)
    members = [f"  {dumps(name)}: {_member(value)}" for name, value in data.items()]
    return {f"{subject.stem}.json": "{\n" + ",\n".join(members) + "\n}\n"}


def _member(value: object) -> str:
    if not isinstance(value, list) or not value:
        return dumps(value)
    return "[\n" + ",\n".join(f"    {dumps(one)}" for one in value) + "\n  ]"


TARGET: Final = Target(
    name="json",
    suffix=".json",
    title="the matrix program, to run again",
    write=_write,
    has_page=True,
)
