"""`mbx verify` of one model, and of many."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from mbx.base.workers.pool import answers
from mbx.cli.output import Status
from mbx.cli.verification.verify_many import _worst
from mbx.verify import many
from mbx.verify.certificate.certificate_file import read_certificate, write_certificate
from mbx.verify.findings import Error
from unit.verify.found import found
from unit.verify.models import PENDULUM, SLED

if TYPE_CHECKING:
    from pathlib import Path

TWO = ("--form", "kane", "--form", "lagrange", "--states", "2", "--jobs", "1")
FAULTY = "mbx 1\nmodel Faulty {\n  coordinate x: m\n  load on y': 1 N\n}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a_pendulum.mb").write_text(PENDULUM, "utf-8")
    (tmp_path / "b_sled.mb").write_text(SLED, "utf-8")
    return tmp_path


def in_lines(text: str) -> list[str]:
    """Return lines without the seconds."""
    return [line.rpartition(" in ")[0] or line for line in text.splitlines()]


def test_every_model_of_a_folder_has_a_line(run: Any, folder: Path) -> None:
    result = run("verify", *TWO, folder)
    lines = result.out.splitlines()
    assert result.status == 0
    assert lines[0].startswith(f"{folder}/a_pendulum.mb: Pendulum: agree (2 forms at ")
    assert lines[1].startswith(f"{folder}/b_sled.mb: Sled: agree (2 forms at ")
    assert lines[0].endswith(" s")
    assert lines[2].startswith("2 models in ")
    assert lines[2].endswith(" s: 2 agree")
    assert len(lines) == 3


def test_lines_are_in_the_order_of_the_files(
    run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def backwards(*arguments: Any) -> Any:
        return reversed(list(answers(*arguments)))

    monkeypatch.setattr(many, "answers", backwards)
    result = run("verify", *TWO, folder / "b_sled.mb", folder / "a_pendulum.mb")
    assert [line.split(": ")[1] for line in result.out.splitlines()[:2]] == ["Sled", "Pendulum"]


def test_a_file_with_errors_does_not_stop_the_others(run: Any, folder: Path) -> None:
    (folder / "0_faulty.mb").write_text(FAULTY, "utf-8")
    result = run("verify", *TWO, folder)
    assert result.status == 1
    assert "error[MBX3002]: there is no 'y'" in result.err
    assert f"{folder}/0_faulty.mb: not verified" in result.out
    assert result.out.splitlines()[-1].endswith("s: 2 agree, 1 with errors")


def test_a_path_that_is_not_there_does_not_stop_the_others(run: Any, folder: Path) -> None:
    (folder / "empty").mkdir()
    result = run("verify", *TWO, folder / "b_sled.mb", folder / "none.mb", folder / "empty")
    assert result.status == 5
    assert result.err.count("error[MBX7003]") == 2
    assert result.out.splitlines()[-1].endswith("s: 1 agree, 2 not verified")


@pytest.fixture
def disagreeing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every verification find an error."""
    bad = found(Error(1e-3, "random 1", "x'"))
    monkeypatch.setattr(many, "verify_system", lambda *_: bad)


@pytest.mark.usefixtures("disagreeing")
def test_forms_that_do_not_agree_are_explained_below_their_line(run: Any, folder: Path) -> None:
    result = run("verify", *TWO, folder)
    assert result.status == 4
    lines = result.out.splitlines()
    assert "M: disagree (2 forms at 1 state)" in lines[0]
    assert lines[1] == "  disagree: kane and lagrange, accelerations: 1.0e-03 at random 1, x'"
    assert lines[-1].endswith("s: 2 disagree")


def test_each_main_model_of_a_file_is_verified(run: Any, folder: Path) -> None:
    (folder / "two.mb").write_text(PENDULUM + SLED.replace("mbx 1\n", ""), "utf-8")
    result = run("verify", *TWO, folder / "two.mb", folder / "b_sled.mb")
    assert [line.split(": ")[1] for line in result.out.splitlines()[:3]] == [
        "Pendulum", "Sled", "Sled",
    ]  # fmt: skip
    alone = run("verify", *TWO, "--quiet", folder / "two.mb")
    assert alone.out.startswith("Sled: agree (2 forms")
    one = run("verify", *TWO, "--model", "Pendulum", folder / "two.mb", folder / "a_pendulum.mb")
    assert one.status == 0
    assert one.out.count("Pendulum: agree") == 2


