"""What forms give at a consistent state of a model that has a feature."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from formalisms.cases import completed, system_of
from formalisms.feature_models import MODELS
from mbx.formalism import registry

if TYPE_CHECKING:
    from mbx.numerics.execute.evaluate_equations import Evaluation
    from mbx.system.system import System

__all__ = ["by_path", "found", "state_of", "system_with"]


def system_with(feature: str) -> System:
    """Return the system that has a feature."""
    return system_of(f"mbx 1 model M {{ {MODELS[feature].text} }}")


@cache
def state_of(feature: str, factor: float = 1.0) -> dict[str, float]:
    """Return the consistent state of a model; or another one, what is said times a factor."""
    model = MODELS[feature]
    said = {path: factor * value for path, value in model.said.items()}
    return completed(system_with(feature), said, t=model.t) | dict(model.higher)


@cache
def found(feature: str, form: str) -> Evaluation:
    """Return what a form gives at the consistent state of a model."""
    equations = registry.derive(system_with(feature), form)
    return equations.evaluate(state_of(feature), t=MODELS[feature].t)


def by_path(one: Evaluation) -> dict[str, float]:
    """Return the highest rates that were found, by their paths."""
    paths = [quantity.path for quantity in one.equations.signature.highest]
    return dict(zip(paths, map(float, one.ud), strict=True))
