"""`mbx forms`: the installed forms of equations, and which of them support a model."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mbx.base.errors import NotApplicableError
from mbx.cli.command_files import read_document
from mbx.cli.equations.convert import reasons_of
from mbx.cli.options import ModelName, option
from mbx.cli.output import Status, complain, emit_json, print_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.formalism.registry import Converter, Variant
    from mbx.system.system import System

__all__ = ["forms"]

_WIDTH: Final = 80


def forms(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Model file; - is standard input.")
    ] = None,
    *,
    features: Annotated[bool, option("--features")] = False,
    as_json: Annotated[bool, option("--json")] = False,
    model: ModelName = None,
) -> int:
    """List the forms of equations, and what each is for.

    With a model: which forms support it, and why the others do not.
    """
    from mbx.formalism import registry

    system = None
    if file is not None:
        import mbx

        system = mbx.elaborate(read_document(file), model)
    sound, faulty = registry.survey()
    if as_json:
        emit_json(
            {
                "forms": [_as_json(converter, system) for converter in sound],
                "broken": [str(error) for error in faulty],
            }
        )
    elif system is None:
        _list(sound, features=features)
    else:
        _apply(sound, system)
    if not as_json:
        for error in faulty:
            complain(f"mbx: {error}")
    return Status.TROUBLE if faulty else Status.OK


def _name(converter: Converter, variant: Variant) -> str:
    return f"{converter.name}:{variant.name}" if variant.name else converter.name


# -- what is installed -----------------------------------------------------------------------


def _list(converters: Sequence[Converter], *, features: bool) -> None:
    width = max((len(converter.name) for converter in converters), default=0)
    for converter in converters:
        print_line(f"{converter.name:<{width}}  {converter.purpose or converter.title}")
        if features:
            for line in _features(converter):
                print_line(line)
    if features:
        print_line("What a form does not refuse, it accepts.")
    else:
        print_line("mbx forms FILE shows which support a model; --features what each refuses.")


def _features(converter: Converter) -> Iterator[str]:
    """Yield what each variant of a form refuses."""
    from mbx.system.find_features import Feature

    for variant in converter.variants:
        refused = [feature.value for feature in Feature if feature not in variant.accepts]
        if variant.name:
            yield f"  {_name(converter, variant)}: {variant.title}"
        text = f"refuses {'; '.join(refused) or 'nothing'}"
        yield from wrap(text, _WIDTH, initial_indent="    ", subsequent_indent="      ")


# -- what applies ----------------------------------------------------------------------------


def _apply(converters: Sequence[Converter], system: System) -> None:
    rows = [
        (_name(converter, variant), _reasons(system, _name(converter, variant)))
        for converter in converters
        for variant in converter.variants
    ]
    chosen = {converter.name: _chosen(converter, system) for converter in converters}
    width = max((len(name) for name, _ in rows), default=0)
    for name, refused in rows:
        form, _, variant = name.partition(":")
        if not refused:
            default = variant and chosen[form] == variant
            print_line(f"{name:<{width}}  applies{', the default' if default else ''}")
            continue
        print_line(f"{name:<{width}}  does not apply:")
        for reason in refused:
            print_line(f"    {reason}")


def _reasons(system: System, form: str) -> list[str]:
    """Return why a form does not apply; some forms detect it only when they derive equations."""
    import mbx

    try:
        mbx.derive(system, form, specialised=False)
    except NotApplicableError as refused:
        return reasons_of(refused, system)
    return []


def _chosen(converter: Converter, system: System) -> str:
    return converter.choose(system) if converter.choose else converter.variants[0].name


def _as_json(converter: Converter, system: System | None) -> dict[str, Any]:
    return {
        "name": converter.name,
        "title": converter.title,
        "purpose": converter.purpose,
        "reference": converter.reference,
        "variants": [_variant_json(converter, variant, system) for variant in converter.variants],
    }


def _variant_json(converter: Converter, variant: Variant, system: System | None) -> dict[str, Any]:
    from mbx.system.find_features import Feature

    data: dict[str, Any] = {
        "name": variant.name,
        "title": variant.title,
        "accepts": [feature.name.lower() for feature in Feature if feature in variant.accepts],
    }
    if system is not None:
        from mbx.formalism import registry

        refused = registry.refusals(system, converter.name, variant.name)
        data["reasons"] = _reasons(system, _name(converter, variant))
        data["applies"] = not data["reasons"]
        data["refusals"] = [
            {"feature": refusal.feature.name.lower(), "elements": list(refusal.elements)}
            for refusal in refused
        ]
    return data
