"""What holds of the source as a whole: sizes, names, imports, and what must not be in it."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mbx.cli.schema_files import schema_files
from mbx.language.text.parse import parser
from mbx.show.highlighting import KEYWORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[1]
SOURCE: Final = ROOT / "src"
MODULES: Final = sorted((SOURCE / "mbx").rglob("*.py"))
TESTS: Final = sorted((ROOT / "tests").rglob("*.py"))

LONGEST: Final = 500
LONGER: Final = {
    "tests/strategies.py": "one strategy for each kind of statement, which refer to each other",
}
"""Modules that may be longer, and why."""

UNSAFE_CALLS: Final = {"eval", "exec", "compile", "__import__", "os.system", "os.popen"}
UNSAFE_MODULES: Final = {
    "ctypes",
    "dill",
    "marshal",
    "pickle",
    "runpy",
    "shelve",
    "socket",
    "subprocess",
    "urllib",
    "yaml",
}
"""What could execute a part of a model, or reach beyond its folder."""

GENERATING: Final = {"src/mbx/codegen/python/python_function.py": {"compile", "exec"}}
"""What executes a text of its own making, without a name or a string of a model."""

REACHING: Final = {
    "src/mbx/codegen/native/machine_code.py": {"ctypes"},
    "src/mbx/codegen/native/toolchain.py": {"subprocess"},
}
"""What calls machine code of its own making, and the C compiler on a text of its own making."""

UNFINISHED: Final = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
# written in pieces, so that this file does not hold what it looks for
ELSEWHERE: Final = ("/wor" + "k/", "pypi" + ".org", "../sha" + "red")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def repository_files() -> list[Path]:
    """Return the files that are tracked, or will be once they are added."""
    git = shutil.which("git")
    assert git is not None, "this test lists the files of the repository with git"
    listing = subprocess.run(
        [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found = sorted(ROOT / name for name in set(listing.stdout.split("\0")) - {""})
    return [path for path in found if path.is_file()]


def lines_with(path: Path, words: re.Pattern[str]) -> list[str]:
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:  # not a text
        return []
    return [
        f"{relative(path)}:{number}"
        for number, line in enumerate(text.splitlines(), 1)
        if words.search(line)
    ]


def loaded_by(program: str, *arguments: str) -> set[str]:
    """Return the modules that a program has imported when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{program}\nprint()\nprint(*sys.modules)", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


# -- modules ---------------------------------------------------------------------------------


def test_every_module_is_short_enough() -> None:
    lengths = {
        relative(path): len(path.read_text("utf-8").splitlines()) for path in MODULES + TESTS
    }
    longer = {name: count for name, count in lengths.items() if count > LONGEST}
    assert {name: count for name, count in longer.items() if name not in LONGER} == {}


def test_every_exception_from_the_length_is_needed() -> None:
    for name in LONGER:
        assert len((ROOT / name).read_text("utf-8").splitlines()) > LONGEST


def test_every_module_says_what_it_holds() -> None:
    assert [relative(path) for path in MODULES if not ast.get_docstring(tree_of(path))] == []


def test_every_module_names_what_it_offers() -> None:
    modules = [import_module(dotted(path)) for path in MODULES if not path.stem.startswith("__")]
    assert [module.__name__ for module in modules if not hasattr(module, "__all__")] == []
    missing = {
        module.__name__: names
        for module in modules
        if (names := [name for name in module.__all__ if not hasattr(module, name)])
    }
    assert missing == {}
    twice = [one.__name__ for one in modules if len(set(one.__all__)) != len(one.__all__)]
    assert twice == []


# -- imports ---------------------------------------------------------------------------------


def test_checking_a_model_imports_no_mathematics() -> None:
    program = "from mbx.cli.main import main\nassert main(sys.argv[1:]) == 0"
    loaded = loaded_by(program, "check", "library/four_bar/model.mb")
    assert "mbx.checking.run_rules" in loaded
    assert not loaded & {"numpy", "scipy", "sympy"}


def test_importing_mbx_imports_no_other_package() -> None:
    loaded = loaded_by("import mbx")
    assert "mbx" in loaded
    assert not loaded & {"pydantic", "lark", "typer"}


def test_no_module_can_execute_a_text_or_reach_the_network() -> None:
    called, reached, imported = {}, {}, {}
    for path in MODULES:
        tree, name = tree_of(path), relative(path)
        names = set(_imported_in(tree))
        called[name] = set(_called_in(tree)) & UNSAFE_CALLS
        reached[name] = {one.partition(".")[0] for one in names} & UNSAFE_MODULES
        imported[name] = names & UNSAFE_CALLS
    assert {name: calls for name, calls in called.items() if calls} == GENERATING
    assert {name: modules for name, modules in reached.items() if modules} == REACHING
    assert {name: calls for name, calls in imported.items() if calls} == {}


def _called_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = ast.unparse(node.func)
            yield name.removeprefix("builtins.")


def _imported_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_unsafe_names_are_found_however_they_are_spelled() -> None:
    tree = ast.parse(
        "import yaml.loader\nfrom os import system\nbuiltins.eval('1')\nos.popen('a')\nf()('b')"
    )
    assert set(_imported_in(tree)) == {"yaml.loader", "os", "os.system"}
    assert set(_called_in(tree)) == {"eval", "os.popen", "f"}


# -- files -----------------------------------------------------------------------------------


def test_the_folder_of_schemas_holds_what_mbx_makes() -> None:
    stored = {path.name: path.read_text("utf-8") for path in (ROOT / "schema").glob("*.json")}
    assert stored == schema_files()


def test_nothing_is_left_unfinished() -> None:
    parts = {"src", "converters", "spec"}
    files = [path for path in repository_files() if path.relative_to(ROOT).parts[0] in parts]
    assert files
    assert [place for path in files for place in lines_with(path, UNFINISHED)] == []


def test_no_file_speaks_of_where_it_was_written() -> None:
    words = re.compile("|".join(map(re.escape, ELSEWHERE)))
    assert [place for path in repository_files() for place in lines_with(path, words)] == []


def test_the_version_stands_in_one_place_or_is_the_same_in_both() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert "mbx --version" in citation
    assert set(re.findall(r'(?m)^version:\s*"?([^"\s]+)', citation)) <= {version}


def test_every_place_that_contributing_names_exists() -> None:
    rows = [
        line
        for line in (ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()
        if line.startswith("| ")
    ]
    named = [name for row in rows for name in re.findall(r"`([a-z_.]+/[^`\s]*)`", row)]
    assert len(named) >= 10
    for name in named:
        # `library/<name>/` stands for any case: what comes before the first pattern must exist
        fixed = re.split(r"[^/]*(?:<|MBXnnnn)", name)[0]
        assert any((base / fixed).exists() for base in (ROOT, ROOT / "src/mbx")), name


def test_the_keywords_that_are_coloured_are_those_of_the_parser() -> None:
    words = {
        terminal.pattern.value
        for terminal in parser().terminals
        if terminal.pattern.type == "str" and terminal.pattern.value.isalpha()
    }
    assert words == KEYWORDS
