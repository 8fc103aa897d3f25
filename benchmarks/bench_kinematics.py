"""How much faster a mechanism is solved group by group than all at once, beside the paper.

The two cases of M. Saura, P. Segado, D. Dopico at their sizes: a planar four-bar with k dyads and
a spatial slider-crank with k rods, at 34.9 rad/s in steps of 5 ms. Both sides have compiled
constraints and Jacobians, the same start, the same loop (near = the position before) and the same
tolerance of Newton's last step. `TD` is all groups as one function in machine code; `TD, Python`
the same groups, each with LAPACK, in a loop of Python; `sparse` all constraints at once by SuperLU.
The interpreter's share is what of the sparse solution's time is spent neither in compiled
constraints nor in SuperLU. Figures go to kinematics.md; `--quick` takes small sizes and keeps
nothing. It ends with status 1 where the machine code of groups gains less than the paper's least.
"""

from __future__ import annotations

import argparse
import platform
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx import api
from mbx.assembly.complete import likely
from mbx.compiled.scalars import Scalars
from mbx.expr import add, mul, number
from mbx.groups import sparse
from mbx.groups.machine import compiled
from mbx.groups.mechanism import mechanism_of
from mbx.groups.motion import solution_of
from mbx.system.names import TIME

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT: Final = Path(__file__).parents[1]
RATE: Final = 34.9
STEP: Final = 0.005
SIZES: Final = {
    "four_bar_scalable": (10, 20, 30, 40, 50, 60, 70, 80, 90, 100),
    "slider_crank_scalable_3d": (1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100),
}
PAPER: Final = {
    # tables 3 and 4: GLOB_SP over MOD_TD by n_eq, the latter at 34.9 rad/s
    "four_bar_scalable": {
        22: 61.0, 42: 37.2, 62: 28.8, 82: 26.3, 102: 28.9, 122: 28.4, 142: 29.4, 162: 27.0,
        182: 28.1, 202: 27.5,
    },
    "slider_crank_scalable_3d": {
        14: 2.706, 86: 2.856, 166: 3.207, 246: 3.2, 326: 3.364, 406: 3.287, 486: 3.52,
        566: 3.548, 646: 3.691, 726: 3.672, 806: 3.706,
    },
}  # fmt: skip
LEAST: Final = {"four_bar_scalable": 26.3, "slider_crank_scalable_3d": 2.25}


def _model(name: str, k: int) -> str:
    text = (ROOT / "library" / name / "model.mb").read_text()
    text = re.sub(r"param k: integer = \d+", f"param k: integer = {k}", text)
    return text[: text.index("experiment ")]


class _Inside:
    """Seconds that are spent in compiled constraints and in SuperLU."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose time is counted."""

        def counted(*given: Any, **named: Any) -> Any:
            began = time.perf_counter()
            found = call(*given, **named)
            self.seconds += time.perf_counter() - began
            return found

        return counted


def _loop(engine: Any, x: Any, steps: int) -> tuple[float, Any]:
    """Return the least CPU seconds of a step over three runs, and the last instant."""
    best, found = np.inf, None
    for _ in range(3):
        near = x
        began = time.process_time()
        for k in range(steps):
            found = engine.at(STEP * k, near)
            near = found.x
        best = min(best, (time.process_time() - began) / steps)
    return best, found


def _share(engine: Any, x: Any, steps: int) -> float:
    """Return the part of a sparse solution that is the interpreter's."""
    inside = _Inside()
    flat, factors = Scalars.flat, sparse.splu

    def splu(*given: Any, **named: Any) -> Any:
        made = inside.timed(factors)(*given, **named)
        return type("Factors", (), {"solve": staticmethod(inside.timed(made.solve))})

    Scalars.flat, sparse.splu = inside.timed(flat), splu  # type: ignore[method-assign, assignment]
    try:
        began = time.perf_counter()
        near = x
        for k in range(steps):
            near = engine.at(STEP * k, near).x
        whole = time.perf_counter() - began
    finally:
        Scalars.flat, sparse.splu = flat, factors  # type: ignore[method-assign]
    return 1 - inside.seconds / whole


def _case(name: str, k: int) -> list[str]:
    linked = api.link(api.loads(_model(name, k)))
    system = api.system(linked)
    state = {v.path: likely(v) for v in system.q}
    drive = add(number(state["th"]), mul(number(RATE), TIME))
    one = mechanism_of(linked, system, {"th": drive}, {})
    groups = solution_of(one, "td", readouts=False)
    machine = compiled(groups)
    x = groups.start(state, 0.0)
    whole = solution_of(one, "global-sparse", readouts=False)
    y = whole.start(state, 0.0)
    whole.at(0.0, y)
    fast, _ = _loop(machine, x, 400)
    slow, b = _loop(whole, y, 20)
    plain, _ = _loop(groups, x, 10)
    near = x
    for j in range(20):
        found = machine.at(STEP * j, near)
        near = found.x
    same = [groups.place[s] for s in whole.symbols]
    off = float(np.abs(found.xdd[same] - b.xdd).max() / np.abs(b.xdd).max())
    if off > 1e-10:  # noqa: PLR2004
        raise SystemExit(f"{name} with k = {k}: the sides differ by {off:.1e}")
    size = sum(len(g.phi) for g in groups.groups)
    ratio = slow / fast
    paper = PAPER[name].get(size)
    share = _share(whole, y, 20)
    return [
        str(size), f"{fast * 1e6:.3g}", f"{plain * 1e6:.3g}", f"{slow * 1e6:.4g}",
        f"{ratio:.3g}", "" if paper is None else f"{paper:g}", f"{slow / plain:.2g}",
        f"{100 * share:.0f} %", f"{slow * (1 - share) / fast:.3g}",
    ]  # fmt: skip


HEAD: Final = [
    "n_eq", "TD (us)", "TD, Python (us)", "sparse (us)", "sparse/TD", "paper",
    "sparse/TD, both in Python", "interpreter in sparse", "sparse without it/TD",
]  # fmt: skip
END: Final = f"""CPU time of one position with velocity and acceleration, least of three runs.
Python {platform.python_version()}, {platform.machine()}.
"""


def main() -> int:
    """Print and keep the figures; return whether a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--most", type=int, default=100)
    quick = parser.parse_args()
    lines = ["# Kinematics: groups against all constraints at once", ""]
    missed = False
    for name, sizes in SIZES.items():
        lines += [f"## {name}", "", f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD)]
        for k in [k for k in sizes if k <= (10 if quick.quick else quick.most)]:
            row = _case(name, k)
            missed |= float(row[4]) < LEAST[name]
            lines.append(f"| {' | '.join(row)} |")
            print(lines[-1], flush=True)
            if not quick.quick:  # the largest sizes take minutes to compile
                (ROOT / "benchmarks" / "kinematics.md").write_text("\n".join([*lines, "", END]))
        lines.append("")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
