"""The dictionary of terms names only what is there, and all of it."""

from __future__ import annotations

import re
from functools import cache
from textwrap import dedent
from typing import TYPE_CHECKING, Final

import pytest

import mbx
from command_files import ROOT, blocks, settle
from formalisms.cases import forms, system
from mbx.formalism import registry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.formalism.program import Step

SPEC: Final = ROOT / "spec"
PAGE: Final = SPEC / "dictionary.md"
TEXT: Final = PAGE.read_text("utf-8")
MODELS: Final = (
    "chaplygin_sleigh",
    "decaying_acceleration",
    "four_bar",
    "kapitza_pendulum",
    "mosspack_pendulum",
    "programme_order_3",
    "rolling_disc",
    "slider_crank_3d_friction",
)
_FENCED: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RESULTS: Final = re.compile(r"[Rr]esults? `([\w:]+)`(?: and `(\w+)`)?")
_STEP: Final = re.compile(rf"\b({'|'.join(registry.names())})\.(\w+)")


def _tables(section: str) -> list[list[list[str]]]:
    """Return the tables between two headings of level 2, each a list of rows without its rule."""
    text = TEXT.partition(f"## {section}\n")[2].partition("\n## ")[0]
    found = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    cells = [[[c.strip() for c in x[1:-1].split("|")] for x in t.splitlines()] for t in found]
    return [[table[0], *table[2:]] for table in cells]


def _codes(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def _names(steps: Iterable[Step]) -> set[str]:
    return {name for step in steps for name in (step.name, *_names(step.steps))}


@cache
def _known() -> tuple[dict[str, set[str]], set[str]]:
    """Return the steps of every form, and the meanings of all results, on library models."""
    steps: dict[str, set[str]] = {name: set() for name in registry.names()}
    results: set[str] = set()
    for model in MODELS:
        for form, equations in forms(system(model)).items():
            steps[form.partition(":")[0]] |= _names(equations.steps)
            results |= {meaning.partition(":")[0] for meaning in equations.results}
    return steps, results


@cache
def _printed(form: str) -> str:
    """Return the equations of the sleigh as text, without comments and in one margin."""
    document = mbx.read(ROOT / "library/chaplygin_sleigh/model.mb")
    text = mbx.write(mbx.convert(document, form))
    equations = text.partition("\nEquations\n")[2].partition("\nResults\n")[0]
    return dedent(re.sub(r" +#.*| +\((?:least|the matrix).*", "", equations))


def test_every_step_that_is_named_is_one_of_its_form() -> None:
    steps, _ = _known()
    named = set(_STEP.findall(_FENCED.sub("", TEXT).replace(".md", "")))
    assert len(named) > 40
    assert {(form, step) for form, step in named if step not in steps[form]} == set()


def test_the_results_that_are_named_are_those_of_the_forms() -> None:
    named = {key.partition(":")[0] for pair in _RESULTS.findall(TEXT) for key in pair if key}
    assert named == _known()[1]


def test_every_other_symbol_in_the_column_of_mbx_is_in_the_notation() -> None:
    code = _codes((SPEC / "notation.md").read_text("utf-8"))
    known = {word for one in code for word in re.findall(r"[A-Za-z]\w*", one)}
    rows = 0
    for head, *table in _tables("Words of four traditions"):
        column = head.index("mbx")
        for row in table:
            assert len(row) == len(head), row
            said = _codes(_RESULTS.sub("", row[column]))
            symbols = [x for x in said if "." not in x and x not in registry.names()]
            used = {word for x in symbols for word in re.findall(r"[A-Za-z]\w*", x)}
            assert used <= known, row[0]
            rows += 1
    assert rows > 35


def test_every_row_says_where_it_comes_from() -> None:
    for head, *table in _tables("Words of four traditions"):
        assert head[-1] == "source"
        for row in table:
            assert re.search(r"\([A\d]+\.\d+\)|K&L \d", row[-1]), row[0]


@pytest.mark.parametrize("name", registry.names())
def test_every_form_is_linked_by_its_name(name: str) -> None:
    assert f"[`{name}`](formalisms/{name}.md)" in TEXT


def test_every_link_leads_to_a_page_or_a_label() -> None:
    pages = {path: path.read_text("utf-8") for path in SPEC.rglob("*.md")}
    labels = {
        label for text in pages.values() for label in re.findall(r"^\((.+)\)=$", text, re.MULTILINE)
    }
    headings = re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
    labels |= {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}
    links = re.findall(r"\]\(([^)#]*)#?([^)]*)\)", TEXT)
    assert len(links) > 20
    for page, label in links:
        assert not page or SPEC / page in pages, page
        assert not label or label in labels, label


def test_the_lines_of_the_sleigh_are_printed() -> None:
    (head, *rows) = _tables("One sleigh, four forms")[0]
    assert head[1:] == ["kane", "maggi", "gibbs_appell", "udwadia_kalaba"]
    for form, column in zip(head[1:], range(1, len(head)), strict=True):
        lines = [line for row in rows for line in _codes(row[column])]
        assert len(lines) >= 6
        assert [x for x in lines if x not in _printed(form).splitlines()] == []


@pytest.mark.parametrize(
    ("number", "form", "forces"),
    [(0, "kane", "h"), (0, "gibbs_appell", "h"), (0, "udwadia_kalaba", "Q"), (1, "maggi", "h")],
)
def test_the_matrices_of_the_sleigh_are_printed(number: int, form: str, forces: str) -> None:
    said = [body for language, body in _FENCED.findall(TEXT) if language == "text"][number]
    for matrix in re.split(r"^(?=\w)", said.replace("h =", f"{forces} ="), flags=re.MULTILINE)[1:]:
        assert matrix in _printed(form), (form, matrix)


def test_what_verify_says_of_the_sleigh_is_what_it_prints(request: pytest.FixtureRequest) -> None:
    assert len(blocks(TEXT)) == 1
    settle(PAGE, 0, update=request.config.getoption("update"))
