"""What the specification says agrees with what the code does.

Blocks of the language in the specification are of four sorts, told by their first line:

    ```mb                   a file: begins with `mbx 1`, has neither errors nor warnings
    ```mb fragment          statements of a model, for their syntax alone
    ```mb tasks             statements of an experiment, likewise
    ```mb wrong MBX1006 …   a file with exactly these errors
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import asdict
from fractions import Fraction
from math import pi
from pathlib import Path
from typing import Any, Final, get_args

import pytest
import typer

import mbx
from mbx.analyses.experiments.provenance import KINDS
from mbx.base.diagnostics import Report, Source
from mbx.base.errors import SourceError
from mbx.base.process import SIGNALS, InterruptError
from mbx.checking.expressions.scope import RESERVED
from mbx.cli.main import app
from mbx.cli.output import Status
from mbx.cli.schema_files import schema_files
from mbx.language import units
from mbx.language.document import (
    bodies,
    document,
    experiments,
    kinematic_statements,
    load_statements,
)
from mbx.language.document.metadata import META_KEYS
from mbx.language.functions import FUNCTIONS
from mbx.language.joints import JOINTS, SLOTS
from mbx.language.json.expression_arrays import HEADS, from_tree, to_tree
from mbx.language.limits import LIMITS
from mbx.language.text.expression_text import show
from mbx.language.text.parse import STATEMENTS
from mbx.language.text.read_text import read_text
from mbx.linking.expand import _FUNCTIONS as BARE_FUNCTIONS
from mbx.linking.library import Case
from mbx.show.coverage.coverage_file import ModelCoverage

ROOT: Final = Path(__file__).parents[2]
SPEC: Final = ROOT / "spec"
PAGES: Final = sorted(p for p in SPEC.rglob("*.md") if "_build" not in p.parts)
_FENCE: Final = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SORTS: Final = ("", "fragment", "tasks", "wrong")


def blocks(language: str) -> list[Any]:
    """Return the blocks of a language, each with its options, its text and where it stands."""
    found = []
    for page in PAGES:
        if page.name == "codes.md":
            continue  # made of pages that have tests of their own
        text = page.read_text("utf-8")
        for match in _FENCE.finditer(text):
            if match[1] == language:
                line = text.count("\n", 0, match.start()) + 1
                found.append(pytest.param(match[2].split(), match[3], id=f"{page.name}:{line}"))
    return found


def table(page: str, label: str) -> list[list[str]]:
    """Return the cells of the first table behind a label, without its heading."""
    text = (SPEC / page).read_text("utf-8")
    rows = re.search(r"((?:^\|.*\n)+)", text[text.index(f"({label})=") :], re.MULTILINE)
    assert rows is not None
    lines = rows[1].splitlines()[2:]
    return [[c.strip().replace("\\*", "*") for c in line.strip("|").split("|")] for line in lines]


def words(cell: str) -> list[str]:
    """Return what stands in backticks in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def faults(text: str) -> list[str]:
    """Return the codes of the errors and warnings of a text."""
    try:
        report = mbx.check(mbx.loads(text, "mb"))
    except SourceError as bad:
        report = bad.report
    return [one.code for one in report if one.severity != "note"]


# -- examples ----------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "text"), blocks("mb"))
def test_an_example_is_what_it_says(options: list[str], text: str) -> None:
    sort = options[0] if options else ""
    assert sort in _SORTS
    if sort in {"", "wrong"}:
        assert text.startswith("mbx 1\n")
        assert faults(text) == options[1:]
        return
    wrapped = {
        "fragment": f"mbx 1 model Wrapped {{\n{text}\n}}",
        "tasks": f"mbx 1 experiment wrapped of Wrapped {{\n{text}\n}}",
    }
    report = Report()
    assert read_text(Source("fragment", wrapped[sort]), report) is not None, report.render()


def test_the_json_example_is_the_text_example_before_it() -> None:
    page = (SPEC / "5_json_form.md").read_text("utf-8")
    found = {match[1]: match[3] for match in _FENCE.finditer(page)}
    assert mbx.dumps(mbx.loads(found["mb"]), "json") == found["json"]


@pytest.mark.parametrize(("options", "text"), blocks("toml"))
def test_the_case_example_is_a_case(options: list[str], text: str) -> None:
    assert not options
    Case.model_validate(tomllib.loads(text))


def test_the_case_table_has_every_key() -> None:
    plain = [key for key in Case.model_fields if key != "source"]
    source = [f"source.{key}" for key in Case.model_fields["source"].annotation.model_fields]  # type: ignore[union-attr]
    rows = [words(row[0])[0] for row in table("8_library.md", "case-toml")]
    assert rows == plain + source