def test_a_model_that_a_file_does_not_have_is_an_error_of_that_file(run: Any, folder: Path) -> None:
    result = run("verify", *TWO, "--model", "Sled", folder)
    assert result.status == 1
    assert result.out.splitlines()[-1].endswith("s: 1 agree, 1 with errors")


def test_quietly_there_is_the_total_alone(run: Any, folder: Path) -> None:
    result = run("verify", *TWO, "--quiet", folder)
    assert len(result.out.splitlines()) == 1


def test_quietly_a_model_that_is_not_in_agreement_has_its_name(run: Any, folder: Path) -> None:
    alone = "mbx 1\nmodel Massless {\n  coordinate x: m\n}\n"
    (folder / "0_massless.mb").write_text(alone, "utf-8")
    result = run("verify", *TWO, "--quiet", folder)
    assert result.status == 4
    first, last = result.out.splitlines()
    assert first.startswith(f"{folder}/0_massless.mb: Massless: undecided")
    assert last.endswith("2 agree, 1 undecided")


def test_as_data_there_is_a_list(run: Any, folder: Path) -> None:
    (folder / "0_faulty.mb").write_text(FAULTY, "utf-8")
    result = run("verify", *TWO, "--json", folder)
    faulty, pendulum, sled = json.loads(result.out)
    assert result.err == ""
    assert (faulty["model"], faulty["verification"]) == (None, None)
    assert "MBX3002" in [one["code"] for one in faulty["diagnostics"]]
    assert pendulum["verification"]["verdict"] == "agree"
    assert (sled["file"], sled["model"]) == (f"{folder}/b_sled.mb", "Sled")
    assert sled["seconds"] > 0


def test_an_unknown_form_is_wrong_usage(run: Any, folder: Path) -> None:
    result = run("verify", "--form", "kan", "--jobs", "1", folder)
    assert result.status == 2
    assert "unknown formalism 'kan'" in result.err


def test_a_bug_is_one(run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: object) -> object:
        raise KeyError("x")

    monkeypatch.setattr(many, "verify_system", wrong)
    result = run("verify", *TWO, folder)
    assert result.status == 70
    assert "internal error, KeyError" in result.out


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ([Status.OK], Status.OK),
        ([], Status.OK),
        ([Status.TROUBLE, Status.OK], Status.TROUBLE),
        ([Status.TROUBLE, Status.DISAGREE], Status.DISAGREE),
        ([Status.DISAGREE, Status.MODEL, Status.TROUBLE], Status.MODEL),
        ([Status.BUG, Status.MODEL], Status.BUG),
    ],
)
def test_the_worst_status_counts(found: list[Status], status: Status) -> None:
    assert _worst(found) == status


# -- reports and usage -------------------------------------------------------------------------


def test_a_junit_report_of_many_has_all(run: Any, folder: Path) -> None:
    (folder / "0_faulty.mb").write_text(FAULTY, "utf-8")
    result = run("verify", *TWO, "--junit", folder / "out.xml", folder)
    root = ET.parse(folder / "out.xml").getroot()  # noqa: S314  our own
    assert result.status == 1
    assert [suite.get("errors") for suite in root] == ["1", "0", "0"]
    assert "MBX3002" in str(root.findtext("testsuite/testcase/error"))


def test_a_junit_report_of_one_has_its_pairs(run: Any, folder: Path) -> None:
    result = run("verify", *TWO, "--junit", folder / "out.xml", folder / "b_sled.mb")
    root = ET.parse(folder / "out.xml").getroot()  # noqa: S314  our own
    assert result.status == 0
    assert [case.get("name") for case in root.iter("testcase")] == ["verdict", "kane and lagrange"]


