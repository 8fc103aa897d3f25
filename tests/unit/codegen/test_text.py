from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

import mbx
from mbx.codegen.targets import text as text_target
from mbx.formalism import registry

LIBRARY: Final = Path(__file__).parents[3] / "library"


def text_of(model: str, form: str, target: str = "text") -> str:
    return mbx.write(mbx.convert(mbx.read(LIBRARY / model / "model.mb"), form), target)


def body(text: str) -> list[str]:
    """Return the lines of the equations, without what they mean."""
    lines = text.partition("\nEquations\n")[2].partition("\n\nResults\n")[0].split("\n")
    return [re.sub(r"\s+# .*", "", line).strip() for line in lines]


# closed forms: a bar about its end, I = m l^2/3, torque -m g l/2 sin(theta)
@pytest.mark.parametrize("form", ["kane", "gibbs_appell", "lagrange"])
def test_the_pendulum_reads_as_in_a_textbook(form: str) -> None:
    assert body(text_of("simple_pendulum", form)) == [
        "M = [m*l^2/3]",
        "h = [-m*g*l*sin(theta)/2]",
        "solve M ud = h",
    ]


# heavy symmetric top, for instance Goldstein, Classical Mechanics, 5.7, with I1 = A + m l^2
def test_the_heavy_top_reads_as_in_a_textbook() -> None:
    text = text_of("heavy_top", "lagrange")
    assert re.search(r"theta' +\[ 0 +m\*l\^2 \+ A +0 +\]", text)
    assert re.search(r"phi' +\[ C\*cos\(theta\) +0 +C +\]", text)
    assert re.search(r"phi' +\[ C\*psi'\*theta'\*sin\(theta\) +\]", text)


# cart and pole: m l/2 cos(theta) couples them
def test_the_cart_and_pole_read_as_in_a_textbook() -> None:
    text = text_of("cart_pole", "lagrange")
    assert re.search(r"x' +\[ M \+ m +-m\*l\*cos\(theta\)/2 \]", text)
    assert "-m*l*theta'^2*sin(theta)/2" in text.replace(" - m", "-m")
    assert "M    inertia matrix: M_" in text, "the mass of the cart is called M"


def test_sums_of_angles_of_a_chain_are_gathered() -> None:
    text = text_of("n_pendulum", "kane")
    assert "cos(theta[2] + theta[3] + theta[4])" in text
    assert "sin(theta[1] + theta[2])" in text


def test_constraints_are_shown_as_steps() -> None:
    lines = body(text_of("rolling_disc", "lagrange"))
    assert "K = [M, -A^T; A, 0]" in lines
    assert "lam = x_[6..7]" in lines
    assert any(line.startswith("solve K x_ = k") for line in lines)
    assert any(line.startswith("roll_x") and "r*yaw'*spin'*sin(yaw)" in line for line in lines)
    assert "Cs = pinv(A)" in body(text_of("rolling_disc", "kane"))


def test_symbols_have_units_and_meanings() -> None:
    text = text_of("simple_pendulum", "kane")
    assert re.search(r"\n  coordinates  theta +rad +from hanging\n", text)
    assert re.search(r"\n +g +m/s\^2 +gravity = 9.81\n", text)
    assert re.search(r"\n  unknowns +theta'' +rad/s\^2 +rate of theta'\n", text)


def test_the_number_of_operations_is_said() -> None:
    text = text_of("simple_pendulum", "kane")
    said = re.search(r"Operations: (\d+) written out, (\d+) with shared parts once, (\d+) as", text)
    assert said is not None
    out, shared, shown = (int(n) for n in said.groups())
    assert out >= shared > shown


def test_a_text_that_is_too_long_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_target, "_LINES", 20)
    said = text_of("four_bar", "lagrange")
    assert "too many to read; --format json has them" in said
    assert "solve" not in said


def test_no_text_reaches_a_terminal_as_a_control_sequence() -> None:
    equations = mbx.convert(mbx.read(LIBRARY / "simple_pendulum" / "model.mb"), "kane")
    text = mbx.write(replace(equations, notes=("a\x1b[2Jb",)))
    assert "\x1b" not in text
    assert "Note: a\\u{1b}[2Jb." in text


MODELS: Final = sorted(path.parent.name for path in LIBRARY.glob("*/model.mb"))
QUICK: Final = ("modular", "newton_euler")  # the one applies to every model, the other is long


def _can_be_read(model: str, form: str) -> bool:
    """Check the text of a form of a model; return whether the form applies."""
    try:
        text = text_of(model, form)
    except mbx.NotApplicableError:
        return False
    # source: spec/commands.md, mbx convert: above 4,000 lines the steps are not printed
    assert 0 < len(body(text)) <= 4000
    assert max(len(line) for line in text.split("\n")) <= 100
    return True


@pytest.mark.sample(10, "four_bar")
@pytest.mark.parametrize("model", MODELS)
def test_every_model_can_be_read(model: str) -> None:
    applied = [_can_be_read(model, form) for form in QUICK]
    assert any(applied)


# meanings behind short lines, and lists of results, are longer than a line in these
@pytest.mark.parametrize("form", ["articulated_body", "recursive_newton_euler", "rfda"])
def test_no_line_of_a_long_form_is_wider_than_a_terminal(form: str) -> None:
    lines = text_of("arm_6_axis", form).split("\n")
    assert max(len(line) for line in lines) <= 98
    assert any(line.lstrip().startswith("# ") for line in lines), "meanings below their lines"


@pytest.mark.slow
@pytest.mark.timeout(900)  # the whole library, one model after the other
@pytest.mark.parametrize("form", [name for name in registry.names() if name not in QUICK])
def test_every_form_can_be_read(form: str) -> None:
    applied = [_can_be_read(model, form) for model in MODELS]
    assert any(applied)


def test_rates_are_said_in_full() -> None:
    lines = body(text_of("heavy_top_quaternion", "maggi"))
    assert "rates" in lines
    assert not any("…" in line for line in lines)


def test_a_model_without_motion_says_so() -> None:
    still = mbx.loads("mbx 1\nmodel S { particle P { mass 1 kg  at [0 m, 0 m, 0 m] } }\n")
    assert body(mbx.write(mbx.convert(still, "kane"))) == ["none: nothing moves"]
