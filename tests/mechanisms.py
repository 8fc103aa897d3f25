"""Mechanisms of the library with what drives them, for tests of structural groups."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import mbx
from mbx.analyses.kinematics.natural.mechanism import mechanism_of
from mbx.expr import add, mul, number
from mbx.numerics.states.complete import likely
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.kinematics.natural.mechanism import Mechanism
    from mbx.expr import Node
    from mbx.linking.link import Linked
    from mbx.system.system import System

__all__ = ["MECHANISMS", "evenly", "library", "mechanism", "scaled", "start_of", "written"]

ROOT = Path(__file__).parents[1]

MECHANISMS: dict[str, list[str]] = {
    "four_bar": ["th1"],
    "four_bar_scalable": ["th"],
    "slider_crank": ["th"],
    "slider_crank_scalable_3d": ["th"],
    "quick_return": ["th"],
    "whitworth": ["q"],
    "scotch_yoke": ["th"],
    "peaucellier_linkage": ["th"],
    "andrews_squeezer": ["beta"],
    "five_bar_joints": ["mech.thL", "mech.thR"],
    "scissor_lift": ["a[1]"],
    "oldham_coupling": ["a"],
    "rrr_platform": ["theta[1]", "theta[2]", "theta[3]"],
    "rssr_linkage": ["th"],
    "stewart_platform": [f"s[{i}]" for i in range(1, 7)],
    "cardan_shaft": ["a"],
    "delta_robot": ["th[1]", "th[2]", "th[3]"],
    "flyball_governor": ["psi", "s"],
    "knuckle": ["N.psi"],
    "rssp_loop": ["P.th", "P.z1"],
    "rrpr_chain": ["x1"],
    "watt_six_bar": ["th"],
    "furuta_pendulum": ["psi", "theta"],
}
"""Drives that leave no freedom, one for each of the mobility."""


@cache
def library(name: str) -> tuple[Linked, System]:
    """Return a case of the library, linked and resolved."""
    linked = mbx.link(mbx.read(f"lib:{name}"))
    return linked, mbx.elaborate(linked)


def scaled(name: str, k: int) -> str:
    """Return a scalable case of the library with k modules, without its experiments."""
    text = (ROOT / "library" / name / "model.mb").read_text(encoding="utf-8")
    found, changed = re.subn(r"param k: integer = \d+", f"param k: integer = {k}", text)
    if changed != 1:
        raise ValueError(f"{name} has no count of modules")
    return found[: found.index("experiment ")]


def written(text: str) -> tuple[Linked, System]:
    """Return a model that is written in a test."""
    linked = mbx.link(mbx.loads(text))
    return linked, mbx.elaborate(linked)


def start_of(system: System) -> dict[str, float]:
    """Return where the coordinates of a model start."""
    return {v.path: likely(v) for v in system.q}


def evenly(
    system: System, paths: Sequence[str], rate: float = 1.0, more: float = 0.0
) -> dict[str, Node]:
    """Return drives from the start on, at a rate that grows by 2 `more`."""
    state = start_of(system)
    return {
        path: add(number(state[path]), mul(number(rate), TIME), mul(number(more), TIME, TIME))
        for path in paths
    }


def mechanism(
    name: str, drives: Mapping[str, Node] | Sequence[str], given: Mapping[str, float] | None = None
) -> Mechanism:
    """Return a mechanism of the library, driven evenly by default."""
    linked, system = library(name)
    moved = drives if isinstance(drives, dict) else evenly(system, list(drives))
    return mechanism_of(linked, system, moved, given or {})