def test_the_coverage_table_has_every_key() -> None:
    rows = [word for row in table("8_library.md", "coverage-json") for word in words(row[0])]
    assert rows == list(ModelCoverage.model_fields)


def test_the_kinds_of_provenance_are_those_of_the_code() -> None:
    assert [words(row[0])[0] for row in table("8_library.md", "provenance")] == list(KINDS)


# -- tables ------------------------------------------------------------------------------


def test_the_functions_are_those_of_the_code() -> None:
    rows = table("3_expressions.md", "functions-table")
    said = {words(name)[0]: (arguments, rule) for name, arguments, rule, _ in rows}
    known = {
        name: (f"{f.least}" if f.least == f.most else f"{f.least} to {f.most}", f.rule)
        for name, f in FUNCTIONS.items()
    }
    assert said == known


def test_the_geometric_functions_are_those_of_the_code() -> None:
    rows = table("3_expressions.md", "geometry-table")
    said = [words(row[0])[0].partition("(")[0] for row in rows]
    assert said == [name for name, f in FUNCTIONS.items() if f.rule == "geometry"]


def test_the_functions_of_numbers_alone_are_those_of_the_code() -> None:
    text = (SPEC / "2_model.md").read_text("utf-8")
    said = re.search(r"parentheses and the functions `([a-z ]+)`", text)
    assert said is not None
    assert set(said[1].split()) == set(BARE_FUNCTIONS)


def test_the_joints_are_those_of_the_code() -> None:
    rows = table("2_model.md", "joint-kinds")
    said = {
        words(name)[0]: (tuple(words(shape)), tuple(words(motion)), rotations, rows_, planar)
        for name, shape, motion, rotations, rows_, planar, _ in rows
    }
    known = {
        name: (k.shape, k.motion, k.rotations, str(k.rows), str(k.planar_rows))
        for name, k in JOINTS.items()
    }
    assert said == known


