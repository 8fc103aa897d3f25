"""What each form accepts: a model for every feature, an answer for every form.

The answers are data: what Orsino's thesis says of each formalism (holonomic, nonholonomic and
higher constraints, quasi-velocities, singular inertia), and what each form does beyond that.

    yes        it derives, the state is regular, and all forms that say yes agree
    no         it is refused, by what it does not support and by the element that causes it
    singular   it derives, and the state is singular: a condition of rank belongs to a state
"""

# ruff: noqa: E501  the table is read across

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
import pytest

from formalisms.feature_models import MODELS
from formalisms.features import by_path, found, system_with
from mbx.base.errors import NotApplicableError
from mbx.formalism import registry
from mbx.system.find_features import Feature

TABLE: Final = """
feature                                    | newton_euler | lagrange | maggi | gibbs_appell | kane | udwadia_kalaba:positive | udwadia_kalaba:singular | udwadia_kalaba:augmented | udwadia_kalaba | modular | gauss | jourdain | boltzmann_hamel | hamilton | nielsen  | tzenoff
holonomic minimal                          | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes
holonomic redundant                        | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes
simple nonholonomic                        | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes
nonlinear nonholonomic                     | yes      | yes      | no       | yes      | no       | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | yes      | yes
order 2                                    | no       | yes      | no       | no       | no       | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | no       | yes      | yes
order 3                                    | no       | no       | no       | no       | no       | yes      | yes      | yes      | yes      | yes      | no       | no       | no       | no       | no       | no
declared speeds                            | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes
speed without a rate                       | yes      | no       | no       | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | no       | no       | no
twist that is no rate                      | yes      | no       | no       | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | no       | no       | no
coordinate without a speed                 | yes      | no       | no       | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | no       | yes
left-over definition, unused               | yes      | yes      | yes      | no       | no       | no       | yes      | yes      | yes      | yes      | yes      | yes      | no       | no       | yes      | no
left-over definition, used                 | yes      | no       | no       | no       | no       | no       | yes      | yes      | yes      | yes      | yes      | yes      | no       | no       | no       | no
quaternion with speeds                     | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | yes      | yes
effective row with a rate                  | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | no       | yes      | yes
effective row without a rate               | yes      | no       | no       | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | no       | no       | no
effective row, inertia not symmetric       | yes      | yes      | yes      | yes      | yes      | no       | yes      | no       | yes      | yes      | no       | yes      | no       | no       | yes      | yes
inertia singular, of one body              | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes
inertia singular, variable held            | yes      | yes      | yes      | yes      | yes      | no       | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | yes      | yes
inertia singular, variable loose           | singular | singular | singular | singular | singular | no       | singular | singular | singular | singular | singular | singular | singular | no       | singular | singular
inertia singular, no row zero              | yes      | yes      | yes      | yes      | yes      | no       | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | yes      | yes
load names the reaction of an invariant    | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | no       | yes      | yes
load names the reaction of a placing joint | yes      | yes      | yes      | yes      | yes      | no       | yes      | yes      | yes      | yes      | yes      | yes      | no       | no       | yes      | yes
load names the reaction of a loop joint    | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | no       | yes      | yes
generalized load without a wrench          | no       | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes
generalized load on a joint coordinate     | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes
non-ideal part                             | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | no       | no       | yes      | yes
non-ideal part without a reaction          | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes      | yes
no inertia                                 | no       | no       | no       | no       | no       | no       | no       | no       | no       | no       | no       | no       | no       | no       | no       | no
"""

_PROGRAMMES: Final = {"order 3": "no", "no inertia": "no"}
_LOOSE: Final = {"inertia singular, variable loose": "singular"}
_ACCELERATED: Final = {
    "effective row with a rate": "no",
    "effective row without a rate": "no",
    "effective row, inertia not symmetric": "no",
}
_CLOSURES: Final = ("", ":baumgarte", ":augmented", ":partitioned")
_SOLVERS: Final = ("lu", "cholesky", "extended")
RECURSIVE: Final[dict[str, dict[str, str]]] = {
    "articulated_body": {**_PROGRAMMES, **_LOOSE},
    "composite_body": {**_PROGRAMMES, **_LOOSE},
    "recursive_newton_euler": {**_PROGRAMMES, **_LOOSE},
    **{
        f"rfda:{v}": {**_PROGRAMMES, **_LOOSE} for v in ("projection", "constraints", "coordinates")
    },
    "tree_lagrange_1": {**_PROGRAMMES, **_LOOSE},
    "tree_lagrange_2": {**_PROGRAMMES, **_LOOSE},
    "tree_hamilton_reduced": {**_PROGRAMMES, **_LOOSE, **_ACCELERATED},
    "tree_hamilton_multipliers": {**_PROGRAMMES, **_LOOSE, **_ACCELERATED},
    **{
        f"semi_recursive_{k}{closure}": {**_PROGRAMMES, **_LOOSE}
        for k in (1, 2)
        for closure in _CLOSURES
    },
    **{f"tree_newton_euler:{v}": {**_PROGRAMMES, **_LOOSE} for v in _SOLVERS},
    **{f"tree_hamilton_extended:{v}": {**_PROGRAMMES, **_LOOSE, **_ACCELERATED} for v in _SOLVERS},
}
"""The same for the recursive forms, each with what it does not answer by yes."""

