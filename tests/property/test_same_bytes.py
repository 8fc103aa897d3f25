"""What is written depends on the model alone: not on what the process did before, nor on hashes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from mbx.expr.build import add, function, mul, power, scale
from mbx.expr.nodes import symbol
from mbx.formalism.registry import names as forms_of
from same_bytes import digests

if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPT: Final = Path(__file__).parents[1] / "same_bytes.py"
FEW: Final = ("double_pendulum", "four_bar")
FEW_FORMS: Final = ("kane", "lagrange")
FEW_FORMATS: Final = ("text", "c", "json")
FORMATS: Final = ("text", "latex_fragment", "c", "numpy", "modelica")
MANY: Final = (
    "bennett_linkage",
    "cam_follower",
    "chaplygin_sleigh",
    "five_bar_motors",
    "five_node_tree",
    "four_bar",
    "free_body_quaternion",
    "nonlinear_nonholonomic",
    "programme_order_3",
    "rolling_disc",
    "slider_crank_3d_friction",
)


def fresh(
    models: Sequence[str], forms: Sequence[str], formats: Sequence[str], seed: int
) -> dict[str, str]:
    """Return the digests from a process of its own, with a seed of Python's hashes."""
    given = [json.dumps(list(one)) for one in (models, forms, formats)]
    done = subprocess.run(
        (sys.executable, str(SCRIPT), *given),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": str(seed)},
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.full
def test_what_was_derived_before_changes_no_byte() -> None:
    """All equations stay alive, models and forms come in the opposite order."""
    backwards = digests(FEW[::-1], FEW_FORMS[::-1], FEW_FORMATS, keep=True)
    again = digests(FEW, FEW_FORMS, FEW_FORMATS)
    assert len(again) == len(FEW) * len(FEW_FORMS) * (len(FEW_FORMATS) + 1)
    assert again == backwards
    assert fresh(FEW[:1], FEW_FORMS, FEW_FORMATS, 7).items() <= again.items()


@pytest.mark.slow
@pytest.mark.parametrize("model", MANY)
def test_a_fresh_process_derives_the_same_in_every_form(model: str) -> None:
    forms = forms_of()
    assert digests([m for m in MANY if m != model][::3], ("kane", "lagrange"), (), keep=True)
    assert fresh([model], forms, ["json"], 1) == digests([model], forms[::-1], ["json"], keep=True)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["hamilton", "semi_recursive_1", "udwadia_kalaba"])
@pytest.mark.parametrize("model", ["chaplygin_sleigh", "slider_crank"])
def test_a_fresh_process_writes_the_same_in_every_format(model: str, form: str) -> None:
    assert digests(MANY[::4], ("kane", "lagrange"), (), keep=True)
    here = digests([model], [form], FORMATS, keep=True)
    assert fresh([model], [form], FORMATS, 2) == here


def test_terms_and_factors_stand_in_an_order_of_structure() -> None:
    names = [f"structure{k}" for k in (10, 9, 2, 1)]  # the last ones are made first
    nodes = [symbol(name) for name in names]
    assert [n.value for n in add(*nodes).args] == names[::-1]
    products = [mul(function("sin", n), power(n, 2)) for n in nodes]
    assert add(*products).args == tuple(products[::-1])
    assert mul(function("sin", nodes[0]), nodes[1]).args[0] is nodes[1]


def test_nodes_that_differ_only_in_a_number_have_different_orders() -> None:
    x, y = symbol("x"), symbol("y")
    numbers = (-1, -2, 2, 3, -3)
    powers = {power(x, k).order for k in numbers}
    sums = {add(x, scale(k, y)).order for k in numbers}
    sines = {function("sin", add(x, scale(k, y))).order for k in numbers}
    assert [len(found) for found in (powers, sums, sines)] == [len(numbers)] * 3
