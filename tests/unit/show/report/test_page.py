from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html import unescape
from typing import Final

import pytest

import mbx
from mbx.codegen.notation.html_equations import part, view
from mbx.show.report.gather import FormPart, ReportRequest, _within, gather
from mbx.show.report.report_page import Origin, page

FORMS: Final = ("kane", "lagrange", "articulated_body")


@pytest.fixture(scope="module")
def four_bar() -> str:
    document = mbx.read("lib:four_bar")
    return mbx.report(document, forms=FORMS, states=2, source="four_bar.mb", date="2026-01-02")


def test_the_policy_allows_the_script_of_the_page_and_nothing_else(four_bar: str) -> None:
    [script] = re.findall(r"<script>(.*?)</script>", four_bar, re.DOTALL)
    mark = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = unescape(re.findall(r'Content-Security-Policy" content="([^"]*)"', four_bar)[0])
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{mark}'" in policy
    assert "http" not in policy


def test_nothing_is_loaded_from_elsewhere(four_bar: str) -> None:
    assert not re.search(r"<(link|img|iframe|object|embed|base)\b|@import|url\(", four_bar)
    targets = re.findall(r'(?:href|src)="([^"]*)"', four_bar)
    assert targets
    assert all(one.startswith(("#", "https://", "http://")) for one in targets)


def test_a_report_tells_everything(four_bar: str) -> None:
    for word in (
        "Planar four-bar on a fixed base",
        "crank angle",
        "tip (revolute, closes a loop)",
        "J. García de Jalón",
        "Kane&#39;s equations",
        "Articulated-body algorithm",
        "What it yields",
        "References",
        "velocity ratio",
        "four_bar.mb",
        "2026-01-02",
        mbx.link(mbx.read("lib:four_bar")).hash,
    ):
        assert word in four_bar, word
    assert four_bar.count('<section class="panel"') == len(FORMS)
    assert four_bar.count('<span class="badge agree">met</span>') >= 3


def test_the_same_model_gives_the_same_page() -> None:
    document = mbx.read("lib:simple_pendulum")
    one, other = (mbx.report(document, forms=("kane",), verify=False) for _ in range(2))
    assert one == other


def test_subsystems_are_a_tree() -> None:
    text = mbx.report(mbx.read("lib:dc_motor"), forms=("newton_euler",), verify=False)
    assert '<li style="--depth: 0">MotorBench</li>\n<li style="--depth: 1">motor</li>' in text


def test_a_form_that_does_not_apply_is_named_with_the_reason() -> None:
    text = mbx.report(mbx.read("lib:dc_motor"), forms=("lagrange",), verify=False)
    assert "No form can say this model." in text
    assert "a speed without a rate" in text


def test_without_verification_nothing_is_said_of_agreement() -> None:
    text = mbx.report(mbx.read("lib:simple_pendulum"), forms=("kane",), verify=False)
    assert 'id="agreement"' not in text
    assert "states" not in text


def test_a_model_that_cannot_be_drawn_is_told_without_a_drawing() -> None:
    document = mbx.loads(
        "mbx 1 model P { param l: m  coordinate x: m\n"
        " particle bob { mass 1 kg  at [x + l, 0, 0] } }"
    )
    text = mbx.report(document, forms=("kane",), verify=False)
    assert "No drawing: &#39;bob&#39; has no place" in text


def test_of_forms_that_do_not_fit_the_longest_are_counted_only() -> None:
    found = view(mbx.convert(mbx.read("lib:cart_pole"), "kane"))
    long = replace(found, blocks=found.blocks * 50)
    forms = [FormPart(one, part(one)) for one in (found, long, found)]
    kept = _within(3 * len(forms[0].part), forms)
    assert [one.view.cut for one in kept] == [0, found.lines, 0]
    assert _within(sum(len(one.part) for one in forms), forms) == tuple(forms)


def test_progress_hears_of_everything_once() -> None:
    document = mbx.read("lib:simple_pendulum")
    heard: list[tuple[str, int]] = []
    wanted = ReportRequest(
        forms=("kane", "gauss"), progress=lambda note, n: heard.append((note, n))
    )
    found = gather(document, mbx.link(document), wanted)
    assert len(heard) == heard[0][1] == 6
    assert "agree" in page(document, found, Origin())
