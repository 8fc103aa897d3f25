"""What reading and writing must not change, on random documents and on the library."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import mbx
from mbx.base.diagnostics import Report, Source
from mbx.language.document.expressions import Expression, Group
from mbx.language.document.node import bottom_up
from mbx.language.json.expression_arrays import from_tree, to_tree
from mbx.language.text.expression_rules import (
    parse_expression,
    parse_identifier,
    parse_reference,
    parse_unit,
)
from mbx.language.text.expression_text import show
from mbx.language.text.parse import parser
from mbx.language.text.scan import scan
from strategies import (
    STATEMENTS,
    TASKS,
    documents,
    experiments_of,
    expressions,
    free_expressions,
    identifiers,
    models_of,
    references,
    units,
)

if TYPE_CHECKING:
    from mbx.language.document.document import Document
    from mbx.language.document.expressions import Identifier, Reference
    from mbx.linking.link import Linked

ROOT: Final = Path(__file__).parents[2]
LIBRARY: Final = sorted(ROOT.glob("library/**/*.mb"))
GAPS: Final = (
    " ",
    " ",
    " ",
    "  ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\n    ",
    " // said\n",
    "\n// über\n",
)

seeded = settings(
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=40,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
few = settings(seeded, max_examples=5)


def label(path: Path) -> str:
    return path.relative_to(ROOT / "library").as_posix()


# -- random documents ---------------------------------------------------------------------


def assert_survives(document: Document) -> None:
    text = mbx.dumps(document)
    again = mbx.loads(text, "mb")
    assert again == document
    assert mbx.dumps(again) == text
    assert mbx.loads(mbx.dumps(document, "json"), "json") == document
    assert mbx.loads(mbx.dumps(document, "json", math="tree"), "json") == document


@seeded
@given(documents())
def test_a_document_survives_text_and_json(document: Document) -> None:
    assert_survives(document)


@pytest.mark.parametrize("kind", STATEMENTS)
def test_each_kind_of_statement_survives_text_and_json(kind: str) -> None:
    few(given(models_of(STATEMENTS[kind]))(assert_survives))()


@pytest.mark.parametrize("kind", TASKS)
def test_each_kind_of_task_survives_text_and_json(kind: str) -> None:
    few(given(experiments_of(TASKS[kind]))(assert_survives))()


# -- random expressions -------------------------------------------------------------------


@settings(seeded, max_examples=100)
@given(expressions(3))
def test_an_expression_is_read_back_as_it_was_written(expression: Expression) -> None:
    assert parse_expression(show(expression)) == expression
    assert from_tree(to_tree(expression)) == expression


def without_groups(expression: Expression) -> Expression:
    return bottom_up(expression, lambda node: node.content if isinstance(node, Group) else node)


@settings(seeded, max_examples=100)
@given(free_expressions(3))
def test_parentheses_are_added_where_a_tree_needs_them(expression: Expression) -> None:
    again = parse_expression(show(expression))
    assert without_groups(again) == without_groups(expression)


@seeded
@given(references(1), identifiers(1, rows=True), units())
def test_references_names_and_units_are_read_back(
    reference: Reference, identifier: Identifier, unit: str
) -> None:
    assert parse_reference(show(reference)) == reference
    assert parse_identifier(show(identifier)) == identifier
    assert parse_unit(unit) == unit


# -- the library --------------------------------------------------------------------------


@cache
def original(path: Path) -> tuple[Document, Linked]:
    document = mbx.read(path)
    return document, mbx.link(document)


def elsewhere(path: Path, text: str) -> Document:
    """Return the document of a text that stands where a file does."""
    report = Report()
    from mbx.language.text.read_text import read_text  # noqa: PLC0415  not the public way

    document = read_text(Source(path.name, text, path.parent), report)
    assert document is not None, report.render()
    return document


def shaken(path: Path, seed: int) -> str:
    """Return the text of a file with other blanks, line breaks and comments between its words."""
    chance = random.Random(seed)  # noqa: S311  layouts, not secrets
    words = [str(token) for token in parser().lex(path.read_text("utf-8"))]
    return "".join(word + chance.choice(GAPS) for word in words)


def comments_of(text: str) -> Counter[str]:
    _, comments = scan(Source("text", text), Report())
    return Counter(comment.text.strip() for comment in comments)


@pytest.mark.sample(10)
@pytest.mark.parametrize("path", LIBRARY, ids=label)
def test_layout_has_no_meaning(path: Path) -> None:
    _, linked = original(path)

    @settings(seeded, max_examples=2)
    @given(st.integers(0, 2**32))
    def holds(seed: int) -> None:
        text = shaken(path, seed)
        document = elsewhere(path, text)
        other = mbx.link(document)
        assert other.hash == linked.hash
        assert other.experiment_hash == linked.experiment_hash
        formatted = mbx.dumps(document)
        assert comments_of(formatted) == comments_of(text)
        again = elsewhere(path, formatted)
        assert again == document
        assert mbx.dumps(again) == formatted
        assert mbx.link(again).hash == linked.hash

    holds()


@pytest.mark.sample(13)
@pytest.mark.parametrize("path", LIBRARY, ids=label)
def test_the_library_survives_text_and_json(path: Path) -> None:
    document, linked = original(path)
    assert_survives(document)
    assert mbx.dumps(document) == path.read_text("utf-8")
    assert mbx.link(elsewhere(path, mbx.dumps(document))).hash == linked.hash


@pytest.mark.sample(13)
@pytest.mark.parametrize("path", LIBRARY, ids=label)
def test_linking_once_more_changes_nothing(path: Path) -> None:
    _, linked = original(path)
    text = mbx.dumps(linked.document)
    for form in ("mb", "json"):
        again = mbx.link(mbx.loads(mbx.dumps(linked.document, form), form))
        assert again.hash == linked.hash
        assert again.experiment_hash == linked.experiment_hash
        assert mbx.dumps(again.document) == text
