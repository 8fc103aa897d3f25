"""The public names: what `mbx` offers, and that `help` explains all of it."""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Final

import pytest

import mbx
import mbx.verify.verification

MOST: Final = 30
VERBS: Final = [name for name in mbx.__all__ if name.islower()]
PAGE: Final = Path(__file__).parents[3] / "spec" / "python.md"
_OPTIONS: Final = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_few_names_are_public_and_all_of_them_exist() -> None:
    assert dir(mbx) == sorted(mbx.__all__)
    assert len(mbx.__all__) <= MOST
    assert all(getattr(mbx, name) is not None for name in mbx.__all__)
    assert {"System", "derive"} <= set(mbx.__all__)


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_is_a_function_whatever_is_imported(name: str) -> None:
    assert type(getattr(mbx, name)) is FunctionType


def test_a_package_with_the_name_of_a_verb_does_not_replace_it() -> None:
    text = (
        "import mbx.verify.verification, mbx\n"
        "from mbx.verify import verification\n"
        "assert mbx.verify.__module__ == 'mbx.verify.verification_verbs', mbx.verify\n"
        "assert verification.Verification\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True)


@pytest.mark.parametrize("name", VERBS)
def test_help_describes_each_argument_and_has_an_example(name: str) -> None:
    verb = getattr(mbx, name)
    text = inspect.getdoc(verb) or ""
    described = re.findall(r"^    (\w+): ", text, re.MULTILINE)
    assert described[: len(inspect.signature(verb).parameters)] == list(
        inspect.signature(verb).parameters
    )
    assert ">>> " in text
    assert f"mbx.{name}(" in text


@pytest.mark.parametrize("name", VERBS)
def test_the_examples_of_a_verb_give_what_they_show(name: str) -> None:
    verb = getattr(mbx, name)
    source = import_module(verb.__module__)
    finder = doctest.DocTestFinder(recurse=False)
    (test,) = finder.find(verb, name, source, extraglobs={"mbx": mbx})
    assert doctest.DocTestRunner(optionflags=_OPTIONS).run(test).failed == 0


def test_the_examples_of_the_page_give_what_they_show() -> None:
    text = PAGE.read_text("utf-8").replace("```", "")  # fences are no output
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) > len(mbx.__all__)
    assert doctest.DocTestRunner(optionflags=_OPTIONS).run(test).failed == 0


def test_the_page_has_an_example_of_each_name() -> None:
    text = PAGE.read_text("utf-8")
    assert [name for name in mbx.__all__ if f"`mbx.{name}" not in text] == []
