"""The record of a formalism, and the registry of the installed ones.

`mbx_converters` is a namespace package: every folder on the path may hold a part of it. A module in
it is a formalism; a package in it is a family of formalisms, and its `CONVERTERS` names their
modules. The other modules of a family are what its formalisms share.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import suggestion
from mbx.base.errors import (
    ConverterError,
    NotApplicableError,
    NoValueError,
    SourceError,
    TooLargeError,
)
from mbx.formalism.page.abbreviate import abbreviate
from mbx.formalism.page.page import length
from mbx.formalism.page.page_options import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.mechanics.tree.links import Links
    from mbx.system.find_features import Feature
    from mbx.system.system import System


__all__ = [
    "Converter",
    "Refusal",
    "Variant",
    "addresses",
    "derive",
    "get",
    "is_loaded",
    "names",
    "parse",
    "refusals",
    "survey",
    "write_page",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way of a form.

    Attributes:
        name: Name behind the colon of `--to FORM:VARIANT`; "" if the form has only one way.
        accepts: The features of a system that it supports.
        title: Name in prose.
    """

    name: str = ""
    accepts: frozenset[Feature]
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Converter:
    """One formalism; a module of `mbx_converters` offers it as `CONVERTER`.

    Attributes:
        name: Name on the command line; equals the name of the module.
        title: Name in prose.
        purpose: What the form is for, in half a line; `mbx forms` prints it.
        reference: The text whose equations the module follows.
        variants: At least one.
        derive: Pure function from a system and the name of a variant to equations of motion.
        choose: The rule for the variant of a system, if none is named; the first, if
            there is no rule.
        free_rates: Equations of an open tree whose result `xid` are the rates in which the form
            leaves equations over, where it is written in rates of its own.
        write_page: The page of a system in the form, as a text prints it; none where the
            program of the form is the page.
    """

    name: str
    title: str
    purpose: str = ""
    reference: str
    variants: tuple[Variant, ...]
    derive: Callable[[System, str], Equations]
    choose: Callable[[System], str] | None = None
    free_rates: Callable[[System, Links], Equations] | None = None
    write_page: Callable[[System, Equations, PageOptions], Page] | None = None

    def __post_init__(self) -> None:
        """Refuse a converter without variants, or with two of one name."""
        names = {variant.name for variant in self.variants}
        if not names or len(names) != len(self.variants):
            message = f"'{self.name}' needs variants, each with a name of its own"
            raise ValueError(message)


