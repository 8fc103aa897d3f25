"""Which recursive form is made of which modules: the tree of links, and those of its family."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

import grimp

from mbx.formalism import registry

PAGE: Final = Path(__file__).parents[2] / "spec" / "formalisms" / "primitives.md"
SHARED: Final = r"\| `((mechanics|formalism)\.tree|recursive|rfda|semi_recursive|tree)\."
RECURSIVE: Final = (
    "semi_recursive_1",
    "semi_recursive_2",
    "rfda",
    "tree_newton_euler",
    "tree_lagrange_1",
    "tree_lagrange_2",
    "tree_hamilton_extended",
    "tree_hamilton_multipliers",
    "tree_hamilton_reduced",
    "composite_body",
    "articulated_body",
    "recursive_newton_euler",
)


@cache
def _made_of() -> dict[str, set[str]]:
    """Return the modules that recursive forms share, each with the forms that import it."""
    graph = grimp.build_graph("mbx", "mbx_converters")
    for page in [m for m in graph.modules if m.endswith("_page") or ".formalism.page" in m]:
        graph.remove_module(page)  # what a form prints is not what it is made of
    forms = {registry.addresses()[form]: form for form in RECURSIVE}
    folders = {"mbx.mechanics.tree", "mbx.formalism.tree"} | {
        address.rpartition(".")[0] for address in forms
    }
    modules = {m for m in graph.modules if m.rpartition(".")[0] in folders and m not in forms}
    found: dict[str, set[str]] = {_short(module): set() for module in modules}
    for address, form in forms.items():
        for module in graph.find_upstream_modules(address) & modules:
            found[_short(module)].add(form)
    return found


def _short(module: str) -> str:
    return module.removeprefix("mbx.").removeprefix("mbx_converters.")


def test_the_page_says_which_modules_each_recursive_form_is_made_of() -> None:
    cells = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in PAGE.read_text("utf-8").split("\n")
        if re.match(
            r"\| `(mechanics\.tree|formalism\.tree|recursive|rfda|semi_recursive|tree)\.", line
        )
    ]
    said = {
        name.strip("`"): {form for form, cell in zip(RECURSIVE, marks, strict=True) if cell}
        for name, *marks in cells
    }
    assert said == _made_of()


def test_every_module_that_is_shared_is_used_by_some_form() -> None:
    assert [module for module, forms in _made_of().items() if not forms] == []


def test_no_two_recursive_forms_are_made_of_the_same_modules_alone() -> None:
    made: dict[frozenset[str], list[str]] = {}
    for form in RECURSIVE:
        own = frozenset(module for module, forms in _made_of().items() if form in forms)
        made.setdefault(own, []).append(form)
    # these differ in their own files: where a reference point is
    assert [forms for forms in made.values() if len(forms) > 1] == [
        ["semi_recursive_1", "semi_recursive_2"]
    ]
