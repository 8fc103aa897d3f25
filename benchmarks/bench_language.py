"""How the cost of reading, linking and checking grows with a model, and what a command costs.

Times are CPU times, the best of several runs in turn, so that what else the machine does
counts little. The figures go to results.md; a missed bound ends with status 1.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = Path(__file__).with_name("results.md")
MBX: Final = (sys.executable, "-m", "mbx")

SMALL: Final = 100
LARGE: Final = 1_000
TOKENS: Final = 250_000
STAGES: Final = ("read", "link", "check")
RUNS: Final = 5
COMMAND_RUNS: Final = 7
KIBI: Final = 1024

GROWTH_BOUND: Final = 12.0
"""Ten times the bodies may cost this much more in all three stages: linear, and a fifth."""
HELP_BOUND: Final = 2.0
"""`mbx --help` may cost this many times what importing typer alone costs."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; a bound is on the value."""

    name: str
    value: float
    unit: str = ""
    bound: float | None = None

    @property
    def missed(self) -> bool:
        """Whether the value is above its bound."""
        return self.bound is not None and self.value > self.bound

    def render(self) -> str:
        """Return the line in Markdown."""
        shown = f"{self.value:,.0f}" if self.value >= KIBI else f"{self.value:.3g}"
        bound = "" if self.bound is None else f"at most {self.bound:g}"
        verdict = ", missed" if self.missed else ""
        return f"| {self.name} | {shown} {self.unit}".rstrip() + f" | {bound}{verdict} |"


# -- models ----------------------------------------------------------------------------------


def written_chain(bodies: int, name: str = "Chain") -> str:
    """Return a planar chain with every body written out."""
    lines = [_head(name)]
    for k in range(1, bodies + 1):
        before = "ground" if k == 1 else f"link{k - 1} at [l, 0, 0]"
        lines += [f"  coordinate th{k}: rad = 0.3", _body(f"link{k}", before, f"th{k}")]
    return "\n".join([*lines, "  gravity [g, 0, 0]", "}", ""])


def repeated_chain(bodies: int) -> str:
    """Return the same chain, its bodies in a loop."""
    return "\n".join(
        [
            _head("Chain"),
            f"  param n: integer = {bodies}",
            "  coordinate th[1..n]: rad = 0.3",
            _body("link[1]", "ground", "th[1]"),
            "  for i in 2..n {",
            _body("link[i]", "link[i - 1] at [l, 0, 0]", "th[i]"),
            "  }",
            "  gravity [g, 0, 0]",
            "}",
            "",
        ]
    )


def _head(name: str) -> str:
    return f"model {name} {{\n  param m: kg = 0.5, l: m = 0.25, g: m/s^2 = 9.81"


def _body(name: str, before: str, angle: str) -> str:
    return (
        f"  body {name} {{\n    mass m\n    com [l/2, 0, 0]\n    inertia m*l^2/12 about z\n"
        f"    joint revolute({before}, axis = z, angle = {angle})\n  }}"
    )


def largest_text() -> str:
    """Return chains of the largest size, and a shorter one, up to the limit on tokens."""
    chains: list[str] = []
    count, bodies = 2, LARGE  # `mbx 1` are two
    while bodies:
        chain = written_chain(bodies, f"Chain{len(chains)}")
        tokens = count_tokens(chain)
        if count + tokens <= TOKENS:
            chains.append(chain)
            count += tokens
        else:
            bodies //= 2
    return "mbx 1\n" + "".join(chains)


def count_tokens(text: str) -> int:
    """Return the number of tokens, as the limit counts them."""
    from mbx.language.text.parse import parser  # noqa: PLC0415  the script stays small: see `spend`

    return sum(1 for _ in parser().lex(text))


# -- measuring -------------------------------------------------------------------------------


def best(calls: Sequence[Callable[[], Sequence[float]]], runs: int) -> list[list[float]]:
    """Return the least of every figure of every call; the calls take turns."""
    rounds = [[call() for call in calls] for _ in range(runs)]
    return [
        [min(figures) for figures in zip(*(one[k] for one in rounds), strict=True)]
        for k in range(len(calls))
    ]


