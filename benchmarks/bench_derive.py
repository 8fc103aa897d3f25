"""How fast models become equations, against SymPy on the same mechanisms in the same run.

Ours: from the linked model in memory to the equations, everything between included, by the
form of the same name. SymPy's: from the first Python object to mass matrix and forcing, each
time in a process of its own (`derive_sympy.py`). Parameters are symbols on both sides, times
are CPU times, and both sides give the same accelerations before a ratio is taken. The figures
go to derive.md; a missed bound ends with status 1. `--quick` takes small sizes, keeps nothing.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from derive_tables import FITTED, LIBRARY, Growth, Model, Ratio, compared, grown, milli, table

import mbx
from mbx.expr import nodes
from mbx.expr.count import operations
from mbx.formalism import registry
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.formalism.equations import Equations
    from mbx.linking.link import Linked

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = Path(__file__).with_name("derive.md")
PEER: Final = Path(__file__).with_name("derive_sympy.py")

SIZES: Final = {
    ("planar chain", "kane"): (1, 2, 4, 6, 8, 10),
    ("planar chain", "lagrange"): (1, 2, 4, 6, 8),
    ("spatial chain", "kane"): (1, 2, 4, 6, 8),
    ("spatial chain", "lagrange"): (1, 2, 4, 5, 7),
}
QUICK: Final = 4
COMPARED: Final = 8
GROWTH: Final = (10, 20, 50, 100)
AGREEMENT: Final = 1e-9
RUNS: Final = 9
ENOUGH: Final = 2.0
"""Seconds after which a figure is not measured again."""


# -- models ----------------------------------------------------------------------------------


def chain(bodies: int, *, spatial: bool) -> str:
    """Return a chain in relative angles, axes z, or z and y in turn; no parameter has a value."""
    lines = ["mbx 1", "model Chain {", "  param g: m/s^2"]
    for k in range(1, bodies + 1):
        before = "ground" if k == 1 else f"link{k - 1} at [l{k - 1}, 0, 0]"
        axis = "y" if spatial and k % 2 == 0 else "z"
        inertia = f"diag(Ix{k}, Iy{k}, Iz{k})" if spatial else f"Iz{k} about z"
        moments = [f"I{letter}{k}: kg*m^2" for letter in ("xyz" if spatial else "z")]
        lines += [
            f"  param m{k}: kg, l{k}: m, {', '.join(moments)}",
            f"  coordinate q{k}: rad",
            f"  body link{k} {{",
            f"    mass m{k}",
            f"    com [l{k}/2, 0, 0]",
            f"    inertia {inertia}",
            f"    joint revolute({before}, axis = {axis}, angle = q{k})",
            "  }",
        ]
    return "\n".join([*lines, "  gravity [0, -g, 0]", "}", ""])


def model(mechanism: str, bodies: int = 0) -> Model:
    """Return a mechanism, read, linked and checked."""
    if mechanism in LIBRARY:
        document = mbx.read(ROOT / "library" / LIBRARY[mechanism] / "model.mb")
    else:
        text = chain(bodies, spatial=mechanism == "spatial chain")
        document = mbx.loads(text, form="mb")
    if not mbx.check(document).ok:
        message = f"the {mechanism} is meant to be without fault"
        raise RuntimeError(message)
    return Model(mechanism, bodies, document, mbx.link(document))


def numbers(one: Model) -> tuple[dict[str, float], dict[str, float]]:
    """Return a random state that keeps the invariants, and values of parameters and inputs."""
    rng = np.random.default_rng(1)
    system = elaborate(one.linked, checked=True)
    equations = registry.derive(system, "kane")
    closed = system.states.get("start", {})
    state = {v.path: closed.get(v.path, rng.uniform(0.2, 0.9)) for v in system.q}
    still = state | {v.path: 0.0 for v in system.u}
    known = {p.path: _default(p, rng) for p in system.parameters}
    inputs = {p.path: rng.uniform(0.2, 0.9) for p in system.inputs}
    # speeds that the invariants allow: A u = 0
    A = equations.evaluate(still, known, inputs)["A"]
    n = len(system.u)
    _, sizes, directions = np.linalg.svd(A) if len(A) else (None, (), np.eye(n))
    free = directions[int(np.sum(np.asarray(sizes) > AGREEMENT)) :]
    speeds = rng.uniform(0.5, 1.5, len(free)) @ free
    state |= {v.path: float(x) for v, x in zip(system.u, speeds, strict=True)}
    return state, {**known, **inputs}


def _default(parameter: Any, rng: np.random.Generator) -> float:
    value = parameter.value
    return float(rng.uniform(0.5, 1.5) if value is None else value.value)


# -- measuring -------------------------------------------------------------------------------


def derive(linked: Linked, form: str) -> Equations:
    """Return the equations of a linked and checked model."""
    return registry.derive(elaborate(linked, checked=True), form)


def best(call: Callable[[], Equations]) -> tuple[float, Equations]:
    """Return the least CPU seconds of several runs, and the last equations.

    No run finds the expressions of the one before: they are dropped and collected, and the
    table of nodes, which holds them weakly, must be as small as it was.
    """
    gc.collect()
    before = _known()
    spent: list[float] = []
    while True:
        begin = time.process_time()
        equations = call()
        spent.append(time.process_time() - begin)
        if len(spent) == RUNS or sum(spent) > ENOUGH:
            return min(spent), equations
        del equations
        gc.collect()
        if _known() > before:
            message = "a run has found expressions of the one before"
            raise RuntimeError(message)


def _known() -> int:
    return len(nodes._table)  # noqa: SLF001  nothing else says what is cached


def count(equations: Equations) -> int:
    """Return the operations of all matrices of expressions together, what is shared once."""
    entries = [
        entry
        for step in equations.steps
        if step.op == "define"
        for row in step.entries
        for entry in row
    ]
    return sum(operations(entries).values())


def ask(one: Model, form: str, known: dict[str, float]) -> dict[str, Any]:
    """Return what SymPy needs for a mechanism by one of its methods."""
    question = {
        "mechanism": one.mechanism,
        "bodies": one.bodies,
        "method": form,
        "numbers": known,
    }
    done = subprocess.run(
        (sys.executable, str(PEER)),
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def compare(one: Model, form: str) -> Ratio:
    """Return how a form and SymPy's method of the same name compare, after they agree."""
    say(f"{one.name}, {form}")
    state, values = numbers(one)
    system = elaborate(one.linked, checked=True)
    equations = registry.derive(system, form)
    own = {p.path for p in system.parameters}
    found = equations.evaluate(
        state,
        {k: v for k, v in values.items() if k in own},
        {k: v for k, v in values.items() if k not in own},
    )
    ours = dict(zip((v.path for v in system.u), found.ud, strict=True))
    total = count(equations)
    del system, equations, found
    seconds, _ = best(lambda: derive(one.linked, form))
    with_link, _ = best(lambda: registry.derive(elaborate(mbx.link(one.document)), form))
    peer = ask(one, form, state | values)
    theirs = peer["accelerations"]
    apart = max(abs(ours[k] - theirs[k]) for k in ours) / max(map(abs, ours.values()))
    if not apart < AGREEMENT:
        message = f"{one.name}: {form} and SymPy differ by {apart:.1e}"
        raise RuntimeError(message)
    return Ratio(one, form, seconds, with_link, total, peer, apart)


