"""The coverage of a model from its verification, and whether a stored coverage still holds."""

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
"""Patterns that strip from a reason the elements that cause it."""


def form_names() -> list[str]:
    """Return the installed forms, every variant by itself, by name."""
    sound, _ = registry.survey()
    return [
        f"{form.name}:{variant.name}" if variant.name else form.name
        for form in sound
        for variant in form.variants
    ]


def model_coverage(
    linked: Linked, verification: Verification, freedoms: Freedoms | None
) -> ModelCoverage:
    """Return the coverage of a model by a verification in which all forms agree.

    The reasons why a form does not apply are kept without the elements that cause them.
    """
    outcomes = dict.fromkeys(verification.forms, AGREE)
    outcomes |= {
        form.name: f"{form.status}: {_in_general(form.reason)}" for form in verification.excluded
    }
    return ModelCoverage(
        model=verification.model,
        hash=linked.hash,
        experiment_hash=linked.experiment_hash,
        freedoms=None if freedoms is None else _counts(freedoms),
        states=verification.compared,
        oracle=len(verification.oracle.states) if verification.oracle is not None else 0,
        forms={name: outcomes[name] for name in form_names() if name in outcomes},
        references=_references(verification.references),
    )


def _in_general(reason: str) -> str:
    for pattern, text in _IN_GENERAL:
        reason = pattern.sub(text, reason)
    return reason


def _references(references: Sequence[Reference]) -> dict[str, Met]:
    """Return how many references of each kind are met."""
    counted: dict[str, Met] = {}
    for kind in (*KINDS, _ENERGY, _OTHER):
        matching = [reference for reference in references if _kind(reference) == kind]
        if matching:
            counted[kind] = Met(
                met=sum(reference.met is True for reference in matching), of=len(matching)
            )
    return counted


def _kind(reference: Reference) -> str:
    return reference.kind or (_ENERGY if reference.quantity == _ENERGY else _OTHER)


def _counts(freedoms: Freedoms) -> FreedomCounts:
    return FreedomCounts(position=freedoms.position, velocity=freedoms.velocity)


def is_current(kept: Coverage | None, models: Sequence[Linked]) -> bool:
    """Return whether a stored coverage is of the models as they are, and of installed forms alone.

    A form that was added since is not in it, which makes nothing that it states wrong.
    """
    if kept is None or len(kept.models) != len(models):
        return False
    names = form_names()
    return all(
        (known.model, known.hash, known.experiment_hash)
        == (linked.model.name, linked.hash, linked.experiment_hash)
        and known.forms
        and list(known.forms) == [name for name in names if name in known.forms]
        for known, linked in zip(kept.models, models, strict=True)
    )
