"""Generated C as a program that runs at the states of cases and prints what it finds."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx import pipeline
from mbx.codegen.routine import routine
from mbx.pipeline import write_files

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mbx.codegen.routine import Routine
    from written import Case

__all__ = ["BUILDS", "results_in_c"]

STRICT: Final = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unknown-pragmas")
BUILDS: Final = {
    "verified": ("-O1", "-ffp-contract=off"),
    "fast": ("-O3", "-march=native", "-ffp-contract=fast"),
    "sanitized": ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    "quick": ("-O0", "-ffp-contract=off"),
}


def results_in_c(cases: Sequence[Case], folder: Path, build: str) -> list[dict[str, Any]]:
    """Compile the C of some cases into one program, run it, and return the results of each."""
    calls, sizes, sources = [], [], []
    for k, case in enumerate(cases):
        subject = pipeline.subject(case.equations)
        name = f"mb_{subject.stem}"
        for file, text in write_files(case.equations, "c").items():
            (folder / file).write_text(text, "ascii")
        sources.append(f"{name}.c")
        every = routine(subject, case.equations.results, rest=True)
        sizes.append({key: _size(rows) for key, rows in every.results.items()})
        calls.append(_call(case, every.only("ud"), name, k))
    head = "".join(f'#include "{one[:-2]}.h"\n' for one in sources)
    main = f"#include <stdio.h>\n{head}{''.join(text for text, _ in calls)}int main(void)\n{{\n"
    main += "".join(f"    {call}\n" for _, call in calls) + "    return 0;\n}\n"
    (folder / "main.c").write_text(main, "ascii")
    command = ["gcc", *STRICT, *BUILDS[build], "main.c", *sources, "-lm", "-o", "run"]
    subprocess.run(command, cwd=folder, check=True, timeout=300)
    done = subprocess.run(
        [str(folder / "run")], capture_output=True, text=True, check=True, timeout=60
    )
    numbers = iter(done.stdout.split())
    return [_read(case, size, numbers) for case, size in zip(cases, sizes, strict=True)]


def _size(rows: Sequence[Sequence[Any]]) -> tuple[int, int]:
    return len(rows), len(rows[0]) if rows else 0


def _call(case: Case, rates: Routine, name: str, k: int) -> tuple[str, str]:
    """Return a function that runs one case at all of its states, and the call of it."""
    count = f"{name.upper()}_RESULTS_SIZE"
    given = case.arguments(rates)
    groups = [
        g for g in ("q", "u", "higher", "inputs", "parameters") if g != "higher" or given[g].size
    ]
    tables = f"    static const double t[] = {{{_row(given['t'])}}};\n"
    for group in groups:
        rows = ",\n".join(f"{{{_row(row)}}}" for row in given[group])
        width = max(1, given[group].shape[1])
        tables += f"    static const double {group}[][{width}] = {{{rows}}};\n"
    passed = ", ".join(f"{group}[k]" for group in groups)
    n, m = given["q"].shape[1], len(rates.results["ud"])
    both = "qd" in case.equations.results
    body = (
        f"static void run_{k}(void)\n{{\n{tables}"
        f"    double out[{count} + 1], qd[{max(1, n)}], ud[{max(1, m)}];\n"
        f"    for (int k = 0; k < {len(case)}; ++k) {{\n"
        f'        printf("%d\\n", {name}_results(t[k], {passed}, out));\n'
        f'        for (int i = 0; i < {count}; ++i) printf("%.17g\\n", out[i]);\n'
        f'        printf("%d\\n", {name}_rates(t[k], {passed}, {"qd, " if both else ""}ud));\n'
        f'        for (int i = 0; i < {m}; ++i) printf("%.17g\\n", ud[i]);\n'
        "        (void)qd;\n    }\n}\n"
    )
    return body, f"run_{k}();"


def _row(values: Any) -> str:
    return ", ".join(float(x).hex() for x in values) or "0.0"


def _read(case: Case, sizes: dict[str, tuple[int, int]], numbers: Any) -> dict[str, Any]:
    found: dict[str, list[Any]] = {key: [] for key in sizes}
    for _ in range(len(case)):
        assert next(numbers) == "0", (case.model, case.form, "status")
        for key, (rows, columns) in sizes.items():
            entries = [float(next(numbers)) for _ in range(rows * columns)]
            found[key].append(np.array(entries).reshape(rows, columns))
        assert next(numbers) == "0", (case.model, case.form, "status of the rates")
        rates = [float(next(numbers)) for _ in range(sizes["ud"][0])]
        assert np.allclose(rates, found["ud"][-1][:, 0], rtol=1e-9, atol=1e-12)
    return {key: np.stack(value) for key, value in found.items()}
