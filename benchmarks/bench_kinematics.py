"""How much faster a mechanism is solved group by group than all at once, beside the paper.

The two cases of M. Saura, P. Segado, D. Dopico at their sizes: a planar four-bar with k dyads and
a spatial slider-crank with k rods, in steps of 5 ms; geometry as in `library/`. All sides have
compiled constraints and Jacobians, the same start, the same loop (each position starts from the
one before) and the same tolerance of Newton's last step, so that the decomposition and the linear
algebra are what differs:

    TD, 3OT      groups written out in machine code, loop included
    whole        all constraints at once, written out in machine code in the same way
    TD, LAPACK   groups in a loop of Python, each by LAPACK
    sparse       all constraints at once in a loop of Python, by SuperLU
    dense        the same by LAPACK

The interpreter's share is the part of the sparse solution's time that is spent neither in compiled
constraints nor in SuperLU. Slower cranks are shorter steps of the same turn: what is solved, and
what it costs, depends on the angle between positions alone. Figures go to kinematics.md; `--quick`
takes small sizes and keeps nothing. It ends with status 1 where groups gain less than the paper's
least at some size, the interpreter left out.
"""

from __future__ import annotations

import argparse
import platform
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import mbx
from mbx.analyses.kinematics import sparse
from mbx.analyses.kinematics.groups.group_machine import Machine
from mbx.analyses.kinematics.natural.mechanism import mechanism_of
from mbx.analyses.kinematics.solve_motion import solution_of
from mbx.codegen.native.scalar_function import Scalars
from mbx.expr import add, mul, number
from mbx.numerics.states.complete import likely
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.analyses.kinematics.solve_motion import Solution

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "benchmarks" / "kinematics.md"
RATE: Final = 34.9
STEP: Final = 0.005
SLOWER: Final = {"34.9e-5": 1e-5, "34.9e-2": 1e-2, "34.9": 1.0}
RUNS: Final = 3
PLANAR, SPATIAL = "four_bar_scalable", "slider_crank_scalable_3d"
SIZES: Final = {
    PLANAR: (10, 20, 30, 40, 50, 60, 70, 80, 90, 100),
    SPATIAL: (1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100),
}
TABLE_3: Final = {
    # n_eq: GLOB_SP/MOD_TD, GLOB_SP/MOD_3OT
    22: (61.0, 27.9), 42: (37.2, 16.3), 62: (28.8, 12.2), 82: (26.3, 11.6), 102: (28.9, 12.9),
    122: (28.4, 12.3), 142: (29.4, 12.7), 162: (27.0, 12.1), 182: (28.1, 12.4), 202: (27.5, 12.1),
}  # fmt: skip
TABLE_4: Final = {
    # n_eq: GLOB_SP/MOD_TD at three speeds, GLOB_SP/MOD_3OT at the last
    14: (2.248, 2.326, 2.706, 0.280), 86: (2.593, 2.390, 2.856, 0.274),
    166: (2.456, 2.623, 3.207, 0.298), 246: (2.715, 2.579, 3.200, 0.277),
    326: (2.821, 2.636, 3.364, 0.296), 406: (2.782, 2.686, 3.287, 0.298),
    486: (2.918, 2.830, 3.520, 0.302), 566: (3.070, 2.953, 3.548, 0.319),
    646: (3.146, 2.935, 3.691, 0.339), 726: (3.082, 3.022, 3.672, 0.326),
    806: (3.180, 3.166, 3.706, 0.339),
}  # fmt: skip
LEAST: Final = {PLANAR: 26.3, SPATIAL: 2.25}
WRITTEN: Final = 90
"""Unknowns up to which all constraints at once are written out: a compiler is slow beyond."""
SAME: Final = 1e-10


def _model(name: str, k: int) -> str:
    text = (ROOT / "library" / name / "model.mb").read_text()
    text = re.sub(r"param k: integer = \d+", f"param k: integer = {k}", text)
    return text[: text.index("experiment ")]


class _Inside:
    """Seconds that are spent in some functions."""

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


@dataclass(frozen=True, slots=True)
class _Timed:
    """Seconds of one position with its rates, and the accelerations after so many steps."""

    seconds: float
    xdd: Any


def _machine(machine: Machine, x: Any, step: float, steps: int, seen: int) -> _Timed:
    """Time a loop that is in machine code itself."""
    times, best = step * np.arange(steps), np.inf
    machine.run(times[:2], x)
    found: Any = None
    for _ in range(RUNS):
        began = time.process_time()
        found = machine.run(times, x)
        best = min(best, (time.process_time() - began) / steps)
    if len(found[0]) < steps:
        raise SystemExit("a group was not solved in machine code")
    return _Timed(best, found[2][seen - 1].copy())


def _python(solution: Solution, x: Any, step: float, steps: int) -> _Timed:
    """Time a loop of Python."""
    best, found = np.inf, solution.at(0.0, x)
    for _ in range(RUNS):
        near = x
        began = time.process_time()
        for k in range(steps):
            found = solution.at(step * k, near)
            near = found.x
        best = min(best, (time.process_time() - began) / steps)
    return _Timed(best, found.xdd)


