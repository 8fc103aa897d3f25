from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

import mbx
from mbx.show.report.heat import _format_error, _shade, heat_map
from mbx.verify.findings import Error

if TYPE_CHECKING:
    from mbx.verify.verification import Verification


@pytest.fixture(scope="module")
def found() -> Verification:
    return mbx.verify(mbx.read("lib:rolling_disc"), forms=("kane", "maggi", "gauss"), states=2)


@pytest.mark.parametrize(
    ("error", "shade", "text"),
    [
        (None, "none", "\N{MIDDLE DOT}"),
        (Error(0.0), "s0", "0"),
        (Error(3e-17), "s0", "3e-17"),
        (Error(2.2e-16), "s1", "2e-16"),
        (Error(9e-13), "s4", "9e-13"),
        (Error(5e-12, arbiter="rounding"), "rounding", "5e-12"),
        (Error(5e-12), "undecided", "5e-12"),
        (Error(0.02), "disagree", "2e-2"),
        (Error(inf), "disagree", "inf"),
        (Error(nan), "undecided", "nan"),
    ],
)
def test_a_cell_is_darker_by_decades_and_red_where_forms_disagree(
    error: Error | None, shade: str, text: str
) -> None:
    assert _shade(error) == shade
    assert _format_error(error) == text


def test_there_is_a_cell_for_every_two_forms_and_the_oracle(found: Verification) -> None:
    picture = ET.fromstring(heat_map(found))  # noqa: S314  our own
    names = [*found.forms, "oracle"]
    space = "{http://www.w3.org/2000/svg}"
    titles = [one.text or "" for one in picture.iter(f"{space}title")]
    assert len(titles) == len(names) ** 2 - 1
    assert "maggi and kane, accelerations: " in " ".join(titles)
    assert "kane and maggi, constraint forces: " in " ".join(titles)
    assert "gauss beside the oracle, accelerations: " in " ".join(titles)
    texts = [one.text for one in picture.iter(f"{space}text")]
    assert set(names) <= set(texts)
