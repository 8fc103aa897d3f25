"""What Python calls to compare the forms of a model: `mbx.compare`, and published values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.process import room
from mbx.pipeline import derive, elaborate, linked_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.costs.cost_ranking import Ranking
    from mbx.analyses.experiments.expectation import Reference
    from mbx.pipeline import ModelLike

__all__ = ["compare", "references"]


@room()
def compare(
    document: ModelLike,
    *,
    model: str | None = None,
    forms: Sequence[str] = (),
    symbolic: bool = False,
    timed: bool = False,
    timeout: float = 60.0,
) -> Ranking:
    """Rank the forms of a model by the operations that their accelerations take.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        model: The model of the document; the last one unless it is named.
        forms: The formalisms, "FORM" or "FORM:VARIANT"; all that support the model unless some
            are named.
        symbolic: Whether parameters stay symbols; else they are numbers.
        timed: Whether code of each form is made and timed.
        timeout: Seconds after which a form is left out.

    Returns:
        A `Ranking`, the cheapest form first; `ranking.lines()` are its lines of text.

    Examples:
        >>> ranking = mbx.compare("lib:simple_pendulum", forms=["kane", "maggi"])
        >>> sorted(entry.form for entry in ranking.entries)
        ['kane', 'maggi']
    """
    from mbx.analyses.costs.cost_ranking import rank

    system = elaborate(document, model)
    return rank(system, forms, symbolic=symbolic, timed=timed, timeout=timeout)


@room()
def references(
    document: ModelLike, model: str | None = None, *, forms: Sequence[str] = ()
) -> tuple[Reference, ...]:
    """Return what the experiments of a model expect, and what its equations of motion give.

    Every form gives the values at the start and at named states, all that support the model unless
    some are named; trajectories are integrated with one of them. A reference that cannot be
    computed has a reason.
    """
    from mbx.analyses.experiments.run_references import references as run

    linked = linked_of(document, model)
    system = elaborate(linked)
    return run(linked, {form: derive(system, form) for form in forms} or None, system=system)
