"""Features of a system that a form of equations may not support."""

from __future__ import annotations

from enum import Enum

__all__ = ["Feature"]


class Feature(Enum):
    """A property of a system; the value is its name in messages."""

    HOLONOMIC = "an invariant of order 0"
    NONHOLONOMIC = "an invariant of order 1"
    NONLINEAR_VELOCITY_INVARIANT = "an invariant that is nonlinear in the velocities"
    ORDER_2_INVARIANT = "an invariant of order 2"
    ORDER_3_INVARIANT = "an invariant of order 3 or more"
    DECLARED_SPEEDS = "a declared speed"
    SPEED_WITHOUT_RATE = "a speed without a rate"
    TWIST_NOT_INTEGRABLE = "a twist that is not known to be the rate of a placement"
    NO_OWN_SPEED = "a coordinate without a speed of its own"
    LEFT_OVER_DEFINITIONS = "a definition beyond those that give the rates"
    QUATERNION_WITH_SPEEDS = "a quaternion with speeds"
    EFFECTIVE_ROWS = "an effective row"
    EFFECTIVE_WITHOUT_RATE = "an effective row on a variable without a rate"
    REACTION_IN_LOAD = "a load that names a reaction"
    GENERALIZED_LOAD = "a generalized load that is no wrench and on no joint coordinate"
    NON_IDEAL = "a non-ideal constraint"
    HIGHER_VARIABLE = "a declared variable of order 2 or more"
    NO_INERTIA = "no inertia at all"