REASONS: Final = {
    "nonlinear nonholonomic": (Feature.NONLINEAR_VELOCITY_INVARIANT, "cone"),
    "order 2": (Feature.ORDER_2_INVARIANT, "lift"),
    "order 3": (Feature.ORDER_3_INVARIANT, "turn"),
    "speed without a rate": (Feature.SPEED_WITHOUT_RATE, "wx, wy, wz"),
    "twist that is no rate": (Feature.TWIST_NOT_INTEGRABLE, "sleigh"),
    "coordinate without a speed": (Feature.NO_OWN_SPEED, "i"),
    "left-over definition, unused": (Feature.LEFT_OVER_DEFINITIONS, "definition(1)"),
    "left-over definition, used": (Feature.LEFT_OVER_DEFINITIONS, "definition(1)"),
    "quaternion with speeds": (Feature.QUATERNION_WITH_SPEEDS, "norm(1)"),
    "effective row with a rate": (Feature.EFFECTIVE_ROWS, "effective(1)"),
    "effective row without a rate": (Feature.EFFECTIVE_WITHOUT_RATE, "effective(1)"),
    "effective row, inertia not symmetric": (Feature.EFFECTIVE_ROWS, "effective(1)"),
    "load names the reaction of an invariant": (Feature.REACTION_IN_LOAD, "friction"),
    "load names the reaction of a placing joint": (Feature.REACTION_IN_LOAD, "friction"),
    "load names the reaction of a loop joint": (Feature.REACTION_IN_LOAD, "friction"),
    "non-ideal part": (Feature.REACTION_IN_LOAD, "friction"),
    "generalized load without a wrench": (Feature.GENERALIZED_LOAD, "push"),
    "no inertia": (Feature.NO_INERTIA, "M"),
}
"""What forms do not support, and the element that causes it."""

_BEYOND: Final = "definition(1) is used beyond its definition"
OWN_REASONS: Final = {
    ("left-over definition, used", "lagrange"): _BEYOND,
    ("left-over definition, used", "maggi"): _BEYOND,
    ("left-over definition, used", "nielsen"): _BEYOND,
    ("inertia singular, variable held", "udwadia_kalaba:positive"): "no inertia behind th'",
    ("inertia singular, variable held", "hamilton"): "no inertia behind th'",
    ("inertia singular, variable loose", "hamilton"): "no inertia behind y'",
    ("inertia singular, no row zero", "hamilton"): "inertia matrix is singular",
    ("inertia singular, variable loose", "udwadia_kalaba:positive"): "no inertia behind y'",
    ("inertia singular, no row zero", "udwadia_kalaba:positive"): "inertia matrix is singular",
    # the auxiliary turn about the joint's axis is the motion of the joint once more
    (
        "load names the reaction of a placing joint",
        "udwadia_kalaba:positive",
    ): "inertia matrix is singular",
    ("effective row, inertia not symmetric", "udwadia_kalaba:positive"): "effective(1)",
    ("effective row, inertia not symmetric", "udwadia_kalaba:augmented"): "effective(1)",
    ("effective row, inertia not symmetric", "gauss"): "effective(1)",
    **{
        (feature, form): "a load depends on accelerations, which momenta do not give (effective(1))"
        for form in RECURSIVE
        if form.startswith("tree_hamilton")
        for feature in _ACCELERATED
    },
}
"""What forms refuse for a reason that is no feature by itself."""


def _answers() -> dict[tuple[str, str], str]:
    head, *rows = [[cell.strip() for cell in line.split("|")] for line in TABLE.split("\n")[1:-1]]
    said = {
        (row[0], form): cell for row in rows for form, cell in zip(head[1:], row[1:], strict=True)
    }
    return said | {
        (row[0], form): others.get(row[0], "yes")
        for form, others in RECURSIVE.items()
        for row in rows
    }