def grow(mechanism: str, form: str, sizes: tuple[int, ...]) -> Growth:
    """Return how a form grows with the number of bodies."""
    seconds, counts, builds = [], [], False
    for bodies in sizes:
        say(f"{mechanism}, {bodies}, {form}")
        linked = model(mechanism, bodies).linked
        least, equations = best(lambda linked=linked: derive(linked, form))  # type: ignore[misc]
        seconds.append(least)
        counts.append(count(equations))
        builds = any(step.op == "define" and step.name == "M" for step in equations.steps)
    return Growth(mechanism, form, tuple(seconds), tuple(counts), sizes, builds)


def say(what: str) -> None:
    """Print how far the run is."""
    print(what, file=sys.stderr, flush=True)


# -- the page --------------------------------------------------------------------------------


def forms_at(bodies: int, ratios: list[Ratio]) -> list[str]:
    """Return the table of all forms at one size."""
    say(f"all forms, {bodies} bodies")
    known = {(r.model.mechanism, r.form): r for r in ratios if r.model.bodies == bodies}
    rows = []
    for form in registry.names():
        row = [form]
        for mechanism in ("planar chain", "spatial chain"):
            linked = model(mechanism, bodies).linked
            least, equations = best(lambda linked=linked, form=form: derive(linked, form))  # type: ignore[misc]
            peer = known.get((mechanism, form))
            ratio = "" if peer is None else f"{peer.peer['seconds'] / least:,.0f}"
            row += [milli(least), ratio, f"{count(equations):,}"]
        rows.append(row)
    head = ["form"]
    for kind in ("planar", "spatial"):
        head += [f"{kind}, ms", f"{kind}, SymPy / mbx", f"{kind}, operations"]
    return table(head, rows)


def main() -> int:
    """Measure, print and keep the tables; return 1 if a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes; keep nothing")
    quick = parser.parse_args().quick
    sizes = GROWTH[:-1] if quick else GROWTH
    for form in registry.names():  # so that no run pays for imports
        derive(model("planar chain", 1).linked, form)
    ratios = [
        compare(model(mechanism, n), form)
        for (mechanism, form), wanted in SIZES.items()
        for n in wanted
        if n <= QUICK or not quick
    ]
    ratios += [compare(model(name), form) for name in LIBRARY for form in ("kane", "lagrange")]
    forms = forms_at(QUICK if quick else COMPARED, ratios)
    growths = [
        grow(mechanism, form, sizes)
        for mechanism in ("planar chain", "spatial chain")
        for form in registry.names()
    ]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    apart = max(r.apart for r in ratios)
    agreed = f"Accelerations of both sides at one random state: apart by {apart:.0e} at most."
    page = "\n".join(
        [
            "# Deriving equations",
            "",
            f"{python}, SymPy {ratios[0].peer['version']}, {os.cpu_count()} CPUs; CPU time.",
            agreed,
            "",
            "## Against SymPy",
            "",
            *compared(ratios),
            "",
            f"## All forms, {QUICK if quick else COMPARED} bodies",
            "",
            *forms,
            "",
            "## Growth",
            "",
            f"The exponent is fitted to the upper {FITTED} sizes.",
            "",
            *grown(growths, sizes),
            "",
        ]
    )
    if not quick:
        RESULTS.write_text(page, "utf-8")
    print(page, end="")
    return int(any(r.missed for r in ratios) or any(g.missed for g in growths))


if __name__ == "__main__":
    sys.exit(main())
