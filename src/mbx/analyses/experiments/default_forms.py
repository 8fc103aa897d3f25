"""The forms that experiments are run with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.errors import NotApplicableError
from mbx.formalism import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.formalism.equations import Equations
    from mbx.system.system import System

__all__ = ["all_forms", "completing"]


def all_forms(system: System) -> dict[str, Equations]:
    """Return the equations of a system in every form, and variant, that accepts it."""
    converters, faulty = registry.survey()
    for error in faulty:
        raise error
    forms = {}
    for converter in converters:
        for variant in converter.variants:
            name = f"{converter.name}:{variant.name}" if variant.name else converter.name
            if registry.refusals(system, converter.name, variant.name):
                continue
            try:
                forms[name] = registry.derive(system, name)
            except NotApplicableError:
                continue
    return forms


def completing(forms: Mapping[str, Equations]) -> Equations | None:
    """Return a form that gives what holds of accelerations which belong to the state."""
    return next((each for each in forms.values() if each.signature.higher), None)