ANSWERS: Final = _answers()


def _cells(answer: str) -> list[tuple[str, str]]:
    return [cell for cell, said in ANSWERS.items() if said == answer]


@cache
def _common(feature: str) -> tuple[Any, Any]:
    """Return the middle of what all accepting forms say, accelerations and constraint forces."""
    forms = [form for (about, form), said in ANSWERS.items() if about == feature and said == "yes"]
    results = [found(feature, form) for form in forms]
    sound = [x for x in results if x.status == "regular"]
    return np.median([x.ud for x in sound], axis=0), np.median([x.Fc for x in sound], axis=0)


def test_every_feature_has_a_model_and_every_installed_form_a_column() -> None:
    assert {feature for feature, _ in ANSWERS} == set(MODELS)
    forms = {
        f"{name}:{variant.name}" if variant.name else name
        for name in registry.names()
        for variant in registry.get(name).variants
    }
    assert {form for _, form in ANSWERS} == forms | {"udwadia_kalaba"}


@pytest.mark.sample(
    0,
    "holonomic redundant",
    "simple nonholonomic",
    "nonlinear nonholonomic",
    "order 2",
    "order 3",
    "declared speeds",
    "twist that is no rate",
    "effective row without a rate",
    "inertia singular, no row zero",
    "load names the reaction of a loop joint",
)
@pytest.mark.parametrize(("feature", "form"), _cells("yes"))
def test_yes_is_regular_and_agrees_with_every_other_yes(feature: str, form: str) -> None:
    one = found(feature, form)
    assert one.status == "regular"
    ud, Fc = _common(feature)
    assert one.ud == pytest.approx(ud, rel=1e-10, abs=1e-10)
    assert one.Fc == pytest.approx(Fc, rel=1e-10, abs=1e-10)
    got = by_path(one)
    for path, value in MODELS[feature].known.items():
        assert got[path] == pytest.approx(value, rel=1e-10, abs=1e-10), path


@pytest.mark.parametrize(("feature", "form"), _cells("no"))
def test_no_says_what_cannot_be_said_and_which_element_causes_it(feature: str, form: str) -> None:
    with pytest.raises(NotApplicableError) as caught:
        registry.derive(system_with(feature), form)
    text = str(caught.value)
    assert text.startswith("not applicable: ")
    if (feature, form) in OWN_REASONS:
        assert OWN_REASONS[feature, form] in text
        return
    what, element = REASONS[feature]
    name = registry.refusals(system_with(feature), *_split(form))[0].form
    assert f"{name} does not support {what.value} ({element})" in text
    assert any(
        r.feature is what and ", ".join(r.elements) == element for r in caught.value.refusals
    )


def _split(form: str) -> tuple[str, str | None]:
    name, _, variant = form.partition(":")
    return name, variant or None


@pytest.mark.parametrize(("feature", "form"), _cells("singular"))
def test_singular_is_accepted_and_said_of_the_state(feature: str, form: str) -> None:
    assert found(feature, form).status == "singular"


# -- how a form says yes -----------------------------------------------------------------------


@pytest.mark.parametrize("form", ["lagrange", "maggi", "nielsen"])
@pytest.mark.parametrize("feature", ["declared speeds", "quaternion with speeds"])
def test_forms_in_rates_note_that_speeds_are_replaced(feature: str, form: str) -> None:
    notes = found(feature, form).equations.notes
    assert notes == ("declared speeds are replaced by their definitions",)


@pytest.mark.parametrize("form", ["lagrange", "maggi"])
def test_forms_in_rates_keep_the_norm_of_a_quaternion_as_an_invariant(form: str) -> None:
    one = found("quaternion with speeds", form)
    assert one.equations.step("A").row_labels == ("norm(1)",)
    state = [0.8, 0.4, -0.4, 0.2]
    e = np.array(state) / np.linalg.norm(state)
    assert one["A"][0] / one["A"][0][0] == pytest.approx(e / e[0], rel=1e-12)


@pytest.mark.parametrize("form", ["newton_euler", "lagrange"])
def test_a_nonlinear_invariant_has_the_constraint_force_of_chetaev(form: str) -> None:
    one = found("nonlinear nonholonomic", form)
    z = np.sqrt(0.9**2 + 0.5**2) / 0.8
    # dh/du of x'^2 + y'^2 - k^2 z'^2
    assert one["A"][0] == pytest.approx([2 * 0.9, 2 * -0.5, -2 * 0.8**2 * z], rel=1e-12)
    assert one.Fc == pytest.approx(one["A"].T @ one.lam, rel=1e-12)


