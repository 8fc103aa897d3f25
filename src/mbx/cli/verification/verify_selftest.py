"""`mbx verify --self-test`: whether the verifier finds the faults that are planted."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mbx.base.errors import MbxError
from mbx.cli.command_files import SETTINGS
from mbx.cli.output import Status, bar, complain, emit_json, print_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mbx.cli.verification.verify_output import VerifyOutput
    from self_test.fault_report import SelfTest
    from self_test.metamorphic.relation_report import Checked, MetamorphicTest
    from self_test.trial import Found

__all__ = ["test_verifier"]

_PARTS: Final = ("faults", "metamorphic")


def test_verifier(names: Sequence[str], jobs: int, wanted: VerifyOutput) -> int:
    """Plant faults, all or those that are named, and print whether the verifier detects each.

    If none is named, or a tenth of them, the metamorphic checks are made, too.
    """
    if not _on_path():
        complain("mbx: the self-test needs a checkout of mbx: its faults are in tests/self_test")
        return Status.USAGE
    from self_test.metamorphic import run_relations as relations
    from self_test.mutants import choose
    from self_test.run_trials import run

    SETTINGS.release()
    try:
        chosen = choose(names)
    except MbxError as unknown:
        complain(f"mbx: {unknown}")
        return Status.USAGE
    with _progress_bar() as progress:
        faults = run(chosen, workers=jobs, progress=progress)
    models = {(): relations.every_model(), ("tenth",): relations.tenth()}.get(tuple(names), ())
    if not models:
        return _print_results([faults], wanted)
    with _progress_bar() as progress:
        metamorphic = relations.run(models, jobs=jobs, progress=progress)
    return _print_results([faults, metamorphic], wanted)


def _on_path() -> bool:
    """Let the self-test be imported from the checkout of this package, if there is a checkout."""
    tests = Path(__file__).parents[4] / "tests"
    if not (tests / "self_test").is_dir():
        return False
    if str(tests) not in sys.path:
        sys.path.insert(0, str(tests))
    return True


def _print_results(results: Sequence[SelfTest | MetamorphicTest], wanted: VerifyOutput) -> int:
    """Print the results; the status is that of the worse."""
    if wanted.as_json:
        emit_json({name: result.as_json() for name, result in zip(_PARTS, results, strict=False)})
    elif wanted.quiet:
        for result in results:
            print_line(result.summary())
    else:
        for k, result in enumerate(results):
            for line in ([""] if k else []) + list(result.lines()):
                print_line(line)
    return Status.OK if all(result.ok for result in results) else Status.DISAGREE


@contextmanager
def _progress_bar() -> Iterator[Callable[[Found | Checked, int], None] | None]:
    """Show a bar with what was tried last."""
    with bar() as advance:
        if advance is None:
            yield None
            return

        def show_progress(trial: Found | Checked, count: int) -> None:
            name = getattr(trial, "mutant", "") or trial.model
            advance(f"{name}: {trial.status}", count)

        yield show_progress
