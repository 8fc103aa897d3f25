"""What comes with no extra installed works without them: slower, or it says what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
EXTRAS: Final = (
    "llvmlite",
    "flint",
    "sksundae",
    "matplotlib",
    "pyarrow",
    "dask",
    "distributed",
    "anywidget",
    "IPython",
    "casadi",
    "jax",
    "mujoco",
    "pinocchio",
    "pydy",
    "rumoca",
)
BARE: Final = f"""\
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
"""
COMMANDS: Final = (
    ["check", "lib:four_bar"],
    ["verify", "lib:simple_pendulum", "--states", "2", "--quiet"],
    ["compare", "lib:simple_pendulum"],
    ["draw", "lib:four_bar"],
    ["info", "--deep", "lib:simple_pendulum"],
    *(
        ["convert", "lib:simple_pendulum", "--to", "kane", "--format", name]
        for name in ("text", "latex", "numpy", "casadi", "jax", "sympy", "modelica")
    ),
)
COMPILE: Final = """\
import mbx
f = mbx.compile(mbx.convert(mbx.read("lib:simple_pendulum"), "kane"))
assert abs(f([0.1], [0.0]).ud[0] + 1.5*9.81*0.09983341664682815) < 1e-12
"""


def _bare(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BARE + text, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


@pytest.mark.sample(3)
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_command_needs_no_extra(arguments: list[str]) -> None:
    done = _bare("from mbx.cli.main import main; sys.exit(main(sys.argv[1:]))", *arguments)
    assert (done.returncode, done.stderr) == (0, "")


def test_compiling_needs_no_extra() -> None:
    done = _bare(COMPILE)
    assert (done.returncode, done.stderr) == (0, "")
