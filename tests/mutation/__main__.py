"""`make mutants`: single changes of the code, and how many of them the tests notice.

    python -m mutation [--count N] [--seed N] [--state FILE] [TEST ...]

The sample is drawn over all changes of the packages, and is the same for a seed. Each change is
tried in a process of its own, which stops at the first test that fails: with the unit tests of
its package and others that import its module, then with the tests that are named here. The state
file keeps the result of each change, so that a run which was ended continues, and a run with
further tests tries them on what survived.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mutation.sites import sites
from mutation.trial import NOT_PLANTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutation.sites import Site

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("expr", "mechanics", "numerics")
SECONDS: Final = 1200.0
"""How long the tests of a change may take; a change that makes them endless is noticed."""
OPTIONS: Final = ("-q", "-x", "-n0", "--no-header", "--tb=no")


def main() -> int:
    """Try the sample, print a line for each change, and how many were noticed."""
    words = argparse.ArgumentParser(prog="mutation", description=__doc__)
    words.add_argument("--count", type=int, default=60, help="changes to try")
    words.add_argument("--seed", type=int, default=1, help="of the sample")
    words.add_argument("--state", type=Path, default=Path("build/mutation/state.json"))
    words.add_argument("wider", nargs="*", help="tests for what the unit tests do not notice")
    given = words.parse_args()
    given.state.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(given.state.read_text("utf-8")) if given.state.exists() else {}
    noticed = 0
    for module, site in sample(given.count, given.seed):
        name = f"{module}:{site.line} #{site.number} {site.text}"
        if name not in known:
            known[name] = tried(module, site, nearer(module))
        if given.wider and not known[name]:
            known[name] = tried(module, site, given.wider)
        given.state.write_text(json.dumps(known, indent=1), "utf-8")
        noticed += bool(known[name])
        print(f"{name}: {known[name] or 'SURVIVED'}", flush=True)  # noqa: T201  its result
    print(f"{noticed} of {given.count} noticed")  # noqa: T201  likewise
    return 0


def sample(count: int, seed: int) -> list[tuple[str, Site]]:
    """Draw changes, each as likely as any other; listed by module."""
    source = ROOT / "src"
    paths = [path for one in PACKAGES for path in sorted((source / "mbx" / one).rglob("*.py"))]
    every = [
        (".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"), site)
        for path in paths
        for site in sites(path.read_text("utf-8"))
    ]
    return sorted(random.Random(seed).sample(every, count), key=lambda one: one[0])  # noqa: S311


def nearer(module: str) -> list[str]:
    """Return the unit tests of the package, and others that import the module."""
    package, _, last = module.rpartition(".")
    imports = re.compile(
        rf"^from {re.escape(module)} import|^from {re.escape(package)} import .*\b{last}\b",
        re.MULTILINE,
    )
    tests = ROOT / "tests" / "unit"
    direct = [
        str(path.relative_to(ROOT))
        for path in sorted(tests.rglob("test_*.py"))
        if imports.search(path.read_text("utf-8"))
    ]
    folder = f"tests/unit/{module.split('.')[1]}"
    return [folder, *(path for path in direct if not path.startswith(folder))]


def tried(module: str, site: Site, tests: Sequence[str]) -> str:
    """Return the first of the tests that notices the change, or nothing."""
    command = [sys.executable, "-m", "mutation.trial", module, str(site.number), "--"]
    try:
        done = subprocess.run(
            [*command, *OPTIONS, *tests],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": "tests"},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "out of time"
    if done.returncode == NOT_PLANTED:
        raise RuntimeError(f"{module} was loaded without its change")
    if done.returncode == 0:
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return failed[1] if failed else f"status {done.returncode}"


if __name__ == "__main__":
    sys.exit(main())
