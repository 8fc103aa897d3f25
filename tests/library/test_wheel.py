"""The library is found from a wheel in a fresh environment, and from an editable install."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
USING = """\
mbx 1

use Bar from "lib:planar/bar.mb"

model Swing {
  subsystem bar: Bar(length = 1 m, mass = 2 kg, inertia = 0.17 kg*(1 m)^2)
  invariant pin_x: bar.p1x = 0
  invariant pin_y: bar.p1y = 0
  gravity [0, -9.81 [m/s^2], 0]
}
"""
LOOK = """\
import json, mbx
from mbx.linking.library import cases
found = {
    "file": mbx.__file__,
    "case": mbx.link(mbx.read("lib:four_bar")).hash,
    "user": [one.render() for one in mbx.check(mbx.read("swing.mb")) if one.severity == "error"],
    "cases": [one.name for one in cases()],
}
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel with what is installed; nothing is fetched."""
    folder = tmp_path_factory.mktemp("wheel")
    done([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], ROOT)
    (found,) = folder.glob("mbx-*.whl")
    return found


@pytest.fixture(scope="module")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment that has the wheel, and sees what it depends on."""
    folder = tmp_path_factory.mktemp("fresh")
    done([sys.executable, "-m", "venv", "--without-pip", str(folder)], folder)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "-q", "--no-input"]
    quiet = ["--disable-pip-version-check", "--no-deps", "--no-index", "--no-compile"]
    done([*pip, "install", *quiet, str(wheel)], folder)
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(done([str(python), "-c", asked], folder).strip())
    # a folder that a .pth names comes behind, and its own .pth files do not count: the editable
    # install of the running environment stays out of sight
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return python


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Return a folder that has nothing to do with mbx but a model that uses a part."""
    (tmp_path / "swing.mb").write_text(USING, "utf-8")
    return tmp_path


def done(command: list[str], folder: Path) -> str:
    """Run a command that must succeed; return what it prints."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PIP_", "VIRTUAL"))}
    found = subprocess.run(
        command, cwd=folder, env=kept, capture_output=True, text=True, check=False, timeout=100
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def look(python: Path, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done([str(python), "-c", LOOK], folder))
    return found


def test_the_wheel_has_every_file_of_the_library(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name for name in archive.namelist() if name.startswith("mbx/_library/")}
    known = {
        f"mbx/_library/{path.relative_to(ROOT / 'library').as_posix()}"
        for path in (ROOT / "library").rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }
    assert "mbx/_library/four_bar/model.mb" in shipped
    assert "mbx/_library/lib/planar/bar.mb" in shipped
    assert shipped == known


@pytest.mark.full
def test_a_wheel_in_a_fresh_environment_finds_the_library(fresh: Path, elsewhere: Path) -> None:
    found = look(fresh, elsewhere)
    assert Path(found["file"]).is_relative_to(fresh.parents[1])
    assert found == {**look(Path(sys.executable), elsewhere), "file": found["file"]}
    assert "four_bar" in found["cases"]
    assert found["user"] == []
    mbx = str(fresh.with_name("mbx"))
    assert "four_bar: Planar four-bar\n" in done([mbx, "library", "list"], elsewhere)
    assert done([mbx, "check", "lib:four_bar"], elsewhere) == "lib:four_bar: ok\n"
    assert (
        "kane" in done([mbx, "convert", "lib:simple_pendulum", "--to", "kane"], elsewhere).lower()
    )


def test_an_editable_install_finds_the_library(elsewhere: Path) -> None:
    found = look(Path(sys.executable), elsewhere)
    assert Path(found["file"]) == ROOT / "src" / "mbx" / "__init__.py"
    assert {path.parent.name for path in (ROOT / "library").glob("*/case.toml")} == set(
        found["cases"]
    )
    assert found["user"] == []
    mbx = [sys.executable, "-m", "mbx"]
    assert "four_bar: Planar four-bar\n" in done([*mbx, "library", "list"], elsewhere)
    assert done([*mbx, "check", "lib:four_bar"], elsewhere) == "lib:four_bar: ok\n"


@pytest.mark.full
def test_what_a_wheel_has_installed_is_not_written_to(fresh: Path, elsewhere: Path) -> None:
    refused = subprocess.run(
        [str(fresh.with_name("mbx")), "library", "build", "simple_pendulum"],
        cwd=elsewhere,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert refused.returncode == 5
    assert "part of mbx as installed" in refused.stderr
    mbx = str(fresh.with_name("mbx"))
    assert done([mbx, "library", "copy", "simple_pendulum"], elsewhere).startswith(
        "simple_pendulum"
    )
    assert (elsewhere / "simple_pendulum" / "model.mb").is_file()
