"""What experiments of the library expect at the start or at a named state, in every form.

Trajectories and inverse dynamics are run by `mbx verify` (tests/library).
"""

from __future__ import annotations

from operator import itemgetter

import pytest

from formalisms.cases import forms, linked, system
from mbx.analyses.experiments.run_references import references
from mbx.analyses.experiments.stated_expectations import stated
from mbx.language.document.experiments import ExpectEnergy, ExpectValue, Prescribe
from mbx.language.text.expression_text import show
from mbx.linking.link import Linked
from representative import FOLDERS, marked, names_in

PAIRS = [
    (folder.name, model)
    for folder in FOLDERS.values()
    for model in names_in(folder, r"^experiment \w+ of (\w+)")
]


def _at_states(one: Linked) -> Linked:
    """Return a model with nothing but the expectations that need no run."""
    experiments = [
        e.model_copy(update={"body": tuple(task for task in e.body if not _runs(task))})
        for e in one.document.experiments
        if not any(isinstance(task, Prescribe) for task in e.body)
    ]
    return Linked(one.document.model_copy(update={"items": (one.model, *experiments)}))


def _runs(task: object) -> bool:
    """Return whether a task needs a simulation."""
    if isinstance(task, ExpectValue):
        return task.time is not None and not show(task.time).startswith("0 ")
    return isinstance(task, ExpectEnergy)


def test_there_are_many_expectations() -> None:
    models = [_at_states(linked(case, model)) for case, model in PAIRS]
    assert sum(len(tasks) for one in models for _, tasks in stated(one)) > 100


@pytest.mark.sample(2)
@pytest.mark.parametrize("names", marked(PAIRS, itemgetter(0)))
def test_every_form_gives_what_an_experiment_expects(names: tuple[str, str]) -> None:
    one = system(*names)
    found = references(_at_states(linked(*names)), forms(one), system=one)
    assert [str(reference) for reference in found if not reference.met] == []
