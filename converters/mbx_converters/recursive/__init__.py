"""Recursive forms in minimal coordinates: sweeps link by link on regrouped masses."""

CONVERTERS = (
    "articulated_body",
    "composite_body",
    "recursive_newton_euler",
)
