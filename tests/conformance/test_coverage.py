"""Every code has a page, a fault that gives it and a model that does not; nothing else has."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import mbx
from conformance.conformance_files import FILES, FOLDER, code_of, expectation
from conformance.test_commands import CODES as MET_BY_COMMANDS
from mbx.language.codes import FAMILIES, codes, page, severity, write_index

SOURCES = Path(mbx.__file__).parent
SPEC = FOLDER.parents[1] / "spec"
USED = sorted(
    {code for path in SOURCES.rglob("*.py") for code in re.findall(r"MBX\d{4}", path.read_text())}
)


def test_the_codes_in_use_are_those_with_a_page() -> None:
    assert list(codes()) == USED


def test_at_least_eighty_codes_can_be_met() -> None:
    assert len(USED) >= 80


def test_no_two_codes_have_the_same_title() -> None:
    titles = Counter(title.lower() for title in codes().values())
    assert [title for title, count in titles.items() if count > 1] == []


@pytest.mark.parametrize("code", USED)
def test_a_page_says_rule_severity_wrong_and_right(code: str) -> None:
    text = page(code)
    shape = (
        rf"# {code}: [^\n]+[^.\n]\n\n"
        r"(?:[^\n#]+\n)+Severity: (?:error|warning|note)[^\n]*\.\n\n"
        r"## Wrong\n\n```(mb|json|sh|text)\n[^`]+```\n\n"
        r"## Right\n\n```(mb|json|sh|text)\n[^`]+```\n"
        r"(?:\n[^\n#]+\n)?"
    )
    assert re.fullmatch(shape, text), text
    assert code[3] in FAMILIES
    assert severity(code) in {"error", "warning", "note"}


@pytest.mark.parametrize("kind", ["fail", "pass"])
def test_every_code_has_a_file_or_a_command_test(kind: str) -> None:
    met = {code_of(path) for path in FILES if f".{kind}." in path.name}
    assert [code for code in USED if code not in met and code not in MET_BY_COMMANDS] == []


def test_every_file_is_of_a_code_in_use_and_in_its_folder() -> None:
    for path in FILES:
        if path.parent == FOLDER:
            continue
        code = code_of(path)
        assert code in USED, path
        assert path.parent.name.startswith(f"{code[3]}_"), path
        if ".fail." in path.name:
            assert code in expectation(path), path


def test_every_fault_has_its_mended_model() -> None:
    names = {path.name for path in FILES if path.parent != FOLDER}
    assert {name.replace(".fail.", ".pass.") for name in names} <= names


def test_the_chapter_of_the_spec_is_current() -> None:
    assert (SPEC / "codes.md").read_text("utf-8") == write_index(), (
        "run python -m mbx.language.codes"
    )
