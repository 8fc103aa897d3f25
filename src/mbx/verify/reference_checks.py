"""What the experiments of a model expect, beside what its forms say of each other."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.analyses.guard import Fault, attempt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.guard import Clock
    from mbx.formalism.equations import Equations
    from mbx.linking.linked import Linked
    from mbx.system.system import System
    from mbx.verify.verification import Verification

__all__ = ["with_references"]


def with_references(
    found: Verification,
    linked: Linked,
    system: System,
    forms: Mapping[str, Equations],
    clock: Clock,
    *,
    named: bool = False,
) -> Verification:
    """Return a verification with the references of the model, as far as the time allows.

    Of forms that were `named` by somebody, nothing is asked that none of them gives. A run that
    ends before its time is a doubt, whether something is expected of it or not.
    """
    from mbx.analyses.experiments.judge_expectations import NOT_GIVEN  # noqa: PLC0415  only where there are experiments
    from mbx.analyses.experiments.run_references import outcome_of  # noqa: PLC0415  likewise

    left = clock.end - time.process_time()
    run = attempt(lambda: outcome_of(linked, forms, system=system, total=left), left)
    if isinstance(run, Fault):
        return replace(found, doubts=(*found.doubts, f"experiments: {run.reason}"))
    asked = tuple(one for one in run.references if not (named and one.reason == NOT_GIVEN))
    told = {one.reason for one in asked}
    doubts = [f"experiment '{name}': {why}" for name, why in run.ended.items() if why not in told]
    return replace(found, references=asked, doubts=(*found.doubts, *doubts))