def _share(solution: Solution, x: Any, steps: int) -> float:
    """Return the part of a sparse solution that is the interpreter's, the least of some runs."""
    flat, factors = Scalars.flat, sparse.splu
    least = 1.0
    for _ in range(RUNS):
        inside = _Inside()

        def splu(*given: Any, inside: _Inside = inside, **named: Any) -> Any:
            made = inside.timed(factors)(*given, **named)
            return type("Factors", (), {"solve": staticmethod(inside.timed(made.solve))})

        Scalars.flat, sparse.splu = inside.timed(flat), splu  # type: ignore[method-assign, assignment]
        try:
            began = time.perf_counter()
            near = x
            for k in range(steps):
                near = solution.at(STEP * k, near).x
            whole = time.perf_counter() - began
        finally:
            Scalars.flat, sparse.splu = flat, factors  # type: ignore[method-assign]
        least = min(least, 1 - inside.seconds / whole)
    return least


def _stages(solution: Solution, x: Any, steps: int) -> tuple[float, float]:
    """Return the parts of a solution's time that positions and rates take."""
    position, rates = _Inside(), _Inside()
    for solver in solution.solvers:
        solver.position = position.timed(solver.position)  # type: ignore[method-assign]
        solver.by_time = rates.timed(solver.by_time)  # type: ignore[method-assign]
    near = x
    began = time.perf_counter()
    for k in range(steps):
        near = solution.at(STEP * k, near).x
    whole = time.perf_counter() - began
    for solver in solution.solvers:
        del solver.position, solver.by_time
    return position.seconds / whole, rates.seconds / whole


class _Case:
    """One mechanism of some size, by all methods."""

    def __init__(self, name: str, k: int) -> None:
        linked = mbx.link(mbx.loads(_model(name, k)))
        system = mbx.elaborate(linked)
        self.name, self.k = name, k
        self._state = {v.path: likely(v) for v in system.q}
        drive = add(number(self._state["th"]), mul(number(RATE), TIME))
        self._one = mechanism_of(linked, system, {"th": drive}, {})
        self.groups, self.x = self._made("td")
        self.whole, self.y = self._made("global-sparse")
        self.size = sum(len(group.phi) for group in self.groups.groups)

    def _made(self, method: Any) -> tuple[Solution, Any]:
        solution = solution_of(self._one, method, readouts=False)
        return solution, solution.start(self._state, 0.0)

    def times(self, *, quick: bool) -> dict[str, float]:
        """Return seconds of one position by method, and shares; refuse sides that differ."""
        seen = 10 if quick else 20
        td = _machine(Machine(self.groups), self.x, STEP, 2000, seen)
        tensors, x = self._made("3ot")
        by_tensor = _machine(Machine(tensors), x, STEP, 1000, seen)
        whole = _python(self.whole, self.y, STEP, seen)
        lapack = _python(self.groups, self.x, STEP, seen)
        for other, solution in ((td, self.groups), (by_tensor, tensors), (lapack, self.groups)):
            self._require_same(whole, other, solution)
        found = {
            "td": td.seconds,
            "3ot": by_tensor.seconds,
            "lapack": lapack.seconds,
            "sparse": whole.seconds,
            "share": _share(self.whole, self.y, seen),
        }
        found["bare"] = whole.seconds * (1 - found["share"])
        for key, (solution, start) in (
            ("sparse", (self.whole, self.y)),
            ("groups", (self.groups, self.x)),
        ):
            found[f"{key} positions"], found[f"{key} rates"] = _stages(solution, start, seen)
        if self.size <= WRITTEN:
            dense, y = self._made("global")
            found["written"] = _machine(Machine(dense), y, STEP, 500, seen).seconds
        if self.name == PLANAR:
            dense, y = self._made("global")
            found["dense"] = _python(dense, y, STEP, 5).seconds
        return found

    def slower(self, speed: float) -> tuple[float, float]:
        """Return seconds by TD and by sparse matrices for a slower crank."""
        td = _machine(Machine(self.groups), self.x, STEP * speed, 2000, 1)
        return td.seconds, _python(self.whole, self.y, STEP * speed, 20).seconds

    def _require_same(self, whole: _Timed, other: _Timed, solution: Solution) -> None:
        place = [solution.place[s] for s in self.whole.symbols]
        off = float(np.abs(other.xdd[place] - whole.xdd).max() / np.abs(whole.xdd).max())
        if off > SAME:
            raise SystemExit(f"{self.name} with k = {self.k}: the sides differ by {off:.1e}")


def _us(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e6:.3g}"


PLANAR_HEAD: Final = [
    "n_eq", "TD (us)", "3OT (us)", "whole (us)", "TD, LAPACK (us)", "sparse (us)", "dense (us)",
    "interpreter in sparse", "sparse/TD", "without it", "paper", "sparse/3OT, without it",
    "paper", "whole/TD", "sparse/TD, LAPACK",
]  # fmt: skip


