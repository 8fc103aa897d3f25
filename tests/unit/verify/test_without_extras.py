"""Verification needs no extra: without them, the arbiter goes by decimals."""

from __future__ import annotations

import subprocess
import sys

from mbx.linking.library import cases

EXTRAS = [
    "IPython",
    "anywidget",
    "casadi",
    "dask",
    "distributed",
    "flint",
    "jax",
    "llvmlite",
    "matplotlib",
    "mujoco",
    "pinocchio",
    "pyarrow",
    "pydy",
    "rumoca",
    "sksundae",
]

CODE = f"""
import sys
sys.modules.update(dict.fromkeys({EXTRAS!r}))
from mbx.cli.main import main
sys.argv = ["mbx", "verify", sys.argv[1], "--states", "2"]
main()
"""

PRECISE = f"""
import sys
sys.modules.update(dict.fromkeys({EXTRAS!r}))
from mbx.numerics.multiprecision.digit_numbers import numbers_of
print(type(numbers_of(50)).__name__)
"""


def run(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def test_a_model_is_verified_without_any_extra() -> None:
    (case,) = [path for path in cases() if path.name == "simple_pendulum"]
    done = run(CODE, str(case / "model.mb"))
    assert done.stderr == ""
    assert ": agree" in done.stdout
    assert done.returncode == 0


def test_decimals_are_what_is_left() -> None:
    assert run(PRECISE).stdout == "Decimals\n"
