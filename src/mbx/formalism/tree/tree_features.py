"""The features that the tree of links supports, and so every form on it."""

from __future__ import annotations

from typing import Final

from mbx.system.find_features import Feature

__all__ = ["ON_TREES"]

ON_TREES: Final = frozenset(
    {
        Feature.HOLONOMIC,
        Feature.NONHOLONOMIC,
        Feature.NONLINEAR_VELOCITY_INVARIANT,
        Feature.ORDER_2_INVARIANT,
        Feature.DECLARED_SPEEDS,
        Feature.SPEED_WITHOUT_RATE,
        Feature.TWIST_NOT_INTEGRABLE,
        Feature.NO_OWN_SPEED,
        Feature.LEFT_OVER_DEFINITIONS,
        Feature.QUATERNION_WITH_SPEEDS,
        Feature.EFFECTIVE_ROWS,
        Feature.EFFECTIVE_WITHOUT_RATE,
        Feature.REACTION_IN_LOAD,
        Feature.GENERALIZED_LOAD,
        Feature.NON_IDEAL,
    }
)
"""Loops, ties and speeds beside the tree are closed around it; a form may refuse more by itself."""