def _row(size: int, found: dict[str, float], paper: tuple[float, float]) -> list[str]:
    bare, written = found["bare"], found.get("written")
    return [
        str(size), _us(found["td"]), _us(found["3ot"]), _us(written), _us(found["lapack"]),
        _us(found["sparse"]), _us(found.get("dense")), f"{100 * found['share']:.0f} %",
        f"{found['sparse'] / found['td']:.3g}", f"{bare / found['td']:.3g}", f"{paper[0]:g}",
        f"{bare / found['3ot']:.3g}", f"{paper[1]:g}",
        "" if written is None else f"{written / found['td']:.3g}",
        f"{found['sparse'] / found['lapack']:.2g}",
    ]  # fmt: skip


def _slope(sizes: list[int], seconds: list[float]) -> str:
    """Return the power of n_eq that times grow with, from 62 on."""
    some = [(n, s) for n, s in zip(sizes, seconds, strict=True) if n >= 62]  # noqa: PLR2004  as digest 3.3
    if len(some) < 3:  # noqa: PLR2004
        return "-"
    n, s = np.log(np.array(some)).T
    return f"{np.polyfit(n, s, 1)[0]:.2f}"


class _Page:
    """Lines that are printed as they come, and kept at the end of each table."""

    def __init__(self, *, kept: bool) -> None:
        self.lines = ["# Kinematics: groups against all constraints at once", ""]
        self.kept = kept

    def add(self, *lines: str) -> None:
        self.lines += lines
        for line in lines:
            print(line, flush=True)
        if self.kept:
            PAGE.write_text("\n".join([*self.lines, ""]))

    def table(self, head: list[str]) -> None:
        self.add(f"| {' | '.join(head)} |", "|" + "---|" * len(head))

    def row(self, cells: list[str]) -> None:
        self.add(f"| {' | '.join(cells)} |")


EXPLAINED: Final = """\
CPU time of one position with its velocity and acceleration, the least of three runs.
`sparse/TD` is as a user meets it. `without it` leaves out the interpreter's share of the sparse
side, and stands beside the paper's figure, whose both sides are Fortran.
`whole` has the same linear algebra as TD, written out without pivots: `whole/TD` is what the
decomposition alone gains. The rest of the ratio is what a general sparse solver costs that looks
for its structure at every step, on matrices as small as these.
`sparse/TD, LAPACK` has a loop of Python on both sides: there each group pays the interpreter once
a round, and groups lose."""


def main() -> int:
    """Print and keep the figures; return whether a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    page = _Page(kept=not quick)
    missed = False
    for name, sizes in SIZES.items():
        page.add(f"## {name}, crank at 34.9 rad/s", "")
        page.table(PLANAR_HEAD)
        speeds: list[list[str]] = []
        profile: list[str] = []
        known: list[tuple[int, dict[str, float]]] = []
        for k in [k for k in sizes if k <= (10 if quick else 100)]:
            case = _Case(name, k)
            found = case.times(quick=quick)
            known.append((case.size, found))
            four = TABLE_4.get(case.size, (0.0,) * 4)
            paper = TABLE_3[case.size] if name == PLANAR else (four[2], four[3])
            page.row(_row(case.size, found, paper))
            missed |= found["bare"] / found["td"] < LEAST[name]
            if name == SPATIAL:
                speeds.append([str(case.size)])
                for k_speed, speed in enumerate(SLOWER.values()):
                    td, other = case.slower(speed)
                    bare = other * (1 - found["share"])
                    speeds[-1] += [_us(td), _us(other), f"{bare / td:.3g}", f"{four[k_speed]:g}"]
                    missed |= bare / td < LEAST[name]
            profile = [
                f"{100 * found[f'{key} {what}']:.0f} %"
                for key in ("sparse", "groups")
                for what in ("positions", "rates")
            ]
        n = [size for size, _ in known]
        page.add("", "Growth with n_eq from 62 on, as a power: " + ", ".join(
            f"{key} {_slope(n, [found[key] for _, found in known])}"
            for key in ("td", "3ot", "sparse", "dense")
            if key in known[0][1]
        ) + ".")  # fmt: skip
        page.add(
            f"At the largest size, positions take {profile[0]} of the sparse solution and rates"
            f" {profile[1]}; of groups by LAPACK {profile[2]} and {profile[3]}.",
            "",
        )
        if speeds:
            page.add("Three speeds of the crank, the interpreter left out of the ratios:", "")
            page.table(
                ["n_eq", *(f"{what} {speed}" for speed in SLOWER
                           for what in ("TD (us)", "sparse (us)", "sparse/TD", "paper"))]
            )  # fmt: skip
            for row in speeds:
                page.row(row)
            page.add("")
    page.add(*EXPLAINED.splitlines())
    page.add(f"Python {platform.python_version()}, {platform.machine()}.")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
