"""Which recursive form is made of which modules: the tree of links, and sweeps over it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

import grimp

PAGE: Final = Path(__file__).parents[2] / "spec" / "formalisms" / "primitives.md"
OF_LINKS: Final = {"base_parameters", "hinges", "links", "subspaces", "ties"}
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
    """Return the modules of links and sweeps, each with the recursive forms that import it."""
    graph = grimp.build_graph("mbx", "mbx_converters")
    sweeps = {m for m in graph.modules if m.startswith("mbx.formalism.tree.")}
    modules = {f"mbx.mechanics.{name}" for name in OF_LINKS} | {
        m for m in sweeps if not any(other.startswith(f"{m}.") for other in sweeps)
    }
    found: dict[str, set[str]] = {module.removeprefix("mbx."): set() for module in modules}
    for form in RECURSIVE:
        for module in graph.find_upstream_modules(f"mbx_converters.{form}") & modules:
            found[module.removeprefix("mbx.")].add(form)
    return found


def test_the_page_says_which_modules_each_recursive_form_is_made_of() -> None:
    cells = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in PAGE.read_text("utf-8").split("\n")
        if re.match(r"\| `(mechanics|sweeps)\.", line)
    ]
    said = {
        name.strip("`"): {form for form, cell in zip(RECURSIVE, marks, strict=True) if cell}
        for name, *marks in cells
    }
    assert said == _made_of()


def test_every_module_of_sweeps_is_used_by_some_form() -> None:
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
