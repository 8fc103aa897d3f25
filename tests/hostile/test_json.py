"""Hostile JSON: H043 to H052."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from guarded import assert_refused, check

if TYPE_CHECKING:
    from pathlib import Path

    from guarded import Make

pytestmark = pytest.mark.slow  # each starts the command anew


def document(*items: Any) -> str:
    return json.dumps({"mbx": 1, "items": list(items)})


def let(value: Any) -> str:
    """Return a JSON document with one expression."""
    items = [{"name": "x", "value": value}]
    return document({"kind": "model", "name": "M", "body": [{"kind": "let", "items": items}]})


def nested(depth: int, *head: str) -> Any:
    tree: Any = 1
    for _ in range(depth):
        tree = [*head, tree]
    return tree


JSON: Final[dict[str, tuple[Make, str]]] = {
    "H043-same": (lambda: '{"mbx": 1, "mbx": 1, "items": []}', "MBX2004"),
    "H043-conflicting": (
        lambda: '{"mbx": 1, "items": [{"kind": "model", "name": "A", "name": "B"}]}',
        "MBX2004",
    ),
    "H043-escaped": (lambda: '{"mbx": 1, "items": [], "\\u006dbx": 2}', "MBX2004"),
    "H043-ext": (
        lambda: '{"mbx": 1, "items": [{"kind": "ext", "key": "k", "value": {"a": 1, "a": 2}}]}',
        "MBX2004",
    ),
    "H044-nan": (lambda: '{"mbx": NaN}', "MBX2002"),
    "H044-infinity": (lambda: '{"mbx": -Infinity}', "MBX2002"),
    "H044-1e400": (lambda: '{"mbx": 1, "items": [1e400]}', "MBX5005"),
    "H044-digits": (lambda: f'{{"mbx": {"1" * 1_000_000}}}', "MBX5005"),
    "H044-true": (lambda: '{"mbx": true, "items": []}', "MBX1009"),
    "H045-surrogate": (lambda: '{"mbx": 1, "items": [], "x": "\\ud800"}', "MBX2003"),
    "H045-nul": (lambda: '{"mbx": 1, "items": [], "x": "\\u0000"}', "MBX1003"),
    "H045-bidi": (lambda: '{"mbx": 1, "items": [], "x": "\\u202e"}', "MBX1013"),
    "H045-bom": (lambda: b'\xef\xbb\xbf{"mbx": 1, "items": []}', "MBX1012"),
    "H045-utf-32": (lambda: '{"mbx": 1}'.encode("utf-32"), "MBX1011"),
    "H046-garbage": (lambda: '{"mbx": 1, "items": []} x', "MBX2001"),
    "H046-two": (lambda: '{"mbx": 1, "items": []}{"mbx": 1, "items": []}', "MBX2001"),
    "H046-comma": (lambda: '{"mbx": 1, "items": [],}', "MBX2001"),
    "H046-comment": (lambda: '{"mbx": 1, /* a */ "items": []}', "MBX2001"),
    "H046-cut": (lambda: '{"mbx": 1, "items": [', "MBX2001"),
    "H046-quotes": (lambda: "{'mbx': 1}", "MBX2001"),
    "H047-arrays": (lambda: "[" * 100_000, "MBX5002"),
    "H047-objects": (lambda: '{"a":' * 100_000 + "1" + "}" * 100_000, "MBX5002"),
    "H047-in-string": (lambda: let("(" * 9_000), "MBX5002"),
    "H048-tree": (lambda: let(nested(199, "Negate")), "MBX5002"),
    "H048-calls": (lambda: let(nested(199, "Apply", "sin")), "MBX5002"),
    "H048-head": (lambda: let(["Eval", "__import__('os')"]), "MBX2106"),
    "H048-name": (lambda: let(["Apply", "__import__", "os"]), "MBX2106"),
    "H048-wide": (lambda: let(["Add", *[1] * 300_000]), "MBX5011"),
    "H049-schema": (
        lambda: '{"mbx": 1, "$schema": "http://127.0.0.1:9/x", "items": []}',
        "MBX2102",
    ),
    "H049-ref": (
        lambda: document({"kind": "model", "name": "M", "$ref": "file:///etc/passwd"}),
        "MBX2102",
    ),
    "H050-kinds": (
        lambda: document({"kind": "model", "name": "M", "body": [{"kind": "lett"}] * 5_000}),
        "MBX2104",
    ),
    "H050-keys": (
        lambda: json.dumps({"mbx": 1, "items": [], **{f"k{k}": 1 for k in range(5_000)}}),
        "MBX2102",
    ),
    "H050-expressions": (
        lambda: document(
            {
                "kind": "model",
                "name": "M",
                "body": [
                    {"kind": "let", "items": [{"name": f"x{k}", "value": "1 +"}]}
                    for k in range(3_000)
                ],
            }
        ),
        "MBX1007",
    ),
    "H051-no-object": (lambda: "[1]", "MBX2108"),
    "H051-null": (lambda: '{"mbx": 1, "items": [null]}', "MBX2103"),
    "H051-name": (lambda: document({"kind": "model", "name": "__class__"}), "MBX3001"),
    "H052-title": (
        lambda: document({"kind": "model", "name": "M", "title": "a" * (9 << 20)}),
        "MBX5004",
    ),
    "H052-escapes": (
        lambda: document({"kind": "model", "name": "M", "title": "\t" * (4 << 20)}),
        "MBX5004",
    ),
}


@pytest.mark.parametrize(("make", "code"), JSON.values(), ids=JSON)
def test_hostile_json_is_refused(make: Make, code: str, tmp_path: Path) -> None:
    assert_refused(check(tmp_path, make(), "model.json"), code)
