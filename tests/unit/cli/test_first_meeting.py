"""What people meet first: the command of the front page, terminals, certificates that are shown."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

import mbx
from mbx.formalism import registry

_FALL: Final = """mbx 1
model Fall {
  coordinate z: m
  particle P { mass 1 kg  at [0, 0, z] }
  gravity [0, 0, -9.81 [m/s^2]]
}
experiment drop of Fall { simulate 0 s .. 1 s every 0.5 s }
"""
_TWO: Final = ("--form", "kane", "--form", "lagrange", "--states", "2")


@pytest.fixture
def fall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "fall.mb"
    file.write_text(_FALL, "utf-8")
    return file


# -- convert -----------------------------------------------------------------------------------


def test_code_goes_into_the_current_folder(run: Any, fall: Path) -> None:
    done = run("convert", fall, "--to", "kane", "--format", "c")
    assert done.status == 0
    written = sorted(path.name for path in fall.parent.iterdir() if path != fall)
    assert sorted(done.out.split()) == written == ["mb_Fall_kane.c", "mb_Fall_kane.h"]
    again = run("convert", fall, "--to", "kane", "--format", "c")
    assert (again.status, again.out) == (0, done.out)


def test_a_file_that_is_not_of_mbx_is_not_written_over(run: Any, fall: Path) -> None:
    mine = fall.parent / "mb_Fall_kane.h"
    mine.write_text("int mine;\n", "utf-8")
    done = run("convert", fall, "--to", "kane", "--format", "c")
    assert done.status == 5
    assert "error[MBX7023]: 'mb_Fall_kane.h' is no file that mbx writes" in done.err
    assert mine.read_text("utf-8") == "int mine;\n"
    assert not (fall.parent / "mb_Fall_kane.c").exists()


def test_several_files_do_not_go_to_standard_output(run: Any, fall: Path) -> None:
    done = run("convert", fall, "--to", "kane", "--format", "c", "-o", "-")
    assert (done.status, done.out) == (2, "")


def test_without_a_form_all_forms_are_listed(run: Any, fall: Path) -> None:
    done = run("convert", fall)
    assert done.status == 2
    assert done.err.startswith("mbx: --to is missing")
    listed = re.sub(r"\s+", " ", done.err)
    assert all(re.search(rf"\b{name}\b", listed) for name in registry.names())


@pytest.mark.parametrize(
    ("typed", "meant"), [("tex", "latex"), ("md", "markdown"), ("txt", "text")]
)
def test_the_suffix_of_a_format_leads_to_its_name(
    typed: str, meant: str, run: Any, fall: Path
) -> None:
    done = run("convert", fall, "--to", "kane", "--format", typed)
    assert (done.status, done.err) == (
        2,
        f"mbx: unknown format '{typed}'; did you mean '{meant}'?\n",
    )


# -- forms -------------------------------------------------------------------------------------


def test_every_form_has_a_line_that_says_what_it_is_for(run: Any) -> None:
    sound, _ = registry.survey()
    assert all(0 < len(converter.purpose) <= 53 for converter in sound)
    lines = run("forms").out.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == [converter.name for converter in sound]
    assert all(len(line) <= 80 for line in lines)


# -- verify ------------------------------------------------------------------------------------


def test_a_verification_fits_80_columns_and_one_screen(run: Any) -> None:
    lines = run("verify", "lib:four_bar", "--states", "4").out.splitlines()
    assert lines[0].startswith("FourBar: agree (39 forms at ")
    assert len(lines) <= 40
    assert all(len(line) <= 80 for line in lines)


def on_a_terminal(*arguments: str, **variables: str) -> str:
    """Return what a command shows whose standard output is a terminal."""
    ours, its = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    with subprocess.Popen(
        [sys.executable, "-m", "mbx", *arguments],
        stdout=its,
        stderr=subprocess.DEVNULL,
        env={**environment, "TERM": "xterm-256color", **variables},
    ) as process:
        os.close(its)
        shown = b""
        while process.poll() is None or shown[-1:] != b"\n":
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            shown += piece
    os.close(ours)
    return shown.decode()


def test_colour_is_on_a_terminal_unless_it_is_not_wanted(fall: Path) -> None:
    coloured = on_a_terminal("verify", *_TWO, str(fall))
    assert "\x1b[1;32magree\x1b[0m" in coloured
    plain = on_a_terminal("verify", *_TWO, str(fall), NO_COLOR="1")
    assert "\x1b" not in plain
    assert "Fall: agree" in plain


# -- certificates ------------------------------------------------------------------------------


def test_a_certificate_is_shown(run: Any, fall: Path) -> None:
    stated = ("--date", "2026-11-18", "--maker", "A. Maker")
    run("verify", *_TWO, "--quiet", fall, "--certificate", "c.json", *stated)
    shown = run("certificate", "show", "c.json")
    assert shown.status == 0
    lines = shown.out.splitlines()
    assert lines[0].startswith("Fall: agree (2 forms at ")
    assert lines[1:3] == [
        "maker: A. Maker (stated, not proved)",
        "date: 2026-11-18 (stated, not proved)",
    ]
    data = json.loads(run("certificate", "show", "c.json", "--json").out)
    assert (data["maker"], data["hash"]) == ("A. Maker", mbx.link(mbx.read(fall)).hash)


def test_an_edited_certificate_is_not_shown(run: Any, fall: Path) -> None:
    run("verify", *_TWO, "--quiet", fall, "--certificate", "c.json")
    edited = Path("c.json").read_text("utf-8").replace('"maker": ""', '"maker": "me"')
    Path("c.json").write_text(edited, "utf-8")
    done = run("certificate", "show", "c.json")
    assert (done.status, done.out) == (4, "")
    assert "its digest does not fit" in done.err
    assert run("certificate", "show", "none.json").status == 5


def test_a_maker_without_a_certificate_is_wrong_usage(run: Any, fall: Path) -> None:
    done = run("verify", fall, "--maker", "me")
    assert (done.status, done.out) == (2, "")


# -- what is missing ---------------------------------------------------------------------------


def test_without_matplotlib_the_other_files_are_kept(
    run: Any, fall: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = run("simulate", fall, "-o", "r.csv", "--plot", "r.svg")
    assert done.status == 5
    assert "'r.svg' is not written: a plot needs matplotlib" in done.err
    assert (fall.parent / "r.csv").exists()
    assert not (fall.parent / "r.svg").exists()


def test_the_reason_is_printed_where_python_runs(
    run: Any, fall: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "in Python" not in run("simulate", fall).out
    from mbx.analyses.simulate import form_code  # noqa: PLC0415  to be without a compiler
    from mbx.base.errors import BackendError  # noqa: PLC0415  likewise

    def none(*_: object, **__: object) -> None:
        raise BackendError("there is no compiler")

    monkeypatch.setattr(form_code, "build", none)
    assert "  in Python: no machine code: there is no compiler\n" in run("simulate", fall).out


def test_a_mechanism_that_nothing_drives_has_its_remedy(run: Any) -> None:
    done = run("kinematics", "lib:four_bar")
    assert done.status == 3
    assert "help: drive a coordinate, as in --drive NAME=FIRST:LAST:COUNT" in done.err


def test_a_locus_over_what_there_is_not_lists_what_there_is(run: Any, fall: Path) -> None:
    done = run("linearize", fall, "--over", "v=1:2:3")
    assert done.status == 2
    assert "no parameter, input or variable 'v'; the model has 'z', 'z''" in done.err