def stages(text: str) -> list[float]:
    """Return the CPU seconds of reading, linking and checking a text."""
    import mbx  # noqa: PLC0415  see `spend`
    from mbx.base.diagnostics import Report  # noqa: PLC0415
    from mbx.checking.run_rules import check_linked  # noqa: PLC0415

    clock = time.process_time
    begin = clock()
    document = mbx.loads(text, form="mb")
    has_read = clock()
    linked = mbx.link(document)
    has_linked = clock()
    report = Report()
    check_linked(linked, report)
    end = clock()
    if list(report):
        message = "the chain is meant to be without fault"
        raise RuntimeError(message)
    return [has_read - begin, has_linked - has_read, end - has_linked]


def spend(*command: str) -> tuple[float, float]:
    """Return the CPU seconds and the peak memory in MiB of a command.

    A child begins with the memory of its parent in its books. So commands come before
    anything that this process loads itself.
    """
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    unit = KIBI**2 if sys.platform == "darwin" else KIBI  # bytes there, KiB elsewhere
    return used.ru_utime + used.ru_stime, used.ru_maxrss / unit


# -- the questions ---------------------------------------------------------------------------


def commands() -> list[Row]:
    """Return what whole commands cost."""
    calls = (
        (*MBX, "--help"),
        (sys.executable, "-c", "import typer"),
        (*MBX, "check", "library/four_bar/model.mb"),
    )
    figures = best([partial(spend, *call) for call in calls], COMMAND_RUNS)
    (help_, *_), (typer, *_), (check, *_) = figures
    return [
        Row("`mbx --help`", help_, "s"),
        Row("`import typer`", typer, "s"),
        Row("`mbx --help`, against `import typer`", help_ / typer, "times", HELP_BOUND),
        Row("`mbx check` of the four-bar", check, "s"),
    ]


def memory() -> list[Row]:
    """Return what checking large files costs as a command."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.mb")
        for name, expression in (
            (f"{LARGE:,} bodies, written out", f"'mbx 1\\n' + b.written_chain({LARGE})"),
            (f"a file of {TOKENS:,} tokens", "b.largest_text()"),
        ):
            write = f"import bench_language as b; open({str(path)!r}, 'w').write({expression})"
            spend(sys.executable, "-c", f"import sys; sys.path.insert(0, 'benchmarks'); {write}")
            seconds, peak = spend(*MBX, "--limit", "seconds=120", "check", str(path))
            rows += [
                Row(f"`mbx check` of {name}", seconds, "s"),
                Row(f"`mbx check` of {name}, peak memory", peak, "MiB"),
            ]
    return rows


def growth() -> list[Row]:
    """Return how the stages grow with the number of bodies, and how fast a text is read."""
    rows = []
    for name, chain in (("written out", written_chain), ("in a loop", repeated_chain)):
        texts = ["mbx 1\n" + chain(bodies) for bodies in (SMALL, LARGE)]
        small, large = best([partial(stages, text) for text in texts], RUNS)
        for stage, few, many in zip(
            (*STAGES, "all three"), (*small, sum(small)), (*large, sum(large)), strict=True
        ):
            what = f"{stage}, {name}"
            rows += [
                Row(f"{what}, {SMALL:,} bodies", few, "s"),
                Row(f"{what}, {LARGE:,} bodies", many, "s"),
                Row(
                    f"{what}, growth",
                    many / few,
                    "times",
                    None if stage in STAGES else GROWTH_BOUND,
                ),
            ]
        if chain is written_chain:
            rate = count_tokens(texts[-1]) / large[0]
            rows.append(Row(f"reading, {LARGE:,} bodies written out", rate, "tokens/s"))
    return rows


def render(rows: Sequence[Row]) -> str:
    """Return the page of results."""
    system = f"{platform.python_implementation()} {platform.python_version()}"
    return "\n".join(
        [
            "# Results",
            "",
            f"{system}, {os.cpu_count()} CPUs; CPU time, best of several runs in turn.",
            "",
            "| what | measured | bound |",
            "|---|---|---|",
            *(row.render() for row in rows),
            "",
        ]
    )


def main() -> int:
    """Measure, print and keep the table; return 1 if a bound is missed."""
    rows = [*commands(), *memory(), *growth()]
    page = render(rows)
    RESULTS.write_text(page, "utf-8")
    print(page, end="")
    return int(any(row.missed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
