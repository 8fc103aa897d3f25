"""How fast accelerations are evaluated, against other tools on the same arms and chains.

Ours is `mbx.compile` of the form that needs the fewest operations, by llvmlite, all constants put
in. All sides run in loops of compiled code over the same random states, in short bursts that take
turns, and figures are medians; a ratio counts only if the accelerations are the same to 1e-9.
The figures go to evaluate.md; a missed bound ends with status 1. `--quick` takes a few models and
keeps nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

os.environ["MBX_CACHE"] = ""  # nothing is found on disk that an earlier run has left

import numpy as np

ROOT: Final = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from evaluate_peers import Casadi, Mujoco, Pinocchio, loops  # noqa: E402
from evaluate_sympy import callables, nanoseconds  # noqa: E402
from evaluate_tables import Bound, Figures, bounds_of, compared, judged, table  # noqa: E402

import mbx  # noqa: E402  after the cache is switched off
from arms import arm, arm_system, described  # noqa: E402  the models are those of the tests
from mbx.analyses.costs.operation_counts import cost  # noqa: E402
from mbx.codegen.native import machine_code  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.codegen.native.function import Function
    from mbx.system.system import System

RESULTS: Final = Path(__file__).with_name("evaluate.md")
LENGTHS: Final = (2, 5, 10, 20, 50, 100)
MODELS: Final = ("iiwa", "arm7gen", *(f"{k}{n}" for k in ("planar", "spatial") for n in LENGTHS))
QUICK: Final = ("iiwa", "planar2", "spatial10")
FORMS: Final = ("composite_body", "articulated_body")
LAGRANGE: Final = "tree_lagrange_2"
STATES: Final = 64
BATCH: Final = 1024
BURST: Final = 1e5
"""Nanoseconds of a burst: short, so that it is hardly ever interrupted."""
BURSTS: Final = 201
AGREEMENT: Final = 1e-9
RUNS: Final = 5
"""Of which the shortest counts, where something is compiled."""


# -- ours ------------------------------------------------------------------------------------


def cheapest(system: System) -> str:
    """Return the form that needs the fewest operations."""
    return min(FORMS, key=lambda form: cost(mbx.derive(system, form)).arithmetic)


def compiled(system: System, form: str, *, frozen: bool = True) -> Function:
    """Return the accelerations of a system as a function."""
    return mbx.compile(mbx.derive(system, form), ("ud",), frozen=frozen, backend="llvm")  # type: ignore[return-value]


def runner(library: Any, function: Function) -> Callable[..., float]:
    """Return the loop over states for a function, with the parameters that the model has."""
    constants = function.constants()
    address = function.raw.single

    def run(q: Any, v: Any, tau: Any, out: Any, calls: int) -> float:
        held = (x.ctypes.data for x in (q, v, tau, constants, out))
        found: float = library.run_ours(address, *held, calls, *q.shape)
        return found

    return run


def batch_runner(function: Function, q: Any, v: Any, tau: Any) -> Callable[[], float]:
    """Return a call on many states; it gives nanoseconds a state."""
    times, constants = np.zeros(1), function.constants()
    many = [np.resize(x, (BATCH, x.shape[1])) for x in (q, v, tau)]
    n = q.shape[1]
    groups = np.array([x.ctypes.data for x in (times, many[0], many[1], times, many[2])], np.uintp)
    strides = np.array([0, 0, n, 1, n, 1, 0, 0, n, 1], np.int64)
    out, status = np.zeros((BATCH, n)), np.zeros(BATCH, np.int32)
    call = machine_code.batch(function.code.address("mb_batch"))
    held = (groups, strides, constants, out, status, many, times)
    pointers = [x.ctypes.data for x in (groups, strides, constants, out, status)]
    # as many states as fit a burst, so that bursts of all are of one length
    call(64, *pointers)
    begin = time.perf_counter_ns()
    call(64, *pointers)
    states = int(np.clip(64 * BURST / (time.perf_counter_ns() - begin), 64, BATCH)) // 8 * 8

    def run() -> float:
        begin = time.perf_counter_ns()
        call(states, *pointers)
        return (time.perf_counter_ns() - begin) / states if held else 0.0

    return run


# -- measuring -------------------------------------------------------------------------------


def states_of(bodies: int) -> tuple[Any, Any, Any]:
    """Return random angles, speeds and torques."""
    rng = np.random.default_rng(1)
    q = rng.uniform(-3, 3, (STATES, bodies))
    return q, rng.uniform(-1, 1, q.shape), rng.uniform(-1, 1, q.shape)


def timed(runs: Sequence[Callable[..., float]], q: Any, v: Any, tau: Any) -> list[float]:
    """Return the median nanoseconds of a call of each, in bursts that take turns."""
    out = np.zeros_like(q)
    calls = [max(4, int(BURST / max(run(q, v, tau, out, 4), 1.0))) for run in runs]
    found = [
        [run(q, v, tau, out, k) for run, k in zip(runs, calls, strict=True)] for _ in range(BURSTS)
    ]
    return [float(x) for x in np.median(found, axis=0)]


def apart(one: Any, other: Any) -> float:
    """Return how far accelerations are apart, as a part of the largest of each state."""
    return float(np.max(np.abs(one - other).max(axis=1) / np.abs(one).max(axis=1)))


def measure(name: str, peers: Sequence[Any], library: Any) -> Figures:
    """Return the times of a model, after all sides agree."""
    print(name, file=sys.stderr, flush=True)
    system, model = arm_system(name), described(name)
    form = cheapest(system)
    function = compiled(system, form)
    q, v, tau = states_of(len(model["links"]))
    ours, owner, worst = np.zeros_like(q), [], 0.0
    runs = [runner(library, function)]
    runs[0](q, v, tau, ours, STATES)
    for peer in peers:
        for run in peer.runners(model):
            theirs = np.zeros_like(q)
            run(q, v, tau, theirs, STATES)
            worst = max(worst, agreed(name, peer.name, apart(ours, theirs)))
            runs.append(run)
            owner.append(peer.name)
    first, *rest = timed(runs, q, v, tau)
    found: dict[str, float] = {}
    for peer, one in zip(owner, rest, strict=True):
        found[peer] = min(one, found.get(peer, np.inf))
    for peer, call in callables(model).items():
        theirs = np.stack([call(*x) for x in zip(q, v, tau, strict=True)])
        worst = max(worst, agreed(name, peer, apart(ours, theirs)))
        found[peer] = nanoseconds(call, q, v, tau)
    several = batch_runner(function, q, v, tau)
    batch = float(np.median([several() for _ in range(BURSTS)]))
    return Figures(name, form, first, batch, worst, found)


def agreed(model: str, peer: str, far: float) -> float:
    """Return how far two sides are apart, which must be little."""
    if not far < AGREEMENT:
        message = f"{model}: {peer} and ours differ by {far:.1e}"
        raise RuntimeError(message)
    return far


# -- ours against ours -----------------------------------------------------------------------


def with_parameters(name: str) -> str:
    """Return the text of an arm whose masses, centres, inertias and places are parameters."""
    said: list[str] = []

    def parameter(found: re.Match[str]) -> str:
        said.append(f"  param p{len(said)}: {found[2]} = {found[1]} [{found[2]}]")
        return f"p{len(said) - 1}"

    lines = []
    for line in arm(name).splitlines():
        if re.match(r"\s+(com|inertia|frame|gravity)", line):
            line = re.sub(r"(-?[\d.]+(?:e-?\d+)?) \[([^]]+)\]", parameter, line)  # noqa: PLW2901
        mass = re.match(r"(\s+mass )([\d.]+) kg", line)
        if mass:
            said.append(f"  param p{len(said)}: kg = {mass[2]}")
            line = f"{mass[1]}p{len(said) - 1}"  # noqa: PLW2901
        lines.append(line)
    begin = next(k for k, line in enumerate(lines) if line.startswith("model")) + 1
    return "\n".join([*lines[:begin], *said, *lines[begin:], ""])


def against_ourselves(library: Any) -> tuple[list[str], list[Bound]]:
    """Return the arm with parameters left open, and by Lagrange's equations."""
    q, v, tau = states_of(7)
    system = mbx.elaborate(mbx.loads(with_parameters("iiwa")))
    functions = {
        "composite_body, constants put in": compiled(system, "composite_body"),
        "composite_body, parameters": compiled(system, "composite_body", frozen=False),
        f"{LAGRANGE}, constants put in": compiled(system, LAGRANGE),
        "lagrange, constants put in": compiled(system, "lagrange"),
    }
    runs, first = [], np.zeros_like(q)
    for name, function in functions.items():
        runs.append(runner(library, function))
        out = np.zeros_like(q)
        runs[-1](q, v, tau, out, STATES)
        first = first if first.any() else out
        agreed("iiwa", name, apart(first, out))
    times = timed(runs, q, v, tau)
    count = functions["composite_body, parameters"].raw.sizes
    rows = [
        [name, f"{t:,.0f}", f"{t / times[0]:.2f}"] for name, t in zip(functions, times, strict=True)
    ]
    sizes = f"{count['parameters']} parameters, of which {count['constants']} constants are made."
    return [*table(["iiwa", "ns", "ratio"], rows), "", sizes], [
        Bound("parameters, constants put in", times[1] / times[0], 1.15),
        Bound(f"{LAGRANGE}, composite_body", times[2] / times[0], 2.2),
    ]


