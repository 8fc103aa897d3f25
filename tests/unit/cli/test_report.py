"""`mbx report`: what it writes, and the status it ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PENDULUM = "library/simple_pendulum/model.mb"


def test_a_report_is_written_to_a_file(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    done = run("report", PENDULUM, "--form", "kane", "--form", "gauss", "--states", 2, "-o", out)
    assert (done.status, done.out, done.err) == (0, "", "")
    text = out.read_text("utf-8")
    assert text.count('<section class="panel"') == 2
    assert f"<code>{PENDULUM}</code>" in text
    assert '<th scope="row">date</th>' not in text


def test_a_report_goes_to_standard_output_and_can_leave_out_verification(run: Any) -> None:
    done = run("report", "lib:simple_pendulum", "--form", "kane", "--no-verify", "--date", "today")
    assert done.status == 0
    assert done.out.startswith("<!DOCTYPE html>\n")
    assert done.out.endswith("</html>\n")
    assert "<code>today</code>" in done.out
    assert 'id="agreement"' not in done.out


def test_a_report_on_a_reference_that_is_not_met_says_so(run: Any) -> None:
    done = run("report", "tests/fixtures/unmet.mb", "--form", "kane", "--form", "lagrange")
    assert done.status == 4
    assert '<span class="badge disagree">not met</span>' in done.out
