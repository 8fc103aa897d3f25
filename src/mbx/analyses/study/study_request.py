"""The request of a study, by people and by experiments, as a setting and a design."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.read_experiments import Reader
from mbx.analyses.request import UnknownNameError, experiment_named, experiments_of
from mbx.analyses.study.chance import chance_of
from mbx.analyses.study.design import Design
from mbx.analyses.study.parameter_study import analysis_for
from mbx.analyses.study.study_errors import StudyError
from mbx.analyses.study.sweep_values import MOST, spread_of
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.study.design import Sampling
    from mbx.analyses.study.setting import Setting
    from mbx.linking.link import Linked

__all__ = ["completed_setting", "design_of"]

STEPS: Final = 11
"""Values that an experiment varies something over, where it does not state how many."""


def completed_setting(linked: Linked, setting: Setting) -> Setting:
    """Return a setting with its analysis, which may follow from the experiment."""
    experiment = setting.request.experiment
    try:
        if experiment:
            experiment_named(linked, experiment)
    except UnknownNameError as bad:
        raise StudyError(str(bad)) from None
    return replace(setting, analysis=setting.analysis or analysis_for(linked, experiment))


def design_of(
    linked: Linked,
    setting: Setting,
    vary: Mapping[str, str | Sequence[float]] | None,
    random: Mapping[str, str] | None,
    sampling: Sampling,
    slopes: Sequence[str] = (),
) -> Design:
    """Return what is varied; where nothing is requested, what the experiment varies."""
    swept = {name: _values(name, request) for name, request in (vary or {}).items()}
    chances = {name: chance_of(text) for name, text in (random or {}).items()}
    if not swept and not chances:
        swept = _varied(linked, setting.request.experiment)
    if not swept and not chances and not slopes:
        raise StudyError("nothing is varied: say what, and over which values")
    return Design(swept, chances, sampling)


def _values(name: str, request: str | Sequence[float]) -> tuple[float, ...]:
    if isinstance(request, str):
        return spread_of(request)
    values = tuple(map(float, request))
    if len(values) > MOST or not all(map(isfinite, values)):
        raise StudyError(f"the values of '{name}' are finite numbers, {MOST} at most")
    return values


def _varied(linked: Linked, experiment: str) -> dict[str, tuple[float, ...]]:
    chosen = experiments_of(linked).get(experiment)
    if chosen is None:
        return {}
    reader = Reader.of(linked, elaborate(linked))
    return {
        variation.path: tuple(
            np.linspace(variation.lower, variation.upper, variation.steps or STEPS).tolist()
        )
        for variation in reader.variations(chosen)
    }