def test_lagrange_takes_an_invariant_of_order_2_by_its_own_coefficients() -> None:
    one = found("order 2", "lagrange")
    assert one["A"] == pytest.approx(np.array([[-0.5, 1.0]]))
    assert one.Fc == pytest.approx(one["A"].T @ one.lam, rel=1e-12)


@pytest.mark.parametrize("form", ["lagrange", "maggi"])
def test_an_unused_left_over_definition_is_evaluated_afterwards(form: str) -> None:
    equations = found("left-over definition, unused", form).equations
    assert equations.step("A").row_labels == ("sphere",)
    assert equations.step("M").row_labels == ("x'", "y'", "z'")


FORMS: Final = tuple(dict.fromkeys(form for _, form in ANSWERS))


def _saying(feature: str) -> list[str]:
    return [form for form in FORMS if ANSWERS[feature, form] == "yes"]


@pytest.mark.parametrize("form", _saying("load names the reaction of an invariant"))
def test_a_load_that_names_a_reaction_is_an_implicit_step(form: str) -> None:
    for feature in ("invariant", "loop joint"):
        one = found(f"load names the reaction of a{'n' * (feature[0] == 'i')} {feature}", form)
        assert [step.op for step in one.equations.steps].count("implicit") == 1


@pytest.mark.parametrize("form", _saying("non-ideal part"))
def test_constraint_forces_are_the_ideal_part(form: str) -> None:
    one = found("non-ideal part", form)
    N = 1.5 * 9.81 / (1 + 0.1 * (0.1 + 0.2) / 2)
    assert one.Fc == pytest.approx([-0.1 * N, N], rel=1e-10)


@pytest.mark.parametrize("variant", ["positive", "singular", "augmented"])
def test_udwadia_kalaba_takes_the_non_ideal_part_as_cstar(variant: str) -> None:
    one = found("non-ideal part", f"udwadia_kalaba:{variant}")
    N = 1.5 * 9.81 / (1 + 0.1 * (0.1 + 0.2) / 2)
    assert one["Cstar"] == pytest.approx([-0.2 * N, 0.0], rel=1e-10)


# -- how many equations, and which reactions ---------------------------------------------------

EQUATIONS: Final = {  # the matrix of the dynamic equations: its rows for n = 3, m = 2, one body
    "newton_euler": ("MbJ", 3),  # a particle has three balances
    "lagrange": ("K", 5),  # n + m
    "maggi": ("CM", 1),  # ndof
    "gibbs_appell": ("Mr", 1),
    "boltzmann_hamel": ("Mr", 1),
    "kane": ("Mr", 1),
    "udwadia_kalaba:singular": ("ud", 3),  # n1, explicit
    "udwadia_kalaba:augmented": ("ud", 3),
    "modular": ("Mb1", 1),
    "gauss": ("K", 5),  # n + m
    "jourdain": ("PM", 1),  # ndof
    "nielsen": ("Mz", 1),
    "tzenoff": ("DM", 1),
}


@pytest.mark.parametrize("form", EQUATIONS)
def test_a_form_has_as_many_dynamic_equations_as_it_should(form: str) -> None:
    name, count = EQUATIONS[form]
    assert len(found("inertia singular, variable held", form)[name]) == count


def test_newton_euler_has_six_balances_for_each_body() -> None:
    assert found("holonomic minimal", "newton_euler")["MbJ"].shape == (12, 2)


def test_newton_euler_gives_the_reactions_of_all_joints() -> None:
    one = found("generalized load on a joint coordinate", "newton_euler")
    assert list(one.reactions) == ["arm.joint", "hand.joint"]
    a, da, dda = 0.42, 0.8, MODELS["generalized load on a joint coordinate"].known["a''"]
    # the hand's mass centre is at the joint: m times its acceleration, and no torque
    force = (
        1.5
        * 0.4
        * np.array([-np.sin(a) * dda - np.cos(a) * da**2, np.cos(a) * dda - np.sin(a) * da**2, 0.0])
    )
    assert one.reactions["hand.joint"] == pytest.approx([*force, 0, 0, 0], rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_multipliers_and_constraint_forces_that_belong_together(form: str) -> None:
    one = found("holonomic redundant", form)
    lam = 1.5 * (9.81 * -0.56 - 0.8**2 * (1 + 0.75**2)) / (2 * 0.7**2)
    assert one.lam == pytest.approx([lam], rel=1e-10)
    assert one.Fc == pytest.approx([2 * 0.42 * lam, 2 * -0.56 * lam], rel=1e-10)
