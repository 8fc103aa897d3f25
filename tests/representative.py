"""A part of the library that has everything a model can say, for tests that take long."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest

from mbx.linking.library import cases

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from pathlib import Path

__all__ = ["FOLDERS", "REPRESENTATIVE", "marked", "names_in"]

FOLDERS: Final = {path.name: path for path in cases()}
"""Every case of the library, by name."""

REPRESENTATIVE: Final = frozenset(
    {
        "bennett_linkage",  # redundant rows
        "cam_follower",  # a general joint, a function
        "chaplygin_sleigh",  # declared speeds, nonholonomic
        "decaying_acceleration",  # variables of orders 2 and 3
        "five_bar_motors",  # subsystems of parts, effective rows
        "five_node_tree",  # branches, rheonomic joint
        "four_bar",  # a loop joint
        "free_body_quaternion",  # speeds without a rate
        "nonlinear_nonholonomic",  # nonlinear in the rates
        "programme_order_3",  # order 3
        "quick_return",  # two models in one file
        "rails_coupled_accelerations",  # variables of order 2 in subsystems
        "ring_twist",  # known by its twist alone
        "rolling_disc",  # rolling in space
        "simple_pendulum",  # one body
        "slider_crank_3d_friction",  # a load that names a reaction
        "spherical_pendulum_quasivelocity",  # a speed that is nonlinear in the rates
    }
)
"""What is tested every time; the rest is slow."""


def marked(
    names: Iterable[Any] = FOLDERS,
    case: Callable[[Any], str] = str,
    quick: Collection[str] = REPRESENTATIVE,
) -> list[Any]:
    """Return what tests are made of, slow unless its case is quick: one of those above."""
    return [
        pytest.param(one, marks=() if case(one) in quick else pytest.mark.slow) for one in names
    ]


def names_in(folder: Path, pattern: str) -> list[str]:
    """Return what a pattern finds in the lines of a model, each once.

    Tests are collected in every process that runs some, where parsing all models takes seconds.
    """
    text = (folder / "model.mb").read_text("utf-8")
    return list(dict.fromkeys(re.findall(pattern, text, re.MULTILINE)))
