from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import jsonschema
import numpy as np
import pytest

import mbx
from mbx.formalism import registry
from mbx.formalism.json.serial import from_json

ROOT: Final = Path(__file__).parents[3]
SCHEMA: Final = json.loads((ROOT / "schema" / "equations-1.schema.json").read_text("utf-8"))


@pytest.mark.sample(6)
@pytest.mark.parametrize("form", registry.names())
@pytest.mark.parametrize("model", ["cart_pole", "rolling_disc", "spherical_pendulum_cartesian"])
def test_what_is_written_obeys_the_schema_and_runs_again(model: str, form: str) -> None:
    equations = mbx.convert(mbx.read(ROOT / "library" / model / "model.mb"), form)
    data = json.loads(mbx.write(equations, "json"))
    jsonschema.validate(data, SCHEMA)
    again = from_json(data)
    signature = equations.signature
    state = {one.path: 0.3 + 0.1 * k for k, one in enumerate((*signature.q, *signature.u))}
    first, second = equations.evaluate(state), again.evaluate(state)
    assert first.status == second.status
    np.testing.assert_array_equal(first.ud, second.ud)
    np.testing.assert_array_equal(first.Fc, second.Fc)