def against_gcc(name: str, form: str, most: float, folder: Path) -> tuple[list[str], Bound]:
    """Return what deriving and compiling a model takes, against gcc on the C of the same."""
    linked = mbx.link(mbx.loads(arm(name)))
    ours, theirs = [], []
    for _ in range(RUNS):
        begin = time.process_time()
        system = mbx.elaborate(linked)
        function = compiled(system, form)
        address = function.raw.single
        ours.append(time.process_time() - begin)
        if not address:
            message = "nothing was compiled"
            raise RuntimeError(message)
        del function
    files = mbx.write(mbx.derive(system, form), "c", frozen=True).files
    for file, text in files.items():
        (folder / file).write_text(_accelerations_alone(text) if file.endswith(".c") else text)
    source = next(folder / file for file in files if file.endswith(".c"))
    flags = ("-O3", "-march=native", "-w", "-c", str(source), "-o", str(folder / "peer.o"))
    for _ in range(RUNS if most >= 1 else 1):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(("gcc", *flags), check=True)  # noqa: S607  as users call it
        theirs.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin)
    best, other = min(ours), min(theirs)
    row = [name, form, f"{best:.3f}", f"{other:.3f}", f"{best / other:.2f}"]
    return row, Bound(f"{name}, derive and compile, gcc -O3", best / other, most)


