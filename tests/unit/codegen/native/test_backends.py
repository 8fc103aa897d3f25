"""Which backend is taken, what is kept on disk, and what is in the instructions."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mbx
from arms import arm_system
from mbx import pipeline
from mbx.base.errors import BackendError
from mbx.codegen.native import cache, cc, choose_backend, toolchain
from mbx.codegen.native.argument_layout import Layout
from mbx.codegen.native.llvm import llvm_backend
from mbx.codegen.native.llvm.llvm_modules import Shape
from mbx.codegen.native.tape_plan import plans
from mbx.codegen.routine import routine

if TYPE_CHECKING:
    from pathlib import Path

    from mbx.formalism.equations import Equations


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MBX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(llvm_backend, "_loaded", {})
    monkeypatch.setattr(cc, "_loaded", {})


def planar() -> Equations:
    return mbx.derive(arm_system("planar2"), "composite_body")


def rates(backend: str | None = None) -> Any:
    f = mbx.compile(planar(), backend=backend)
    return f([0.1, 0.2], [0.3, 0.4], inputs=[0.5, 0.6]).ud


# -- which -----------------------------------------------------------------------------------


def test_the_best_backend_that_is_there_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mbx.compile(planar()).backend == "llvm"
    monkeypatch.setitem(choose_backend._AVAILABLE, "llvm", lambda: False)
    assert mbx.compile(planar()).backend == "cc"
    monkeypatch.setitem(choose_backend._AVAILABLE, "cc", lambda: False)
    assert mbx.compile(planar()).backend == "numpy"


def test_all_backends_give_the_same() -> None:
    llvm_, cc_, numpy_ = (rates(name) for name in choose_backend.BACKENDS)
    assert llvm_ == pytest.approx(numpy_, rel=1e-13)
    assert cc_ == pytest.approx(numpy_, rel=1e-13)


def test_a_backend_that_is_not_installed_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    llvm_backend._host.cache_clear()
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    with pytest.raises(BackendError, match=r'pip install "mbx\[fast\]"'):
        mbx.compile(planar(), backend="llvm")
    monkeypatch.setattr(cc, "compiler", lambda: None)
    with pytest.raises(BackendError, match="there is no C compiler"):
        mbx.compile(planar(), backend="cc")
    assert mbx.compile(planar()).backend == "numpy"


def test_an_unknown_backend_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(BackendError, match="'rust', only llvm, cc, numpy"):
        mbx.compile(planar(), backend="rust")


def test_a_c_compiler_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "FLAGS", ("--no-such-flag",))
    with pytest.raises(BackendError, match="the C compiler ended with status"):
        mbx.compile(planar(), backend="cc")


# -- on disk ---------------------------------------------------------------------------------


def forget() -> None:
    llvm_backend._loaded.clear()
    cc._loaded.clear()


@pytest.mark.parametrize("backend", ["llvm", "cc"])
def test_what_was_compiled_is_found_on_disk(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = rates(backend)
    kept = list((tmp_path / "cache").iterdir())
    assert len(kept) == 1
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700
    forget()

    def never(*_: Any) -> None:
        raise AssertionError("it was compiled again")

    monkeypatch.setattr(cc, "shared_library", never)
    monkeypatch.setattr(cache, "store", never)
    assert np.array_equal(rates(backend), first)


@pytest.mark.parametrize("backend", ["llvm", "cc"])
@pytest.mark.parametrize("harm", ["cut", "changed", "empty", "other"])
def test_a_harmed_file_is_made_again(backend: str, harm: str, tmp_path: Path) -> None:
    first = rates(backend)
    (kept,) = (tmp_path / "cache").iterdir()
    data = kept.read_bytes()
    middle = len(data) // 2
    turned = bytes([data[middle] ^ 1])
    kept.write_bytes(
        {
            "cut": data[:-10],
            "changed": data[:middle] + turned + data[middle + 1 :],
            "empty": b"",
            "other": b"\x7fELF" + data,
        }[harm]
    )
    forget()
    assert np.array_equal(rates(backend), first)
    assert kept.read_bytes() == data or backend == "cc"


def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    assert np.isfinite(rates("llvm")).all()
    assert list(folder.iterdir()) == []
    assert cache.load("anything") is None


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MBX_CACHE", "")
    assert np.isfinite(rates("llvm")).all()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MBX_CACHE", str(tmp_path / "file"))
    forget()
    assert np.isfinite(rates("llvm")).all()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("linux", "home/.cache/mbx"),
        ("darwin", "home/Library/Caches/mbx"),
        ("win32", "local/mbx/Cache"),
    ],
)
def test_the_folder_is_where_the_system_keeps_such_things(
    platform: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MBX_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setattr(sys, "platform", platform)
    assert cache.folder() == tmp_path / expected
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    if platform == "linux":
        assert cache.folder() == tmp_path / "xdg" / "mbx"


def test_equal_equations_share_their_code() -> None:
    one, other = (mbx.compile(planar(), backend="llvm") for _ in range(2))
    assert one.raw.single == other.raw.single  # type: ignore[union-attr]


# -- what is in it ---------------------------------------------------------------------------

ROLLING = """
mbx 1
model {0}Model {{
  param {0}m: kg = 2, {0}l: m = 0.5
  coordinate {0}a: rad, {0}b: rad
  body {0}upper {{
    mass {0}m  com [{0}l, 0, 0]  inertia {0}m*{0}l^2 about z
    joint revolute(ground, axis = z, angle = {0}a)
  }}
  body {0}lower {{
    mass {0}m  com [{0}l, 0, 0]  inertia {0}m*{0}l^2 about z
    joint revolute({0}upper at [{0}l, 0, 0], axis = z, angle = {0}b)
  }}
  input {0}tau: N*m
  load {0}drive: on {0}b': {0}tau
  gravity [0, -9.81 [m/s^2], 0]
}}
"""


@pytest.mark.parametrize("function", ["mb_setup", "mb_single", "mb_batch"])
@pytest.mark.parametrize("fused", [True, False])
def test_no_name_of_a_model_is_in_the_instructions(function: str, *, fused: bool) -> None:
    """Names decide the order of terms, and nothing else of them is in the code."""
    sizes = set()
    for prefix in ("x", "unlike_any_other_"):
        equations = mbx.convert(mbx.loads(ROLLING.format(prefix)), "kane")
        one = routine(pipeline.subject(equations), ("ud", "qd"))
        text = llvm_backend.text_of(function, plans(one), Layout.of(one), Shape(4, fused=fused))
        assert text.isascii()
        assert "unlike" not in text
        sizes.add(text.count("\n"))
    assert len(sizes) == 1


@pytest.mark.parametrize("wide", [2, 4, 8])
@pytest.mark.parametrize("fused", [True, False])
def test_other_machines_compute_the_same(
    wide: int, *, fused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = rates("numpy")
    host = llvm_backend._host()
    shape = Shape(wide, fused=fused)
    other = replace(host, shape=shape)
    monkeypatch.setattr(llvm_backend, "_host", lambda: other)
    f = mbx.compile(planar(), backend="llvm")
    assert f([0.1, 0.2], [0.3, 0.4], inputs=[0.5, 0.6]).ud == pytest.approx(expected, rel=1e-13)
    many = f([[0.1, 0.2]] * 3, [[0.3, 0.4]] * 3, inputs=[0.5, 0.6])
    assert many.ud == pytest.approx(np.array([expected] * 3), rel=1e-13)
