"""The methods of `simulate` on benchmarks of the literature: error, CPU time, or why one ends.

Errors are the largest at the last time, in SI units, relative for what is larger than one. Their
references:

andrews_squeezer, car_axis   the expectations of the library, which the Test Set for IVP Solvers and
                             two other programs agree on
bricard_linkage              what closes the loop in closed form, and its threefold symmetry
A05, fast and slow           values that explicit steps of order 8 at a tolerance of 1e-13 and
                             implicit ones of order 13 agree on
A01                          Jacobi's elliptic functions
A02                          the equation of its one freedom by SciPy at its least tolerance
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import mbx
from mbx.analyses.perform_requests import perform_simulation
from mbx.analyses.request import Request
from mbx.analyses.simulate.methods import METHODS
from mbx.analyses.simulate.runs import EndedError, Options
from mbx.base.errors import MbxError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.analyses.simulate.runs import Run

__all__ = ["HEADING", "SECONDS", "section"]

HEADING: Final = "## The methods of `simulate`"
MODELS: Final = Path(__file__).with_name("simulate")
SECONDS: Final = 30.0
"""CPU time that a run may take."""
LONG: Final = 4.0
"""By how much longer those of large and long benchmarks may take."""


@dataclass(frozen=True, slots=True)
class Case:
    """A benchmark: its file, the experiment, the error of a run, and whether it takes long.

    `bars` is how many four-bars A02 has in the place of two, whose expectations are left out then.
    """

    model: str
    experiment: str
    error: Callable[[Run], float]
    long: bool = False
    bars: int | None = None

    @property
    def document(self) -> mbx.Document:
        """The model."""
        if self.bars is None:
            return mbx.read(self.model)
        lines = Path(self.model).read_text(encoding="utf-8").splitlines()
        kept = "\n".join(line for line in lines if not line.startswith("  expect "))
        return mbx.loads(kept.replace("n: integer = 2", f"n: integer = {self.bars}"))


def expected(run: Run) -> float:
    """Return the largest difference from what is expected at the end, relative where above 1."""
    last = float(run.t[-1])
    return max(
        abs(one.found - one.expected) / max(1.0, abs(one.expected))
        for one in run.references
        if one.found is not None and one.expected is not None and f"at {last:g} s" in str(one)
    )


def pendulum(run: Run) -> float:
    """Return the distance from where elliptic functions put the pendulum of A01."""
    k, w = np.sin(np.pi / 4), np.sqrt(9.81)
    sn, *_ = ellipj(w * run.t[-1] + ellipk(k**2), k**2)
    angle = 2 * np.arcsin(k * sn)  # from below, positive to the side where it starts
    return float(np.hypot(run["x"][-1] + np.sin(angle), run["y"][-1] + np.cos(angle)))


def bars(run: Run, n: int = 2) -> float:
    """Return the difference of A02 from the motion with one freedom."""
    by = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    exact: Any = solve_ivp(
        lambda _t, y: [y[1], -by * np.cos(y[0])],
        (0, run.t[-1]),
        [np.pi / 2, -1.0],
        method="DOP853",
        rtol=3e-14,
        atol=1e-15,
    )
    return float(abs(run["a[0]"][-1] - exact.y[0, -1]))


CASES: Final = {
    "andrews_squeezer": Case("lib:andrews_squeezer", "run", expected),
    "car_axis": Case("lib:car_axis", "road", expected),
    "bricard_linkage": Case("lib:bricard_linkage", "fall", expected),
    "A05, fast": Case(str(MODELS / "a05.mb"), "fast", expected),
    "A05, slow": Case(str(MODELS / "a05.mb"), "slow", expected),
    "A01, 2,000 s": Case(str(MODELS / "a01.mb"), "long", pendulum, long=True),
    "A02, N = 2": Case(str(MODELS / "a02.mb"), "ten", bars),
    "A02, N = 40": Case(
        str(MODELS / "a02.mb"), "ten", lambda run: bars(run, 40), long=True, bars=40
    ),
}


def section(seconds: float = SECONDS) -> Iterator[str]:
    """Yield the section of the page."""
    yield HEADING
    yield ""
    load = os.getloadavg()[0]
    yield (
        f"One run each, of at most {seconds:g} s of CPU time, {LONG * seconds:g} s for A01 and for"
        f" A02 with N = 40; {os.cpu_count()} CPUs, load {load:.1f} at the start."
    )
    yield "The limit counts making equations ready, too, and the column of CPU time does not."
    yield "Errors are at the last time; the references are named in `simulate_methods.py`."
    yield ""
    yield "| benchmark | method | error | CPU time, s | steps | singular configurations | ended |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, case in CASES.items():
        document, most = case.document, seconds * (LONG if case.long else 1.0)
        for method in METHODS:
            cells = measured(document, case, method, most)
            yield f"| {' | '.join((name, f'`{method}`', *cells))} |"


def measured(
    document: mbx.Document, case: Case, method: str, seconds: float
) -> tuple[str, str, str, str, str]:
    """Return error, CPU time, steps, singular configurations, and why it ended."""
    options = Options(method=method, seconds=seconds)
    try:
        run = perform_simulation(document, Request(experiment=case.experiment), options)
    except EndedError as ended:
        run = ended.run
        reason = run.ended
        return "", f"{run.seconds:.2f}", f"{run.steps}", f"{len(run.singular)}", reason
    except MbxError as error:
        return "", "", "", "", " ".join(str(error).split())
    passed = f"{len(run.singular)}"
    return f"{case.error(run):.0e}", f"{run.seconds:.2f}", f"{run.steps}", passed, ""