_LINES: Final = 72
"""Lines of a page; longer ones are abbreviated."""
_LONGEST: Final = 150
"""Lines of a page that is still easier to read than a program."""
_PACKAGE: Final = "mbx_converters"
_KNOWN: Final[dict[str, str]] = {}
"""Addresses of converters that are known already."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A feature of a system that a form does not support, and the elements that cause it."""

    form: str
    feature: Feature
    elements: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The refusal as a sentence."""
        causes = f" ({', '.join(self.elements)})" if self.elements else ""
        return f"{self.form} does not support {self.feature.value}{causes}"


def names() -> tuple[str, ...]:
    """Return the names of the installed converters, sorted."""
    return tuple(sorted(addresses()))


def addresses() -> dict[str, str]:
    """Return where each converter is, by its name."""
    try:
        package = importlib.import_module(_PACKAGE)
    except ModuleNotFoundError:
        return {}
    result: dict[str, str] = {}
    for module in pkgutil.iter_modules(package.__path__):
        address = f"{_PACKAGE}.{module.name}"
        if not module.ispkg:
            result[module.name] = address
            continue
        try:
            family = importlib.import_module(address)
        except (Exception, SystemExit):  # noqa: BLE001  `get` reports what is wrong with it
            result[module.name] = address
            continue
        listed = getattr(family, "CONVERTERS", None)
        if listed is None:
            result[module.name] = address  # a package that is one formalism
        else:
            result.update({name: f"{address}.{name}" for name in listed})
    _KNOWN.update(result)
    return result


def is_loaded(name: str) -> bool:
    """Return whether a converter was looked up before, and its module is imported."""
    return _KNOWN.get(name) in sys.modules


def get(name: str) -> Converter:
    """Return a converter by its name."""
    if not is_loaded(name):  # listing folders costs more than some derivations
        known = addresses()
        if name not in known:
            raise ConverterError(_unknown("formalism", name, tuple(sorted(known))))
    try:
        module = importlib.import_module(_KNOWN[name])
    except (Exception, SystemExit) as error:
        raise ConverterError(
            f"the converter '{name}' cannot be imported: {type(error).__name__}: {error}"
        ) from error
    converter = getattr(module, "CONVERTER", None)
    if not isinstance(converter, Converter):
        raise ConverterError(f"the converter '{name}' has no CONVERTER")
    if converter.name != name:
        raise ConverterError(f"the converter '{name}' calls itself '{converter.name}'")
    return converter


def _unknown(kind: str, name: str, known: tuple[str, ...]) -> str:
    hint = suggestion(name, known, "; ")
    return f"unknown {kind} '{name}'{hint}"


def survey() -> tuple[tuple[Converter, ...], tuple[ConverterError, ...]]:
    """Return the converters that can be used, and what is wrong with the others."""
    sound, faulty = [], []
    for name in names():
        try:
            sound.append(get(name))
        except ConverterError as error:
            faulty.append(error)
    return tuple(sound), tuple(faulty)


def parse(text: str) -> tuple[Converter, str | None]:
    """Return the converter and the variant that `FORM` or `FORM:VARIANT` names."""
    name, colon, variant = text.partition(":")
    converter = get(name)
    return converter, _variant(converter, variant).name if colon else None


def _variant(converter: Converter, name: str) -> Variant:
    for variant in converter.variants:
        if variant.name == name:
            return variant
    known = tuple(variant.name for variant in converter.variants)
    raise ConverterError(_unknown(f"variant of {converter.name}", name, known))


def _choose(system: System, converter: Converter, name: str | None) -> Variant:
    if name is None and converter.choose is None:
        return converter.variants[0]
    if name is None and converter.choose is not None:
        name = converter.choose(system)
    return _variant(converter, name or "")


def refusals(system: System, name: str, variant: str | None = None) -> tuple[Refusal, ...]:
    """Return what a form does not support of a system; without a variant, that of its choice."""
    return _find_refusals(system, name, _choose(system, get(name), variant))


def _find_refusals(system: System, name: str, chosen: Variant) -> tuple[Refusal, ...]:
    form = f"{name}:{chosen.name}" if chosen.name else name
    return tuple(
        Refusal(form, feature, tuple(elements))
        for feature, elements in system.features.items()
        if feature not in chosen.accepts
    )


def write_page(system: System, equations: Equations, options: PageOptions) -> Equations:
    """Return equations with their page, where the form has one and the model allows it."""
    writer = get(equations.formalism).write_page
    if writer is None:
        return equations
    try:
        for level in LEVELS:
            page = writer(system, equations, replace(options, level=level))
            if options.is_full or options.is_explicit or length(page) <= _LINES:
                break
    except TooLargeError:
        return equations
    if length(page) > _LONGEST and not (options.is_full or options.is_explicit):
        return equations  # the program of the form is shorter
    signature = equations.signature
    groups = (signature.q, signature.u, signature.inputs, signature.parameters, signature.derived)
    taken = {item.path.rstrip("'") for group in groups for item in group}
    return replace(equations, page=abbreviate(page, taken))


def derive(system: System, text: str) -> Equations:
    """Return the equations of a system in a form, `FORM` or `FORM:VARIANT`."""
    converter, name = parse(text)
    chosen = _choose(system, converter, name)
    refused = _find_refusals(system, converter.name, chosen)
    if refused:
        raise NotApplicableError(*(refusal.sentence for refusal in refused), refusals=refused)
    try:
        return converter.derive(system, chosen.name)
    except NoValueError as bad:
        where = f"in the equations of '{system.name}', form {converter.name}, "
        raise SourceError(bad.report(where=where)) from bad
