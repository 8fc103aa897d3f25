"""Faults that change nothing: the arbiter must find all results the same, in many digits.

One process derives the equations with the fault, and hands them on as data. Another one, without
it, compares them with its own at some states.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from mbx.base.process import room
from self_test.fault_models import linked_model
from self_test.patch import plant
from self_test.trial import Found, Job, Status

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations

__all__ = ["changed_equations", "prove"]

STATES: Final = 3
SEED: Final = 1


@room()
def changed_equations(job: Job) -> dict[str, Any]:
    """Return the equations of each form with the fault, as data; to be called once in a process."""
    if job.mutant is not None:
        plant(job.mutant)
    from mbx.formalism.json.serial import to_json  # noqa: PLC0415  likewise
    from mbx.formalism.registry import derive  # noqa: PLC0415  after the fault is planted
    from mbx.system.elaborate import elaborate  # noqa: PLC0415  likewise

    system = elaborate(linked_model(job.model))
    return {form: to_json(derive(system, form)) for form in job.forms}


@room()
def prove(given: tuple[Job, dict[str, Any]]) -> Found:
    """Say whether equations with a fault are those without it: `equivalent`, or `survived`."""
    import numpy as np  # noqa: PLC0415  the number of its threads is set by now

    from mbx.formalism.json.serial import from_json  # noqa: PLC0415  likewise
    from mbx.formalism.registry import derive  # noqa: PLC0415  likewise
    from mbx.numerics.states.manifold import Manifold  # noqa: PLC0415  likewise
    from mbx.numerics.states.sample import draw, draw_values  # noqa: PLC0415  likewise
    from mbx.system.elaborate import elaborate  # noqa: PLC0415  likewise

    began = time.monotonic()
    job, equations = given
    system = elaborate(linked_model(job.model))
    rng = np.random.default_rng(SEED)
    manifold = Manifold(system, draw_values(system, rng))
    sample = draw(manifold, rng, STATES)
    different = []
    for form, data in equations.items():
        one, other = derive(system, form), from_json(data)
        for k, name in enumerate(sample.names):
            point = sample.points.some(np.arange(len(sample.names)) == k)
            different += [
                f"{what} of {form} at {name}"
                for what in ("ud", "Fc")
                if not _same(manifold, point, (one, other), what)
            ]
    status: Status = "equivalent" if equations and sample.names and not different else "survived"
    name = "" if job.mutant is None else job.mutant.id
    note = f"different: {different[0]}" if different else f"the same at {len(sample.names)} states"
    seconds = time.monotonic() - began
    return Found(name, job.model, status, (), unanimous=True, error=0.0, note=note, seconds=seconds)


def _same(manifold: Any, point: Any, pair: tuple[Equations, Equations], what: str) -> bool:
    from mbx.numerics.multiprecision.digit_numbers import numbers_of  # noqa: PLC0415  likewise
    from mbx.numerics.multiprecision.digit_results import Place  # noqa: PLC0415  likewise
    from mbx.verify.arbitration.arbiter import answer, difference  # noqa: PLC0415  not in every process

    def gap(digits: int) -> Any:
        place = Place(manifold, point, numbers_of(digits))
        mine, theirs = (place.results(each, [what]) for each in pair)
        return difference(place, mine, theirs, what)

    return answer(gap) == "rounding"
