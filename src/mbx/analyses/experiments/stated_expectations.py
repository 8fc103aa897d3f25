"""What the experiments of a model state: their expectations, in words and with their lines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.analyses.experiments.expectation import Reference
from mbx.analyses.experiments.provenance import kind_of
from mbx.language.document.experiments import ExpectEnergy, ExpectValue
from mbx.language.text.expression_text import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mbx.language.document.experiments import Experiment
    from mbx.linking.link import Linked

__all__ = ["Expected", "blank_of", "expectations", "located", "stated", "texts_of"]

Expected = ExpectValue | ExpectEnergy


def stated(linked: Linked) -> Iterator[tuple[Experiment, list[Expected]]]:
    """Yield the experiments of a model that expect something, with what they expect."""
    for experiment in linked.document.experiments:
        tasks = expectations(experiment)
        if tasks:
            yield experiment, tasks


def expectations(experiment: Experiment) -> list[Expected]:
    """Return what an experiment expects, in order."""
    return [task for task in experiment.body if isinstance(task, Expected)]


def texts_of(task: Expected) -> tuple[str, str]:
    """Return what is expected, and where, as the model states it."""
    if isinstance(task, ExpectEnergy):
        return "energy", "conserved"
    if task.state is not None:
        return show(task.quantity), f"at state {show(task.state)}"
    where = "at the start" if task.time is None else f"at {show(task.time)}"
    return show(task.quantity), where


def located(references: Iterable[Reference], linked: Linked) -> tuple[Reference, ...]:
    """Return references with the lines that they have in a model.

    They may come from another process, which has the model without its text.
    """
    known = list(references)
    lines = [blank_of(e, task).line for e, tasks in stated(linked) for task in tasks]
    return tuple(
        replace(reference, line=line) for reference, line in zip(known, lines, strict=bool(known))
    )


def blank_of(experiment: Experiment, task: Expected) -> Reference:
    """Return what an expectation states about itself, before it is run."""
    quantity, at = texts_of(task)
    source = (task.source if isinstance(task, ExpectValue) else None) or ""
    line = "" if task.at is None else f"{task.at.source.name}:{task.at.position[0]}"
    return Reference(
        experiment=experiment.name,
        quantity=quantity,
        at=at,
        kind=kind_of(source),
        source=source,
        line=line,
    )