def test_the_arguments_of_joints_are_those_of_the_code() -> None:
    text = (SPEC / "2_model.md").read_text("utf-8")
    rows = re.search(r"^\| argument \| holds.*\n\|.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert rows is not None
    dimensions = {"any": None, "1": units.ONE, "length": units.parse("m").dimension}
    sorts = {"a direction": "axis", "a scalar": "scalar", "a vector": "vector"}
    said = {}
    for line in rows[1].splitlines():
        names, holds, dimension = (c.strip() for c in line.strip("|").split("|"))
        for name in words(names):
            said[name] = (sorts[holds.partition(":")[0]], dimensions[dimension])
    assert said == SLOTS


def test_the_limits_are_those_of_the_code() -> None:
    rows = table("3_expressions.md", "limits-table")
    said = {words(name)[0]: float(value.replace(",", "")) for name, value, _, _ in rows}
    assert said == asdict(LIMITS)


def test_the_reserved_words_are_those_of_the_code() -> None:
    said = [word for row in table("4_text_form.md", "reserved-words") for word in words(row[1])]
    assert len(said) == len(set(said))
    assert set(said) == RESERVED


def test_the_words_that_begin_statements_are_those_of_the_code() -> None:
    said = [word for row in table("4_text_form.md", "statement-words") for word in words(row[1])]
    assert len(said) == len(set(said))
    assert {word.upper() for word in said} == STATEMENTS


def test_the_keys_of_meta_are_those_of_the_code() -> None:
    assert [words(row[0])[0] for row in table("2_model.md", "data")] == list(META_KEYS)


def test_the_units_are_those_of_the_code() -> None:
    cells = [c for row in table("3_expressions.md", "prefixed-units") for c in row]
    prefixed = dict(zip((words(c)[0] for c in cells[::2]), cells[1::2], strict=True))
    plain = {words(n)[0]: (f, d) for n, f, d in table("3_expressions.md", "plain-units")}
    text = (SPEC / "3_expressions.md").read_text("utf-8")
    head = re.search(r"^\| prefix \|(.*)\|\n\|.*\n\| factor \|(.*)\|$", text, re.MULTILINE)
    assert head is not None
    prefixes = dict(zip(words(head[1]), head[2].split("|"), strict=True))
    assert set(units.known_units()) == {
        *prefixed,
        *plain,
        *(p + unit for p in prefixes for unit in prefixed),
    }
    for unit, said in prefixed.items():
        number, _, base = said.rpartition(" ")
        assert units.parse(unit).factor == Fraction(number or 1)
        assert units.show_dimension(units.parse(unit).dimension) == base
    for prefix, factor in prefixes.items():
        assert units.parse(f"{prefix}N").factor == Fraction(factor.strip())
    for unit, (factor, base) in plain.items():
        assert float(units.parse(unit).factor) == pytest.approx(_number(factor), rel=1e-15)
        assert units.show_dimension(units.parse(unit).dimension) == base


def _number(text: str) -> float:
    """Return the value of a factor such as 2*pi/60."""
    top, _, bottom = text.partition("/")
    value = 1.0
    for factor in top.split("*"):
        value *= pi if factor == "pi" else float(factor)
    return value / float(bottom or 1)


def _kinds(union: Any) -> list[str]:
    members = get_args(get_args(union)[0])
    return [get_args(member.model_fields["kind"].annotation)[0] for member in members]


def test_the_kinds_are_those_of_the_document() -> None:
    def said(label: str) -> list[str]:
        return [words(row[0])[0] for row in table("5_json_form.md", label)]

    assert said("item-kinds") == _kinds(document.Item)
    assert said("statement-kinds") == _kinds(document.AnyStatement)
    assert said("task-kinds") == _kinds(experiments.AnyTask)
    parts = [
        *_kinds(bodies.BodyClause),
        *_kinds(bodies.ParticleClause),
        *_kinds(kinematic_statements.Rotation),
        *_kinds(load_statements.Line),
    ]
    assert said("part-kinds") == list(dict.fromkeys(parts))


def test_the_examples_of_kinds_are_of_these_kinds() -> None:
    for kind, example, _ in table("5_json_form.md", "statement-kinds"):
        text = words(example)[0].replace("…", "")
        [one] = mbx.loads(f"mbx 1 model M {{ {text} }}", "mb").models[-1].body
        assert one.kind == words(kind)[0]
    for kind, example in table("5_json_form.md", "task-kinds"):
        text = words(example)[0].replace("…", "")
        [task] = mbx.loads(f"mbx 1 experiment e of M {{ {text} }}", "mb").experiments[-1].body
        assert task.kind == words(kind)[0]


def test_the_trees_are_those_of_the_code() -> None:
    rows = table("5_json_form.md", "heads-table")
    assert [words(head)[0] for head, _, _ in rows] == list(HEADS)
    for head, tree, text in rows:
        data = json.loads(words(tree)[0])
        assert words(head)[0] in json.dumps(data)
        assert show(from_tree(data)) == words(text)[0]
        assert to_tree(from_tree(data)) == data


def test_the_schemas_are_those_of_the_code() -> None:
    rows = table("5_json_form.md", "schema-files")
    assert [words(row[0])[0] for row in rows] == [f"schema/{name}" for name in schema_files()]


def test_the_verbs_are_those_of_the_command() -> None:
    command: Any = typer.main.get_command(app)
    assert [words(row[0])[0] for row in table("commands.md", "verbs")] == list(command.commands)


def test_the_options_of_each_verb_are_those_of_the_command() -> None:
    command: Any = typer.main.get_command(app)
    text = (SPEC / "commands.md").read_text("utf-8")
    for verb, one in command.commands.items():
        section = text.partition(f"## mbx {verb}\n")[2].partition("\n## ")[0]
        _compare_options(verb, one, section)
        for action, each in getattr(one, "commands", {}).items():
            _compare_options(f"{verb} {action}", each, section)


def _compare_options(verb: str, command: Any, section: str) -> None:
    usage = re.search(rf"^`(mbx {verb}\b[^`]*)`", section, re.MULTILINE)
    assert usage is not None, verb
    options = {o for p in command.params for o in p.opts if o.startswith("-")}
    said = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", usage[1]))
    assert said | {"--out", "--help"} == options | {"--out", "--help"}, verb


def test_the_exit_codes_are_those_of_the_command() -> None:
    said = {int(number): name for number, name, _ in table("commands.md", "exit-status")}
    ends = {int(status): status.name for status in Status}
    assert said == ends | {InterruptError(one).status: one.name for one in SIGNALS}


def test_the_grammar_is_included() -> None:
    text = (SPEC / "4_text_form.md").read_text("utf-8")
    included = re.search(r"^```\{literalinclude\} (\S+)$", text, re.MULTILINE)
    assert included is not None
    assert (SPEC / included[1]).resolve() == ROOT / "src/mbx/language/text/mb.lark"


def test_every_code_that_is_named_has_its_page() -> None:
    known = {page.stem for page in (ROOT / "src/mbx/language/codes").glob("MBX*.md")}
    for page in PAGES:
        named = set(re.findall(r"\bMBX\d{4}\b", page.read_text("utf-8")))
        assert named <= known, page.name


def test_prose_has_one_sentence_a_line() -> None:
    for page in PAGES:
        text = _FENCE.sub("", page.read_text("utf-8"))
        for line in text.splitlines():
            if not line.startswith(("|", "#", "- ")):
                assert not re.search(r"[a-z]\. [A-Z]", line), f"{page.name}: {line}"
