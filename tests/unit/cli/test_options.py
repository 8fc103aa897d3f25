"""One option, one meaning: every option of every verb, its help, and the table of the spec."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest
import typer

from mbx.cli.main import app
from mbx.cli.options import OPTIONS

_SPEC: Final = Path(__file__).parents[3] / "spec" / "commands.md"
_GENERAL: Final = frozenset(
    {"--version", "--root", "--limit", "--install-completion", "--show-completion", "--help"}
)


def every_verb() -> dict[str, Any]:
    """Return all verbs by what is typed, such as `library show`."""
    found: dict[str, Any] = {}

    def walk(command: Any, path: str) -> None:
        for name, verb in getattr(command, "commands", {}).items():
            found[f"{path}{name}"] = verb
            walk(verb, f"{path}{name} ")

    walk(typer.main.get_command(app), "")
    return found


VERBS: Final = every_verb()


def options_of(verb: Any) -> dict[str, Any]:
    """Return the options of a verb by their long names."""
    options = [p for p in verb.params if p.param_type_name == "option"]
    return {next(o for o in p.opts if o.startswith("--")): p for p in options}


def test_an_option_has_one_meaning_in_every_verb() -> None:
    for path, verb in VERBS.items():
        for name, option in options_of(verb).items():
            meaning, *rest = OPTIONS[name].text.split("; ")
            assert option.help.startswith(meaning), (path, name)
            assert option.help.endswith("; ".join(["", *rest]) + "."), (path, name)
            assert option.rich_help_panel == OPTIONS[name].group, (path, name)


def test_an_option_takes_a_value_everywhere_or_nowhere() -> None:
    for path, verb in VERBS.items():
        for name, option in options_of(verb).items():
            assert option.is_flag == (OPTIONS[name].metavar is None), (path, name)
            assert option.is_flag or option.metavar == OPTIONS[name].metavar, (path, name)


def test_only_out_has_a_short_name() -> None:
    short = {o for verb in VERBS.values() for p in verb.params for o in p.opts if len(o) == 2}
    assert {o for o in short if o.startswith("-")} == {"-o"}


def table() -> str:
    """Return the table of options as the spec has it."""
    rows = ["| option | means | verbs |", "|---|---|---|"]
    for name, meaning in OPTIONS.items():
        verbs = [f"`{path}`" for path, verb in VERBS.items() if name in options_of(verb)]
        assert verbs, f"no verb has {name}"
        shown = f"`{name}`" if name != "--out" else "`-o`, `--out`"
        value = f" `{meaning.metavar}`" if meaning.metavar else ""
        text = meaning.text.replace("|", "\\|")
        rows.append(f"| {shown}{value.replace('|', chr(92) + '|')} | {text} | {', '.join(verbs)} |")
    return "\n".join(rows)


def test_the_spec_has_the_table_of_options() -> None:
    assert f"\n{table()}\n" in _SPEC.read_text("utf-8")


@pytest.mark.parametrize("path", VERBS)
def test_the_help_of_a_verb_has_groups_and_an_example_and_no_names_of_types(
    path: str, run: Any
) -> None:
    page = run(*path.split(), "--help").out
    assert re.search(rf"^Examples?:\n  mbx {path}\b", page, re.MULTILINE)
    assert not re.search(r"<\w|\{|x>=|<=x", page)
    assert all(len(line) <= 80 for line in page.splitlines())
    if len(options_of(VERBS[path])) > 1:
        groups = {option.rich_help_panel for option in options_of(VERBS[path]).values()}
        assert all(f"\n{group}:\n" in page for group in groups - {None})


def test_the_examples_of_the_help_are_of_options_that_there_are() -> None:
    for path, verb in VERBS.items():
        for example in verb.epilog.split("\n"):
            words = example.split()
            assert words[:1] == ["mbx"], path
            named = " ".join(words[1 : 1 + len(path.split())])
            assert named == path or path in {"library", "certificate"}
            known = {o for p in verb.params for o in p.opts} | _GENERAL
            assert {w for w in words if w.startswith("-")} <= known or named != path


def test_no_line_of_the_list_of_verbs_is_cut(run: Any) -> None:
    page = run("--help").out
    assert "..." not in page.partition("\nModels:")[2]
    for group in ("Models", "Equations of motion", "Verification", "Analyses"):
        assert f"\n{group}:\n" in page


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("sim", "; did you mean 'simulate'?"),
        ("linearise", "; did you mean 'linearize'?"),
        ("li", "; did you mean 'linearize' or 'library'?"),
        ("xyz", "; mbx --help lists them"),
    ],
)
def test_a_verb_that_there_is_not_is_met_with_those_that_there_are(
    typed: str, hint: str, run: Any
) -> None:
    done = run(typed, "model.mb")
    assert (done.status, done.err) == (2, f"mbx: no such command '{typed}'{hint}\n")
