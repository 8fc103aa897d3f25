"""What tells whether forms agree, and models mean the same; what a model's structure is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.deep_recursion import room
from mbx.pipeline import elaborate, linked_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.structure.structure_report import Structure
    from mbx.language.document.document import Document
    from mbx.linking.linked import Linked
    from mbx.numerics.states.state_point import StatePoint
    from mbx.verify.diagnosis.find_cause import Diagnosis
    from mbx.verify.difference.compare_models import ModelDiff
    from mbx.verify.verification import Verification

__all__ = [
    "diagnose",
    "diff",
    "structure",
    "verify",
]


@room()
def structure(document: Document | Linked, model: str | None = None, *, seed: int = 1) -> Structure:
    """Return the structure of a model: freedoms, ranks, redundancy, integrability.

    It is found at random consistent states, which follow from the seed, at the start, at rest,
    and at the states that the file names.
    """
    from mbx.analyses.structure.find_structure import find_structure

    return find_structure(elaborate(document, model), seed)


@room()
def verify(  # noqa: PLR0913  the options of the command
    document: Document | Linked,
    model: str | None = None,
    *,
    forms: Sequence[str] = (),
    states: int = 16,
    oracle: int = 2,
    seed: int = 1,
    timeout: float = 300.0,
    points: Sequence[StatePoint] = (),
    jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """Return whether the forms of a model agree: all that apply, or those that are named.

    They are compared at random consistent states, at the start, at rest, and at the states that
    the file names; or at the `points` that are given. The oracle is asked at the first `oracle`
    of them. More than 64 states are verified in parts, by as many processes as `jobs` says, with
    the same result. `progress` hears what is done, `timeout` is in seconds.
    """
    from mbx.base.workers.pool import Pool
    from mbx.verify.agreement.state_parts import merge, parts_of
    from mbx.verify.many import verify_parts
    from mbx.verify.run_verification import Options

    linked = linked_of(document, model)
    options = Options(
        forms=tuple(forms),
        states=states,
        oracle=oracle,
        seed=seed,
        timeout=timeout,
        points=tuple(points),
        progress=progress or (lambda _: None),
    )
    return merge(verify_parts(linked, parts_of(options), Pool(jobs)))


@room()
def diagnose(
    document: Document | Linked, found: Verification, model: str | None = None
) -> Diagnosis | None:
    """Return why the forms of a model disagree, as a verification of it found; None if they do not.

    It says which form is wrong, at which smallest state, on which variable and body, and which
    term carries the difference.
    """
    from mbx.verify.diagnosis.find_cause import diagnose as find

    return find(linked_of(document, model), found)


@room()
def diff(
    first: Document | Linked,
    second: Document | Linked,
    *,
    states: int = 16,
    seed: int = 1,
    timeout: float = 300.0,
    renamed: Mapping[str, str] | None = None,
) -> ModelDiff:
    """Return whether two models mean the same physics, whatever their variables are.

    `renamed` says what bodies of the first are called in the second.
    """
    from mbx.verify.difference.compare_models import diff_models

    one, other = linked_of(first), linked_of(second)
    return diff_models(one, other, states=states, seed=seed, timeout=timeout, renamed=renamed)
