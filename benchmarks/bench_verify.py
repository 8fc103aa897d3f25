"""What verifying the library costs: the whole command, the parts of each model, the digits.

The whole is `mbx verify library/` with two processes. The parts are those of the same models,
one after the other in this process. Numbers of many digits are those of `python-flint`, against
those that stand in where it is missing, on the same states in the same run; both give the same
accelerations before a ratio is taken. Times are CPU times. The figures go to verify.md; a missed
bound ends with status 1. `--quick` takes a few models, keeps nothing.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench_language import COMMAND_RUNS, HELP_BOUND, MBX, ROOT, best, spend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.formalism.equations import Equations
    from mbx.linking.link import Linked
    from mbx.numerics.states.manifold import Manifold, Points

RESULTS: Final = Path(__file__).with_name("verify.md")
CORES: Final = 2
WHOLE: Final = 180.0
"""Seconds that the whole library may take on so many cores."""
FASTER: Final = 1.0
"""How many times faster the oracle is in numbers of python-flint than of mpmath, at least."""
QUICK: Final = ("simple_pendulum", "four_bar", "rolling_disc")
COMPARED: Final = ("four_bar", "rolling_disc", "stewart_platform", "five_bar_motors")
FORMS: Final = ("kane", "udwadia_kalaba:augmented")
DIGITS: Final = 50
SAME: Final = 1e-30
"""Part of an acceleration by which both kinds of number may differ."""
RUNS: Final = 3

PARTS: Final = ("reading", "deriving", "states", "evaluating", "arbiter", "oracle", "comparing")
TIMED: Final = {
    "deriving": (
        ("mbx.verify.run_verification", "candidates"),
        ("mbx.verify.run_verification", "derive"),
    ),
    "states": tuple(
        ("mbx.verify.run_verification", name)
        for name in ("draw_values", "Manifold", "special", "draw", "draw_branches")
    ),
    "evaluating": (("mbx.verify.run_verification", "_run_forms"),),
    "arbiter": (
        ("mbx.verify.arbitration.decide:Arbiter", "decide"),
        ("mbx.verify.arbitration.decide:Arbiter", "power"),
        ("mbx.verify.arbitration.arbitration", "arbitrate"),
    ),
    "oracle": (("mbx.verify.agreement.compare_forms", "compare_with_oracle"),),
}
"""The functions that do each part; what is left of a verification is comparing."""


# -- the whole -------------------------------------------------------------------------------


def whole(folder: str) -> tuple[float, float, str]:
    """Return CPU seconds and seconds of `mbx verify` with two processes, and what it says."""
    begin = time.perf_counter()
    command = (*MBX, "verify", folder, "--jobs", str(CORES))
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        said = child.stdout.read() if child.stdout is not None else ""
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command, said)
    seconds = time.perf_counter() - begin
    return used.ru_utime + used.ru_stime, seconds, said.splitlines()[-1]


def start() -> tuple[float, float]:
    """Return the CPU seconds of `mbx --help`, and of importing typer alone."""
    calls = ((*MBX, "--help"), (sys.executable, "-c", "import typer"))
    (help_, _), (typer, _) = best([partial(spend, *call) for call in calls], COMMAND_RUNS)
    return help_, typer


# -- the parts -------------------------------------------------------------------------------


class Stopwatch:
    """CPU seconds by part; a part within another one counts for itself alone."""

    def __init__(self) -> None:
        """Time all functions of all parts, from now on."""
        from importlib import import_module  # noqa: PLC0415  commands come first: see `spend`

        self.spent = dict.fromkeys(PARTS, 0.0)
        self._within = "comparing"
        self._since = time.process_time()
        for part, functions in TIMED.items():
            for path, name in functions:
                module, _, owner = path.partition(":")
                home = import_module(module)
                home = getattr(home, owner) if owner else home
                setattr(home, name, self.timed(part, getattr(home, name)))

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose time counts for a part."""

        def call(*args: Any, **named: Any) -> Any:
            before = self._turn(part)
            try:
                return function(*args, **named)
            finally:
                self._turn(before)

        return call

    def _turn(self, part: str) -> str:
        now, before = time.process_time(), self._within
        self.spent[before] += now - self._since
        self._within, self._since = part, now
        return before

    def take(self) -> dict[str, float]:
        """Return what was spent since the last time."""
        self._turn(self._within)
        taken, self.spent = self.spent, dict.fromkeys(PARTS, 0.0)
        return taken


