"""The coverage of a model from its verification, and whether one that is kept still holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mbx.analyses.experiments.provenance import KINDS
from mbx.formalism import registry
from mbx.show.coverage.coverage_file import AGREE, FreedomCounts, Met, ModelCoverage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.structure.structure_report import Freedoms
    from mbx.linking.link import Linked
    from mbx.show.coverage.coverage_file import Coverage
    from mbx.verify.verification import Verification

__all__ = ["form_names", "is_current", "model_coverage"]

_ENERGY: Final = "energy"
"""The kind of a reference that the energy is conserved."""
_OTHER: Final = "no kind"
_IN_GENERAL: Final = (
    (re.compile(r" \((?:[^()]|\([^()]*\))*\)"), ""),  # elements, some with a number: spring(1)
    (re.compile(r" behind .*"), " behind some speeds"),
    (re.compile(r"the inertia of \S+ is"), "the inertia of a link is"),
    (re.compile(r"it carries .*:"), "it carries another:"),
    (re.compile(r".* is used beyond"), "a speed is used beyond"),
    (
        re.compile(r".* cannot be the independent.*"),
        "its hint names speeds that cannot be independent",
    ),
)
"""What a reason says without the elements that cause it."""


def form_names() -> list[str]:
    """Return the installed forms, every variant by itself, by name."""
    sound, _ = registry.survey()
    return [
        f"{one.name}:{variant.name}" if variant.name else one.name
        for one in sound
        for variant in one.variants
    ]


def model_coverage(linked: Linked, found: Verification, freedoms: Freedoms | None) -> ModelCoverage:
    """Return what a verification in which all forms agree says of a model.

    The reasons why a form does not apply are kept without the elements that cause them.
    """
    said = dict.fromkeys(found.forms, AGREE)
    said |= {one.name: f"{one.status}: {_in_general(one.reason)}" for one in found.excluded}
    return ModelCoverage(
        model=found.model,
        hash=linked.hash,
        experiment_hash=linked.experiment_hash,
        freedoms=None if freedoms is None else _counts(freedoms),
        states=found.compared,
        oracle=len(found.oracle.states) if found.oracle is not None else 0,
        forms={name: said[name] for name in form_names() if name in said},
        references=_references(found.references),
    )


def _in_general(reason: str) -> str:
    for pattern, text in _IN_GENERAL:
        reason = pattern.sub(text, reason)
    return reason


def _references(found: Sequence[Reference]) -> dict[str, Met]:
    """Return how many references of each kind are met."""
    counted: dict[str, Met] = {}
    for kind in (*KINDS, _ENERGY, _OTHER):
        some = [one for one in found if _kind(one) == kind]
        if some:
            counted[kind] = Met(met=sum(one.met is True for one in some), of=len(some))
    return counted


def _kind(one: Reference) -> str:
    return one.kind or (_ENERGY if one.quantity == _ENERGY else _OTHER)


def _counts(freedoms: Freedoms) -> FreedomCounts:
    return FreedomCounts(position=freedoms.position, velocity=freedoms.velocity)


def is_current(kept: Coverage | None, models: Sequence[Linked]) -> bool:
    """Return whether what is kept is of these models as they are, and of all installed forms."""
    if kept is None or len(kept.models) != len(models):
        return False
    names = form_names()
    return all(
        (one.model, one.hash, one.experiment_hash)
        == (linked.model.name, linked.hash, linked.experiment_hash)
        and list(one.forms) == names
        for one, linked in zip(kept.models, models, strict=True)
    )
