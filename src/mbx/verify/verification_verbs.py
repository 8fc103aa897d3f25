"""What Python calls to judge models: `mbx.verify`, `mbx.diff` and `mbx.structure`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.process import room
from mbx.pipeline import elaborate, linked_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.structure.structure_report import Structure
    from mbx.numerics.states.complete import StatePoint
    from mbx.pipeline import ModelLike
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
def structure(document: ModelLike, *, model: str | None = None, seed: int = 1) -> Structure:
    """Return the structure of a model: freedoms, ranks, redundancy, integrability.

    It is determined at random consistent states, at the start, at rest, and at the states that
    the document names.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        model: The model of the document; the last unless it is named.
        seed: The seed of the random states.

    Examples:
        >>> structure = mbx.structure("lib:simple_pendulum")
        >>> structure.freedoms.velocity
        1
    """
    from mbx.analyses.structure.find_structure import find_structure

    return find_structure(elaborate(document, model), seed)


@room()
def verify(  # noqa: PLR0913  the options of the command
    document: ModelLike,
    *,
    model: str | None = None,
    forms: Sequence[str] = (),
    states: int = 16,
    oracle: int = 2,
    seed: int = 1,
    timeout: float = 300.0,
    points: Sequence[StatePoint] = (),
    jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """Verify that the forms of a model agree, with each other and with the oracle.

    They are compared at random consistent states, at the start, at rest, and at the states that
    the document names.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        model: The model of the document; the last unless it is named.
        forms: The formalisms, "FORM" or "FORM:VARIANT"; all that support the model unless some
            are named.
        states: How many random states. More than 64 are verified in parts, with the same result.
        oracle: At how many of the states the oracle is consulted.
        seed: The seed of the random states.
        timeout: CPU time that it may take, in s.
        points: States to compare at, in place of all others.
        jobs: How many processes share the parts.
        progress: A function that is called with a line on what is done.

    Returns:
        A `Verification`: `verdict` is "agree", "disagree" or "undecided", and `print` shows all.

    Examples:
        >>> verification = mbx.verify("lib:simple_pendulum", forms=["kane", "maggi"], states=2)
        >>> verification.verdict
        'agree'
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
    document: ModelLike, verification: Verification, model: str | None = None
) -> Diagnosis | None:
    """Return why the forms of a model disagree in a verification of it; None if they agree.

    It names the form that is wrong, the smallest state at which it is, the variable, the body, and
    the term that carries the difference.
    """
    from mbx.verify.diagnosis.find_cause import diagnose as find

    return find(linked_of(document, model), verification)


@room()
def diff(
    first: ModelLike,
    second: ModelLike,
    *,
    states: int = 16,
    seed: int = 1,
    timeout: float = 300.0,
    same: Mapping[str, str] | None = None,
) -> ModelDiff:
    """Compare two models: whether they describe the same physics, whatever their variables are.

    Args:
        first: A document, a path, an address such as "lib:four_bar", or model text.
        second: Another one.
        states: How many random states they are compared at.
        seed: The seed of the random states.
        timeout: CPU time that it may take, in s.
        same: Bodies of the first model, and what the second model calls them.

    Returns:
        A `ModelDiff`: `verdict` is "same", "different", "undecided" or "not comparable".

    Examples:
        >>> mbx.diff("lib:simple_pendulum", "lib:simple_pendulum").verdict
        'same'
    """
    from mbx.verify.difference.compare_models import diff_models

    left, right = linked_of(first), linked_of(second)
    return diff_models(left, right, states=states, seed=seed, timeout=timeout, renamed=same)
