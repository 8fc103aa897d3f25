"""Pages of the forms on trees: what sweeps hand on, the last equations, and what checks find."""

from __future__ import annotations

import pytest

from page_evaluation import checked, found_share, text_of, value_at

pytestmark = pytest.mark.full

OWN = {
    "articulated_body": ("D_pole = m/3 l^2", "U_pole = -m/2 l cos(theta)", "m_pole = "),
    "composite_body": ("M_cart_pole = ", "tau0_cart"),
    "recursive_newton_euler": ("fx_pole = ", "tau_cart"),
    "rfda": ("Λ_pole = m/3 l^2", "fhat_pole = "),
    "semi_recursive_1": ("Mbar_cart_pole = -m/2 l cos(theta)", "Qbar_cart = "),
    "semi_recursive_2": ("Mbb_cart_pole = -m/2 l cos(theta)", "Qbb_cart = "),
    "tree_newton_euler": ("Rx_pole = ", "Ry_cart = "),
    "tree_lagrange_1": ("H1_pole = ", "Rx_pole = "),
    "tree_lagrange_2": ("D_cart_pole = ", "Mcnn_pole = m/3 l^2"),
    "tree_hamilton_reduced": ("d/dt p_cart", "p_cart = D_cart_cart x' + D_cart_pole theta'"),
    "tree_hamilton_extended": ("d/dt p_cart", "mux_pole = "),
    "tree_hamilton_multipliers": ("d/dt p_cart", "H1_pole = "),
}


@pytest.mark.parametrize("form", OWN)
def test_every_equality_of_the_page_holds_as_printed(form: str) -> None:
    for name, least in (("cart_pole", 4), ("furuta_pendulum", 2), ("double_pendulum", 4)):
        found = checked(name, form)
        assert found.mistakes == []
        assert found.equalities >= least
        assert found.states >= 6


@pytest.mark.parametrize("form", ["articulated_body", "recursive_newton_euler", "tree_lagrange_2"])
def test_a_closed_chain_has_a_page_that_holds(form: str) -> None:
    found = checked("four_bar", form)
    assert found.mistakes == []
    assert found.equalities >= 7


@pytest.mark.parametrize("form", OWN)
def test_the_page_has_what_the_form_hands_on(form: str) -> None:
    text = text_of("cart_pole", form)
    for own in OWN[form]:
        assert own in text


@pytest.mark.parametrize("form", OWN)
def test_particles_that_expressions_place_are_said_to_be_tied(form: str) -> None:
    assert "Expressions place bob1, bob2" in text_of("double_pendulum", form)


@pytest.mark.parametrize("form", OWN)
def test_the_double_pendulum_has_the_acceleration_of_the_books(form: str) -> None:
    # two point masses on light rods: Landau and Lifshitz, Mechanics, section 5
    top = (
        "-(m2 sin(phi1 - phi2) (l1 phi1'^2 cos(phi1 - phi2) + l2 phi2'^2 + g cos(phi2))"
        " + m1 g sin(phi1))/(l1 (m1 + m2 sin(phi1 - phi2)^2))"
    )
    lines = text_of("double_pendulum", form).splitlines()
    assert any(line.strip().startswith("phi1'' = ") for line in lines)
    assert value_at("double_pendulum", form, "phi1''") == pytest.approx(
        value_at("double_pendulum", form, top)
    )


def test_the_articulated_inertia_of_a_rod_on_a_cart_is_what_the_free_pin_leaves_of_it() -> None:
    # a rod of inertia m l^2/3 about its end: m - (m l/2 cos)^2/(m l^2/3), any text on the method
    assert "m_pole = m - U_pole^2/D_pole = m - 3/4 m cos(theta)^2" in text_of(
        "cart_pole", "articulated_body"
    )


def test_a_reaction_of_the_tree_is_the_weight_that_the_rail_carries() -> None:
    # vertical balance of cart and rod: the rail carries (M + m) g and what the rod accelerates
    lines = [line.strip() for line in text_of("cart_pole", "tree_newton_euler").splitlines()]
    assert any(line.startswith("Ry_cart = M g + ") for line in lines)


@pytest.mark.parametrize(
    "form", ["articulated_body", "composite_body", "tree_newton_euler", "tree_hamilton_extended"]
)
def test_single_mistakes_in_the_text_are_found(form: str) -> None:
    # what is not found joins terms that are zero in every motion
    assert found_share("cart_pole", form, 20) >= 0.95