def models(names: tuple[str, ...] = ()) -> Iterator[tuple[str, Callable[[], Linked]]]:
    """Yield the models that `mbx verify` takes, and how each is read."""
    import mbx  # noqa: PLC0415  commands come first: see `spend`
    from mbx.verify.find_models import main_models, model_files  # noqa: PLC0415

    for file in model_files(ROOT / "library"):
        if not names or file.parent.name in names:
            for name in main_models(mbx.read(file)):
                yield f"{file.parent.name}, {name}", partial(_read, file, name)


def _read(file: Path, name: str | None) -> Linked:
    import mbx  # noqa: PLC0415  as above

    return mbx.link(mbx.read(file), name)


def parts(names: tuple[str, ...]) -> list[tuple[str, dict[str, float]]]:
    """Return what each part of each model costs, the dearest model first."""
    from mbx.system.elaborate import elaborate  # noqa: PLC0415  as above
    from mbx.verify.run_verification import Options, verify_system  # noqa: PLC0415

    watch = Stopwatch()
    options = Options()
    found = []
    for name, read in [*models(QUICK[:1]), *models(names)]:  # the first pays for the imports
        say(name)
        watch.take()
        linked = watch.timed("reading", read)()
        system = watch.timed("reading", elaborate)(linked)
        if not verify_system(system, options, linked).ok:
            message = f"{name} is meant to agree"
            raise RuntimeError(message)
        found.append((name, watch.take()))
    return sorted(found[1:], key=lambda one: -sum(one[1].values()))


# -- the digits ------------------------------------------------------------------------------


def at_a_state(linked: Linked) -> tuple[Manifold, Points]:
    """Return the invariants of a model, and a random state on them."""
    import numpy as np  # noqa: PLC0415  as above

    from mbx.numerics.states.manifold import Manifold  # noqa: PLC0415
    from mbx.numerics.states.sample import draw, draw_values  # noqa: PLC0415
    from mbx.system.elaborate import elaborate  # noqa: PLC0415

    rng = np.random.default_rng(1)
    system = elaborate(linked)
    manifold = Manifold(system, draw_values(system, rng))
    return manifold, draw(manifold, rng, 1).points


def least(call: Callable[[], list[Any]]) -> tuple[float, list[Any]]:
    """Return the least CPU seconds of some runs, and what the last one gave."""
    spent = []
    for _ in range(RUNS):
        begin = time.process_time()
        found = call()
        spent.append(time.process_time() - begin)
    return min(spent), found


def same(what: str, one: list[Any], other: list[Any]) -> None:
    """Raise an error if accelerations are not the same."""
    from fractions import Fraction  # noqa: PLC0415  as above

    ours, theirs = ([Fraction(str(x)) for x in each] for each in (one, other))
    size = max(map(abs, ours))
    if not max(abs(a - b) for a, b in zip(ours, theirs, strict=True)) <= SAME * size:
        message = f"{what}: both kinds of number give other accelerations"
        raise RuntimeError(message)


def oracles(name: str, linked: Linked) -> tuple[str, float, float]:
    """Return what the oracle costs at a state in numbers of python-flint, and of mpmath."""
    from mbx.verify.oracle import Oracle  # noqa: PLC0415  as above
    from mbx.verify.oracle.numbers.number_fields import ArbField, MpField  # noqa: PLC0415

    manifold, point = at_a_state(linked)
    state = {v.path: float(point.q[0, k]) for k, v in enumerate(manifold.system.q)}
    state |= {v.path: float(point.u[0, k]) for k, v in enumerate(manifold.system.u)}
    values = manifold.values

    def asked(field: Any) -> list[Any]:
        answer = Oracle(linked, DIGITS, field).at(
            state, float(point.t[0]), values.parameters, values.inputs
        )
        with field(DIGITS).working():
            return [_digits(x) for x in answer.ud.values()]

    ours, theirs = (least(partial(asked, field)) for field in (ArbField, MpField))
    same(name, ours[1], theirs[1])
    return f"oracle, {name}", ours[0], theirs[0]


