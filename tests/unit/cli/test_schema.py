from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import mbx


@pytest.mark.parametrize("arguments", [["schema"], ["schema", "model"], ["schema", "case"]])
def test_a_schema_is_one(run: Any, arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.status == 0
    assert result.out.isascii()
    Draft202012Validator.check_schema(json.loads(result.out))


def test_a_model_meets_its_schema(run: Any) -> None:
    schema = json.loads(run("schema").out)
    document = json.loads(mbx.dumps(mbx.loads("mbx 1\nmodel M { param m: kg = 1 }\n"), "json"))
    Draft202012Validator(schema).validate(document)
