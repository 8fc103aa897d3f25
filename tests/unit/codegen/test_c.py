"""Equations as C: compiled without a warning, run, and compared with their run in NumPy."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

import mbx
from c_programs import BUILDS, STRICT, results_in_c
from mbx.base.errors import EquationsError, MbxError
from mbx.codegen.schedule import LENGTH
from mbx.linking.library import cases
from mbx.pipeline import write_files
from representative import marked
from written import ALL_FORMS_OF, CLOSE, MODELS, REFUSED, Case, case, forms_of, library_forms

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.needs("gcc")

ROOTS = ("udwadia_kalaba:positive", "udwadia_kalaba:augmented")


def _first(model: str) -> str:
    return next(form for form in ("kane", "modular", *forms_of(model)) if form in forms_of(model))


def _errors(some: list[Case], folder: Path, build: str) -> dict[tuple[str, str], float]:
    found = results_in_c(some, folder, build)
    return {(c.model, c.form): c.error(r) for c, r in zip(some, found, strict=True)}


@pytest.mark.sample(1)
@pytest.mark.parametrize("build", ["verified", "fast", "sanitized"])
def test_ten_models_give_what_their_programs_give(build: str, tmp_path: Path) -> None:
    errors = _errors([case(model, _first(model)) for model in MODELS], tmp_path, build)
    assert {key: error for key, error in errors.items() if not error <= CLOSE} == {}


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("model", marked(ALL_FORMS_OF, quick={"four_bar"}))
def test_all_forms_of_a_model_give_what_their_programs_give(model: str, tmp_path: Path) -> None:
    some = [case(model, form, 3) for form in forms_of(model) if form not in ROOTS]
    assert len(some) > 20
    errors = _errors(some, tmp_path, "quick")
    assert {key: error for key, error in errors.items() if not error <= CLOSE} == {}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("model", sorted(path.name for path in cases()))
def test_the_library_gives_what_its_programs_give(model: str, tmp_path: Path) -> None:
    some, reasons = [], []
    for form in library_forms(model, 3):
        try:
            write_files(mbx.convert(mbx.read(f"lib:{model}"), form), "c")
        except EquationsError as refused:
            reasons.append(str(refused))
            continue
        some.append(case(model, form, 3))
    assert all(any(word in reason for word in REFUSED) for reason in reasons), reasons
    errors = _errors(some, tmp_path, "quick")
    assert {key: error for key, error in errors.items() if not error <= CLOSE} == {}


def test_a_root_of_a_matrix_is_refused_with_its_step() -> None:
    equations = mbx.convert(mbx.read("lib:four_bar"), "udwadia_kalaba:positive")
    with pytest.raises(EquationsError, match=r"'Ms' \(sqrtm\) cannot be written out"):
        write_files(equations, "c")


def test_results_that_cannot_be_written_out_are_named() -> None:
    header = next(
        text
        for name, text in write_files(
            mbx.convert(mbx.read("lib:parallelogram"), "lagrange"), "c"
        ).items()
        if name.endswith(".h")
    )
    assert "without lam: " in header


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_long_code_is_parted_and_needs_no_heap(tmp_path: Path) -> None:
    document = mbx.read("lib:stewart_platform")
    files = write_files(mbx.convert(document, "newton_euler"), "c")
    (source,) = (text for name, text in files.items() if name.endswith(".c"))
    functions = re.split(r"^}$", source, flags=re.MULTILINE)
    assert len(functions) > 5
    assert max(text.count("const double v") for text in functions) <= 2 * LENGTH
    assert "malloc" not in source
    assert re.findall(r"#include <(.*)>", source) == ["math.h"]
    found = _errors([case("stewart_platform", "newton_euler", 2)], tmp_path, "quick")
    assert max(found.values()) <= CLOSE


def test_a_number_that_is_put_in_is_no_argument_any_more() -> None:
    equations = mbx.convert(mbx.read("lib:simple_pendulum"), "kane")
    free = write_files(equations, "c")["mb_Pendulum_kane.h"]
    one = write_files(equations, "c", {"m": 2.0})["mb_Pendulum_kane.h"]
    frozen = write_files(equations, "c", frozen=True)["mb_Pendulum_kane.h"]
    sizes = [re.findall(r"_P_SIZE ([0-9]+)", text) for text in (free, one, frozen)]
    assert sizes == [["3"], ["2"], ["0"]]


HOSTILE = [
    "*/ int main(void) { return 7; } /*",
    "??/",
    "\\",
    "// */",
    "\u202eevil\u2066",
    "\x1b[2J",
    '"; system("id"); //',
    "#include </etc/passwd>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_model_says_stays_in_comments(text: str, tmp_path: Path) -> None:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\x1b", " ")
    try:
        document = mbx.loads(
            f'mbx 1\nmodel M "{quoted}" {{\n  coordinate x: m "{quoted}"\n'
            f'  param k: N/m = 1 "{quoted}"\n'
            "  particle p { mass 1 kg  at [x, 0, 0] }\n  load on x': -k*x\n}\n"
        )
        equations = mbx.convert(document, "kane")
    except MbxError:
        return  # refused where it is read: it reaches no code
    files = write_files(equations, "c")
    for name, written in files.items():
        (tmp_path / name).write_text(written, "ascii")
        code = re.sub(r"/\*.*?\*/", "", written, flags=re.DOTALL)
        assert not re.search(r"system|etc|evil|main", code)
    command = ["gcc", *STRICT, "-Wcomment", "-Wtrigraphs", *BUILDS["quick"], "-c", "mb_M_kane.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
