"""The experiments of a model run by two methods: what they expect, and the balance of energy.

`mbx verify` runs experiments by explicit steps, and takes a run whose energy is out of balance for
none. Implicit steps, the ways over singular configurations and the work of loads are tried here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.linking.link import Linked

__all__ = ["wrong_runs"]

METHODS: Final = ("projection", "stiff")
BALANCED: Final = 1e-9
"""Part of the largest kinetic energy or work by which the energy of a run may be off."""


def wrong_runs(linked: Linked) -> Iterator[str]:
    """Yield what is wrong with the runs of a model; nothing where all are as expected."""
    # after a fault is planted
    from mbx.analyses.experiments.experiment_plan import NotRunError  # noqa: PLC0415
    from mbx.analyses.experiments.stated_expectations import stated  # noqa: PLC0415
    from mbx.analyses.request import Request, expected_of, plan_of  # noqa: PLC0415
    from mbx.analyses.simulate.runs import Options, simulate  # noqa: PLC0415
    from mbx.system.elaborate import elaborate  # noqa: PLC0415

    system = elaborate(linked)
    for experiment, _ in stated(linked):
        asked = Request(experiment=experiment.name)
        plan = plan_of(linked, system, asked)
        blank = expected_of(linked, plan, asked, None)
        for method in METHODS:
            title = f"{experiment.name} by {method}"
            options = Options(method=method)
            try:
                run = simulate(plan, None, options, blank=blank)
            except NotRunError as reason:
                yield f"{title}: {reason}"
                continue
            yield from (f"{title}: {one}" for one in run.references if not one.met)
            if run.energy.balance is None or run.energy.balance > BALANCED:
                off = run.energy.why or f"off by {run.energy.balance:.1e}"
                yield f"{title}: the energy is not balanced: {off}"
