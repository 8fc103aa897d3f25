"""What a study costs against the same runs made one by one, and whether it finds the same.

A sweep by `mbx.study` in one process, and as many calls of `mbx.simulate` with the same values.
Times are CPU times, the least of several turns. The figures go to study.md; a missed bound ends
with status 1.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench_language import best

if TYPE_CHECKING:
    from collections.abc import Callable

RESULTS: Final = Path(__file__).with_name("study.md")
TURNS: Final = 3
FASTER: Final = 2.0
"""How many times faster the sweep of the pendulum is, at least."""
SAME: Final = 1e-9
"""By how much both may differ, in SI units: both keep errors of steps to 1e-12."""


@dataclass(frozen=True)
class Case:
    """A sweep: a model, an experiment, what is varied, and what is wanted."""

    model: str
    experiment: str
    name: str
    values: tuple[float, ...]
    result: str
    bound: float | None = None


CASES: Final = (
    Case("simple_pendulum", "drop", "l", tuple(0.5 + k / 99 for k in range(100)), "theta", FASTER),
    Case("four_bar", "swing", "g", tuple(9 + k / 9 for k in range(10)), "th3"),
    Case("cart_pole", "settle", "m", tuple(0.1 + k / 10 for k in range(10)), "theta"),
)


def _timed(run: Callable[[], object]) -> list[float]:
    began = time.process_time()
    run()
    return [time.process_time() - began]


def main() -> int:
    """Measure all sweeps; return 1 if a bound is missed or results differ."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import mbx  # noqa: PLC0415  after the setting

    rows, missed = [], False
    for case in CASES:
        linked = mbx.link(mbx.read(f"lib:{case.model}"))

        def swept(case: Case = case, linked: Any = linked) -> list[float]:
            vary = {case.name: case.values}
            found = mbx.study(linked, case.experiment, vary=vary, results=[case.result])
            return [float(x) for x in found[case.result]]

        def single(case: Case = case, linked: Any = linked) -> list[float]:
            runs = [mbx.simulate(linked, case.experiment, set={case.name: x}) for x in case.values]
            return [run.last[case.result] for run in runs]

        apart = max(abs(x - y) for x, y in zip(swept(), single(), strict=True))
        (fast,), (slow,) = best([partial(_timed, run) for run in (swept, single)], TURNS)
        ratio = slow / fast
        missed |= (case.bound is not None and ratio < case.bound) or not apart <= SAME
        bound = "" if case.bound is None else f"at least {case.bound:g}"
        rows.append(
            f"| {len(case.values)} runs of {case.model} over {case.name} | {fast:.2f} s |"
            f" {slow:.2f} s | {ratio:.1f} | {bound} | {apart:.0e} |"
        )
    text = "\n".join(
        [
            "# Studies",
            "",
            f"CPython {platform.python_version()}, one process; CPU time.",
            "",
            "| what | `mbx.study` | `mbx.simulate` | ratio | bound | largest difference |",
            "| --- | --- | --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )
    RESULTS.write_text(text, "utf-8")
    print(text)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