def test_a_report_that_cannot_be_written_is_trouble(run: Any, folder: Path) -> None:
    result = run("verify", *TWO, "--junit", folder, folder / "b_sled.mb")
    assert result.status == 5
    assert "MBX7007" in result.err


def test_a_cluster_that_is_not_there_is_trouble(run: Any, folder: Path) -> None:
    result = run("verify", *TWO, "--cluster", "nonsense", folder / "b_sled.mb")
    assert (result.status, result.out) == (5, "")
    assert "write tcp://HOST:PORT" in result.err


def test_more_than_a_part_of_states_are_verified(run: Any, folder: Path) -> None:
    result = run("verify", *TWO, "--states", "65", "--quiet", folder / "b_sled.mb")
    assert result.status == 0
    assert "2 forms at 69 states" in result.out  # two starts, two at rest, 65 random ones


def test_a_bar_is_on_a_terminal_and_leaves_nothing_but_the_lines(folder: Path) -> None:
    ours, its = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "mbx", "verify", *TWO, str(folder)],
        stdout=subprocess.PIPE,
        stderr=its,
        env={**os.environ, "TERM": "xterm-256color"},
    ) as process:
        os.close(its)
        drawn = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            drawn += piece
        out = process.stdout.read().decode() if process.stdout else ""
    os.close(ours)
    assert b"2/2" in drawn
    assert b"Sled: agree" in drawn
    assert [line.split(": ")[1] for line in out.splitlines()[:2]] == ["Pendulum", "Sled"]


# -- certificates ------------------------------------------------------------------------------


def test_a_certificate_is_made_and_then_checked(run: Any, folder: Path) -> None:
    model, path = folder / "b_sled.mb", folder / "sled.json"
    made = run("verify", "--quiet", model, "--certificate", path)
    assert (made.status, made.err) == (0, f"mbx: wrote the certificate {path}\n")
    before = path.read_text("utf-8")
    checked = run("verify", model, "--certificate", path)
    assert checked.status == 0
    assert checked.out.startswith("Sled: agree (")
    assert checked.out.endswith(": the certificate holds\n")
    assert path.read_text("utf-8") == before


def test_a_certificate_that_is_weaker_than_the_default_does_not_count(
    run: Any, folder: Path
) -> None:
    model, path = folder / "b_sled.mb", folder / "sled.json"
    made = run("verify", *TWO, "--quiet", model, "--certificate", path)
    assert made.status == 0
    assert "it is weaker than the default: 2 random states, and the default is 16;" in made.err
    checked = run("verify", model, "--certificate", path)
    assert checked.status == 4
    assert checked.out.startswith("Sled: agree (2 forms at ")
    assert "holds" not in checked.out
    assert "does not count: weaker than the default: 2 random states" in checked.err
    assert "without the form " in checked.err


def test_an_old_certificate_is_replaced_by_a_verification_and_does_not_count(
    run: Any, folder: Path
) -> None:
    model, path = folder / "b_sled.mb", folder / "sled.json"
    path.write_text('{"mbx_certificate": 1}', "utf-8")
    checked = run("verify", *TWO, model, "--certificate", path)
    assert checked.status == 4
    assert checked.out.startswith("Sled: agree (2 forms at ")
    assert "old format: it is of version 1, and this mbx knows version 3" in checked.err


def test_a_model_changed_by_one_digit_loses_its_certificate(run: Any, folder: Path) -> None:
    model, path = folder / "b_sled.mb", folder / "sled.json"
    run("verify", *TWO, "--quiet", model, "--certificate", path)
    before = path.read_text("utf-8")
    model.write_text(SLED.replace("J: kg*m^2 = 1", "J: kg*m^2 = 2"), "utf-8")
    refused = run("verify", model, "--certificate", path)
    assert (refused.status, refused.out) == (4, "")
    assert f"the certificate {path} is refused: it is for a model with the hash" in refused.err
    assert "the physics has changed" in refused.err
    assert path.read_text("utf-8") == before
    renewed = run("verify", *TWO, "--quiet", model, "--certificate", path, "--renew")
    assert renewed.status == 0
    assert "is refused" not in run("verify", model, "--certificate", path).err


