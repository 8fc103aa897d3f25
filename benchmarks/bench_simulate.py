"""Simulation against SciPy's `solve_ivp` on equations written by hand, in the same run.

Ours is `mbx.simulate` by `projection` with its own tolerance. SciPy runs DOP853 with tolerances
from 1e-9 down, and the one counts that takes the least time of those whose error is not larger
than ours. Errors are the largest of all results against SciPy at its least tolerance. Times are CPU
times of the integration with all its results; compilation, and the table of energies and momenta,
stand apart. All methods on benchmarks of the literature follow (`simulate_methods.py`), each for at
most the CPU time of `--seconds`. All figures go to simulate.md; a missed bound ends with status 1.
`--methods` runs the second part alone, and replaces its section; `--quick` runs the first part
alone, and keeps nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: matrices are small here

import numpy as np
from scipy.integrate import solve_ivp
from simulate_methods import HEADING, SECONDS, section
from simulate_scipy import PEERS

import mbx
from mbx.analyses.perform_requests import perform_simulation
from mbx.analyses.request import Request
from mbx.analyses.simulate.runs import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from mbx.analyses.simulate.runs import Run

RESULTS: Final = Path(__file__).with_name("simulate.md")
TOLERANCES: Final = (1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 5e-14)
EXACT: Final = 2.3e-14
"""SciPy takes no less."""
RUNS: Final = 5
BOUND: Final = 1.0
"""Our time by SciPy's, at most."""


@dataclass(frozen=True, slots=True)
class Case:
    """A run, the variables of the peer in it, and whether it has a bound."""

    model: str
    asked: Request
    until: float
    variables: Callable[[Run], list[Any]]
    bounded: bool = True


def pendulum(run: Run) -> list[Any]:
    """Return the variables of the double pendulum."""
    return [run["phi1"], run["phi2"], run["phi1'"], run["phi2'"]]


def bars(run: Run) -> list[Any]:
    """Return the variables of the four-bar with multipliers: angles to the ground."""
    angles = [run["th1"], run["th1"] + run["th2"], run["th3"]]
    return [*angles, run["th1'"], run["th1'"] + run["th2'"], run["th3'"]]


SWING: Final = Request(experiment="swing")
CASES: Final = {
    "double_pendulum": Case("double_pendulum", Request(), 10.0, pendulum),
    "four_bar": Case("four_bar", SWING, 2.0, bars),
    "four_bar, one freedom": Case("four_bar", SWING, 2.0, lambda run: bars(run)[:4], bounded=False),
}


def spent(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return the least CPU time of some runs, and what the last gave."""
    found, least = None, np.inf
    for _ in range(RUNS):
        begin = time.process_time()
        found = run()
        least = min(least, time.process_time() - begin)
    return least, found


def measured(name: str, case: Case) -> tuple[str, float]:
    """Return a row of the table, and the ratio of times."""
    document = mbx.read(f"lib:{case.model}")
    options = Options(until=case.until)
    runs = [perform_simulation(document, case.asked, options) for _ in range(RUNS)]
    run = runs[-1]
    ours = min(one.seconds for one in runs)
    states = np.array(case.variables(run)).T

    def by_hand(tolerance: float) -> NDArray[np.float64]:
        found = solve_ivp(
            PEERS[name],
            (0.0, case.until),
            states[0],
            method="DOP853",
            rtol=tolerance,
            atol=tolerance / 100,
            t_eval=run.t,
        )
        return np.asarray(found.y.T)

    exact = by_hand(EXACT)
    error = float(np.abs(states - exact).max())
    tried = []
    for tolerance in TOLERANCES:
        seconds, found = spent(lambda tolerance=tolerance: by_hand(tolerance))
        tried.append((float(np.abs(found - exact).max()), seconds, tolerance))
    good = [one for one in tried if one[0] <= error] or [min(tried)]
    theirs, seconds, tolerance = min(good, key=lambda one: one[1])
    ratio = ours / seconds
    bound = f"at most {BOUND:g}" if case.bounded else ""
    cells = (
        name,
        f"{1e3 * ours:.1f}",
        f"{error:.0e}",
        f"{1e3 * seconds:.1f}",
        f"{theirs:.0e}",
        f"{tolerance:g}",
        f"{ratio:.2f}",
        bound,
        f"{1e3 * min(one.compiling for one in runs):.0f}",
        f"{1e3 * runs[0].compiling:.0f}",
    )
    return f"| {' | '.join(cells)} |", ratio if case.bounded else 0.0


def table(rows: list[str]) -> Iterator[str]:
    """Yield the page."""
    yield "# Simulation against SciPy on equations written by hand"
    yield ""
    load = os.getloadavg()[0]
    yield (
        f"CPython {platform.python_version()}, {os.cpu_count()} CPUs, load {load:.1f} at the end;"
        " CPU time."
    )
    yield ""
    yield (
        "| run | ours, ms | error | SciPy, ms | error | its tolerance | ours by SciPy | bound |"
        " compiling, kept code, ms | compiling first, ms |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    yield from rows


def main() -> int:
    """Run all cases; return the status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="SciPy alone, and keep no results")
    parser.add_argument("--methods", action="store_true", help="all methods alone")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="CPU time of a run")
    asked = parser.parse_args()
    if asked.methods:
        lines, ratio = [RESULTS.read_text(encoding="utf-8").partition(HEADING)[0].rstrip()], 0.0
    else:
        found = [measured(name, case) for name, case in CASES.items()]
        lines, ratio = [*table([row for row, _ in found])], max(one for _, one in found)
        sys.stdout.write("\n".join([*lines, ""]))
    if not asked.quick:
        lines.append("")
        for line in section(asked.seconds):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
            lines.append(line)
        RESULTS.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return int(ratio > BOUND)


if __name__ == "__main__":
    sys.exit(main())
