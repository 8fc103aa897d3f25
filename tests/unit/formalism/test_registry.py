from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from mbx.base.errors import ConverterError, MbxError, NotApplicableError
from mbx.formalism import registry
from mbx.formalism.registry import Converter, Variant
from mbx.system.find_features import Feature
from unit.formalism.programs import pendulum

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEAD = """
from unit.formalism.programs import pendulum
from mbx.base.errors import NotApplicableError
from mbx.formalism.registry import Converter, Variant
from mbx.system.find_features import Feature

def derive(system, variant):
    if system.name == "odd":
        raise NotApplicableError("it is odd")
    return pendulum() if variant == "" else variant
"""
PLAIN = """
CONVERTER = Converter(
    name="plain_form", title="Plain", reference="none", derive=derive,
    variants=(Variant(accepts=frozenset({Feature.HOLONOMIC})),),
)
"""
CHOOSING = """
CONVERTER = Converter(
    name="choosing_form", title="Choosing", reference="none", derive=derive,
    variants=(
        Variant(name="first", accepts=frozenset()),
        Variant(name="second", accepts=frozenset(Feature)),
    ),
    choose=lambda system: "second" if system.features else "first",
)
"""


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put converters into two folders on the path, beside those that are there."""
    texts = {
        "one/plain_form": HEAD + PLAIN,
        "two/choosing_form": HEAD + CHOOSING,
        "two/torn_form": "raise ValueError('torn')",
        "two/empty_form": "",
        "two/false_form": HEAD + PLAIN,
    }
    for name, text in texts.items():
        folder, _, module = name.partition("/")
        path = tmp_path / folder / "mbx_converters" / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before = set(sys.modules)
    for folder in ("one", "two"):
        monkeypatch.syspath_prepend(tmp_path / folder)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("mbx_converters"):
            del sys.modules[name]


def system(*features: Feature, name: str = "S") -> Any:
    return SimpleNamespace(features=dict.fromkeys(features, ("w", "v")), name=name)


def test_every_module_of_every_folder_is_a_converter() -> None:
    assert set(registry.names()) >= {"plain_form", "choosing_form", "torn_form", "empty_form"}
    assert list(registry.names()) == sorted(registry.names())


def test_a_converter_is_found_by_its_name() -> None:
    assert registry.get("plain_form").title == "Plain"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("plane_form", "unknown formalism 'plane_form'; did you mean 'plain_form'?"),
        ("zzzz", "unknown formalism 'zzzz'$"),
        ("torn_form", "the converter 'torn_form' cannot be imported: ValueError: torn"),
        ("empty_form", "the converter 'empty_form' has no CONVERTER"),
        ("false_form", "the converter 'false_form' calls itself 'plain_form'"),
    ],
)
def test_a_converter_that_cannot_be_used_is_named(name: str, said: str) -> None:
    with pytest.raises(ConverterError, match=said):
        registry.get(name)


def test_a_faulty_converter_does_not_break_the_others() -> None:
    sound, faulty = registry.survey()
    assert {"plain_form", "choosing_form"} <= {one.name for one in sound}
    assert len([one for one in faulty if "_form'" in str(one)]) == 3


def test_a_variant_stands_behind_a_colon() -> None:
    converter, variant = registry.parse("choosing_form:second")
    assert (converter.name, variant) == ("choosing_form", "second")
    assert registry.parse("choosing_form")[1] is None
    with pytest.raises(ConverterError, match="unknown variant of choosing_form 'secund'; did you"):
        registry.parse("choosing_form:secund")


def test_the_default_variant_follows_the_rule_of_the_converter() -> None:
    derive: Any = registry.derive
    assert derive(system(), "choosing_form") == "first"
    assert derive(system(Feature.NON_IDEAL), "choosing_form") == "second"
    assert derive(system(), "choosing_form:second") == "second"
    assert derive(system(Feature.HOLONOMIC), "plain_form") == pendulum()


def test_what_a_form_does_not_accept_is_refused_with_the_elements() -> None:
    (refusal,) = registry.refusals(
        system(Feature.HOLONOMIC, Feature.SPEED_WITHOUT_RATE), "plain_form"
    )
    assert refusal.feature is Feature.SPEED_WITHOUT_RATE
    assert refusal.elements == ("w", "v")
    assert refusal.sentence == "plain_form does not support a speed without a rate (w, v)"


def test_a_refusal_names_the_variant() -> None:
    (refusal,) = registry.refusals(system(Feature.NO_INERTIA), "choosing_form", "first")
    assert refusal.sentence == "choosing_form:first does not support no inertia at all (w, v)"
    assert registry.refusals(system(Feature.NO_INERTIA), "choosing_form") == ()


def test_deriving_what_is_refused_is_not_applicable() -> None:
    with pytest.raises(NotApplicableError) as caught:
        registry.derive(system(Feature.NON_IDEAL, Feature.NO_INERTIA), "plain_form")
    assert [one.feature for one in caught.value.refusals] == [
        Feature.NON_IDEAL,
        Feature.NO_INERTIA,
    ]
    assert str(caught.value) == (
        "not applicable: plain_form does not support a non-ideal constraint (w, v); "
        "plain_form does not support no inertia at all (w, v)"
    )
    assert isinstance(caught.value, MbxError)


def test_a_converter_may_refuse_by_itself() -> None:
    with pytest.raises(NotApplicableError, match=r"^not applicable: it is odd$"):
        registry.derive(system(name="odd"), "plain_form")


def test_without_any_folder_there_is_no_converter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_PACKAGE", "mbx_converters_elsewhere")
    assert registry.names() == ()


@pytest.mark.parametrize("names", [(), ("a", "a")])
def test_a_converter_needs_variants_of_different_names(names: tuple[str, ...]) -> None:
    variants = tuple(Variant(name=name, accepts=frozenset()) for name in names)
    with pytest.raises(ValueError, match="'f' needs variants"):
        Converter(
            name="f", title="", reference="", variants=variants, derive=lambda _s, _v: pendulum()
        )


def test_every_feature_has_a_phrase_of_its_own() -> None:
    phrases = [feature.value for feature in Feature]
    assert len(set(phrases)) == len(phrases) == 18