def test_an_edited_certificate_is_refused(run: Any, folder: Path) -> None:
    model, path = folder / "b_sled.mb", folder / "sled.json"
    run("verify", *TWO, "--quiet", model, "--certificate", path)
    path.write_text(path.read_text("utf-8").replace('"random 1"', '"random 9"'), "utf-8")
    refused = run("verify", "--json", model, "--certificate", path)
    assert refused.status == 4
    assert json.loads(refused.out)["refused"].startswith("it was changed after it was made")


def test_a_check_can_be_had_as_data_and_as_a_report(run: Any, folder: Path) -> None:
    model, path = folder / "b_sled.mb", folder / "sled.json"
    run("verify", *TWO, "--quiet", model, "--certificate", path)
    result = run("verify", "--json", model, "--certificate", path, "--junit", folder / "o.xml")
    data = json.loads(result.out)
    assert (data["certificate"], data["model"]) == (str(path), "Sled")
    assert (data["verdict"], data["holds"]) == ("weaker than the default", False)
    assert (data["refused"], data["notes"], len(data["reasons"])) == ("", [], 2)
    assert data["counts"]["asked"] == 2
    assert data["counts"]["oracle"] == {"asked": 2, "compared": 2}
    assert ET.parse(folder / "o.xml").getroot().get("failures") == "1"  # noqa: S314  our own


@pytest.mark.usefixtures("disagreeing")
def test_without_agreement_no_certificate_is_written(run: Any, folder: Path) -> None:
    path = folder / "sled.json"
    result = run("verify", folder / "b_sled.mb", "--certificate", path)
    assert result.status == 4
    assert "no certificate is written: there is nothing to certify" in result.err
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a.mb", "b.mb", "--certificate", "c.json"], "a certificate is for one model"),
        (["a.mb", "--renew"], "--renew is for a certificate"),
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(
    run: Any, arguments: list[str], said: str
) -> None:
    result = run("verify", *arguments)
    assert result.status == 2
    assert said in result.err


def test_a_huge_certificate_is_not_read(run: Any, folder: Path) -> None:
    path = folder / "huge.json"
    path.write_bytes(b" " * (10 * 1024 * 1024 + 1))
    result = run("verify", folder / "b_sled.mb", "--certificate", path)
    assert result.status == 5
    assert "MBX5001" in result.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe", "byte 0 (0xff) is not UTF-8"),
        (b'{"mbx_certificate": true}', "it is of version True"),
    ],
)
def test_a_file_that_is_no_certificate_is_refused(
    run: Any, folder: Path, content: bytes, said: str
) -> None:
    path = folder / "no.json"
    path.write_bytes(content)
    result = run("verify", folder / "b_sled.mb", "--certificate", path)
    assert result.status == 4
    assert f"is refused: {said}" in result.err


def test_a_certificate_that_asks_for_an_unknown_form_is_refused(run: Any, folder: Path) -> None:
    model, path = folder / "b_sled.mb", folder / "sled.json"
    run("verify", *TWO, "--quiet", model, "--certificate", path)
    made = read_certificate(path.read_text("utf-8"), "")
    asked = made.asked.model_copy(update={"forms": ["kane", "nope"]})
    path.write_text(write_certificate(made.model_copy(update={"asked": asked})), "utf-8")
    result = run("verify", model, "--certificate", path)
    assert result.status == 4
    assert "is refused: it asks for a form that is not here" in result.err


def test_a_certificate_that_is_not_written_is_trouble(run: Any, folder: Path) -> None:
    path = folder / "sled.json"
    seed = str(2**53)  # more than every reader of JSON can keep
    result = run("verify", *TWO, folder / "b_sled.mb", "--certificate", path, "--seed", seed)
    assert result.status == 5
    assert "no certificate is written: it would not be one: 'seed'" in result.err
    assert not path.exists()