def precise(name: str, linked: Linked) -> Iterator[tuple[str, float, float]]:
    """Yield what forms cost at a state in balls, and in decimals."""
    from mbx.formalism import registry  # noqa: PLC0415  as above
    from mbx.numerics.multiprecision.balls import Balls  # noqa: PLC0415
    from mbx.numerics.multiprecision.decimals import Decimals  # noqa: PLC0415
    from mbx.numerics.multiprecision.digit_results import Place  # noqa: PLC0415

    manifold, point = at_a_state(linked)
    for form in FORMS:
        equations = registry.derive(manifold.system, form)

        def found(kind: Any, equations: Equations = equations) -> list[Any]:
            place = Place(manifold, point, kind(DIGITS), equations)
            ud = place.results(equations, ["ud"])["ud"]
            with place.numbers.within():
                return [_digits(x) for x in ud[:, 0]]

        ours, theirs = (least(partial(found, kind)) for kind in (Balls, Decimals))
        same(f"{name}, {form}", ours[1], theirs[1])
        yield f"{form}, {name}", ours[0], theirs[0]


def _digits(x: Any) -> str:
    """Return a number in digits, without what is not known of it."""
    from decimal import Decimal  # noqa: PLC0415  as above

    if isinstance(x, Decimal):
        return str(x)
    if hasattr(x, "mid"):
        return str(x.mid().str(DIGITS, radius=False))
    return str(x.context.nstr(x, DIGITS))


# -- the page --------------------------------------------------------------------------------


def say(what: str) -> None:
    """Print how far the run is."""
    print(what, file=sys.stderr, flush=True)


def bound(value: float, *, most: float = math.inf, least: float = 0.0) -> str:
    """Return what a figure may be, and whether it is not."""
    said = f"at most {most:g}" if most < math.inf else f"at least {least:g}"
    return said + ("" if least <= value <= most else ", missed")


def main() -> int:
    """Measure, print and keep the tables; return 1 if a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few models; keep nothing")
    quick = parser.parse_args().quick
    # before NumPy is loaded, as the command does: threads would wait for each other
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from derive_tables import milli, table  # noqa: PLC0415  it loads NumPy

    say("commands")
    help_, typer = start()
    cpu, seconds, said = whole(f"library/{QUICK[0]}" if quick else "library")
    load = os.getloadavg()[0]
    each = parts(QUICK if quick else ())
    ratios = []
    for case in QUICK if quick else COMPARED:
        say(f"digits, {case}")
        ((_, read),) = models((case,))
        ratios += [oracles(case, read()), *precise(case, read())]
    total = {part: sum(spent[part] for _, spent in each) for part in PARTS}
    head = ["model", *(f"{part}, ms" for part in PARTS), "all, ms"]
    rows = [
        [name, *(milli(spent[part]) for part in PARTS), milli(sum(spent.values()))]
        for name, spent in [(f"all {len(each)}", total), *each]
    ]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    page = "\n".join(
        [
            "# Verifying the library",
            "",
            f"{python}, {os.cpu_count()} CPUs; CPU time, unless it says otherwise.",
            "",
            "## Commands",
            "",
            *table(
                ["what", "measured", "bound"],
                [
                    ["`mbx verify library/`, in all", f"{cpu:.1f} s", ""],
                    [
                        f"the same on {CORES} cores",
                        f"{cpu / CORES:.1f} s",
                        bound(cpu / CORES, most=WHOLE),
                    ],
                    [f"by the clock, under a load of {load:.1f}", f"{seconds:.1f} s", ""],
                    ["`mbx --help`", f"{help_:.3f} s", ""],
                    ["`import typer`", f"{typer:.3f} s", ""],
                    [
                        "`mbx --help`, against `import typer`",
                        f"{help_ / typer:.2f} times",
                        bound(help_ / typer, most=HELP_BOUND),
                    ],
                ],
            ),
            "",
            f"It says: {said.split(':', 1)[-1].strip()}.",
            "",
            "## Numbers of many digits",
            "",
            *table(
                ["what, at one state", "python-flint, ms", "without, ms", "ratio", "bound"],
                [
                    [
                        what,
                        milli(a),
                        milli(b),
                        f"{b / a:.2f}",
                        bound(b / a, least=FASTER) if what.startswith("oracle") else "",
                    ]
                    for what, a, b in ratios
                ],
            ),
            "",
            "## Parts of each model",
            "",
            *table(head, rows),
            "",
        ]
    )
    if not quick:
        RESULTS.write_text(page, "utf-8")
    print(page, end="")
    return int("missed" in page)


if __name__ == "__main__":
    sys.exit(main())
