"""The pages of the forms say what the converters do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from formalisms.cases import forms, system
from mbx.formalism import registry
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.formalism.program import Step

PAGES: Final = Path(__file__).parents[2] / "spec" / "formalisms"
MODELS: Final = (
    "dc_motor",
    "decaying_acceleration",
    "four_bar",
    "mosspack_pendulum",
    "programme_order_3",
    "rails_coupled_accelerations",
    "rolling_disc",
    "slider_crank_3d_friction",
    "spherical_pendulum_cartesian",
)


def _rows(page: str, first: str) -> list[list[str]]:
    """Return the rows of the table on a page whose first heading is given."""
    lines = (PAGES / f"{page}.md").read_text("utf-8").splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(f"| {first} |"))
    table = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return [table[0], *table[2:]]


def test_every_form_has_a_page_and_stands_in_the_list() -> None:
    names = registry.names()
    index = (PAGES / "index.md").read_text("utf-8")
    assert {path.stem for path in PAGES.glob("*.md")} == {*names, "index", "primitives"}
    assert all(f"\n{name}\n" in index for name in names)


def test_the_table_of_features_is_that_of_the_converters() -> None:
    head, *rows = _rows("index", "feature")
    recursive = [row[0] for row in _rows("index", "recursive form")[1:]]
    assert tuple(sorted([*head[1:], *recursive])) == registry.names()
    assert [row[0].strip("`") for row in rows] == [feature.name for feature in Feature]
    for feature, *cells in rows:
        for name, cell in zip(head[1:], cells, strict=True):
            accepting = {
                variant.name: Feature[feature.strip("`")] in variant.accepts
                for variant in registry.get(name).variants
            }
            refusing = set(re.findall("not `(.*?)`", cell))
            expected = {v: cell != "no" and v not in refusing for v in accepting}
            assert accepting == expected, (name, feature)


def test_the_table_of_recursive_forms_is_that_of_the_converters() -> None:
    for name, cell in _rows("index", "recursive form")[1:]:
        refused = {Feature[one] for one in re.findall("`(.*?)`", cell)}
        for variant in registry.get(name).variants:
            assert variant.accepts == set(Feature) - refused, (name, variant.name)


def _names(steps: Iterable[Step]) -> set[str]:
    return {name for step in steps for name in (step.name, *_names(step.steps))}


@pytest.mark.parametrize("name", registry.names())
def test_every_step_on_a_page_is_one_of_its_programs(name: str) -> None:
    known: set[str] = set()
    for model in MODELS:
        for form, equations in forms(system(model)).items():
            if form.partition(":")[0] == name:
                known |= _names(equations.steps)
    said = {step for row in _rows(name, "step")[1:] for step in re.findall("`(.*?)`", row[0])}
    said -= {variant.name for variant in registry.get(name).variants}
    assert said
    assert said - known == set()
