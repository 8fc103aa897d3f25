from __future__ import annotations

import pytest

from mbx.show.drawing.marks.label_text import body_label, plain, text_width, variable_label


@pytest.mark.parametrize(
    ("path", "latex", "expected"),
    [
        ("th1", r"\theta_1", (("θ", False), ("1", True))),
        ("theta[2]", r"\theta", (("θ", False), ("2", True))),
        ("q[2]", "q_a", (("q", False), ("a,2", True))),
        ("wx", r"\omega_{1x}", (("ω", False), ("1x", True))),
        ("x", "", (("x", False),)),
        ("phi", "", (("φ", False),)),
        ("q1", "", (("q", False), ("1", True))),
        ("z_p", "", (("z", False), ("p", True))),
        ("speed", "", (("speed", False),)),
        ("arm.theta", "", (("θ", False),)),
        ("v", r"\dot{x}", (("x\u0307", False),)),
        ("m", r"\mathrm{mass}", (("mass", False),)),
        ("t", r"T_\phi", (("T", False), ("φ", True))),
        ("a", r"\alpha x", (("αx", False),)),
        ("I", "I_{xy}^2", (("I", False), ("xy", True), ("2", False))),
        ("m", r"\hat{m_2}'", (("m\u0302", False), ("2", True), ("'", False))),
        ("x", r"\dot{\hat{x}}", (("x\u0302\u0307", False),)),
        ("a", r"\Omega\dot{a}", (("Ωa\u0307", False),)),
    ],
)
def test_a_variable_is_written_as_people_do(
    path: str, latex: str, expected: tuple[tuple[str, bool], ...]
) -> None:
    assert variable_label(path, latex) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("rod", "rod"),
        ("link[12]", "link12"),
        ("distal[1].element", "distal1"),
        ("left.arm", "left.arm"),
        ("a_rather_long_part.rod", "rod"),
    ],
)
def test_a_body_has_its_path_or_the_end_of_it(path: str, expected: str) -> None:
    assert plain(body_label(path)) == expected


def test_an_index_stands_below_the_line() -> None:
    assert body_label("link[3]") == (("link", False), ("3", True))


def test_indices_and_narrow_letters_take_less_room() -> None:
    assert text_width((("2", True),), 10) < text_width((("2", False),), 10)
    assert text_width((("ill", False),), 10) < text_width((("mwm", False),), 10)
