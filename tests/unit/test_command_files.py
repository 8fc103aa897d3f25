from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from command_files import blocks, replace, run

ECHO = "import sys; print(*sys.argv[1:]); sys.stdout.write(sys.stdin.read()); "
FILE = """\
# Check

```
% mbx check a.mb
all is well
```

Not a command:

```mb
model A {}
```

````
% mbx fmt -
model A {
}
^D
```
model A {}
```
2> a warning
=> 3
````
"""


StandIn = Callable[..., None]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """Return what puts a program in the place of mbx: it prints its arguments and its input."""

    def install(then: str = "") -> None:
        monkeypatch.setattr("command_files.PROGRAM", (sys.executable, "-c", ECHO + then))

    return install


def test_blocks_that_begin_with_the_command_are_found() -> None:
    first, second = blocks(FILE)
    assert (first.command, first.stdin, first.line) == ("mbx check a.mb", "", 3)
    assert first.expected == "all is well\n"
    assert (second.command, second.stdin) == ("mbx fmt -", "model A {\n}\n")
    assert second.expected == "```\nmodel A {}\n```\n2> a warning\n=> 3\n"


def test_a_command_runs_with_its_arguments_and_input(stand_in: StandIn) -> None:
    stand_in()
    block = blocks('```\n% mbx json "a b" c\nx^D\n^D\n```\n')[0]
    assert run(block) == "json a b c\nx^D\n"


def test_stderr_and_status_stand_behind_stdout(stand_in: StandIn) -> None:
    stand_in("print('a\\n\\nb', file=sys.stderr); sys.exit(3)")
    block = blocks("```\n% mbx one\n```\n")[0]
    assert run(block) == "one\n2> a\n2>\n2> b\n=> 3\n"


def test_a_missing_last_newline_is_shown(stand_in: StandIn) -> None:
    stand_in("sys.stdout.write('end')")
    block = blocks("```\n% mbx one\n```\n")[0]
    assert run(block) == "one\nend\n\\ no newline at the end\n"


def test_only_what_a_command_printed_is_replaced() -> None:
    changed = replace(FILE, blocks(FILE)[0], "new\n")
    assert changed == FILE.replace("all is well\n", "new\n")
    assert [block.expected for block in blocks(changed)] == ["new\n", blocks(FILE)[1].expected]


def test_what_would_end_the_block_is_refused() -> None:
    with pytest.raises(ValueError, match="line 3: what is printed holds a fence"):
        replace(FILE, blocks(FILE)[0], "```\n")


@pytest.fixture
def suite(pytester: pytest.Pytester, stand_in: StandIn) -> pytest.Pytester:
    """Return a folder of tests with our conftest, where `mbx` prints its arguments."""
    stand_in()
    conftest = Path(__file__).parent.parent / "conftest.py"
    pytester.makeconftest(conftest.read_text("utf-8"))
    return pytester


def test_a_command_that_differs_fails_with_a_diff(suite: pytest.Pytester) -> None:
    suite.mkdir("commands").joinpath("a.md").write_text("```\n% mbx one\ntwo\n```\n", "utf-8")
    done = suite.runpytest_inprocess("commands")
    done.assert_outcomes(failed=2)  # the first of a file, once more anew
    done.stdout.fnmatch_lines(["-two", "+one"])


def test_update_rewrites_what_differs(suite: pytest.Pytester) -> None:
    path = suite.mkdir("commands") / "a.md"
    path.write_text("```\n% mbx one\ntwo\n```\n\n```\n% mbx three\n```\n", "utf-8")
    suite.runpytest_inprocess("commands", "--update").assert_outcomes(passed=3)
    assert path.read_text("utf-8") == "```\n% mbx one\none\n```\n\n```\n% mbx three\nthree\n```\n"
    suite.runpytest_inprocess("commands").assert_outcomes(passed=3)


def test_skips_are_failures(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        test_one="""
        import pytest

        @pytest.mark.skip(reason="later")
        def test_marked(): ...

        def test_within():
            pytest.skip("not here")

        @pytest.mark.xfail
        def test_expected():
            assert False

        def test_runs(): ...
        """
    )
    done = suite.runpytest_inprocess("-rE")
    done.assert_outcomes(failed=2, errors=1, passed=1)
    done.stdout.fnmatch_lines(["*no test may be skipped: *later"])


def test_a_skipped_module_is_an_error(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_two="import pytest\npytest.importorskip('no_such_package')")
    suite.runpytest_inprocess().assert_outcomes(errors=1)
