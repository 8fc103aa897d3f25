"""`verify` and `simulate` make the same run of library cases: the same numbers to the last bit."""

from __future__ import annotations

import pytest

import mbx

CASES = (
    "car_axis",
    "chaplygin_sleigh",
    "dc_motor",
    "double_pendulum",
    "four_bar",
    "kapitza_pendulum",
    "simple_pendulum",
    "sliding_rod",
)
AT_START = {"at the start", "at 0 s"}


@pytest.mark.sample(3)
@pytest.mark.parametrize("case", CASES)
def test_verify_and_simulate_give_the_same_numbers(case: str) -> None:
    linked = mbx.link(mbx.read(f"lib:{case}"))
    verified = mbx.verify(linked, forms=["kane", "newton_euler"], states=1, oracle=0).references
    compared = 0
    for experiment in linked.document.experiments:
        kinds = {task.kind for task in experiment.body}
        if "simulate" not in kinds or "prescribe" in kinds:
            continue
        run = mbx.simulate(linked, experiment.name)
        known = {(one.quantity, one.at): one for one in run.references}
        for one in verified:
            # at the start, every form is asked
            if one.experiment == experiment.name and one.at not in AT_START:
                other = known[one.quantity, one.at]
                if "state" not in one.at:
                    assert (one.found, one.met, one.by) == (other.found, other.met, other.by)
                    compared += one.found is not None
    assert compared
