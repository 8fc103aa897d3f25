from __future__ import annotations

from typing import Any

import pytest

from mbx.base.diagnostics import Report, Source, Span
from mbx.base.errors import SourceError
from mbx.language.json.locate import JsonSource
from mbx.language.json.read_json import read_json
from mbx.language.json.strict_json import load
from mbx.language.json.upgrade import upgrade
from mbx.language.limits import LIMITS


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("x", "MBX2001", 1),
        ('{"a": }', "MBX2001", 7),
        ("[1] 2", "MBX2001", 5),
        ("{'a': 1}", "MBX2001", 2),
        ('{"a": 1, "a": 2}', "MBX2004", 10),
        ('{"b": {"a": 1}, "a": {"c": 0, "c": 1}}', "MBX2004", 31),
        ('{"a": 1, "\\u0061": 2}', "MBX2004", 10),
        ("[NaN]", "MBX2002", 2),
        ('["NaN", NaN]', "MBX2002", 9),
        ("[1, -Infinity]", "MBX2002", 5),
        ("[1234567890123456789]", "MBX5005", 2),
        ("[0, 1e999]", "MBX5005", 5),
        ("[1e-999]", "MBX5005", 2),
        ("[" * 201 + "]" * 201, "MBX5002", 201),
    ],
)
def test_what_is_no_strict_json_is_refused_with_its_place(
    text: str, code: str, column: int
) -> None:
    with pytest.raises(SourceError) as caught:
        load(JsonSource("t.json", text))
    (found,) = caught.value.report
    assert found.span is not None
    assert (found.code, found.span.position) == (code, (1, column))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a": ["\\ud800"]}', "MBX2003"),
        ('{"a": ["\\u0001"]}', "MBX1003"),
        ('{"a": ["\\u202e"]}', "MBX1013"),
        ('{"a": ["' + "x" * (LIMITS.string + 1) + '"]}', "MBX5004"),
    ],
)
def test_a_string_that_no_text_may_hold_is_refused_with_its_pointer(text: str, code: str) -> None:
    with pytest.raises(SourceError) as caught:
        load(JsonSource("t.json", text))
    (found,) = caught.value.report
    assert found.span is not None
    assert (found.code, found.span.pointer) == (code, "/a/0")
    assert found.span.position[1] == 9


def test_what_is_sound_is_loaded() -> None:
    text = '{"a": [1, -2.5e3, 0.0, true, null, "x\\n", 123456789012345678], "b": {}}'
    assert load(JsonSource("t.json", text)) == {
        "a": [1, -2500.0, 0.0, True, None, "x\n", 123456789012345678],
        "b": {},
    }


DATA = '{"a": [10, {"b~/": "x", "c": [[], 7]}],\n "d": "a", "e": {"a": 5}}'


@pytest.mark.parametrize(
    ("pointer", "offset"),
    [
        ("", 0),
        ("/a", DATA.index("[10")),
        ("/a/0", DATA.index("10")),
        ("/a/1", DATA.index('{"b~')),
        ("/a/1/b~0~1", DATA.index('"x"') + 1),
        ("/a/1/c/1", DATA.index("7")),
        ("/d", DATA.index('"a", "e"') + 1),
        ("/e/a", DATA.index("5")),
        ("/e/zzz", DATA.index('{"a": 5}')),
        ("/a/9", DATA.index("[10")),
    ],
)
def test_a_pointer_leads_to_its_value(pointer: str, offset: int) -> None:
    source = JsonSource("t.json", DATA)
    assert source.offset(Span(source, 0, 1, pointer)) == offset


def test_a_place_in_a_string_counts_from_its_first_character() -> None:
    source = JsonSource("t.json", '{"a": "1 + $"}')
    assert Span(source, 4, 5, "/a").position == (1, 12)


def rename(data: dict[str, Any]) -> dict[str, Any]:
    return {"items": data["parts"]}


def test_an_older_document_is_brought_up_step_by_step() -> None:
    source = Source("t.json", "")
    steps = {
        -1: lambda data: {"parts": data["things"]},
        0: rename,
    }
    assert upgrade({"mbx": -1, "things": [1]}, source, steps) == {"mbx": 1, "items": [1]}
    assert upgrade({"mbx": 0, "parts": [2]}, source, steps) == {"mbx": 1, "items": [2]}
    assert upgrade({"mbx": 1, "items": [3]}, source, steps) == {"mbx": 1, "items": [3]}


def test_upgrading_leaves_the_older_data_alone() -> None:
    data = {"mbx": 0, "parts": [1]}
    upgrade(data, Source("t.json", ""), {0: rename})
    assert data == {"mbx": 0, "parts": [1]}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({}, "MBX1008"),
        ({"mbx": 2}, "MBX1009"),
        ({"mbx": 0}, "MBX1009"),
        ({"mbx": "1"}, "MBX1009"),
        ({"mbx": True}, "MBX1009"),
        ({"mbx": 1.0}, "MBX1009"),
    ],
)
def test_a_version_that_is_not_known_is_refused(data: dict[str, Any], code: str) -> None:
    with pytest.raises(SourceError) as caught:
        upgrade(data, Source("t.json", ""))
    assert caught.value.report.only(code)


@pytest.mark.parametrize(
    ("text", "code", "pointer", "remedy"),
    [
        ('{"mbx": 1, "item": []}', "MBX2102", "/item", "did you mean 'items'?"),
        (
            '{"mbx": 1, "items": [{"kind": "model", "name": "M", "bdy": []}]}',
            "MBX2102",
            "/items/0/bdy",
            "did you mean 'body'?",
        ),
        (
            '{"mbx": 1, "items": [{"kind": "modl", "name": "M"}]}',
            "MBX2104",
            "/items/0",
            "did you mean 'model'?",
        ),
        ('{"mbx": 1, "items": [{"kind": "model"}]}', "MBX2101", "/items/0", None),
    ],
)
def test_a_wrong_key_is_answered_with_the_nearest(
    text: str, code: str, pointer: str, remedy: str | None
) -> None:
    report = Report()
    assert read_json(Source("t.json", text), report) is None
    found = next(one for one in report if one.code == code)
    assert found.span is not None
    assert (found.span.pointer, found.help) == (pointer, remedy)
