"""The page of Gauss's principle: deviations by body, Z, its derivatives, its least value."""

from __future__ import annotations

import pytest

from page_evaluation import checked, found_share, text_of, value_at

pytestmark = pytest.mark.full

FORM = "gauss"
MODELS = ("chaplygin_sleigh", "double_pendulum", "four_bar", "heavy_top", "bead_with_friction")


@pytest.mark.parametrize("name", MODELS)
def test_every_equality_of_the_page_holds_as_printed(name: str) -> None:
    found = checked(name, FORM)
    assert found.mistakes == []
    assert found.equalities >= 8
    assert found.states >= 6


@pytest.mark.parametrize("name", MODELS)
def test_deviations_and_the_constraint_are_on_the_page(name: str) -> None:
    text = text_of(name, FORM)
    assert "Deviations" in text
    assert "(Zwang)" in text
    assert "∂Z/∂" in text


def test_the_deviation_of_a_weight_is_from_free_fall() -> None:
    text = text_of("double_pendulum", FORM)
    [line] = [line for line in text.splitlines() if "+ g]" in line]
    assert "l1 (phi1'' sin(phi1) + phi1'^2 cos(phi1))" in line


@pytest.mark.parametrize("name", ["chaplygin_sleigh", "double_pendulum", "four_bar"])
def test_single_mistakes_in_the_text_are_found(name: str) -> None:
    # what is not found are components of deviations that hold no acceleration
    assert found_share(name, FORM, 40) >= 0.88


# Greenwood, Advanced Dynamics, section 2.3; the heavy top: Goldstein, Classical Mechanics, 5.7,
# where the spin about the axis is conserved
@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("chaplygin_sleigh", "u'", "a w^2"),
        ("chaplygin_sleigh", "N", "J m u w/(J + m a^2)"),
        ("heavy_top", "phi''", "psi' theta' sin(theta) - psi'' cos(theta)"),
    ],
)
def test_what_is_solved_is_what_the_books_have(name: str, left: str, right: str) -> None:
    assert value_at(name, FORM, left) == pytest.approx(value_at(name, FORM, right))


def test_the_least_value_is_half_the_reaction_times_what_it_withholds() -> None:
    # free of the blade the sleigh would have the acceleration u w less across it; N holds it
    text = text_of("chaplygin_sleigh", FORM)
    assert "2 Z = m J u^2 w^2/(m a^2 + J)" in text
    twice = value_at("chaplygin_sleigh", FORM, "m J u^2 w^2/(m a^2 + J)")
    assert twice == pytest.approx(value_at("chaplygin_sleigh", FORM, "N u w"))
