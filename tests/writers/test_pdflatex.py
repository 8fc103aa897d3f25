"""The LaTeX of every form of ten models, typeset; only what base and recommended packages have."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

import pytest

import mbx
from mbx.formalism import registry

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.needs("pdflatex")

MODELS: Final = (
    "simple_pendulum",
    "cart_pole",
    "double_pendulum",
    "four_bar",
    "rolling_disc",
    "dc_motor",
    "chaplygin_sleigh",
    "heavy_top",
    "slider_crank_3d_friction",
    "nonlinear_nonholonomic",
)
PAGES: Final = (
    "four_bar",
    "chaplygin_sleigh",
    "double_pendulum",
    "rolling_disc",
    "snakeboard",
    "free_body_quaternion",
)
PREAMBLE: Final = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[margin=2cm]{geometry}
\usepackage{amsmath}
\usepackage{longtable}
\begin{document}
"""
# of a line of 17 cm, 482 pt: less is a letter or two into the margin
TOO_WIDE: Final = 40.0


def typeset(folder: Path, name: str) -> str:
    """Return the log of a run that succeeds."""
    program = shutil.which("pdflatex")
    assert program is not None
    done = subprocess.run(
        [program, "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", name],
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=100,
    )
    log = (folder / name).with_suffix(".log").read_text("latin-1")
    assert done.returncode == 0, log[-2000:]
    assert (folder / name).with_suffix(".pdf").stat().st_size > 1000
    return log


def overfull(log: str) -> list[float]:
    return [float(size) for size in re.findall(r"Overfull \\hbox \(([0-9.]+)pt", log)]


@pytest.mark.sample(0, "simple_pendulum")
@pytest.mark.parametrize("model", MODELS)
def test_every_form_of_a_model_is_typeset_within_its_margins(model: str, tmp_path: Path) -> None:
    system = mbx.elaborate(mbx.read(f"lib:{model}"))
    text = PREAMBLE
    for form in registry.names():
        try:
            equations = mbx.derive(system, form)
        except mbx.NotApplicableError:
            continue
        (tmp_path / f"{form}.tex").write_text(mbx.write(equations, "latex_fragment"), "utf-8")
        text += f"\\clearpage\\input{{{form}.tex}}\n"
    (tmp_path / "all.tex").write_text(text + "\\end{document}\n", "utf-8")
    log = typeset(tmp_path, "all.tex")
    assert [size for size in overfull(log) if size > TOO_WIDE] == []


def test_a_document_stands_alone(tmp_path: Path) -> None:
    equations = mbx.convert(mbx.read("lib:four_bar"), "kane")
    (tmp_path / "kane.tex").write_text(mbx.write(equations, "latex"), "utf-8")
    log = typeset(tmp_path, "kane.tex")
    used = set(re.findall(r"/([a-z0-9]+)\.(?:sty|cls)\b", log))
    assert {"article", "amsmath", "longtable", "geometry"} <= used


@pytest.mark.sample(0, "four_bar")
@pytest.mark.parametrize("model", PAGES)
def test_a_page_fits_and_has_the_numbers_of_the_text(model: str, tmp_path: Path) -> None:
    equations = mbx.convert(f"lib:{model}", "kane", page=True)
    (tmp_path / "kane.tex").write_text(mbx.write(equations, "latex"), "utf-8")
    typeset(tmp_path, "kane.tex")
    log = typeset(tmp_path, "kane.tex")
    assert overfull(log) == []
    assert "undefined references" not in log
    assert equations.page is not None
    found = re.findall(r"\\newlabel\{eq:(\d+)\}\{\{(\d+)\}", (tmp_path / "kane.aux").read_text())
    assert [int(label) for label, _ in found] == [line.number for line in equations.page.lines]
    assert all(label == number for label, number in found)


# H106: shown literally, and nothing of it is run or read
def test_hostile_labels_are_typeset_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("SECRET", "utf-8")
    labels = (
        r"\\input{secret}",
        r"x}\\write18{touch run}",
        "^^5cinput{secret}",
        "50% $x$ #1 & ~ _ ^",
        r"\\end{document}",
        "é λ \N{RIGHTWARDS ARROW} \N{CJK UNIFIED IDEOGRAPH-6F22}",
    )
    lines = "\n".join(f'param p{k}: kg = 1 "{label}"' for k, label in enumerate(labels))
    document = mbx.loads(
        f'mbx 1 model M "{labels[0]}" {{ {lines}\n coordinate x: m "{labels[1]}"\n'
        " particle P { mass p0  at [x, 0, 0] } }"
    )
    (tmp_path / "m.tex").write_text(mbx.write(mbx.convert(document, "kane"), "latex"), "utf-8")
    log = typeset(tmp_path, "m.tex")
    assert "secret.tex" not in log
    assert not (tmp_path / "run").exists()