def _accelerations_alone(text: str) -> str:
    """Return the C of a form without the function that gives all results."""
    results = re.search(r"(?m)^(?:static )?int \w+_results(?:_0)?\(", text)
    rest = re.search(r"(?m)^void \w+_defaults\(", text)
    if results is None or rest is None:
        message = "the C target has changed"
        raise RuntimeError(message)
    return text[: results.start()] + text[rest.start() :]


# -- the page --------------------------------------------------------------------------------


def main() -> int:
    """Measure, print and keep the tables; return 1 if a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few models; keep nothing")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = loops(folder)
        peers = [Pinocchio(folder), Mujoco(folder), Casadi(folder, library)]
        figures = [measure(one, peers, library) for one in (QUICK if quick else MODELS)]
        own, bounds = against_ourselves(library)
        compiling = [("iiwa", "composite_body", 1.0)]
        compiling += [] if quick else [("spatial100", "articulated_body", 0.7)]
        rows = []
        for each in compiling:
            row, bound = against_gcc(*each, folder)
            rows.append(row)
            bounds.append(bound)
    bounds = [*bounds_of(figures), *bounds]
    page = "\n".join(
        [
            "# Evaluating accelerations",
            "",
            _machine(),
            f"Nanoseconds a state, medians of {BURSTS} bursts; in brackets ours by theirs.",
            f"Accelerations of all sides: apart by {max(f.apart for f in figures):.0e} at most.",
            "",
            *compared(figures),
            "",
            "## Parameters, and another form",
            "",
            *own,
            "",
            "## Deriving and compiling",
            "",
            *table(["model", "form", "mbx, CPU s", "gcc -O3, CPU s", "ratio"], rows),
            "",
            "## Bounds",
            "",
            *judged(bounds),
            "",
        ]
    )
    if not quick:
        RESULTS.write_text(page, "utf-8")
    print(page, end="")
    return int(not all(bound.met for bound in bounds))


def _machine() -> str:
    import llvmlite.binding  # noqa: PLC0415

    python = f"{platform.python_implementation()} {platform.python_version()}"
    processor = llvmlite.binding.get_host_cpu_name()
    return f"{python}, llvmlite {version('llvmlite')}, {processor}, {os.cpu_count()} CPUs."


if __name__ == "__main__":
    sys.exit(main())
