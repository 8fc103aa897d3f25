"""How many modules a conversion runs through: a reader has to follow no more."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM: Final = """
import json
import sys
from pathlib import Path

import mbx
import mbx_converters
from mbx.__main__ import main

roots = [Path(mbx.__file__).parent, *map(Path, mbx_converters.__path__)]
modules = set()


def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_flags & 1:  # a function, and no body of a class or a module
        modules.add(code.co_filename)


sys.argv = ["mbx", "convert", "lib:four_bar", "--to", "maggi", "--format", "c"]
sys.setprofile(note)
status = main()
sys.setprofile(None)
walk = [
    (Path(root.name) / Path(name).relative_to(root)).as_posix()
    for name in sorted(modules)
    for root in roots
    if root in Path(name).parents
]
print(json.dumps([status, walk]))
"""


def test_a_conversion_runs_through_few_modules_and_packages(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    status, modules = json.loads(done.stdout.splitlines()[-1])
    assert status == 0
    packages = {name.split("/")[1] for name in modules if name.count("/") > 1}
    assert len(modules) <= 85
    assert len(packages | {"mbx_converters"}) <= 13
